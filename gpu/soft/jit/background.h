// SPDX-License-Identifier: MIT
// A thread that compiles what a first launch does not wait for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lathe::soft::jit {

class Background {
public:
    /// Started with the first job. At the end of the process it finishes the job that it is at.
    static Background& instance();
    ~Background();

    /// Jobs run one after another, the latest first; they throw nothing. None runs after stop().
    /// Includes end_with_this_thread().
    void add(std::function<void()> job);
    /// To be called once on each thread that uses the device: the end of the program, exit() on the
    /// main thread, begins with stop().
    static void end_with_this_thread();
    /// Waits for the job that runs and drops the others.
    void stop() noexcept;

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::function<void()>> jobs_;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace lathe::soft::jit
