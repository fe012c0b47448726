// SPDX-License-Identifier: MIT
#include "engine/app/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

namespace lathe {

namespace {

constexpr std::size_t kLinesKept = 5000;

} // namespace

Console::Console() {
    sink_ = log::add_sink([this](const log::Record& r) {
        if (r.level != log::Level::debug) write(Source::log, r.level, r.text);
    });
}

Console::~Console() { log::remove_sink(sink_); }

void Console::write(Source source, log::Level level, std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    std::lock_guard lock{mutex_};
    const bool is_error = level == log::Level::error;
    if (terminal_ && (echo_ || is_error) &&
        (source == Source::script || source == Source::device)) {
        std::FILE* const to = is_error ? stderr : stdout;
        fmt::print(to, "{}\n", text);
        std::fflush(to);
    }
    ++written_;
    if (is_error) ++errors_;
    if (!lines_.empty()) {
        Line& last = lines_.back();
        if (last.source == source && last.level == level && last.text == text) {
            ++last.repeats;
            last.time = std::chrono::system_clock::now();
            return;
        }
    }
    lines_.push_back(
        {next_++, level, source, std::chrono::system_clock::now(), std::string{text}, 1});
    if (lines_.size() > kLinesKept) lines_.pop_front();
}

void Console::write_device(std::string_view piece) {
    std::vector<std::string> whole;
    {
        std::lock_guard lock{mutex_};
        for (std::size_t end; (end = piece.find('\n')) != piece.npos; piece.remove_prefix(end + 1))
            whole.push_back(std::exchange(unfinished_, {}).append(piece.substr(0, end)));
        unfinished_ += piece;
    }
    for (const auto& line : whole) write(Source::device, log::Level::info, line);
}

void Console::end_device_line() {
    std::string line;
    {
        std::lock_guard lock{mutex_};
        line = std::exchange(unfinished_, {});
    }
    if (!line.empty()) write(Source::device, log::Level::info, line);
}

void Console::clear() {
    std::lock_guard lock{mutex_};
    lines_.clear();
    errors_ = 0;
}

std::vector<Console::Line> Console::lines(std::uint64_t from) const {
    std::lock_guard lock{mutex_};
    const std::uint64_t first = next_ - lines_.size();
    const std::size_t skipped = from > first ? std::size_t(std::min(from, next_) - first) : 0;
    return {lines_.begin() + std::ptrdiff_t(skipped), lines_.end()};
}

std::uint64_t Console::first() const {
    std::lock_guard lock{mutex_};
    return next_ - lines_.size();
}

int Console::errors() const {
    std::lock_guard lock{mutex_};
    return errors_;
}

std::uint64_t Console::written() const {
    std::lock_guard lock{mutex_};
    return written_;
}

} // namespace lathe
