// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/launch_times.h"

#include "gpu/soft/rt/launch.h"

namespace lathe::soft {

LaunchTimes& LaunchTimes::instance() {
    static auto* const times = new LaunchTimes; // workers may end grids until the process ends
    return *times;
}

void LaunchTimes::add(const Launch& launch) {
    if (!on_.load(std::memory_order_relaxed)) return;
    if (launch.status() != CUDA_SUCCESS) return;
    const auto time = std::chrono::steady_clock::now() - launch.began_at;
    std::lock_guard lock{mutex_};
    Sum& sum = sums_[launch.info->name];
    if (launch.first_code.counters) ++sum.counted;
    if (launch.first_code.counters || launch.first_code.watched) return;
    ++sum.launches;
    sum.time += time;
}

std::map<std::string, LaunchTimes::Sum> LaunchTimes::all() {
    std::lock_guard lock{mutex_};
    return sums_;
}

} // namespace lathe::soft
