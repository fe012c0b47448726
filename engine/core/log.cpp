// SPDX-License-Identifier: MIT
#include "engine/core/log.h"

#include "engine/core/environment.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <string_view>

namespace lathe::log {
namespace {

struct State {
    std::mutex mutex;
    std::map<int, Sink> sinks;
    int next_key = 1;
    Level level = Level::info;
};

Level level_from_environment() {
    const char* text = environment("LATHE_LOG");
    const std::string_view name = text ? text : "info";
    if (name == "debug") return Level::debug;
    if (name == "warning") return Level::warning;
    if (name == "error") return Level::error;
    return Level::info;
}

// Never destroyed: destructors of static objects may still log.
State& state() {
    static State* s = [] {
        auto* made = new State;
        made->level = level_from_environment();
        return made;
    }();
    return *s;
}

const char* name_of(Level level) {
    switch (level) {
    case Level::debug: return "debug";
    case Level::info: return "info";
    case Level::warning: return "warning";
    case Level::error: return "error";
    }
    return "?";
}

} // namespace

int add_sink(Sink sink) {
    State& s = state();
    std::lock_guard lock{s.mutex};
    s.sinks.emplace(s.next_key, std::move(sink));
    return s.next_key++;
}

void remove_sink(int key) {
    State& s = state();
    std::lock_guard lock{s.mutex};
    s.sinks.erase(key);
}

void set_level(Level level) {
    State& s = state();
    std::lock_guard lock{s.mutex};
    s.level = level;
}

void write(Level level, std::string text) noexcept {
    try {
        State& s = state();
        const Record record{level, std::move(text), std::chrono::system_clock::now()};
        std::lock_guard lock{s.mutex};
        if (level >= s.level)
            std::fprintf(stderr, "lathe %s: %s\n", name_of(level), record.text.c_str());
        for (const auto& [key, sink] : s.sinks) sink(record);
    } catch (...) { std::fputs("lathe error: a log message was lost\n", stderr); }
}

} // namespace lathe::log
