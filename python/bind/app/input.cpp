// SPDX-License-Identifier: MIT
#include "engine/app/input.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace lathe::bind {

namespace {

constexpr std::array<std::pair<const char*, Key>, 21> kNamedKeys{{
    {"space", Key::space},
    {"enter", Key::enter},
    {"escape", Key::escape},
    {"tab", Key::tab},
    {"left", Key::left},
    {"right", Key::right},
    {"up", Key::up},
    {"down", Key::down},
    {"backspace", Key::backspace},
    {"delete", Key::del},
    {"home", Key::home},
    {"end", Key::end},
    {"page_up", Key::page_up},
    {"page_down", Key::page_down},
    {"shift", Key::left_shift},
    {"control", Key::left_control},
    {"alt", Key::left_alt},
    {"f1", Key::f1},
    {"f5", Key::f5},
    {"f8", Key::f8},
    {"f11", Key::f11},
}};

Key key_from(const std::string& name) {
    if (name.size() == 1) {
        const int c = std::toupper(static_cast<unsigned char>(name[0]));
        if (c >= 32 && c < 97) return static_cast<Key>(c);
    }
    for (const auto& [known, key] : kNamedKeys)
        if (name == known) return key;
    throw py::value_error(
        fmt::format("unknown key '{}': a character, or a name such as space, left, f5", name));
}

MouseButton button_from(const std::string& name) {
    if (name == "left") return MouseButton::left;
    if (name == "right") return MouseButton::right;
    if (name == "middle") return MouseButton::middle;
    throw py::value_error(fmt::format("unknown button '{}': left, right or middle", name));
}

} // namespace

void bind_input(py::module_& m) {
    py::class_<InputState>(m, "Input",
                           "Keys and mouse of this frame; False where a panel has them.")
        .def(
            "key_down",
            [](const InputState& i, const std::string& k) {
                return !i.keyboard_captured && i.is_down(key_from(k));
            },
            py::arg("key"), "Held: a character, or space, left, f5, ...")
        .def(
            "key_pressed",
            [](const InputState& i, const std::string& k) {
                return !i.keyboard_captured && i.pressed(key_from(k));
            },
            py::arg("key"), "Went down in this frame.")
        .def(
            "button_down",
            [](const InputState& i, const std::string& b) {
                return !i.mouse_captured && i.is_down(button_from(b));
            },
            py::arg("button") = "left", "Held: left, right or middle.")
        .def(
            "button_pressed",
            [](const InputState& i, const std::string& b) {
                return !i.mouse_captured && i.pressed(button_from(b));
            },
            py::arg("button") = "left", "Went down in this frame.")
        .def_property_readonly(
            "mouse",
            [](const InputState& i) { return std::array<float, 2>{i.mouse().x, i.mouse().y}; },
            "Framebuffer pixels from the top left corner.")
        .def_property_readonly("text", &InputState::text, "Characters typed in this frame.");
}

} // namespace lathe::bind
