// SPDX-License-Identifier: MIT
// Which values variables have after a line, for every thread of a launch. The kernel is compiled
// once more without optimisation, and writes them down itself: on any device.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/instrumented_kernel.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/ptx/line_values.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::gpu {

/// What is asked for. A thread is after a line when it comes to another one of the same function,
/// or leaves the function.
struct LineQuestion {
    int line = 0;                     ///< from 1
    std::string file{};               ///< its name suffices; empty: the kernel's source
    std::vector<std::string> names{}; ///< of variables; at most ptx::kMostLineVariables
    std::uint32_t visit = 0;          ///< of a line that comes several times, from 1; 0: the last
};

/// On the device, in the order of a picture: a thread (x, y, z) of the launch is at
/// (z * height + y) * width + x.
struct LineValues {
    Dim3 threads{0, 0, 0};  ///< of the launch: width, height, depth
    CUdeviceptr visits = 0; ///< std::uint32_t: how often the thread came to the line
    CUdeviceptr seen = 0;   ///< std::uint32_t: bit v says that the thread has variables[v]
    struct Variable {
        ptx::LineVariable is;
        CUdeviceptr values = 0; ///< `is.bytes` of each thread, every `is.stride` bytes
    };
    std::vector<Variable> variables; ///< those of the names that are known after the line
};

class LATHE_API LineValuesKernel {
public:
    /// Compiles in the current context. `kernel` is spelled as in the source. Throws CompileError;
    /// Error where the source has no such kernel, and where no instruction is of the line;
    /// gpu::Error. Takes tens of milliseconds to seconds.
    LineValuesKernel(const CompileRequest& request, const std::string& kernel,
                     LineQuestion question);

    /// To be launched in the place of the other, with the same arguments.
    const Kernel& kernel() const { return kernel_.kernel(); }
    const LineQuestion& question() const { return question_; }
    /// The kernel in which the line stands; empty where only functions that are called have it.
    std::string home() const;
    /// Variables that have a value after the line, those of inner blocks first.
    const std::vector<ptx::ParameterType>& known() const { return plan_.known; }
    /// Those of the names that it writes down, as finish() has them, still without addresses.
    const std::vector<LineValues::Variable>& variables() const { return values_.variables; }

    /// Before a launch. `original` has the variables of the module, which are copied. Synchronous.
    /// Throws gpu::Error where there is no memory for so many threads.
    void begin(const LaunchConfig& config, const Module& original);
    /// After the launch: waits for the context, and gives the variables back. The values live until
    /// the next begin().
    const LineValues& finish(const Module& original);

private:
    LineQuestion question_;
    ptx::LinePlan plan_;
    InstrumentedKernel kernel_;
    DeviceBuffer memory_;
    LineValues values_;
};

} // namespace lathe::gpu
