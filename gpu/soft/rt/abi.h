// SPDX-License-Identifier: MIT
// The contract between compiled kernels (gpu/soft/jit) and the run time (gpu/soft/rt): the data
// a kernel finds through its context pointer and the C functions that its code calls.
// All device pointers are host pointers. Shared memory lies below 4 GiB, so that 32-bit shared
// addresses equal generic ones and cvta is a plain extension.
#pragma once

#include "gpu/soft/rt/access.h"

#include <cstdint>

namespace lathe::soft {

struct BlockState; // rt/block.h: fibers, barriers, warps of the running block

/// One CUDA thread as its code sees it. Field offsets are known to the JIT (offsetof).
struct ThreadContext {
    std::uint32_t tid[3];
    std::uint32_t ntid[3];
    std::uint32_t ctaid[3];
    std::uint32_t nctaid[3];
    std::uint32_t linear_tid; ///< x fastest
    std::uint32_t laneid;
    std::uint32_t warpid;
    std::uint32_t nwarpid;
    std::uint32_t smid; ///< index of the worker that runs the block
    std::uint32_t nsmid;
    std::uint64_t gridid;
    std::uint32_t dynamic_shared_bytes;
    std::uint32_t static_shared_bytes;
    std::uint8_t* shared;       ///< base of the block's shared memory; static variables first
    const std::uint8_t* params; ///< packed kernel parameters
    std::uint64_t envreg[4];    ///< %envreg1/2: driver workspace for grid-wide synchronisation
    BlockState* block;
    // For checks of accesses (access.h):
    std::uint64_t shared_room;     ///< bytes of the block's shared memory plus one
    MemoryRange seen[kSeenRanges]; ///< where accesses of unknown origin were found last
    std::uint64_t* counters;       ///< slots of counters.h, of code that counts
};

enum class WarpOperation : std::uint32_t { sync, shuffle, ballot, match, reduce, gather };

/// A warp operation whose lanes stand at different places of the code: what each of them brought,
/// and its result.
struct WarpMeeting {
    struct Lane {
        std::uint64_t operand[2];
        std::uint32_t result[2];
        std::uint32_t wait_mask; ///< members of the operation
        std::uint32_t wait_id;   ///< WarpOperation
    };
    Lane lanes[32];
    std::uint32_t waiting; ///< lanes that brought their operands
    std::uint32_t met;     ///< lanes with a result that they have not fetched
};

/// A compiled entry: runs one thread to its end.
using KernelEntry = void (*)(ThreadContext* thread);

/// A compiled thread loop: runs the threads first .. first + count - 1 (x fastest) of the block one
/// after another. Of the thread's place only `linear_tid` is kept current in the context; tid,
/// laneid and warpid follow from it. Exists where KernelInfo::needs_fibers is false.
using BlockEntry = void (*)(ThreadContext* thread, std::uint32_t first, std::uint32_t count);

/// Where a warp lies in its block.
struct WarpPlace {
    std::uint32_t tid[3];     ///< of its first lane
    std::uint32_t linear_tid; ///< of its first lane
    std::uint32_t lanes;      ///< those that it has
};

/// A compiled step, of a kernel whose warps wait for each other only at barriers of the whole
/// block: runs a warp from where it stands to its next barrier or to its end. `kept` belongs to the
/// warp while its block runs, and is aligned to kKeptAlignment. Its first word says where the warp
/// stands: kStepBegins, which the caller writes, kStepEnded or kStepWraps, else at a barrier.
using StepEntry = void (*)(ThreadContext* thread, const WarpPlace* place, std::uint32_t* kept);
constexpr std::uint32_t kStepBegins = 0;
constexpr std::uint32_t kStepEnded = ~0u;
/// 32-bit indices wrap between the lanes: the warp has done nothing, and is to run by code that
/// expects it (ModuleCode::checked_code).
constexpr std::uint32_t kStepWraps = ~0u - 1;
constexpr std::uint32_t kKeptAlignment = 64;

/// A compiled .func: parameters and returns are packed like kernel parameters.
using DeviceFunction = void (*)(ThreadContext* thread, const std::uint8_t* params,
                                std::uint8_t* returns);

/// What `.loc` says of a program counter in compiled code.
struct SourcePlace {
    const char* file;
    std::uint32_t line;
    std::uint32_t column;
};

extern "C" {

// --- control -----------------------------------------------------------------------------------
/// Ends the launch with CUDA_ERROR_LAUNCH_FAILED (trap) at this place. Does not return.
[[noreturn]] void lathe_rt_trap(ThreadContext* t);
/// exit in the middle of a call: ends this thread. Does not return. Under a BlockEntry the block
/// goes on with linear_tid + 1.
[[noreturn]] void lathe_rt_exit(ThreadContext* t);
/// Device assert(): message and place are reported, the launch ends with CUDA_ERROR_ASSERT.
[[noreturn]] void lathe_rt_assertfail(ThreadContext* t, const char* message, const char* file,
                                      std::uint32_t line, const char* function,
                                      std::uint64_t char_bytes);
/// Called on loop back edges, every time in loops that spin on memory, else every 1024th time:
/// yields to other fibers, honours cancellation.
void lathe_rt_backedge(ThreadContext* t);
/// vprintf(format, packed arguments): returns the number of arguments, as CUDA's printf.
std::int32_t lathe_rt_vprintf(ThreadContext* t, const char* format, const std::uint8_t* args);
void* lathe_rt_malloc(ThreadContext* t, std::uint64_t bytes);
void lathe_rt_free(ThreadContext* t, void* p);
void lathe_rt_nanosleep(ThreadContext* t, std::uint32_t ns);
std::uint64_t lathe_rt_clock64(ThreadContext* t);
std::uint64_t lathe_rt_globaltimer(ThreadContext* t);
/// isspacep: 1 where the generic address lies in the space. space: 0 global or constant, 1 shared,
/// 2 local, 4 kernel parameters, which are global, too.
std::uint32_t lathe_rt_is_space(ThreadContext* t, std::uint64_t address, std::uint32_t space);

/// Called by a warp function at its start where 32-bit indices wrap between its lanes: runs these
/// threads of the block by code that expects it.
void lathe_rt_warp_run_checked(ThreadContext* t, std::uint32_t first, std::uint32_t count);
/// A warp function comes to a barrier with `lanes`; its other lanes have ended. kind: 0 sync,
/// 1 arrive, 2 popc, 3 and, 4 or of the bits in `votes`.
std::uint32_t lathe_rt_warp_barrier(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                    std::uint32_t kind, std::uint32_t lanes, std::uint32_t votes);
/// The same where `others` lanes of the warp have yet to come, to this or another place with a
/// barrier: waits with the last of them only. `alive` are the lanes that have not ended.
void lathe_rt_warp_barrier_part(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                std::uint32_t kind, std::uint32_t lanes, std::uint32_t votes,
                                std::uint32_t alive, std::uint32_t others);
/// What the last barrier of the warp found. op: 0 popc, 1 and, 2 or.
std::uint32_t lathe_rt_warp_voted(ThreadContext* t, std::uint32_t op);
/// A lane comes to a warp operation that others of `mask` may come to elsewhere.
void lathe_rt_warp_bring(ThreadContext* t, WarpMeeting* meeting, std::uint32_t lane,
                         std::uint32_t mask, std::uint32_t operation, std::uint64_t operand0,
                         std::uint64_t operand1);
/// Those of the lanes `here` whose operation is complete; they have their results. Ends the launch
/// where nothing can complete one: no lane is `busy`. `alive`: lanes that have not ended.
std::uint32_t lathe_rt_warp_meet(ThreadContext* t, WarpMeeting* meeting, std::uint32_t here,
                                 std::uint32_t alive, std::uint32_t busy);
/// A lane is not in the member mask of its own warp operation: ends the launch.
[[noreturn]] void lathe_rt_warp_not_member(ThreadContext* t, std::uint32_t mask);

// --- barriers (PTX ISA "bar, barrier") ----------------------------------------------------------
/// threads = 0: all threads of the block.
void lathe_rt_barrier_sync(ThreadContext* t, std::uint32_t id, std::uint32_t threads);
void lathe_rt_barrier_arrive(ThreadContext* t, std::uint32_t id, std::uint32_t threads);
/// op: 0 popc, 1 and, 2 or.
std::uint32_t lathe_rt_barrier_red(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                   std::uint32_t op, std::uint32_t predicate);
void lathe_rt_warp_sync(ThreadContext* t, std::uint32_t mask);

// --- warp operations -----------------------------------------------------------------------------
std::uint32_t lathe_rt_activemask(ThreadContext* t);
/// mode: 0 up, 1 down, 2 bfly, 3 idx. b = lane or delta, c = clamp and segment mask (PTX
/// shfl.sync). *in_range receives the predicate.
std::uint32_t lathe_rt_shfl(ThreadContext* t, std::uint32_t mask, std::uint32_t mode,
                            std::uint32_t value, std::uint32_t b, std::uint32_t c,
                            std::uint32_t* in_range);
std::uint32_t lathe_rt_ballot(ThreadContext* t, std::uint32_t mask, std::uint32_t predicate);
/// all: 0 match.any, 1 match.all (then *all_equal receives the predicate).
std::uint32_t lathe_rt_match(ThreadContext* t, std::uint32_t mask, std::uint64_t value,
                             std::uint32_t all, std::uint32_t* all_equal);
/// op: 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor; is_signed for min and max.
std::uint32_t lathe_rt_redux(ThreadContext* t, std::uint32_t mask, std::uint32_t op,
                             std::uint32_t is_signed, std::uint32_t value);
/// Every lane of `mask` gives `bytes` (at most 64) bytes; all[lane * bytes] receives those of every
/// lane, zeros for lanes outside of the mask. Carries ldmatrix, movmatrix and mma.
void lathe_rt_warp_gather(ThreadContext* t, std::uint32_t mask, const void* mine,
                          std::uint32_t bytes, void* all);

// --- textures and surfaces -----------------------------------------------------------------------
/// Geometry of texture and surface instructions: 1, 2 or 3 coordinates, and these bits.
enum TextureGeometry : std::uint32_t {
    kTextureLayered = 16, ///< the layer (u32) comes before the coordinates
    kTextureCube = 32,
    kTextureOffset = 64,    ///< words 4 to 6: s32 texels to add
    kTextureGradient = 128, ///< words 8 to 10 and 12 to 14: slopes along x and y (f32)
};
/// What txq and suq ask for.
enum class TextureQuery : std::uint32_t {
    width,
    height,
    depth,
    channel_data_type,
    channel_order,
    normalized_coords,
    array_size,
    num_mipmap_levels,
    num_samples,
    memory_layout,
    force_unnormalized_coords,
    filter_mode,
    addr_mode_0,
    addr_mode_1,
    addr_mode_2,
};
enum class SurfaceReduction : std::uint32_t { add, min, max, and_, or_ };
/// Bits of lathe_rt_sured's `kind`.
enum SurfaceReductionKind : std::uint32_t {
    kReduceSigned = 1,
    kReduceWide = 2,      ///< 64 bits
    kReduceFormatted = 4, ///< x counts texels
};
/// words: coordinates, `float` or `int32_t` (is_float), in PTX order, then what the geometry says.
/// lod: mip level, 0 for the base. result: four 32-bit words, in the texture's own type.
void lathe_rt_tex(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                  std::uint32_t is_float, const std::uint32_t* words, float lod,
                  std::uint32_t* result);
/// tld4: component 0..3 of the four texels that linear filtering would read.
void lathe_rt_tld4(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t component, const std::uint32_t* words, std::uint32_t* result);
/// boundary: 0 trap, 1 clamp, 2 zero. x is in bytes (.b form); `bytes` per element of `count`
/// elements.
void lathe_rt_suld(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, std::uint64_t* values);
void lathe_rt_sust(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, const std::uint64_t* values);
/// The .p form: x in texels; `count` 32-bit words, which become channels of the surface's format.
void lathe_rt_sust_formatted(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                             std::uint32_t boundary, const std::int32_t* coords,
                             std::uint32_t count, const std::uint64_t* values);
void lathe_rt_sured(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                    std::uint32_t boundary, const std::int32_t* coords, std::uint32_t op,
                    std::uint32_t kind, std::uint64_t value);
/// txq and suq; `query` is a TextureQuery, `level` a mip level.
std::uint32_t lathe_rt_txq(ThreadContext* t, std::uint64_t object, std::uint32_t query,
                           std::uint32_t level);
std::uint32_t lathe_rt_istypep(ThreadContext* t, std::uint64_t object, std::uint32_t surface);

} // extern "C"

} // namespace lathe::soft
