// SPDX-License-Identifier: MIT
// The project's log: levels, one line a message, sinks that the console panel and tests add.
#pragma once

#include "engine/core/api.h"

#include <fmt/core.h>

#include <chrono>
#include <functional>
#include <string>

namespace lathe::log {

enum class Level { debug, info, warning, error };

struct Record {
    Level level;
    std::string text;
    std::chrono::system_clock::time_point time;
};

using Sink = std::function<void(const Record&)>;

/// Adds a sink; called under a lock, from any thread, so it must be short and must not log.
/// Returns a key for remove_sink.
LATHE_API int add_sink(Sink sink);
LATHE_API void remove_sink(int key);

/// Lowest level written to standard error; default `info`, or LATHE_LOG=debug|info|warning|error.
LATHE_API void set_level(Level level);
LATHE_API void write(Level level, std::string text) noexcept;

template <class... Args> void debug(fmt::format_string<Args...> f, Args&&... args) {
    write(Level::debug, fmt::format(f, std::forward<Args>(args)...));
}
template <class... Args> void info(fmt::format_string<Args...> f, Args&&... args) {
    write(Level::info, fmt::format(f, std::forward<Args>(args)...));
}
template <class... Args> void warning(fmt::format_string<Args...> f, Args&&... args) {
    write(Level::warning, fmt::format(f, std::forward<Args>(args)...));
}
template <class... Args> void error(fmt::format_string<Args...> f, Args&&... args) {
    write(Level::error, fmt::format(f, std::forward<Args>(args)...));
}

} // namespace lathe::log
