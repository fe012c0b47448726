// SPDX-License-Identifier: MIT
// What the software CUDA device offers beyond the CUDA driver API. C functions exported by
// liblathe_soft.so, to be looked up by name in the opened driver library: where a name is missing,
// the device is another one.
//
// Faults: a launch that fails ends with a driver error code as on a GPU, reported once by the next
// synchronising call on its stream (or on its context), and the device stays usable. On a GPU such
// an error is sticky and the context is lost. Commands queued behind the failed one still run.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The last launch that failed in this process. Strings are zero-terminated, cut where too long.
typedef struct LatheSoftFault {
    int code; ///< CUresult: 700 illegal address, 702 cancelled, 710 assert, 719 trap, ...
    char kernel[256];
    uint32_t block[3];
    uint32_t thread[3];
    char file[1024];    ///< empty where the PTX has no line information
    uint32_t line;      ///< 0 where unknown
    uint32_t column;    ///< 0 where unknown
    uint64_t address;   ///< touched address of a memory fault, else 0
    char message[1024]; ///< one sentence, without the place
} LatheSoftFault;

/// Copies the last fault. Returns how many launches have failed so far; 0 leaves *fault untouched.
/// Thread-safe.
uint64_t latheSoftGetLastFault(LatheSoftFault* fault);

/// "Lathe software CUDA device 0.1.0 (LLVM 19.1.7, 2 workers)". Lives as long as the library.
const char* latheSoftGetVersionString(void);

/// Why the calling thread's last driver call failed, in words; empty where it did not, or where
/// the code says all there is. Valid until the thread's next driver call.
const char* latheSoftGetLastErrorText(void);

/// Receives the text of device printf instead of standard output. Called at synchronising calls,
/// on the thread that makes them, never by two threads at once. It must not call the driver.
typedef void (*LatheSoftPrintf)(const char* text, size_t bytes, void* user);
/// Sets the receiver; null gives back standard output. Text already printed goes to the old one.
void latheSoftSetPrintfCallback(LatheSoftPrintf callback, void* user);

/// Ends the grids of a stream that run or wait (null: all streams of the current context), and its
/// waits for values in memory; they fail with CUDA_ERROR_LAUNCH_TIMEOUT. Returns at once with a
/// CUresult: 0, or CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_HANDLE. A grid notices at its
/// next loop back edge or block.
int latheSoftCancel(void* stream);

/// The longest time that a grid launched on the stream from now on may run, counted from its first
/// block; a longer one ends as a cancelled one does. 0: no limit, as at first. For every stream
/// LATHE_SOFT_TIMEOUT_MS in the environment wins over it, 0 there too. Returns as latheSoftCancel.
int latheSoftSetTimeLimit(void* stream, uint64_t milliseconds);

/// Waits for a stream's commands, but not longer than so many nanoseconds. Returns a CUresult: 0,
/// CUDA_ERROR_NOT_READY where some are not done then, CUDA_ERROR_INVALID_CONTEXT or
/// CUDA_ERROR_INVALID_HANDLE. Errors of commands and printf are left to synchronising calls.
int latheSoftStreamWait(void* stream, uint64_t nanoseconds);

/// A kernel's first launches run by single threads, until its code by vectors is compiled in the
/// background. Between begin and end of the calling thread modules of some thousand instructions at
/// most are loaded with their code by vectors, for blocks as kernels of these names were last
/// launched with: for a program that goes on with an older version meanwhile. Calls nest.
void latheSoftBestCodeBegin(void);
void latheSoftBestCodeEnd(void);

/// Bytes that OpenGL interop had to copy because the GL gives no pointer to its storage. Buffers
/// with persistent mappings add nothing; textures add their size at map and unmap.
uint64_t latheSoftInteropBytesCopied(void);

