// SPDX-License-Identifier: MIT
// One text under way on the worker threads: its build and the reading of its parameters. Results
// of a text that was dropped meanwhile vanish, and tasks of it that have not begun do nothing.
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_build.h"
#include "engine/live/worker.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace lathe {

class LATHE_API CompileJob {
public:
    struct Result {
        KernelBuild build;
        std::optional<std::vector<Parameter>> parameters; ///< where they were asked for and read
    };

    CompileJob();
    ~CompileJob();
    CompileJob(const CompileJob&) = delete;
    CompileJob& operator=(const CompileJob&) = delete;

    /// Whatever is under way is of an older text.
    void drop();
    /// Posts the build. An exception of `build` becomes an error in the result's diagnostics.
    void build(const Executor& on, const BuildKernel& build, const KernelSource& source,
               Effort effort);
    /// Posts the reading of the parameters; the result waits for it where the source compiles.
    /// An exception of `reflect` means no parameters.
    void reflect(const Executor& on, const ReflectKernel& reflect, const KernelSource& source);
    /// The result, once, when it is there.
    std::optional<Result> take();
    /// Blocks until take() has something to give.
    void wait();
    /// The same for so long at most; false where it takes longer.
    bool wait_for(std::chrono::nanoseconds most);

private:
    struct Shared; // tasks hold this and a copy of the source, and nothing else
    std::shared_ptr<Shared> shared_;
};

} // namespace lathe
