// SPDX-License-Identifier: MIT
// What compiled code could not allow by itself: looks into the registry, the block's shared memory,
// stacks and parameters, and ends the launch where an access is in none of them.
#include "gpu/soft/rt/access.h"

#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/registry.h"
#include "gpu/soft/rt/seen.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace lathe::soft {

namespace {

struct Access {
    Origin origin = Origin::unknown;
    std::uint32_t slot = 0;
    std::uint64_t address = 0, bytes = 0;
    MemoryRange variable{};                   ///< of the module, or of the thread
    std::uint32_t alignment = 1, aligned = 0; ///< address + aligned is a multiple of alignment
    bool writes = false;
};

template <class T> MemoryRange range_of(const T* begin, std::size_t bytes) {
    return {reinterpret_cast<std::uintptr_t>(begin), bytes + 1};
}

class Judge {
public:
    explicit Judge(BlockRunner& runner)
        : runner_{runner}, self_{runner.current()}, context_{self_.context},
          launch_{runner.launch()} {}

    static bool is_aligned(const Access& a) { return (a.address + a.aligned) % a.alignment == 0; }

    bool allows(const Access& a) {
        if (a.bytes == 0) return true;
        switch (a.origin) {
        case Origin::shared: return shared().holds(a.address, a.bytes);
        case Origin::variable:
        case Origin::local: return a.variable.holds(a.address, a.bytes);
        case Origin::parameters: return parameters().holds(a.address, a.bytes);
        case Origin::parameter:
            if (const MemoryRange range = launch_.range(a.slot).whole(); range.room)
                return allows_parameter(a, range);
            break; // a number, or a pointer to something else
        case Origin::alignment: return a.address == 0;
        case Origin::unknown: break;
        }
        return allows_unknown(a);
    }

    [[noreturn]] void refuse(const Access& a, std::uint32_t lane, std::uintptr_t pc) {
        if (a.origin == Origin::alignment || !is_aligned(a)) refuse_misaligned(a, lane, pc);
        FaultReport r;
        r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
        const auto last = a.address + a.bytes - 1;
        if ((static_cast<std::int64_t>(a.address << 16) >> 16) !=
            static_cast<std::int64_t>(a.address)) {
            r.message = "illegal address: a pointer outside of the 48-bit address space";
        } else {
            r.address = a.address;
            const char* what = a.writes ? "write" : "read";
            // Of an access that begins inside the end tells more.
            Access begin = a;
            begin.bytes = 1;
            r.message =
                allows(begin)
                    ? fmt::format(
                          "illegal address: {} of {} bytes at {:#x}, the last of which lies {}",
                          what, a.bytes, a.address, text(a, last))
                    : fmt::format("illegal address: {} at {:#x}, {}", what, a.address,
                                  text(a, a.address));
            r.message += elsewhere(a);
        }
        runner_.refuse(self_, std::move(r), lane, pc);
    }

private:
    // Where single threads ran this again, their report takes its place: it has the address.
    [[noreturn]] void refuse_misaligned(const Access& a, std::uint32_t lane, std::uintptr_t pc) {
        FaultReport r;
        r.code = CUDA_ERROR_MISALIGNED_ADDRESS;
        const char* what = a.writes ? "write" : "read";
        if (a.origin == Origin::alignment) {
            r.message =
                fmt::format("misaligned address: {} at an address that is no multiple of {}", what,
                            a.alignment);
        } else {
            r.address = a.address;
            r.message = fmt::format("misaligned address: {} at {:#x}, which is no multiple of {}",
                                    what, a.address, a.alignment);
        }
        runner_.refuse(self_, std::move(r), lane, pc);
    }

    MemoryRange shared() const { return {range_of(context_.shared, launch_.shared_bytes())}; }
    MemoryRange parameters() const { return range_of(context_.params, launch_.info->param_bytes); }

    /// Pieces of host memory that were registered one by one may follow each other.
    static bool allows_parameter(const Access& a, const MemoryRange& range) {
        if (range.holds(a.address, a.bytes)) return true;
        const auto whole = Registry::instance().find(range.begin);
        if (!whole || whole->kind != Allocation::Kind::registered) return false;
        const auto other = Registry::instance().find(a.address);
        return other && other->kind == whole->kind &&
               Registry::instance().covers(a.address, a.bytes);
    }

    bool allows_unknown(const Access& a) {
        if (a.origin == Origin::unknown && // another lane's access has found it
            load_range(context_.seen[a.slot]).holds(a.address, a.bytes))
            return true;
        const MemoryRange found = Registry::instance().range_of(a.address);
        if (found.room) {
            if (!found.holds(a.address, a.bytes)) return false;
            if (a.origin == Origin::unknown) store_range(runner_.seen[a.slot], found);
            return remember(a, found);
        }
        // The rest belongs to this block or thread alone.
        const Stack* stack = self_.stack;
        const MemoryRange own[] = {
            shared(), stack ? range_of(stack->low, stack->bytes) : MemoryRange{}, parameters(),
            range_of(launch_.workspace, sizeof launch_.workspace)};
        for (const MemoryRange& each : own)
            if (each.holds(a.address, a.bytes)) return remember(a, each);
        return false;
    }

