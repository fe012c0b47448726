// SPDX-License-Identifier: MIT
// Headers that NVRTC has compiled once and reads in a tenth of the time: made beside the program,
// on a thread of its own, for this process alone. A file of 80 to 300 MiB has no name once it is
// complete, so nothing is left behind however the process ends. Which headers: header_set.h.
#pragma once

#include "engine/core/api.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

namespace lathe::gpu {

class LATHE_API PrecompiledHeaders {
public:
    /// Writes the headers to the file. False where it cannot; throws nothing.
    using Make = std::function<bool(const std::filesystem::path& file)>;
    class File;

    static PrecompiledHeaders& instance();

    /// A file that NVRTC can read as long as the pointer lives; null where there is none yet. Safe
    /// on any thread, as all of these.
    std::shared_ptr<const File> find(const std::string& key);
    /// After a compile without: makes the file in the background if more compiles will come, or if
    /// this is the third one. If more will come, a second later: a program that ends sooner, or
    /// prepares its first frames, is not held up. A second call while it is made, or after it
    /// failed, does nothing.
    void wish(const std::string& key, bool more_will_come, Make make);
    /// NVRTC did not take it. It is not made again.
    void refuse(const std::string& key);

    /// NVRTC compiles one source at a time: while one of these lives, and a moment longer, no file
    /// is begun, for a second at most, or for ten if more compiles were said to come.
    class [[nodiscard]] Foreground {
    public:
        Foreground();
        Foreground(const Foreground&) = delete;
        Foreground& operator=(const Foreground&) = delete;
        ~Foreground();
    };

    /// Until nothing is wished for and nothing is being made; what is wished for begins at once.
    void wait();

    struct Stats {
        std::uint64_t made = 0;
        std::uint64_t failed = 0; ///< or refused
        std::uint64_t used = 0;
        std::size_t bytes = 0; ///< of all files
    };
    Stats stats() const;

private:
    using Clock = std::chrono::steady_clock;
    enum class State { seen, wished, made, failed };
    struct Entry {
        State state = State::seen;
        int compiles = 0; ///< without the file, before it was wished for
        std::shared_ptr<const File> file{};
        std::uint64_t last_use = 0;
    };
    struct Job {
        std::string key;
        Make make;
        Clock::time_point earliest;
        Clock::time_point latest; ///< when it begins although something is compiled
    };

    void start();
    void stop() noexcept;
    void run();
    bool may_begin(const Job& job) const;
    void finish(const std::string& key, std::shared_ptr<const File> file);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::unordered_map<std::string, Entry> entries_;
    std::deque<Job> jobs_;
    std::uint64_t clock_ = 0;
    Stats stats_;
    int compiling_ = 0;
    int waiting_ = 0;
    Clock::time_point last_compile_{};
    bool is_busy_ = false;
    bool stopping_ = false;
    int process_ = 0; ///< the one that has the thread: a fork does not
    std::thread thread_;
};

/// A file without a name.
class LATHE_API PrecompiledHeaders::File {
public:
    /// Null where it cannot be made.
    static std::shared_ptr<const File> made_by(const Make& make);
    File(int descriptor, std::size_t bytes) : descriptor_{descriptor}, bytes_{bytes} {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();

    std::string path() const; ///< of this process
    std::size_t bytes() const { return bytes_; }

private:
    int descriptor_;
    std::size_t bytes_;
};

} // namespace lathe::gpu
