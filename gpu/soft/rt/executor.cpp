// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/executor.h"

#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/block_spans.h"
#include "gpu/soft/rt/fault.h"
#include "gpu/soft/rt/launch_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <utility>

namespace lathe::soft {

namespace {

constexpr auto kSpin = std::chrono::microseconds{20};
constexpr auto kAskAgain = std::chrono::microseconds{50}; // host functions that wait

unsigned default_workers() {
    if (Order::from_environment().kind == Order::Kind::record) return 1;
    if (const char* text = std::getenv("LATHE_SOFT_WORKERS"))
        if (int n = std::atoi(text); n > 0) return std::min(static_cast<unsigned>(n), 256u);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::clamp(static_cast<unsigned>(CPU_COUNT(&set)), 1u, 256u);
    return std::max(1u, std::thread::hardware_concurrency());
}

// Signals of the program (Ctrl+C, timers) belong to its own threads.
void block_signals() {
    sigset_t set;
    sigfillset(&set);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
        sigdelset(&set, signal);
    pthread_sigmask(SIG_SETMASK, &set, nullptr);
}

template <class Ready> bool spin(Ready&& ready) {
    auto end = std::chrono::steady_clock::now() + kSpin;
    while (!ready()) {
        for (int i = 0; i < 16; ++i) _mm_pause();
        if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
}

} // namespace

Executor::Executor(unsigned workers) : count_{workers} {}

Executor::~Executor() {
    {
        std::lock_guard lock{mutex_};
        stop_ = true;
    }
    work_.notify_all();
    host_work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

Executor& Executor::instance() {
    static Executor* executor = new Executor{default_workers()};
    return *executor;
}

void Executor::start_threads() {
    started_ = true;
    for (unsigned i = 0; i < count_; ++i) threads_.emplace_back([this, i] { worker(i); });
    threads_.emplace_back([this] { host_thread(); });
}

void Executor::submit(const CommandPtr& command, std::span<const CommandPtr> after,
                      std::function<void(CUresult)> on_done) {
    std::unique_lock lock{mutex_};
    if (!started_) start_threads();
    command->on_done_ = std::move(on_done);
    for (const CommandPtr& before : after) {
        if (!before || before->done()) continue;
        before->dependents_.push_back(command);
        ++command->blockers_;
    }
    if (command->blockers_ == 0) make_ready(command);
}

void Executor::end(const CommandPtr& command, CUresult result) {
    std::lock_guard lock{mutex_};
    finish(command, result);
}

void Executor::wait(const CommandPtr& command) {
    if (!command || command->done()) return;
    if (spin([&] { return command->done(); })) return;
    std::unique_lock lock{mutex_};
    ++waiters_;
    done_.wait(lock, [&] { return command->done(); });
    --waiters_;
}

bool Executor::wait_until(const CommandPtr& command, Command::Clock::time_point end) {
    if (!command || command->done()) return true;
    if (spin([&] { return command->done(); })) return true;
    std::unique_lock lock{mutex_};
    ++waiters_;
    const bool done = done_.wait_until(lock, end, [&] { return command->done(); });
    --waiters_;
    return done;
}

void Executor::make_ready(const CommandPtr& command) {
    switch (command->kind_) {
    case Command::Kind::marker: finish(command, CUDA_SUCCESS); return;
    case Command::Kind::host_function:
        host_ready_.push_back(command);
        host_work_.notify_one();
        return;
    case Command::Kind::action:
    case Command::Kind::grid: break;
    }
    auto less_urgent = [&](const CommandPtr& other) {
        return other->priority_ > command->priority_;
    };
    ready_.insert(std::find_if(ready_.begin(), ready_.end(), less_urgent), command);
    ready_count_.store(static_cast<std::uint32_t>(ready_.size()), std::memory_order_release);
    if (!sleeping_) return;
    bool many = command->launch_ && command->launch_->blocks() > 1;
    if (many) work_.notify_all();
    else work_.notify_one();
}

// Markers finish as soon as they are ready, so a long chain of them is worked off in a loop.
void Executor::finish(const CommandPtr& command, CUresult result) {
    settling_.push_back({command, result});
    if (settling_.size() > 1) return; // a caller further up works it off
    for (std::size_t i = 0; i < settling_.size(); ++i) {
        auto [c, code] = settling_[i];
        c->result_ = code;
        c->finished_ = Command::Clock::now();
        if (auto on_done = std::exchange(c->on_done_, {})) on_done(code);
        c->action_ = {};
        auto dependents = std::move(c->dependents_);
        c->done_.store(true, std::memory_order_release);
        for (const CommandPtr& next : dependents)
            if (--next->blockers_ == 0) make_ready(next);
    }
    settling_.clear();
    if (waiters_) done_.notify_all();
}

// The first command that this worker may run; a second cooperative grid waits for the first, and
// one worker alone runs the blocks of a grid in Order::Kind::record, and of one that is watched.
CommandPtr Executor::next_command() {
    for (const CommandPtr& command : ready_) {
        const Launch* launch = command->launch_.get();
        if (launch && !launch->cooperative && launch->begun &&
            (launch->order.kind == Order::Kind::record || launch->watch))
            continue;
        if (!launch || !launch->cooperative) return command;
        if (!cooperative_ || cooperative_ == command) return command;
    }
    return nullptr;
}

void Executor::run_span(Launch& launch, BlockRunner& runner, std::uint64_t first,
                        std::uint64_t count) {
    BlockSpans& spans = BlockSpans::instance();
    if (!spans.is_on()) return runner.run(launch, first, count);
    const auto begin = BlockSpan::Clock::now();
    runner.run(launch, first, count);
    spans.add({launch.info->name, runner.index(), first, count, begin, BlockSpan::Clock::now()});
}

void Executor::run_grid(const CommandPtr& command, BlockRunner& runner,
                        std::unique_lock<std::mutex>& lock) {
    Launch& launch = *command->launch_;
    if (launch.cooperative) cooperative_ = command;
    if (launch.limit.count() > 0 && launch.deadline == Command::Clock::time_point::max())
        launch.deadline = Command::Clock::now() + launch.limit;
    const bool first_here = !std::exchange(launch.begun, true);
    if (first_here) launch.began_at = Command::Clock::now();
    ++command->participants_;
    lock.unlock();
    if (first_here) launch.find_ranges();
    else launch.wait_for_ranges();
    std::uint64_t total = launch.blocks(), chunk = launch.chunk(count_);
    while (!launch.stopped.load(std::memory_order_relaxed)) {
        std::uint64_t first = launch.next_block.fetch_add(chunk, std::memory_order_relaxed);
        if (first >= total) break;
        if (FaultReport late = launch.overdue(); !late.message.empty()) {
            launch.stop(std::move(late));
            break;
        }
        run_span(launch, runner, first, std::min(chunk, total - first));
        if (CodeToCome* const later = launch.first_code.later.get())
            later->runs_for(Command::Clock::now() - launch.began_at);
    }
    if (launch.first_code.counters) runner.give_counts();
    lock.lock();
    // Nothing is left to hand out: others need not look at this grid again.
    if (auto it = std::find(ready_.begin(), ready_.end(), command); it != ready_.end()) {
        ready_.erase(it);
        ready_count_.store(static_cast<std::uint32_t>(ready_.size()), std::memory_order_release);
    }
    if (--command->participants_ > 0) return;
    if (cooperative_ == command) {
        cooperative_ = nullptr;
        if (sleeping_ && !ready_.empty()) work_.notify_all();
    }
    finish_grid(command, lock);
}

// Runs what the grid's threads asked for; the grid is done when that is. Each item becomes a
// command; those of the tail run one after another behind all others.
void Executor::finish_grid(const CommandPtr& command, std::unique_lock<std::mutex>& lock) {
    const std::shared_ptr<Launch> launch = command->launch_;
    LaunchTimes::instance().add(*launch);
    if (CodeToCome* const later = launch->first_code.later.get())
        later->ran_for(Command::Clock::now() - launch->began_at);
    if (!launch->has_device_work() || launch->status() != CUDA_SUCCESS)
        return finish(command, launch->status());
    lock.unlock();
    const auto first_error = std::make_shared<std::atomic<CUresult>>(CUDA_SUCCESS);
    const auto note = [first_error](CUresult result) {
        CUresult none = CUDA_SUCCESS;
        if (result != CUDA_SUCCESS) first_error->compare_exchange_strong(none, result);
    };
    std::vector<CommandPtr> all, others, tail;
    for (DeviceWork::Item& item : launch->device_work().take_items()) {
        auto made = std::make_shared<Command>();
        if (item.grid) {
            launch->adopt(item.grid);
            made = std::make_shared<Command>(item.grid);
        } else if (item.action) {
            made = std::make_shared<Command>(Command::Kind::action, std::move(item.action));
        }
        made->set_priority(command->priority_);
        all.push_back(made);
        (item.is_tail ? tail : others).push_back(made);
        if (item.is_tail) continue;
        std::vector<CommandPtr> after;
        for (std::size_t k : item.after) after.push_back(all[k]);
        submit(made, after, note);
    }
    auto last = std::make_shared<Command>();
    submit(last, others);
    for (const CommandPtr& each : tail) {
        submit(each, std::array{last}, note);
        last = each;
    }
    submit(std::make_shared<Command>(), std::array{last}, [this, command, first_error](CUresult) {
        finish(command, *first_error); // under the lock, by who ends the last one
    });
    lock.lock();
}

void Executor::worker(unsigned index) {
    block_signals();
    install_signal_stack();
    pthread_setname_np(pthread_self(), fmt::format("lathe-soft-{}", index).c_str());
    BlockRunner runner{index, count_};
    set_current_runner(&runner);
    std::unique_lock lock{mutex_};
    while (!stop_) {
        CommandPtr command = next_command();
        if (!command) {
            lock.unlock();
            bool found = spin([&] { return ready_count_.load(std::memory_order_acquire) > 0; });
            lock.lock();
            if (found && next_command()) continue;
            ++sleeping_;
            work_.wait(lock, [&] { return stop_ || next_command(); });
            --sleeping_;
            continue;
        }
        if (command->kind_ == Command::Kind::grid) {
            run_grid(command, runner, lock);
            continue;
        }
        ready_.erase(std::find(ready_.begin(), ready_.end(), command));
        ready_count_.store(static_cast<std::uint32_t>(ready_.size()), std::memory_order_release);
        lock.unlock();
        CUresult result = command->action_();
        lock.lock();
        finish(command, result);
    }
    set_current_runner(nullptr);
}

void Executor::host_thread() {
    block_signals();
    pthread_setname_np(pthread_self(), "lathe-soft-host");
    std::unique_lock lock{mutex_};
    while (true) {
        host_work_.wait(lock, [&] { return stop_ || !host_ready_.empty(); });
        if (stop_) return;
        CommandPtr command = host_ready_.front();
        host_ready_.pop_front();
        lock.unlock();
        CUresult result = command->action_();
        lock.lock();
        if (result != CUDA_ERROR_NOT_READY) {
            finish(command, result);
            continue;
        }
        host_ready_.push_back(command);
        host_work_.wait_for(lock, kAskAgain);
    }
}

} // namespace lathe::soft
