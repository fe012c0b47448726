// SPDX-License-Identifier: MIT
#include "engine/app/console.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <tuple>

namespace lathe::bind {

namespace {

const char* name_of(Console::Source source) {
    switch (source) {
    case Console::Source::log: return "log";
    case Console::Source::script: return "script";
    case Console::Source::device: return "device";
    case Console::Source::compiler: return "compiler";
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

void bind_console(py::module_& m) {
    py::class_<Console>(m, "Console", "What the program says, shown or not.")
        .def(
            "write",
            [](Console& c, std::string_view text, bool error) {
                c.write(Console::Source::script, error ? log::Level::error : log::Level::info,
                        text);
            },
            py::arg("text"), py::arg("error") = false, "Adds a line, or a whole traceback.")
        .def("clear", &Console::clear)
        .def("keep_from_terminal", &Console::keep_from_terminal,
             "The terminal gets none of the lines; the log writes its own there.")
        .def_property_readonly("written", &Console::written, "Lines so far, cleared ones, too.")
        .def_property_readonly("errors", &Console::errors, "Errors since the last clear().")
        .def_property_readonly(
            "lines",
            [](const Console& c) {
                std::vector<std::tuple<std::string, std::string, std::string>> out;
                for (const auto& line : c.lines())
                    out.emplace_back(name_of(line.source), name_of(line.level), line.text);
                return out;
            },
            "List of (source, level, text), oldest first.");
}

} // namespace lathe::bind
