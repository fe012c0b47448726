// SPDX-License-Identifier: MIT
// One launch of a kernel, one warp of which is followed.
#pragma once

#include "gpu/inspect/warp_trace.h"
#include "python/bind/kernel/observed_launch.h"
#include "python/bind/kernel/origin.h"

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

namespace lathe::bind {

class WarpTracer : public ObservedLaunch {
public:
    /// Compiles the kernel's source for it, without the GIL. Throws Error where there is no source.
    WarpTracer(KernelOrigin& origin, gpu::Dim3 block, gpu::Dim3 thread);

    void launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                const gpu::Dim3& elements, const gpu::LaunchAttributes& more,
                void** arguments) override;
    /// A dict for each; None before the launch.
    pybind11::object steps() const;
    const std::string& source() const { return source_; }
    bool is_cut() const { return trace_ && trace_->is_cut; }

private:
    gpu::Dim3 block_, thread_;
    std::string source_;
    std::optional<gpu::WarpTracedKernel> kernel_;
    std::optional<gpu::WarpTrace> trace_;
};

} // namespace lathe::bind
