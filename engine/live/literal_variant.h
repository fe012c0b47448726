// SPDX-License-Identifier: MIT
// The version of a source that reads one of its numbers from a variable (literal.h): compiled once,
// beside the version that runs, and kept until another number is moved.
#pragma once

#include "engine/core/api.h"
#include "engine/live/compile_job.h"
#include "engine/live/kernel_build.h"
#include "engine/live/worker.h"

#include <cstddef>
#include <memory>
#include <string>

namespace lathe {

class LATHE_API LiteralVariant {
public:
    enum class State {
        none,
        compiling,
        ready,
        refused, ///< it does not compile: the number must be a constant
    };

    /// Begins to compile `source`, whose variable has so many bytes; quickly, then in full. Nothing
    /// is compiled again where it is the source that is there, compiled or refused.
    void want(const KernelSource& source, std::size_t bytes, const BuildKernel& build,
              const Executor& on);
    /// No compile of it is wanted.
    void refuse();
    /// Takes what is compiled. True where `loaded()` is another than before.
    bool poll();
    /// Blocks until the state is not `compiling`; poll() says what it is.
    void wait();
    /// Drops a compile under way; what is ready stays.
    void cancel();
    /// Drops all: a file that the source includes has changed.
    void forget();

    State state() const { return state_; }
    const std::shared_ptr<const LoadedKernels>& loaded() const { return loaded_; }

private:
    State state_ = State::none;
    KernelSource source_;
    std::size_t bytes_ = 0;
    BuildKernel build_;
    Executor on_;
    CompileJob job_;
    std::shared_ptr<const LoadedKernels> loaded_;
};

} // namespace lathe
