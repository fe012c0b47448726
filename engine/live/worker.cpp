// SPDX-License-Identifier: MIT
#include "engine/live/worker.h"

namespace lathe {

Worker::Worker() : thread_{[this] { loop(); }} {}

Worker::~Worker() {
    {
        std::lock_guard lock{mutex_};
        stopping_ = true;
        tasks_.clear();
    }
    wake_.notify_all();
    thread_.join();
}

void Worker::run(Task task) {
    {
        std::lock_guard lock{mutex_};
        tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
}

void Worker::loop() {
    for (std::unique_lock lock{mutex_};;) {
        wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (stopping_) return;
        Task task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        task = {}; // what it held dies before the next wait, not with the worker
        lock.lock();
    }
}

} // namespace lathe
