// SPDX-License-Identifier: MIT
// What one warp of a launch does: which of its lanes run a line, and which memory they access
// there. The kernel is compiled once more, and writes it down itself: on any device.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/instrumented_kernel.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/ptx/warp_trace.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::gpu {

using ptx::WarpEvent;
using ptx::WarpSpace;

/// Lanes of the warp do something together.
struct WarpStep {
    WarpEvent event = WarpEvent::line;
    std::string function; ///< as the source spells it
    std::string file;     ///< as given to the compiler
    int line = 0;         ///< from 1; 0: not known
    std::uint32_t lanes = 0;

    // Of a read, a write or an atomic.
    WarpSpace space{};                         ///< global or shared
    std::uint32_t bytes = 0;                   ///< of a lane
    std::array<std::uint64_t, 32> addresses{}; ///< by lane; of shared memory from its window on

    bool is_access() const { return event != WarpEvent::line && event != WarpEvent::barrier; }
    /// Of global memory: different sectors of 32 bytes that the lanes touch, and as many as their
    /// bytes would fill.
    LATHE_API unsigned sectors() const;
    LATHE_API unsigned ideal_sectors() const;
    /// Of shared memory: turns that the banks take, and each of them alone.
    LATHE_API unsigned turns() const;
    LATHE_API std::array<unsigned, 32> turns_of_banks() const;
};

/// In time: lanes at one place of the code run together. Of lanes at different places those go on
/// that are at the first one, until they reach the others: as the software device has it, and one
/// of the ways in which a GPU may run them.
struct WarpTrace {
    std::vector<WarpStep> steps; ///< empty where the launch has no such warp
    bool is_cut = false;         ///< a lane had more than the memory held
};

/// The number of a thread's warp in a block of that size.
LATHE_API unsigned warp_of(const Dim3& thread, const Dim3& block_size);

/// A kernel that writes down what one of its warps does. Made in the current context, and used
/// there.
class LATHE_API WarpTracedKernel {
public:
    /// Compiles, optimised as the kernel runs. `kernel` is spelled as in the source. Throws
    /// CompileError; Error where the source has no such kernel; gpu::Error.
    WarpTracedKernel(const CompileRequest& request, const std::string& kernel);

    /// To be launched in the place of the other, with the same arguments.
    const Kernel& kernel() const { return kernel_.kernel(); }

    /// Before a launch, whose warp `warp` of block `block` is followed: threads 32 * warp to
    /// 32 * warp + 31, x first. `original` has the variables of the module, which are copied.
    /// Synchronous.
    void begin(const Dim3& block, unsigned warp, const Module& original);
    /// After the launch: waits for the context, gives the variables back, and reads the steps.
    WarpTrace finish(const Module& original);

private:
    WarpTrace merge(const std::array<std::vector<ptx::WarpRecord>, 32>& lanes) const;

    ptx::WarpPlan plan_;
    InstrumentedKernel kernel_;
    std::vector<std::string> functions_; ///< as the source spells them
    DeviceBuffer memory_;
};

} // namespace lathe::gpu
