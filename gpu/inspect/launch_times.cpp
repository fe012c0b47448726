// SPDX-License-Identifier: MIT
#include "gpu/inspect/launch_times.h"

#include "engine/core/source_name.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/line_counts.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace lathe::gpu {

namespace {

std::mutex timing_mutex;
int timing_scopes = 0;

} // namespace

TimingScope::TimingScope() {
    require_inspector();
    std::lock_guard lock{timing_mutex};
    if (timing_scopes++ == 0) device_traits().times_start();
}

TimingScope::~TimingScope() {
    std::lock_guard lock{timing_mutex};
    if (--timing_scopes == 0) device_traits().times_stop();
}

std::vector<LaunchTime> launch_times() {
    const auto read = device_traits().times_read;
    if (!read) return {};
    std::vector<LatheSoftLaunchTime> rows(read(nullptr, 0));
    // Kernels may come in between.
    rows.resize(std::min(rows.size(), read(rows.data(), rows.size())));
    std::map<std::string, LaunchTime> sums; // versions of a template have one name
    for (const LatheSoftLaunchTime& row : rows) {
        LaunchTime& sum = sums[source_name(row.kernel)];
        sum.launches += row.launches;
        sum.time += std::chrono::nanoseconds{row.nanoseconds};
        sum.counted += row.counted;
    }
    std::vector<LaunchTime> all;
    for (auto& [kernel, sum] : sums) {
        sum.kernel = kernel;
        all.push_back(std::move(sum));
    }
    return all;
}

} // namespace lathe::gpu
