// SPDX-License-Identifier: MIT
// One thread of a live kernel's next launch, line by line, in a program that goes on
// (gpu/inspect/thread_trace.h).
//
// All members are called from the thread that launches.
#pragma once

#include "engine/core/api.h"
#include "engine/live/launch_follower.h"
#include "gpu/inspect/trace_lines.h"

#include <string>
#include <vector>

namespace lathe {

struct WatchedThread {
    const KernelSlot* slot = nullptr;
    std::string kernel;        ///< as the source spells it
    gpu::Dim3 block{0, 0, 0};  ///< blockIdx
    gpu::Dim3 thread{0, 0, 0}; ///< threadIdx
};

class LATHE_API ThreadWatch final : public LaunchFollower<gpu::TracedKernel> {
public:
    using LaunchFollower::LaunchFollower;
    ~ThreadWatch() override;

    /// The first launch of the running version's kernel after the compile is followed. Another
    /// thread that was followed is forgotten.
    void follow(WatchedThread thread);

    const WatchedThread& thread() const { return thread_; }
    /// Empty where the launch had no such thread.
    const std::vector<gpu::TraceLine>& lines() const { return lines_; }
    /// What the other lanes of its warp do at these lines.
    const gpu::LaneLines& lanes() const { return lanes_; }
    /// There were more than the memory for steps holds: these are the first.
    bool is_cut() const { return is_cut_; }

private:
    void begin(gpu::TracedKernel& traced, const gpu::Module& original,
               const gpu::LaunchConfig& config) override;
    void finish(gpu::TracedKernel& traced, const gpu::Module& original) override;
    void clear() override;

    WatchedThread thread_;
    std::vector<gpu::TraceLine> lines_;
    gpu::LaneLines lanes_;
    bool is_cut_ = false;
};

} // namespace lathe
