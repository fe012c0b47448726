// SPDX-License-Identifier: MIT
// What one thread of a launch does, line by line, with the values of its variables and of those in
// shared memory, and what the other lanes of its warp do meanwhile. The kernel is compiled once
// more without optimisation, and writes the steps down itself: on any device.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/instrumented_kernel.h"
#include "gpu/inspect/traced_warp.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <memory>
#include <string>
#include <vector>

namespace lathe::gpu {

struct ThreadTrace {
    std::vector<TraceStep> steps;           ///< empty where the launch has no such thread
    bool is_cut = false;                    ///< there were more steps than the memory held
    std::shared_ptr<const TracedWarp> warp; ///< the thread is its leader; null where there is none
};

/// A kernel that writes down what the threads of one of its warps do. Made in the current context,
/// and used there.
class LATHE_API TracedKernel {
public:
    /// Compiles. `kernel` is spelled as in the source. Throws CompileError; Error where the source
    /// has no such kernel; gpu::Error. Takes tens of milliseconds to seconds.
    TracedKernel(const CompileRequest& request, const std::string& kernel);

    /// To be launched in the place of the other, with the same arguments.
    const Kernel& kernel() const { return kernel_->kernel(); }

    /// Before a launch with such blocks, whose thread `thread` of block `block` is followed.
    /// `original` has the variables of the module, which are copied. Synchronous.
    void begin(const Dim3& block, const Dim3& thread, const Dim3& block_size,
               const Module& original);
    /// After the launch: waits for the context, gives the variables back, and reads the steps.
    ThreadTrace finish(const Module& original);

private:
    std::shared_ptr<TraceMeaning> meaning_;
    std::unique_ptr<InstrumentedKernel> kernel_;
    DeviceBuffer records_, copy_;
    WarpPlace place_;
};

} // namespace lathe::gpu
