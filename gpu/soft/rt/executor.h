// SPDX-License-Identifier: MIT
// The worker threads and the order of their work. Streams and events are edges of one graph of
// commands: a command runs when all it waits for are done. Grids are shared out over all workers,
// other commands run on one; host functions run on a thread of their own, since they may block. A
// host function that returns CUDA_ERROR_NOT_READY is asked again, after the others.
#pragma once

#include "gpu/soft/rt/launch.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace lathe::soft {

class Command {
public:
    using Clock = std::chrono::steady_clock;
    enum class Kind : std::uint8_t { marker, action, host_function, grid };

    /// A marker does nothing but be ordered and take the time.
    Command() = default;
    Command(Kind kind, std::function<CUresult()> action)
        : kind_{kind}, action_{std::move(action)} {}
    explicit Command(std::shared_ptr<Launch> launch)
        : kind_{Kind::grid}, launch_{std::move(launch)} {}

    bool done() const { return done_.load(std::memory_order_acquire); }
    /// Valid once done.
    CUresult result() const { return result_; }
    Clock::time_point finished_at() const { return finished_; }
    /// The grid, for cancelling; null for others.
    const std::shared_ptr<Launch>& launch() const { return launch_; }
    /// Of the commands that are ready, those with the lowest number run first. Set before submit.
    void set_priority(int priority) { priority_ = priority; }

private:
    friend class Executor;
    Kind kind_ = Kind::marker;
    int priority_ = 0;
    std::function<CUresult()> action_;
    std::shared_ptr<Launch> launch_;
    std::function<void(CUresult)> on_done_;
    // Under the executor's lock:
    std::vector<std::shared_ptr<Command>> dependents_;
    std::uint32_t blockers_ = 0;
    std::uint32_t participants_ = 0;
    CUresult result_ = CUDA_SUCCESS;
    Clock::time_point finished_{};
    std::atomic<bool> done_{false};
};

using CommandPtr = std::shared_ptr<Command>;

class Executor {
public:
    /// Threads start with the first command.
    explicit Executor(unsigned workers);
    ~Executor(); ///< waits for the threads; all commands must be done

    /// The executor of the process: LATHE_SOFT_WORKERS or as many as there are hardware threads.
    static Executor& instance();

    unsigned workers() const { return count_; }

    /// Runs the command after all of `after` (done or null ones do not count). `on_done` is called
    /// once, before waiters wake, on whatever thread; it must be short and must not call back.
    void submit(const CommandPtr& command, std::span<const CommandPtr> after,
                std::function<void(CUresult)> on_done = {});
    /// Ends a command that was never submitted: its caller has done the work.
    void end(const CommandPtr& command, CUresult result);
    /// Returns when the command is done.
    void wait(const CommandPtr& command);
    /// As wait, but not beyond that time: false where the command is not done then.
    bool wait_until(const CommandPtr& command, Command::Clock::time_point end);

private:
    void worker(unsigned index);
    void host_thread();
    void start_threads();
    void make_ready(const CommandPtr& command);
    void finish(const CommandPtr& command, CUresult result);
    static void run_span(Launch& launch, class BlockRunner& runner, std::uint64_t first,
                         std::uint64_t count);
    void run_grid(const CommandPtr& command, class BlockRunner& runner,
                  std::unique_lock<std::mutex>& lock);
    void finish_grid(const CommandPtr& command, std::unique_lock<std::mutex>& lock);
    CommandPtr next_command();

    unsigned count_;
    std::mutex mutex_;
    std::condition_variable work_, done_, host_work_;
    std::deque<CommandPtr> ready_, host_ready_;
    std::vector<std::pair<CommandPtr, CUresult>> settling_;
    std::atomic<std::uint32_t> ready_count_{0}; ///< what spinning workers look at
    std::uint32_t sleeping_ = 0, waiters_ = 0;
    CommandPtr cooperative_; ///< at most one such grid runs at a time
    bool stop_ = false;
    bool started_ = false;
    std::vector<std::thread> threads_;
};

} // namespace lathe::soft
