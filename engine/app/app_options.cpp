// SPDX-License-Identifier: MIT
// The command line of a program that is an App.
#include "engine/app/app_options.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>

namespace lathe {

namespace {

constexpr int kLeast = 16, kMost = 16384; // pixels a side

template <class T> T number_from(std::string_view option, std::string_view text) {
    T value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size())
        throw Error{fmt::format("{} wants a number, got '{}'", option, text)};
    return value;
}

int side_from(std::string_view text) {
    const int size = number_from<int>("--size", text);
    if (size < kLeast || size > kMost)
        throw Error{fmt::format("--size: sides are {} to {} pixels, got {}", kLeast, kMost, size)};
    return size;
}

std::string usage(std::string_view program) {
    return fmt::format(
        "{} [--headless] [--frames N] [--size WxH] [--out DIR]\n"
        "    [--device auto|hardware|software] [--set NAME=VALUE]... [--fresh] [--no-ui]\n"
        "    [--inspect | --inspect-hazards] [--profile FILE]\n",
        program);
}

void take(AppConfig& config, std::string_view option, const std::function<std::string()>& value) {
    if (option == "--headless") {
        config.headless = true;
    } else if (option == "--fresh") {
        config.fresh = true;
    } else if (option == "--no-ui") {
        config.ui = false;
    } else if (option == "--inspect") {
        config.inspecting = Inspecting::costs;
    } else if (option == "--inspect-hazards") {
        config.inspecting = Inspecting::hazards;
    } else if (option == "--frames") {
        config.frames = number_from<std::uint64_t>(option, value());
    } else if (option == "--size") {
        const std::string size = value();
        const auto at = size.find('x');
        if (at == size.npos) throw Error{fmt::format("--size wants WxH, got '{}'", size)};
        config.width = side_from(std::string_view{size}.substr(0, at));
        config.height = side_from(std::string_view{size}.substr(at + 1));
    } else if (option == "--out") {
        config.out = value();
    } else if (option == "--profile") {
        config.profile = value();
    } else if (option == "--set") {
        config.assignments.push_back(value());
    } else if (option == "--device") {
        const std::string device = value();
        if (device != "auto" && device != "hardware" && device != "software")
            throw Error{fmt::format("--device is auto, hardware or software, got '{}'", device)};
        setenv("LATHE_DEVICE", device.c_str(), 1);
    } else {
        throw Error{fmt::format("'{}' is not known", option)};
    }
}

} // namespace

AppConfig parse_options(std::span<char* const> words, AppConfig config) {
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::string_view option = words[k];
        take(config, option, [&]() -> std::string {
            if (++k == words.size()) throw Error{fmt::format("{} wants a value", option)};
            return words[k];
        });
    }
    return config;
}

AppConfig with_options(int argc, char** argv, AppConfig config) {
    const std::string_view program = argc > 0 ? argv[0] : "program";
    const std::span<char* const> words{argv + (argc > 0), argv + argc};
    for (const std::string_view word : words)
        if (word == "--help" || word == "-h") {
            fmt::print("{}", usage(program));
            std::exit(0);
        }
    try {
        return parse_options(words, std::move(config));
    } catch (const Error& error) {
        fmt::print(stderr, "{}: {}\n{}", program, error.what(), usage(program));
        std::exit(2);
    }
}

} // namespace lathe