    bool remember(const Access& a, const MemoryRange& range) {
        if (a.origin == Origin::unknown) store_range(context_.seen[a.slot], range);
        return true;
    }

    std::string text(const Access& a, std::uintptr_t address) const {
        if (a.origin == Origin::local) {
            const std::uint64_t bytes = a.variable.room - 1;
            return address < a.variable.begin
                       ? fmt::format("{} bytes before a local variable of {} bytes",
                                     a.variable.begin - address, bytes)
                       : fmt::format("{} bytes past the end of a local variable of {} bytes",
                                     address - a.variable.begin - bytes, bytes);
        }
        if (a.origin == Origin::parameters)
            return fmt::format("outside of the kernel's {} bytes of parameters",
                               launch_.info->param_bytes);
        if (address >= 65536 && root(a))
            if (const auto whole = Registry::instance().find(root(a)))
                return describe_address(address, *whole);
        return runner_.text_of(context_, address, a.origin == Origin::shared);
    }

    /// What the address a pointer was worked out from points into; 0 where that is not known.
    std::uint64_t root(const Access& a) const {
        return a.origin == Origin::variable    ? a.variable.begin
               : a.origin == Origin::parameter ? launch_.range(a.slot).begin
                                               : 0;
    }

    /// An address in another allocation than that of its pointer: a GPU touches it.
    std::string elsewhere(const Access& a) const {
        const Registry& registry = Registry::instance();
        const auto other = registry.find(a.address);
        if (!root(a) || !other || !registry.covers(a.address, a.bytes)) return {};
        const auto whole = registry.find(root(a));
        if (!whole || whole->begin == other->begin) return {};
        return fmt::format("; that is {}, another allocation than its pointer's, where a GPU would "
                           "go: LATHE_SOFT_CHECKS=pages lets it pass",
                           describe_address(a.address, *other));
    }

    BlockRunner& runner_;
    ThreadFiber& self_;
    ThreadContext& context_;
    const Launch& launch_;
};

template <class T = std::uint64_t> T element(std::uint64_t array, std::uint32_t index) {
    T value{};
    std::memcpy(&value, reinterpret_cast<const T*>(array) + index, sizeof value);
    return value;
}

/// The address of a lane of a warp, or of the one thread.
std::uint64_t address_of(const AccessFrame& frame, const AccessSite& site, std::uint32_t lane) {
    if (site.what & kGathered) return element(frame.place, lane);
    std::int64_t steps = lane;
    if (site.what & kIndexed)
        steps = site.what & kSigned ? std::int64_t{element<std::int32_t>(frame.length, lane)}
                                    : std::int64_t{element<std::uint32_t>(frame.length, lane)};
    return frame.place + static_cast<std::uint64_t>(site.stride * steps);
}

} // namespace

extern "C" __attribute__((no_sanitize("thread"))) void lathe_rt_access_failed(AccessFrame* frame) {
    AccessSite site;
    const auto* code = reinterpret_cast<const std::uint8_t*>(frame->return_address);
    std::memcpy(&site, code, sizeof site);
    code += sizeof site;
    Judge judge{*current_runner()};
    const bool by_lanes = (site.what & kLanes) != 0;
    const std::uintptr_t pc = frame->return_address - 1;
    for (std::uint32_t k = 0; k < site.count; ++k, code += sizeof(AccessSite::Access)) {
        AccessSite::Access one;
        std::memcpy(&one, code, sizeof one);
        Access access;
        access.origin = static_cast<Origin>(site.what & kOriginBits);
        access.slot = site.what >> kSlotShift;
        access.writes = (one.size & kWrites) != 0;
        access.alignment = 1u << (site.what >> kAlignmentShift & 15);
        access.aligned = site.what >> kAlignedShift & 31;
        for (std::uint64_t lanes = by_lanes ? frame->mask : 1; lanes; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
            const auto steps = static_cast<std::int64_t>(lane);
            access.address = address_of(*frame, site, lane) +
                             static_cast<std::uint64_t>(std::int64_t{one.offset});
            access.bytes = !(site.what & kLength) ? one.size & ~kWrites
                           : by_lanes             ? element(frame->length, lane)
                                                  : frame->length;
            access.variable = {frame->begin + static_cast<std::uint64_t>(site.begin_stride * steps),
                               site.bytes + 1};
            if (!Judge::is_aligned(access) || !judge.allows(access)) judge.refuse(access, lane, pc);
        }
    }
    frame->return_address = reinterpret_cast<std::uintptr_t>(code);
}

} // namespace lathe::soft
