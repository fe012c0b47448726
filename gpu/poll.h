// SPDX-License-Identifier: MIT
// Waits for a driver that only knows "done or not".
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace lathe::gpu::detail {

constexpr std::chrono::hours kLongestPoll{24};

/// Whether `is_done` says so within `time`. Most work is short, so the first looks are close.
template <class IsDone> bool poll_for(std::chrono::nanoseconds time, const IsDone& is_done) {
    using namespace std::chrono;
    const auto begin = steady_clock::now();
    const auto end = begin + std::clamp<nanoseconds>(time, time.zero(), kLongestPoll);
    while (!is_done()) {
        const auto now = steady_clock::now();
        if (now >= end) return false;
        if (now - begin < milliseconds{2}) std::this_thread::yield();
        else std::this_thread::sleep_until(std::min(now + microseconds{100}, end));
    }
    return true;
}

} // namespace lathe::gpu::detail
