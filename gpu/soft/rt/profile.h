// SPDX-License-Identifier: MIT
// What launches have counted, by kernel and source line. Thread-safe.
#pragma once

#include "gpu/soft/rt/counters.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <span>

namespace lathe::soft {

using Counts = std::array<std::uint64_t, kCounters>;

class Profile {
public:
    /// Of the process. LATHE_SOFT_COUNTERS=1: it counts from the start.
    static Profile& instance();

    /// Whether launches made from now on are counted.
    bool is_on() const { return on_.load(std::memory_order_relaxed); }
    void set_on(bool on) { on_.store(on, std::memory_order_relaxed); }
    void reset();
    /// Adds what one worker has counted of a launch.
    void add(const CounterTablePtr& table, std::span<const std::uint64_t> slots);

    struct Line {
        std::string kernel;
        CounterRow place;
        auto operator<=>(const Line&) const = default;
    };
    std::map<Line, Counts> lines();

private:
    Profile();
    static void expand(const CounterTable& table, std::span<const std::uint64_t> slots,
                       std::map<Line, Counts>& lines);
    void fold();

    std::atomic<bool> on_{false};
    std::mutex mutex_;
    std::map<CounterTablePtr, std::vector<std::uint64_t>> totals_;
    std::map<Line, Counts> of_unloaded_; ///< code that is gone
};

} // namespace lathe::soft
