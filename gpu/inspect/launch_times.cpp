// SPDX-License-Identifier: MIT
#include "gpu/inspect/launch_times.h"

#include "engine/core/source_name.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/scope_count.h"

#include <algorithm>
#include <map>

namespace lathe::gpu {

namespace {

ScopeCount timing_scopes{&DeviceTraits::times_start, &DeviceTraits::times_stop};

} // namespace

TimingScope::TimingScope() { timing_scopes.begin(); }

TimingScope::~TimingScope() { timing_scopes.end(); }

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
