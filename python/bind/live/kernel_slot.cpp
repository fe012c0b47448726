// SPDX-License-Identifier: MIT
#include "engine/live/kernel_slot.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace lathe::bind {

void bind_kernel_slot(py::module_& m) {
    py::class_<KernelSlot>(m, "KernelSlot", "A source that is edited while it runs.")
        .def_property("source", &KernelSlot::source, &KernelSlot::set_source,
                      "The text in the editor; setting it compiles after a pause.")
        .def("compile_now", &KernelSlot::compile_now, "Compiles without the pause; does not wait.")
        .def("wait", &KernelSlot::wait, py::call_guard<py::gil_scoped_release>(),
             "Blocks until the text is compiled, and swaps. True where the version changed.")
        .def("save", &KernelSlot::save, "Writes the file.")
        .def_property_readonly(
            "moving",
            [](const KernelSlot& s) { return s.moved_literal() && s.moved_literal()->held; },
            "A number of the text is held, by the mouse or literal().")
        .def_property_readonly("file", &KernelSlot::file)
        .def_property_readonly("name", &KernelSlot::name)
        .def_property_readonly(
            "state", [](const KernelSlot& s) { return std::string{name_of(s.state())}; },
            "empty, waiting, compiling, good, failed or faulted.")
        .def_property_readonly("ready", &KernelSlot::ready, "A version is there to be launched.")
        .def_property_readonly("generation", &KernelSlot::generation, "Swaps so far.")
        .def_property_readonly("is_quick", &KernelSlot::is_quick,
                               "Compiled quickly after an edit; the full compile follows.")
        .def_property_readonly(
            "diagnostics",
            [](const KernelSlot& s) {
                std::vector<std::string> out;
                for (const auto& d : s.diagnostics()) out.push_back(to_string(d));
                return out;
            },
            "Messages on the present text: 'file:line:column: error: text'.")
        .def_property_readonly("log", &KernelSlot::log, "The compiler's words.")
        .def_property_readonly("compile_milliseconds", &KernelSlot::compile_milliseconds)
        .def_property_readonly("kernel_names", &KernelSlot::kernel_names);
}

} // namespace lathe::bind
