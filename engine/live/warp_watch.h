// SPDX-License-Identifier: MIT
// One warp of a live kernel's next launch: its lanes over time, and what they access
// (gpu/inspect/warp_trace.h).
//
// All members are called from the thread that launches.
#pragma once

#include "engine/core/api.h"
#include "engine/live/launch_follower.h"
#include "gpu/inspect/warp_trace.h"

#include <string>

namespace lathe {

struct WatchedWarp {
    const KernelSlot* slot = nullptr;
    std::string kernel;        ///< as the source spells it
    gpu::Dim3 block{0, 0, 0};  ///< blockIdx
    gpu::Dim3 thread{0, 0, 0}; ///< threadIdx of one of its threads
};

class LATHE_API WarpWatch final : public LaunchFollower<gpu::WarpTracedKernel> {
public:
    using LaunchFollower::LaunchFollower;
    ~WarpWatch() override;

    /// The first launch of the running version's kernel after the compile is followed. Another
    /// warp that was followed is forgotten.
    void follow(WatchedWarp warp);

    const WatchedWarp& warp() const { return warp_; }
    /// Without steps where the launch had no such warp.
    const gpu::WarpTrace& trace() const { return trace_; }

private:
    void begin(gpu::WarpTracedKernel& traced, const gpu::Module& original,
               const gpu::LaunchConfig& config) override;
    void finish(gpu::WarpTracedKernel& traced, const gpu::Module& original) override;
    void clear() override;

    WatchedWarp warp_;
    gpu::WarpTrace trace_;
};

} // namespace lathe
