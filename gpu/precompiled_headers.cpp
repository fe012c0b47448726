// SPDX-License-Identifier: MIT
#include "gpu/precompiled_headers.h"

#include "engine/core/blocked_signals.h"
#include "engine/core/log.h"
#include "gpu/nvrtc.h"

#include <fmt/core.h>

#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

constexpr auto kQuiet = 50ms, kFirstFrames = 1000ms, kLongestWait = 10'000ms;
constexpr int kLoop = 3;                     // compiles of a program that will go on so
constexpr auto kLongestWaitInALoop = 1000ms; // it hardly pauses
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// NVRTC makes static objects in its first compile. What waits for our thread at exit() must be
/// younger than they are, so they are made before.
void make_statics_of_nvrtc() {
    nvrtcProgram program = nullptr;
    if (nvrtc().create_program(&program, "", "empty.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
        return;
    nvrtc().compile_program(program, 0, nullptr);
    nvrtc().destroy_program(&program);
}

} // namespace

// -- a file ------------------------------------------------------------------------------------

std::shared_ptr<const PrecompiledHeaders::File>
PrecompiledHeaders::File::made_by(const Make& make) {
    std::error_code failed;
    std::string folder = (fs::temp_directory_path(failed) / "lathe-headers-XXXXXX").string();
    if (failed || fs::space(fs::path{folder}.parent_path(), failed).available < 2 * kMostBytes ||
        failed || !mkdtemp(folder.data()))
        return nullptr;
    const fs::path name = fs::path{folder} / "headers.pch";
    const int descriptor = make(name) ? open(name.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    fs::remove_all(folder, failed); // an open file stays
    if (descriptor < 0) return nullptr;
    struct stat about{};
    fstat(descriptor, &about);
    return std::make_shared<const File>(descriptor, static_cast<std::size_t>(about.st_size));
}

PrecompiledHeaders::File::~File() { close(descriptor_); }

std::string PrecompiledHeaders::File::path() const {
    return fmt::format("/proc/self/fd/{}", descriptor_);
}

// -- those of the process ----------------------------------------------------------------------

PrecompiledHeaders& PrecompiledHeaders::instance() {
    static auto* const headers = new PrecompiledHeaders; // stop() ends it
    return *headers;
}

std::shared_ptr<const PrecompiledHeaders::File> PrecompiledHeaders::find(const std::string& key) {
    std::lock_guard lock{mutex_};
    const auto found = entries_.find(key);
    if (found == entries_.end() || !found->second.file) return nullptr;
    found->second.last_use = ++clock_;
    ++stats_.used;
    return found->second.file;
}

void PrecompiledHeaders::wish(const std::string& key, bool more_will_come, Make make) {
    std::lock_guard lock{mutex_};
    Entry& entry = entries_[key];
    if (entry.state != State::seen || stopping_) return;
    if (++entry.compiles < kLoop && !more_will_come) return;
    try {
        start();
    } catch (const std::system_error& e) { // no thread is to be had
        log::debug("headers are not compiled beside the program: {}", e.what());
        entry.state = State::failed;
        return;
    }
    entry.state = State::wished;
    const auto now = Clock::now();
    if (more_will_come)
        jobs_.push_back({key, std::move(make), now + kFirstFrames, now + kLongestWait});
    else jobs_.push_back({key, std::move(make), now, now + kLongestWaitInALoop});
    changed_.notify_all();
}

void PrecompiledHeaders::refuse(const std::string& key) {
    log::debug("NVRTC does not take the headers that it compiled before");
    finish(key, nullptr);
}

PrecompiledHeaders::Foreground::Foreground() {
    std::lock_guard lock{instance().mutex_};
    ++instance().compiling_;
}

PrecompiledHeaders::Foreground::~Foreground() {
    std::lock_guard lock{instance().mutex_};
    --instance().compiling_;
    instance().last_compile_ = Clock::now();
}

void PrecompiledHeaders::wait() {
    std::unique_lock lock{mutex_};
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return stopping_ || (jobs_.empty() && !is_busy_); });
    --waiting_;
}

PrecompiledHeaders::Stats PrecompiledHeaders::stats() const {
    std::lock_guard lock{mutex_};
    return stats_;
}

// -- the thread --------------------------------------------------------------------------------

// Under the lock.
void PrecompiledHeaders::start() {
    if (thread_.joinable()) return;
    if (process_ == 0) { // before the thread begins: the program may end at once
        make_statics_of_nvrtc();
        std::atexit([] { instance().stop(); });
        process_ = getpid();
    }
    const BlockedSignals blocked;
    thread_ = std::thread{[this] { run(); }};
}

void PrecompiledHeaders::stop() noexcept {
    if (getpid() != process_) return;
    std::deque<Job> dropped;
    {
        std::lock_guard lock{mutex_};
        stopping_ = true;
        dropped.swap(jobs_);
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void PrecompiledHeaders::run() {
    pthread_setname_np(pthread_self(), "lathe-headers");
    for (std::unique_lock lock{mutex_};;) {
        changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        while (!stopping_ && !may_begin(jobs_.front())) changed_.wait_for(lock, kQuiet / 2);
        if (stopping_) return;
        const Job job = std::move(jobs_.front());
        jobs_.pop_front();
        is_busy_ = true;
        lock.unlock();
        const auto begin = Clock::now();
        std::shared_ptr<const File> file = File::made_by(job.make);
        log::debug("headers {}compiled beside the program in {:.0f} ms, {} MiB", file ? "" : "not ",
                   std::chrono::duration<double, std::milli>(Clock::now() - begin).count(),
                   file ? file->bytes() >> 20 : 0);
        finish(job.key, std::move(file));
        lock.lock();
        is_busy_ = false;
        changed_.notify_all();
    }
}

// Under the lock.
bool PrecompiledHeaders::may_begin(const Job& job) const {
    const auto now = Clock::now();
    if (waiting_ > 0 || now >= job.latest) return true;
    return now >= job.earliest && compiling_ == 0 && now >= last_compile_ + kQuiet;
}

void PrecompiledHeaders::finish(const std::string& key, std::shared_ptr<const File> file) {
    std::lock_guard lock{mutex_};
    Entry& entry = entries_[key];
    if (entry.file) stats_.bytes -= entry.file->bytes();
    entry.state = file ? State::made : State::failed;
    entry.file = file;
    entry.last_use = ++clock_;
    ++(file ? stats_.made : stats_.failed);
    if (!file) return;
    stats_.bytes += file->bytes();
    while (stats_.bytes > kMostBytes) { // the one that was used longest ago may be made again
        Entry* oldest = &entry;
        for (auto& [other, each] : entries_)
            if (each.file && each.last_use < oldest->last_use) oldest = &each;
        if (oldest == &entry) return;
        stats_.bytes -= oldest->file->bytes();
        *oldest = {};
    }
}

} // namespace lathe::gpu
