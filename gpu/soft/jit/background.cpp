// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/background.h"

#include "engine/core/blocked_signals.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace lathe::soft::jit {

namespace {

constexpr int kNicer = 10;

/// exit() destroys the objects of its thread before any static one. A static object is too late
/// to wait in: statics that LLVM made during a job are younger, and gone by then.
struct AtEndOfMain {
    ~AtEndOfMain() { Background::instance().stop(); }
};

} // namespace

// Not kept beyond the process as other instances are: LLVM must not be at work while its own
// statics, which are older, are destroyed.
Background& Background::instance() {
    static Background background;
    return background;
}

Background::~Background() { stop(); }

void Background::stop() noexcept {
    std::vector<std::function<void()>> dropped;
    {
        std::lock_guard lock{mutex_};
        stop_ = true;
        dropped.swap(jobs_);
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Background::end_with_this_thread() {
    if (gettid() != getpid()) return;
    static thread_local const AtEndOfMain waits;
    static_cast<void>(waits);
}

void Background::add(std::function<void()> job) {
    end_with_this_thread();
    std::lock_guard lock{mutex_};
    if (stop_) return;
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) {
        const BlockedSignals blocked;
        thread_ = std::thread{[this] { run(); }};
    }
    changed_.notify_one();
}

void Background::run() {
    pthread_setname_np(pthread_self(), "lathe-soft-jit");
    // What the program does meanwhile comes first, an edit's compile above all.
    const auto own = static_cast<id_t>(gettid());
    setpriority(PRIO_PROCESS, own, getpriority(PRIO_PROCESS, own) + kNicer);
    std::unique_lock lock{mutex_};
    while (true) {
        changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
        if (stop_) return;
        const std::function<void()> job = std::move(jobs_.back()); // what runs now, most likely
        jobs_.pop_back();
        lock.unlock();
        job();
        lock.lock();
    }
}

} // namespace lathe::soft::jit
