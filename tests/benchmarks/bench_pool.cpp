// SPDX-License-Identifier: MIT
// What an allocation costs: the driver's cuMemAlloc and cuMemFree, and a pool in front of them. One
// line a size; medians, allocation and release together. LATHE_DEVICE chooses the device.
#include "gpu/memory_pool.h"
#include "gpu/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

using namespace lathe::gpu;
using Clock = std::chrono::steady_clock;

/// Nanoseconds of one call, the median of nine runs of `count`.
template <class F> double nanoseconds(int count, F call) {
    std::vector<double> runs;
    for (int run = 0; run < 9; ++run) {
        const auto start = Clock::now();
        for (int i = 0; i < count; ++i) call();
        runs.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
                       count);
    }
    std::nth_element(runs.begin(), runs.begin() + 4, runs.end());
    return runs[4];
}

void bench(std::size_t bytes) {
    const auto pool = make_device_pool();
    const double driver = nanoseconds(200, [&] { const DeviceBuffer buffer{bytes}; });
    const double pooled =
        nanoseconds(20'000, [&] { const auto block = DevicePool::allocate(pool, bytes); });
    double shared = 0;
    {
        std::vector<std::jthread> others;
        for (int n = 0; n < 3; ++n)
            others.emplace_back([&](std::stop_token stop) {
                while (!stop.stop_requested()) const auto block = DevicePool::allocate(pool, bytes);
            });
        shared = nanoseconds(20'000, [&] { const auto block = DevicePool::allocate(pool, bytes); });
    }
    fmt::print("{:>10} bytes   driver {:9.0f} ns   pool {:6.0f} ns   pool beside three threads "
               "{:6.0f} ns\n",
               bytes, driver, pooled, shared);
}

} // namespace

int main() try {
    fmt::print("{}\n", status_report().summary());
    Context::primary().make_current();
    for (const std::size_t bytes :
         {std::size_t{256}, std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 26})
        bench(bytes);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "bench_pool: %s\n", e.what());
    return 1;
}
