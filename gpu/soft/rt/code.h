// SPDX-License-Identifier: MIT
// What the run time knows of compiled code: a kernel's facts, the code for a size of block, and
// what a running grid asks of its module. gpu/soft/jit/compiler.h makes them.
#pragma once

#include "gpu/soft/rt/abi.h"
#include "gpu/soft/rt/counters.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::soft {

struct ParamInfo {
    std::uint32_t offset = 0, bytes = 0, alignment = 1;
};

/// Eight bytes of the parameters that a kernel reads as one value.
struct PointerSlot {
    std::uint32_t offset = 0;
    bool is_pointer = false; ///< the PTX says so; else it may be a number
};

/// What the run time must know to launch an entry.
struct KernelInfo {
    std::string name;
    std::vector<ParamInfo> params;
    std::uint32_t param_bytes = 0;
    /// For each the ParameterRange (rt/access.h) of the allocation that it points into is found
    /// when the grid begins; they lie behind the parameters.
    std::vector<PointerSlot> pointers;
    std::uint32_t static_shared_bytes = 0; ///< static shared variables, at offsets from the base
    /// Where dynamic shared memory begins: static_shared_bytes rounded up to at least 16. The block
    /// needs dynamic_shared_offset + (bytes of the launch), aligned to 128.
    std::uint32_t dynamic_shared_offset = 0;
    std::uint32_t local_bytes = 0; ///< .local per thread with callees (recursion counted once)
    std::uint32_t max_threads = 1024;
    std::uint32_t required_threads[3] = {0, 0, 0};
    /// True where a thread may have to wait for another one (barrier, warp operation, volatile or
    /// atomic spin): each thread then runs as a fiber. False: a plain loop over threads.
    bool needs_fibers = false;
    bool uses_printf = false;
    bool has_rows = false; ///< made for blocks of two dimensions
    /// All code of the kernel runs with rt/float_mode.h's flushing of subnormal numbers.
    bool flushes = false;

    /// Where the ranges of `pointers` begin, from the parameters on.
    std::uint32_t ranges_offset() const { return (param_bytes + 15) / 16 * 16; }
    /// Parameters and ranges.
    std::uint32_t parameter_bytes() const {
        return ranges_offset() +
               sizeof(ParameterRange) * static_cast<std::uint32_t>(pointers.size());
    }
};

/// What code does beside its work.
struct Instruments {
    bool counts = false;  ///< by source line: counters.h
    bool watches = false; ///< tells of its accesses: watch/site.h
    bool any() const { return counts || watches; }
    bool operator==(const Instruments&) const = default;
};

struct CodeToCome;

/// The code for one size of block.
struct KernelCode {
    KernelEntry entry = nullptr; ///< one thread; null where width > 1
    /// Threads first .. first + count - 1. By warps `first` is a multiple of `width`, and with
    /// fibers `count` is at most `width`.
    BlockEntry block = nullptr;
    /// Where set, `block` is null and the warps of a block run in rounds, from barrier to barrier.
    StepEntry step = nullptr;
    std::uint32_t kept_bytes = 0; ///< what a warp keeps between its steps
    std::uint32_t width = 1;      ///< threads side by side
    bool fibers = false;          ///< every `width` threads need a stack of their own
    /// Where set: better code can be compiled, or is being compiled.
    std::shared_ptr<CodeToCome> later;
    CounterTablePtr counters; ///< of code that counts: ThreadContext::counters must have its slots
    bool watched = false;     ///< its block must have a BlockWatch
    std::size_t frame_bytes = 0; ///< stack of all its functions, each counted once

    /// The best code that there is by now.
    inline const KernelCode& best() const;
};

/// Better code: by warps, or by single threads and optimised. To compile it takes ten milliseconds
/// and more, which a kernel that runs for less never gains: it begins when the code before has run
/// for kPays.
struct CodeToCome {
    using Time = std::chrono::steady_clock::duration;
    static constexpr Time kPays = std::chrono::milliseconds{5};

    std::atomic<bool> ready{false};
    KernelCode code;               ///< constant once it is ready
    std::function<void()> compile; ///< begins that in the background; called once

    /// A launch without it has run for `time` by now. Cheap, any thread.
    void runs_for(Time time) {
        if (!begun_.load(std::memory_order_relaxed) &&
            time_.load() + time.count() >= kPays.count() && !begun_.exchange(true))
            compile();
    }
    /// A launch without it is over.
    void ran_for(Time time) {
        runs_for(time);
        time_ += time.count();
    }

private:
    std::atomic<bool> begun_{false};
    std::atomic<Time::rep> time_{0}; ///< of all launches that are over
};

inline const KernelCode& KernelCode::best() const {
    return later && later->ready.load(std::memory_order_acquire) ? later->code : *this;
}

/// A row of a kernel's machine code, for people.
struct CodeRow {
    enum class Kind : std::uint32_t { instruction, label, function };
    Kind kind = Kind::instruction;
    std::string text;
    std::string file;       ///< of an instruction, as SourcePlace has it
    std::uint32_t line = 0; ///< 0 where nobody knows
    std::string inlined_at; ///< "file:line" of each call around it, the innermost first, by ";"
};

/// The code of a loaded module, as a running grid sees it. Thread-safe.
class ModuleCode {
public:
    virtual ~ModuleCode() = default;
    /// The code of a kernel for blocks of this size where 32-bit indices may wrap between the lanes
    /// of a warp (warp_run_checked); compiles it on first use.
    virtual KernelCode checked_code(std::string_view kernel, const std::uint32_t block[3],
                                    Instruments instruments = {}) = 0;
    /// Code by single threads, whatever the mode is; compiles it on first use. Its `block`, a loop
    /// of threads inside of compiled code, is null where the kernel needs fibers.
    virtual KernelCode thread_code(std::string_view kernel) = 0;
    /// Source place of a program counter inside this module's code, for fault reports. Where the
    /// PTX has no .loc, the file is "<ptx>" and the line that of the PTX text. Allocates: call it
    /// outside of signal handlers.
    virtual std::optional<SourcePlace> place_of(std::uintptr_t pc) const = 0;
    /// True where pc lies in code of this module. May be called from a signal handler.
    virtual bool contains(std::uintptr_t pc) const = 0;
};

} // namespace lathe::soft
