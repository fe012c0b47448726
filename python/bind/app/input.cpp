// SPDX-License-Identifier: MIT
#include "engine/app/input.h"

#include "engine/app/window.h"
#include "python/bind/app/input_names.h"
#include "python/bind/bind.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

Key key_from(const std::string& name) {
    if (const auto key = key_named(name)) return *key;
    throw py::value_error(
        fmt::format("unknown key '{}': a character, or a name such as space, left, f5", name));
}

void bind_state(py::class_<Window>& c) {
    c.def(
         "key_down",
         [](const Window& w, const std::string& k) {
             return !w.input().keyboard_captured && w.input().is_down(key_from(k));
         },
         py::arg("key"), "Held: a character, or space, left, f5, ...")
        .def(
            "key_pressed",
            [](const Window& w, const std::string& k) {
                return !w.input().keyboard_captured && w.input().pressed(key_from(k));
            },
            py::arg("key"), "Went down in this frame.")
        .def(
            "button_down",
            [](const Window& w, const std::string& b) {
                return !w.input().mouse_captured && w.input().is_down(button_from(b));
            },
            py::arg("button") = "left", "Held: left, right or middle.")
        .def(
            "button_pressed",
            [](const Window& w, const std::string& b) {
                return !w.input().mouse_captured && w.input().pressed(button_from(b));
            },
            py::arg("button") = "left", "Went down in this frame.")
        .def_property_readonly(
            "mouse",
            [](const Window& w) {
                return std::array<float, 2>{w.input().mouse().x, w.input().mouse().y};
            },
            "Framebuffer pixels from the top left corner.")
        .def_property_readonly(
            "text", [](const Window& w) { return w.input().text(); },
            "Characters typed in this frame.");
}

/// What another program tells of its window.
void bind_injection(py::class_<Window>& c) {
    using Names = std::vector<std::string>;
    c.def(
         "move_mouse", [](Window& w, float x, float y) { w.inject(MoveEvent{{x, y}}); },
         py::arg("x"), py::arg("y"), "To framebuffer pixels from the viewport's top left corner.")
        .def(
            "press_button",
            [](Window& w, const std::string& b, const Names& m) {
                w.inject(ButtonEvent{button_from(b), true, modifiers_from(m)});
            },
            py::arg("button") = "left", py::arg("modifiers") = Names{},
            "Where the mouse is: left, right or middle, with shift, control, alt, super.")
        .def(
            "release_button",
            [](Window& w, const std::string& b, const Names& m) {
                w.inject(ButtonEvent{button_from(b), false, modifiers_from(m)});
            },
            py::arg("button") = "left", py::arg("modifiers") = Names{})
        .def(
            "scroll", [](Window& w, float dx, float dy) { w.inject(WheelEvent{{dx, dy}}); },
            py::arg("dx"), py::arg("dy"), "Notches of the wheel; away from the user is dy > 0.")
        .def(
            "press_key",
            [](Window& w, const std::string& k, const Names& m) {
                w.inject(KeyEvent{key_from(k), true, false, modifiers_from(m)});
            },
            py::arg("key"), py::arg("modifiers") = Names{},
            "A key that is down goes on being down.")
        .def(
            "release_key",
            [](Window& w, const std::string& k, const Names& m) {
                w.inject(KeyEvent{key_from(k), false, false, modifiers_from(m)});
            },
            py::arg("key"), py::arg("modifiers") = Names{})
        .def(
            "type_text",
            [](Window& w, const std::u32string& text) {
                for (const char32_t each : text) w.inject(TextEvent{each});
            },
            py::arg("text"))
        .def(
            "release_all", [](Window& w) { w.inject(FocusEvent{false}); },
            "All keys and buttons: the window has lost the focus.")
        .def(
            "take_focus", [](Window& w) { w.inject(FocusEvent{true}); }, "The window has it again.")
        .def(
            "drop_files",
            [](Window& w, std::vector<std::filesystem::path> files) {
                w.inject(DropEvent{std::move(files)});
            },
            py::arg("files"), "On the place where the mouse is.")
        .def(
            "resize",
            [](Window& w, int width, int height) { w.inject(ResizeEvent{width, height}); },
            py::arg("width"), py::arg("height"), "The window, in pixels.")
        .def(
            "close", [](Window& w) { w.inject(CloseEvent{}); },
            "As a click on the window's close button: `App.on_close` may keep it open.");
}

} // namespace

void bind_input(py::module_& m) {
    py::class_<Window> c(m, "Input",
                         "Keys and mouse of this frame; False where a panel has them. Another "
                         "program passes its events on: they come in the next frame.");
    bind_state(c);
    bind_injection(c);
}

} // namespace lathe::bind
