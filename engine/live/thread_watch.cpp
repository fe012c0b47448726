// SPDX-License-Identifier: MIT
#include "engine/live/thread_watch.h"

#include <utility>

namespace lathe {

ThreadWatch::~ThreadWatch() = default;

void ThreadWatch::follow(WatchedThread thread) {
    thread_ = std::move(thread);
    follow_kernel(*thread_.slot, thread_.kernel);
}

void ThreadWatch::begin(gpu::TracedKernel& traced, const gpu::Module& original,
                        const gpu::LaunchConfig& config) {
    traced.begin(thread_.block, thread_.thread, config.block, original);
}

void ThreadWatch::finish(gpu::TracedKernel& traced, const gpu::Module& original) {
    gpu::ThreadTrace trace = traced.finish(original);
    is_cut_ = trace.is_cut;
    lines_ = gpu::lines_of(std::move(trace.steps));
    lanes_ = gpu::LaneLines{std::move(trace.warp)};
}

void ThreadWatch::clear() {
    lines_.clear();
    lanes_ = {};
    is_cut_ = false;
}

} // namespace lathe
