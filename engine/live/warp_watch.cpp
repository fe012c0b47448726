// SPDX-License-Identifier: MIT
#include "engine/live/warp_watch.h"

#include <utility>

namespace lathe {

WarpWatch::~WarpWatch() = default;

void WarpWatch::follow(WatchedWarp warp) {
    warp_ = std::move(warp);
    follow_kernel(*warp_.slot, warp_.kernel);
}

void WarpWatch::begin(gpu::WarpTracedKernel& traced, const gpu::Module& original,
                      const gpu::LaunchConfig& config) {
    traced.begin(warp_.block, gpu::warp_of(warp_.thread, config.block), original);
}

void WarpWatch::finish(gpu::WarpTracedKernel& traced, const gpu::Module& original) {
    trace_ = traced.finish(original);
}

void WarpWatch::clear() { trace_ = {}; }

} // namespace lathe
