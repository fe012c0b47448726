// SPDX-License-Identifier: MIT
// Names that scripts use for buttons and modifiers.
#pragma once

#include "engine/app/event_handlers.h"

#include <pybind11/pybind11.h>

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::bind {

inline constexpr std::array<std::string_view, 3> kButtonNames{"left", "right", "middle"};

inline std::string button_name(MouseButton button) {
    return std::string{kButtonNames.at(std::size_t(button))};
}

inline MouseButton button_from(const std::string& name) {
    for (std::size_t i = 0; i < kButtonNames.size(); ++i)
        if (kButtonNames[i] == name) return MouseButton(i);
    throw pybind11::value_error(fmt::format("unknown button '{}': left, right or middle", name));
}

inline std::vector<std::string> modifier_names(unsigned modifiers) {
    std::vector<std::string> names;
    for (const auto& [name, modifier] : kModifierNames)
        if (modifiers & modifier) names.emplace_back(name);
    return names;
}

inline unsigned modifiers_from(const std::vector<std::string>& names) {
    unsigned all = 0;
    for (const std::string& name : names) {
        const auto found = modifier_named(name);
        if (!found)
            throw pybind11::value_error(
                fmt::format("unknown modifier '{}': shift, control, alt or super", name));
        all |= *found;
    }
    return all;
}

} // namespace lathe::bind
