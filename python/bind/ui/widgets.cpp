// SPDX-License-Identifier: MIT
// Widgets return the new value, so that `x = ui.slider("x", x, 0, 1)` is the whole story.
#include "engine/ui/widgets.h"

#include "engine/ui/imgui_idle.h"
#include "engine/ui/imgui_layer.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>

namespace lathe::bind {

void bind_widgets(py::module_& m) {
    auto w =
        m.def_submodule("widgets", "Immediate widgets; between begin_frame and end_frame only.");
    w.def("errors", &ImGuiLayer::errors,
          "How often Dear ImGui was misused in this process: 0, or Lathe has a bug.");
    w.def("begin", &widgets::begin, py::arg("title"),
          "Opens a panel; whether its inside is visible.");
    w.def("end", &widgets::end, py::arg("failed") = false, "Closes the panel, visible or not.");
    w.def("open_idle", &imgui_idle::open, "Calls of lathe.imgui may come at any time from now on.");
    w.def("text", &widgets::text, py::arg("text"));
    w.def("hint", &widgets::hint, py::arg("text"), "Dimmed, wrapped text.");
    w.def("markdown", &widgets::markdown, py::arg("text"),
          "Wrapped text with headings, lists, bold, and code.");
    w.def("separator", &widgets::separator, py::arg("title") = "");
    w.def("scroll_to_top", &widgets::scroll_to_top, "The panel shows its beginning.");
    w.def("same_line", &widgets::same_line, "The next widget goes on the same row.");
    w.def("button", &widgets::button, py::arg("label"), "Whether it was pressed in this frame.");
    w.def(
        "checkbox",
        [](std::string_view label, bool value) {
            widgets::checkbox(label, value);
            return value;
        },
        py::arg("label"), py::arg("value"));
    w.def(
        "slider_float",
        [](std::string_view label, float value, float min, float max, const std::string& format,
           bool log) {
            widgets::slider_float(label, value, min, max, format.c_str(), log);
            return value;
        },
        py::arg("label"), py::arg("value"), py::arg("min"), py::arg("max"),
        py::arg("format") = "%.3f", py::arg("log") = false);
    w.def(
        "slider_int",
        [](std::string_view label, int value, int min, int max) {
            widgets::slider_int(label, value, min, max);
            return value;
        },
        py::arg("label"), py::arg("value"), py::arg("min"), py::arg("max"));
    w.def(
        "drag_float",
        [](std::string_view label, float value, float speed) {
            widgets::drag_float(label, value, speed);
            return value;
        },
        py::arg("label"), py::arg("value"), py::arg("speed") = 0.01f);
    w.def(
        "input_text",
        [](std::string_view label, std::string value) {
            widgets::input_text(label, value);
            return value;
        },
        py::arg("label"), py::arg("value"));
    w.def(
        "combo",
        [](std::string_view label, int index, const std::vector<std::string>& items) {
            widgets::combo(label, index, items);
            return index;
        },
        py::arg("label"), py::arg("index"), py::arg("items"));
    w.def(
        "color",
        [](std::string_view label, std::array<float, 4> rgba) {
            widgets::color(label, rgba);
            return rgba;
        },
        py::arg("label"), py::arg("rgba"), "Red, green, blue, alpha in 0..1.");
    w.def(
        "plot_line",
        [](std::string_view label, const std::vector<float>& values, float height) {
            widgets::plot_line(label, values, height);
        },
        py::arg("label"), py::arg("values"), py::arg("height") = 80.0f);
    w.def("progress", &widgets::progress, py::arg("fraction"), py::arg("text") = "");
}

} // namespace lathe::bind