/// What launches have counted of one line of a kernel's source. Counts are of warps, 32 threads as
/// on a GPU, and follow from the optimised code: what the compiler joins or leaves out is not
/// counted. Strings are zero-terminated, cut where too long.
typedef struct LatheSoftLineCounters {
    char kernel[256]; ///< as the PTX names it
    char file[1024];  ///< as given to the compiler; "<ptx>" where the PTX has no line information
    uint32_t line;    ///< from 1
    /// 1: counted one thread at a time, since the kernel, or this function of it, cannot run by
    /// warps. Then executions, lanes and both instructions are of threads, and all others are 0.
    uint32_t by_threads;
    /// Of a line in an inlined function: "file:line" of each call around it, the innermost first,
    /// with ';' between; else empty.
    char inlined_at[512];
    uint64_t executions; ///< warps that ran a basic block with code of the line, block by block
    uint64_t lanes;      ///< their active threads: lanes / executions is 32 without divergence
    uint64_t branches;   ///< conditional branches that warps came to
    uint64_t divergent_branches; ///< those at which threads went different ways
    /// Threads that went to the compiled branch's first target (of a switch: not to its default),
    /// and all others.
    uint64_t taken_lanes, not_taken_lanes;
    uint64_t global_accesses; ///< loads and stores of global memory by warps
    uint64_t sectors;         ///< different sectors of 32 bytes that they touched, access by access
    uint64_t ideal_sectors;   ///< as many as the bytes asked for fill
    uint64_t shared_accesses; ///< loads and stores of shared memory by warps
    /// Sum over these accesses of the most different words that one of the 32 banks served (8 bytes
    /// a thread: in either half of the warp, 16: in any quarter); 1 each without conflicts.
    uint64_t bank_conflict_degree;
    uint64_t atomics;            ///< atomic updates by warps, of global and shared memory
    uint64_t atomics_serialised; ///< sum of the most threads of a warp with one address
    uint64_t barriers;           ///< arrivals of warps at barriers of the block
    /// Time that they waited there, in ticks of the processor's time-stamp counter, as clock64().
    /// Other warps of the block use it: a worker runs one warp at a time.
    uint64_t barrier_ticks;
    /// Instructions of the compiled code that warps ran (by_threads: that threads ran), before it
    /// becomes code of the processor.
    uint64_t instructions;
    /// The same, each counted for all threads that took part: 32 times as many without divergence.
    uint64_t thread_instructions;
    /// Floating-point operations of all threads, as the compiled code has them: sums, products,
    /// quotients and roots are one, a fused multiply-add is two. What approximate functions and
    /// half precision are made of counts.
    uint64_t flops;
    uint64_t double_flops; ///< those of them that are in float64
} LatheSoftLineCounters;

/// Counts in launches from now on, and no more; LATHE_SOFT_COUNTERS=1 in the environment starts
/// with it. Kernels are compiled anew, for warps of 32, when they are first launched so; results
/// keep their bits. Textures, surfaces and local memory count as executions only, functions that
/// are called by address not at all. Both are thread-safe.
void latheSoftCountersStart(void);
void latheSoftCountersStop(void);
/// Forgets all counts. Launches that still run add theirs when they end. Thread-safe.
void latheSoftCountersReset(void);
/// Writes at most `capacity` rows (null: none), sorted by kernel, file and line, and returns how
/// many there are. Holds launches that are done: synchronise first. Sums stay until they are reset,
/// also when a module is unloaded. Thread-safe.
size_t latheSoftCountersRead(LatheSoftLineCounters* rows, size_t capacity);

/// How long the launches of a kernel ran: from the begin of a grid's first block to the end of its
/// last one. Launches that count, or are looked at for hazards, are left out, and failed ones.
typedef struct LatheSoftLaunchTime {
    char kernel[256]; ///< as the PTX names it
    uint64_t launches;
    uint64_t nanoseconds; ///< of all of them
    uint64_t counted;     ///< launches that counted meanwhile
} LatheSoftLaunchTime;
/// Times launches that end from now on, and no more. Sums stay. Both are thread-safe.
void latheSoftTimesStart(void);
void latheSoftTimesStop(void);
/// Writes at most `capacity` rows (null: none), sorted by kernel, and returns how many there are.
/// Holds launches that are done: synchronise first. Thread-safe.
size_t latheSoftTimesRead(LatheSoftLaunchTime* rows, size_t capacity);

/// Blocks of a grid that a worker took together.
typedef struct LatheSoftBlockSpan {
    char kernel[256];      ///< as the PTX names it
    uint32_t worker;       ///< from 0
    uint64_t first, count; ///< blocks, by their place in the grid
    int64_t begin, end;    ///< nanoseconds of CLOCK_MONOTONIC
} LatheSoftBlockSpan;
/// Spans that end are kept from now on, and no more, when all are gone. Both are thread-safe.
void latheSoftSpansStart(void);
void latheSoftSpansStop(void);
/// Writes at most `capacity` of those that are kept from the number `*from` on, in the order in
/// which they ended, sets `*from` to the number of the next one, and returns how many it wrote. Of
/// more than 65,536 the oldest go. Thread-safe.
size_t latheSoftSpansRead(uint64_t* from, LatheSoftBlockSpan* rows, size_t capacity);

/// A row of a kernel's machine code.
typedef struct LatheSoftCodeRow {
    uint32_t kind;    ///< 0: an instruction, 1: a label, 2: the name of the function that follows
    const char* text; ///< in the processor's own words: "vaddps ymm0, ymm0, ymm1"
    const char* file; ///< of an instruction, as LatheSoftLineCounters has it; empty: not known
    uint32_t line;    ///< 0: not known
    const char* inlined_at; ///< as LatheSoftLineCounters has it
} LatheSoftCodeRow;
/// Called for each row, in order, on the calling thread. Strings live until it returns. It must not
/// call the driver.
typedef void (*LatheSoftCodeReceiver)(const LatheSoftCodeRow* row, void* user);

