// SPDX-License-Identifier: MIT
// One launch of a kernel, one thread of which is followed.
#pragma once

#include "gpu/inspect/thread_trace.h"
#include "gpu/inspect/trace_lines.h"
#include "python/bind/kernel/observed_launch.h"
#include "python/bind/kernel/origin.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

namespace lathe::bind {

/// (function, file, line, depth, values, changes) of each, the last two by name.
pybind11::list to_python(const std::vector<gpu::TraceLine>& lines);

/// A kernel that writes down what a thread does, and its text.
struct Traced {
    gpu::TracedKernel kernel;
    std::string source;
};

/// Compiles the kernel's source for it, without the GIL. Throws Error where there is no source.
std::shared_ptr<Traced> traced(KernelOrigin& origin);

class ThreadTracer : public ObservedLaunch {
public:
    ThreadTracer(std::shared_ptr<Traced> of, gpu::Dim3 block, gpu::Dim3 thread)
        : of_{std::move(of)}, block_{block}, thread_{thread} {}

    void launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                const gpu::Dim3& elements, const gpu::LaunchAttributes& more,
                void** arguments) override;
    /// As to_python() has them; None before the launch.
    pybind11::object steps() const;
    const std::string& source() const { return of_->source; }
    bool is_cut() const { return is_cut_; }

private:
    std::shared_ptr<Traced> of_;
    gpu::Dim3 block_, thread_;
    std::optional<std::vector<gpu::TraceLine>> lines_;
    bool is_cut_ = false;
};

} // namespace lathe::bind
