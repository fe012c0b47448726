// SPDX-License-Identifier: MIT
// A thread that runs tasks in order. Slots take any Executor, so tests run tasks by hand.
#pragma once

#include "engine/core/api.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lathe {

using Task = std::function<void()>;
/// Takes a task and runs it, now or later, on any thread.
using Executor = std::function<void(Task)>;

class LATHE_API Worker {
public:
    Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Drops tasks that have not begun and waits for the one that has.
    ~Worker();

    /// Any thread. A task must not throw.
    void run(Task task);
    /// The worker must outlive the executor's users.
    Executor executor() {
        return [this](Task task) { run(std::move(task)); };
    }

private:
    void loop();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Task> tasks_;
    bool stopping_ = false;
    std::thread thread_;
};

} // namespace lathe
