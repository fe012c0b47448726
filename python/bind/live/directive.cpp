// SPDX-License-Identifier: MIT
#include "engine/live/directive.h"
#include "engine/live/reflect.h"

#include "python/bind/bind.h"

namespace lathe::bind {

void bind_directive(py::module_& m) {
    m.def(
        "free_directives",
        [](const std::string& source) {
            py::list out;
            for (const FreeDirective& d : find_directives(source).others)
                out.append(py::make_tuple(d.line, d.text));
            return out;
        },
        py::arg("source"), "(line, text) of each //@ comment that belongs to no kernel parameter.");
    m.def(
        "directive_problems",
        [](const std::string& source) {
            py::list out;
            for (const Diagnostic& d : find_directives(source).problems)
                out.append(py::make_tuple(d.line, d.column, d.text));
            return out;
        },
        py::arg("source"),
        "(line, column, message) of what is not understood in parameters' //@ comments.");
    m.def(
        "program_parameters",
        [] {
            py::list out;
            for (const std::string_view name : program_parameters())
                out.append(py::str(std::string{name}));
            return out;
        },
        "Names of kernel parameters that a program sets itself: no sliders.");
}

} // namespace lathe::bind
