// SPDX-License-Identifier: MIT
// What compiled code and the run time say to each other about checks of accesses to memory.
//
// Code compares (address - begin) < room - min(room, bytes) in line, and low bits of addresses with
// zero where it cannot know them. Where that fails it pushes the
// values below and calls lathe_rt_access_check, behind whose call an AccessSite lies in the code.
// The run time looks closer: it returns behind the site where the access is allowed after all, else
// the launch ends.
#pragma once

#include <cstdint>

namespace lathe::soft {

/// Where an address comes from.
enum class Origin : std::uint32_t {
    unknown,
    parameter,  ///< a pointer among the kernel's parameters; the site names its slot
    shared,     ///< the block's shared memory
    variable,   ///< of the module: `begin` and the site's bytes
    local,      ///< of a thread: the same
    parameters, ///< the kernel's parameters themselves
    alignment,  ///< no address, but the low bits of one, which must be zero
};

/// Memory that may be touched. `room` is its size plus one; 0: nothing is known of it.
struct MemoryRange {
    std::uint64_t begin = 0, room = 0;

    bool holds(std::uint64_t address, std::uint64_t bytes) const {
        return bytes < room && address - begin <= room - 1 - bytes;
    }
};

/// Accesses may have to be aligned to 1, 2, 4, 8, 16 or 32 bytes.
constexpr std::uint32_t kMostAlignmentBits = 5;

/// What a pointer among the parameters points into. `rooms` has the room as often as there are
/// alignments: 0 where the pointer itself has not the one, so that code that adds multiples of it
/// tests the alignment with the range.
struct ParameterRange {
    std::uint64_t begin = 0;
    std::uint64_t rooms[kMostAlignmentBits + 1] = {};

    MemoryRange whole() const { return {begin, rooms[0]}; }
};

/// Pointers of unknown origin that code tells apart: each has a range of its own.
constexpr std::uint32_t kSeenRanges = 4;

/// Bits of AccessSite::what: the Origin in the lowest; in the highest the slot of a parameter, or
/// of an unknown origin the number of its range.
enum AccessBits : std::uint32_t {
    kOriginBits = 7,
    kLanes = 8,     ///< of a warp: lane k has `place` + k * stride, `begin` + k * begin_stride
    kGathered = 16, ///< `place` is an array with the address of each lane
    kLength = 32,   ///< the size is `length` (of lanes: an array), not that of the access
    kIndexed = 64,  ///< lane k has `place` + stride * the 32-bit number k of the array at `length`
    kSigned = 128,  ///< which is signed
    /// Four bits: the accesses' address plus the number at kAlignedShift is a multiple of two to
    /// the power of this.
    kAlignmentShift = 8,
    kAlignedShift = 12, ///< five bits
    kSlotShift = 17,
};

/// Lies in the code behind a call of lathe_rt_access_check; not aligned. `count` accesses follow.
struct AccessSite {
    std::uint32_t what, count;
    std::uint64_t bytes; ///< of the variable
    std::int64_t stride, begin_stride;

    struct Access {
        std::int32_t offset; ///< from `place`
        std::uint32_t size;  ///< the highest bit: it writes
    };
};

constexpr std::uint32_t kWrites = 1u << 31;

/// The stack as lathe_rt_access_check finds it: what code has pushed, the last value first. Packed:
/// code that calls nothing else may keep its stack at multiples of four bytes.
struct [[gnu::packed]] AccessFrame {
    std::uint64_t rbp;
    std::uintptr_t return_address;
    std::uint64_t length, mask, begin, place;
};

extern "C" {
/// Called by compiled code alone, with an own convention: all registers are kept (access_stub.S).
void lathe_rt_access_check();
/// Does the work: sets the return address behind the site, or does not return.
void lathe_rt_access_failed(AccessFrame* frame);
}

} // namespace lathe::soft
