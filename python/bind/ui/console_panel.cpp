// SPDX-License-Identifier: MIT
#include "engine/ui/console_panel.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <tuple>

namespace lathe::bind {

namespace {

const char* name_of(ConsolePanel::Source source) {
    switch (source) {
    case ConsolePanel::Source::log: return "log";
    case ConsolePanel::Source::script: return "script";
    case ConsolePanel::Source::device: return "device";
    case ConsolePanel::Source::compiler: return "compiler";
    }
    return "log";
}

const char* name_of(log::Level level) {
    switch (level) {
    case log::Level::debug: return "debug";
    case log::Level::info: return "info";
    case log::Level::warning: return "warning";
    case log::Level::error: return "error";
    }
    return "info";
}

} // namespace

void bind_console_panel(py::module_& m) {
    py::class_<ConsolePanel>(m, "Console", "What the program says, shown or not.")
        .def(
            "write",
            [](ConsolePanel& c, std::string_view text, bool error) {
                c.write(ConsolePanel::Source::script, error ? log::Level::error : log::Level::info,
                        text);
            },
            py::arg("text"), py::arg("error") = false, "Adds a line, or a whole traceback.")
        .def("clear", &ConsolePanel::clear)
        .def_property_readonly("errors", &ConsolePanel::errors, "Errors since the last clear().")
        .def_property_readonly(
            "lines",
            [](const ConsolePanel& c) {
                std::vector<std::tuple<std::string, std::string, std::string>> out;
                for (const auto& line : c.lines())
                    out.emplace_back(name_of(line.source), name_of(line.level), line.text);
                return out;
            },
            "List of (source, level, text), oldest first.");
}

} // namespace lathe::bind
