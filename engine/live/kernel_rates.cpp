// SPDX-License-Identifier: MIT
#include "engine/live/kernel_rates.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace lathe {

namespace {

constexpr int kMostMissed = 20; // takes: about five seconds
constexpr double kSectorBytes = 32;

std::map<std::string, gpu::LaunchTime, std::less<>> times_by_kernel() {
    std::map<std::string, gpu::LaunchTime, std::less<>> times;
    for (gpu::LaunchTime& time : gpu::launch_times()) times[time.kernel] = std::move(time);
    return times;
}

} // namespace

KernelRates::KernelRates() { begin(); }

void KernelRates::begin() { before_ = times_by_kernel(); }

void KernelRates::take(std::span<const gpu::LineCounts> counts) {
    struct Grown {
        gpu::LaunchTime launches;
        std::uint64_t flops = 0, double_flops = 0, sectors = 0;
    };
    std::map<std::string_view, Grown> grown;
    auto now = times_by_kernel();
    for (const auto& [name, time] : now) {
        const auto known = before_.find(name);
        const gpu::LaunchTime before = known == before_.end() ? gpu::LaunchTime{} : known->second;
        if (time.launches == before.launches && time.counted == before.counted) continue;
        grown[name].launches = {.kernel = name,
                                .launches = time.launches - before.launches,
                                .time = time.time - before.time,
                                .counted = time.counted - before.counted};
    }
    for (const gpu::LineCounts& row : counts)
        if (const auto launched = grown.find(row.kernel); launched != grown.end()) {
            launched->second.flops += row.flops;
            launched->second.double_flops += row.double_flops;
            launched->second.sectors += row.sectors;
        }
    if (grown.empty()) return; // paused
    for (auto& [name, kernel] : kernels_) ++kernel.missed;
    for (const auto& [name, more] : grown) {
        Kernel& kernel = kernels_[std::string{name}];
        kernel.missed = 0;
        kernel.rate.kernel = name;
        if (const auto launches = double(more.launches.counted); launches > 0) {
            kernel.is_counted = true;
            kernel.rate.flops = double(more.flops) / launches;
            kernel.rate.double_flops = double(more.double_flops) / launches;
            kernel.rate.bytes = kSectorBytes * double(more.sectors) / launches;
        }
        if (const auto launches = double(more.launches.launches); launches > 0)
            kernel.rate.seconds =
                std::chrono::duration<double>(more.launches.time).count() / launches;
    }
    std::erase_if(kernels_, [](const auto& each) { return each.second.missed > kMostMissed; });
    before_ = std::move(now);
}

std::vector<gpu::KernelRate> KernelRates::all() const {
    std::vector<gpu::KernelRate> rates;
    for (const auto& [name, kernel] : kernels_)
        if (kernel.is_counted) rates.push_back(kernel.rate);
    return rates;
}

} // namespace lathe