/// Which machine code the last launch of a CUfunction of the current context had, without what
/// counts and watches: another number where it is another code, as after a launch with other
/// blocks, or once the code by vectors is there. 0 where there is none yet. Thread-safe.
uint64_t latheSoftCodeId(void* function);
/// Gives out the rows of that code, and in `threads` how many threads it runs side by side. Returns
/// a CUresult: 0, also where there is no code yet; CUDA_ERROR_INVALID_CONTEXT or
/// CUDA_ERROR_INVALID_HANDLE. Thread-safe.
int latheSoftReadCode(void* function, LatheSoftCodeReceiver receive, void* user, uint32_t* threads);

/// What may be looked for in kernels: bits.
enum LatheSoftHazard {
    kLatheSoftRaceShared = 1,      ///< two threads of a block, in shared memory
    kLatheSoftRaceGlobal = 2,      ///< two threads of one launch, in global memory
    kLatheSoftUnwrittenShared = 4, ///< a read of what no thread of the block has written
    kLatheSoftUnwrittenGlobal = 8, ///< of what nothing has written since it was allocated
    kLatheSoftBarrierApart = 16,   ///< threads of a block at different __syncthreads()
    kLatheSoftAllHazards = 31
};

/// One thread's part in a hazard.
typedef struct LatheSoftHazardThread {
    char file[1024]; ///< empty: the hazard has no such thread
    uint32_t line;   ///< from 1; of the PTX where it has no line information
    uint32_t access; ///< 0 read, 1 write, 2 atomic
    uint32_t block[3];
    uint32_t thread[3];
    char inlined_at[512]; ///< as LatheSoftLineCounters has it
} LatheSoftHazardThread;

/// A hazard: the first example of its kind in a kernel between two lines, and how often it came.
typedef struct LatheSoftFinding {
    uint32_t hazard; ///< one of LatheSoftHazard
    uint32_t bytes;  ///< of the access
    char kernel[256];
    LatheSoftHazardThread first, second; ///< as they ran
    uint64_t address;
    uint64_t offset;    ///< from the start of `memory`
    char memory[256];   ///< "shared memory", "a 400-byte allocation of device memory", a variable
    char message[1024]; ///< what happened, and what mends it
    uint64_t count;     ///< accesses, or barriers
} LatheSoftFinding;

/// Looks for these hazards (0: none) in launches from now on; LATHE_SOFT_HAZARDS=1 in the
/// environment starts with all. No launch ends because of one. Kernels are compiled anew when they
/// are first launched so, and run slower; results keep their bits. Memory that is there already
/// counts as written, and so does what functions called by address write, which are not looked
/// at. Returns a CUresult: CUDA_ERROR_OUT_OF_MEMORY. Thread-safe.
int latheSoftHazardsWatch(uint32_t hazards);
/// Forgets all findings. Thread-safe.
void latheSoftHazardsReset(void);
/// Writes at most `capacity` findings (null: none), sorted by kind, kernel and lines, and returns
/// how many there are. Holds launches that are done: synchronise first. Thread-safe.
size_t latheSoftHazardsRead(LatheSoftFinding* findings, size_t capacity);
/// While unwritten memory is watched: the host has written device memory by itself
/// (latheSoftIsHostMemory).
void latheSoftHostHasWritten(uint64_t memory, size_t bytes);
/// While it is watched: a pool of the program gives out memory anew, as if just allocated. Waits
/// for the current context's work, which may still use it for its last owner.
void latheSoftMemoryIsNew(uint64_t memory, size_t bytes);

/// Bytes that a thread should access at once where a kernel's author may choose: 16, as on a GPU.
/// Groups of threads side by side are accessed by whole vectors.
unsigned latheSoftAccessBytes(void);

/// Whether one thread should walk a long run of elements where a kernel's author may choose,
/// instead of a block that shares it: 1. A block's threads take turns on one processor.
int latheSoftPrefersLoneThreads(void);

/// Device pointers are addresses of the host's, too: 1. The host may touch the memory itself while
/// no command uses it, so that its own libraries can do a device's work without a copy.
int latheSoftIsHostMemory(void);

/// Whether accesses of kernels behind the end of an allocation are found, to the byte: 1, but 0
/// with LATHE_SOFT_CHECKS=pages. A pool then gives blocks of exactly the bytes asked for.
int latheSoftChecksBytes(void);

/// Kernels that launch kernels find CUDA's device runtime in the driver: 1. No library is linked.
int latheSoftHasDeviceRuntime(void);

#ifdef __cplusplus
}
#endif
