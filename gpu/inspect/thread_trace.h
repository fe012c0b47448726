// SPDX-License-Identifier: MIT
// What one thread of a launch does, line by line, with the values of its variables. The kernel is
// compiled once more without optimisation, and writes its steps down itself: on any device.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/instrumented_kernel.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/ptx/thread_trace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace lathe::gpu {

/// A variable's bytes before a line runs. Of arrays and structures there may be fewer than the type
/// has (ptx::kMostTracedBytes).
struct TracedValue {
    std::shared_ptr<const ptx::ParameterType> type; ///< with the variable's name
    std::vector<std::byte> bytes;
};

struct TraceStep {
    std::string function; ///< as the source spells it
    std::string file;     ///< as given to the compiler
    int line = 0;         ///< from 1
    int depth = 0;        ///< calls around it
    /// The function ends: `line` ran before, and `values` are its last ones.
    bool is_end = false;
    std::vector<TracedValue> values; ///< before the line, in the order of their declarations
};

struct ThreadTrace {
    std::vector<TraceStep> steps; ///< empty where the launch has no such thread
    bool is_cut = false;          ///< there were more steps than the memory held
};

/// A kernel that writes down what one of its threads does. Made in the current context, and used
/// there.
class LATHE_API TracedKernel {
public:
    /// Compiles. `kernel` is spelled as in the source. Throws CompileError; Error where the source
    /// has no such kernel; gpu::Error. Takes tens of milliseconds to seconds.
    TracedKernel(const CompileRequest& request, const std::string& kernel);

    /// To be launched in the place of the other, with the same arguments.
    const Kernel& kernel() const { return kernel_.kernel(); }

    /// Before a launch, whose thread `thread` of block `block` is followed. `original` has the
    /// variables of the module, which are copied. Synchronous.
    void begin(const Dim3& block, const Dim3& thread, const Module& original);
    /// After the launch: waits for the context, gives the variables back, and reads the steps.
    ThreadTrace finish(const Module& original);

private:
    /// Bytes of variables, by their numbers, as a call of a function last wrote them.
    using Frame = std::unordered_map<std::uint32_t, std::vector<std::byte>>;

    ptx::TracePlan plan_;
    InstrumentedKernel kernel_;
    Frame constants_;
    std::vector<std::shared_ptr<const ptx::ParameterType>> types_;
    std::vector<std::string> functions_; ///< as the source spells them
    DeviceBuffer records_;
};

} // namespace lathe::gpu
