// SPDX-License-Identifier: MIT
// Which blocks each worker ran, and when. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace lathe::soft {

/// Blocks of a grid that a worker took together.
struct BlockSpan {
    using Clock = std::chrono::steady_clock;
    std::string kernel; ///< as the PTX names it
    unsigned worker = 0;
    std::uint64_t first = 0, count = 0; ///< blocks, by their place in the grid
    Clock::time_point begin{}, end{};
};

class BlockSpans {
public:
    /// Spans that are kept; of more the oldest go.
    static constexpr std::size_t kMost = 1 << 16;

    /// Of the process.
    static BlockSpans& instance();

    /// Whether spans that end from now on are kept. None are, once that is over.
    void set_on(bool on);
    bool is_on() const { return on_.load(std::memory_order_relaxed); }
    void add(BlockSpan span);
    /// Gives out those from a number on, in the order in which they ended, while `take` wants them;
    /// returns the number of the next one.
    std::uint64_t read(std::uint64_t from, const std::function<bool(const BlockSpan&)>& take);

private:
    std::atomic<bool> on_{false};
    std::mutex mutex_;
    std::deque<BlockSpan> spans_;
    std::uint64_t first_ = 0; ///< number of the oldest
};

} // namespace lathe::soft
