// SPDX-License-Identifier: MIT
// A thread that compiles what a first launch does not wait for.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lathe::soft::jit {

class Background {
public:
    /// Started with the first job. At the end of the process it finishes the job that it is at.
    static Background& instance();
    ~Background();

    /// Jobs run one after another; they throw nothing.
    void add(std::function<void()> job);

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace lathe::soft::jit
