// SPDX-License-Identifier: MIT
// What the program says: the log, script tracebacks, device printf, compiler messages. Lines are
// kept whether or not a window shows them, so a headless run can print them at its end.
#pragma once

#include "engine/core/api.h"
#include "engine/core/log.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class LATHE_API Console {
public:
    enum class Source { log, script, device, compiler };

    struct Line {
        std::uint64_t number = 0; ///< of the lines since the start
        log::Level level = log::Level::info;
        Source source = Source::log;
        std::chrono::system_clock::time_point time{};
        std::string text; ///< one line, or a whole traceback
        int repeats = 1;  ///< the same text again and again counts up instead of scrolling
    };

    /// Listens to the log from now until it is destroyed.
    Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;
    ~Console();

    /// Any thread. Keeps the last 5,000 lines.
    void write(Source source, log::Level level, std::string_view text);
    /// Any thread. Text as it comes from a device's printf: lines may arrive in pieces.
    void write_device(std::string_view piece);
    /// Any thread. What a device's printf has left without its end becomes a line: at a frame's
    /// end.
    void end_device_line();
    /// Also writes what scripts and devices say to the terminal: where no panel shows the lines.
    /// Their errors and the log go there anyway.
    void set_echo(bool on) { echo_ = on; }
    /// The terminal gets nothing: somebody reads the lines and shows them elsewhere.
    void keep_from_terminal() { terminal_ = false; }
    void clear();

    /// A copy of those numbered `from` or later, oldest first.
    std::vector<Line> lines(std::uint64_t from = 0) const;
    /// The number of the oldest line that is kept; of the next one where there is none.
    std::uint64_t first() const;
    /// Lines of level error since the last clear().
    int errors() const;
    /// How often something was written since the start.
    std::uint64_t written() const;

private:
    mutable std::mutex mutex_;
    std::deque<Line> lines_;
    std::string unfinished_; ///< of the device's printf
    std::atomic<bool> echo_{false}, terminal_{true};
    std::uint64_t written_ = 0;
    std::uint64_t next_ = 0; ///< line's number
    int errors_ = 0;
    int sink_ = 0;
};

} // namespace lathe
