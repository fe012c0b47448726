// SPDX-License-Identifier: MIT
// How long grids ran, by kernel: from the first block that a worker took to the end of the last
// one. Only of code that neither counts nor is watched. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace lathe::soft {

struct Launch;

class LaunchTimes {
public:
    /// Of the process.
    static LaunchTimes& instance();

    /// Whether grids that end from now on are timed.
    void set_on(bool on) { on_.store(on, std::memory_order_relaxed); }
    /// A grid has ended.
    void add(const Launch& launch);

    struct Sum {
        std::uint64_t launches = 0;
        std::chrono::nanoseconds time{0};
        std::uint64_t counted = 0; ///< launches that counted, which `launches` leaves out
    };
    /// By kernels' names in PTX, of the whole process.
    std::map<std::string, Sum> all();

private:
    std::atomic<bool> on_{false};
    std::mutex mutex_;
    std::map<std::string, Sum> sums_;
};

} // namespace lathe::soft
