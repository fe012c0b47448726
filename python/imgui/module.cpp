// SPDX-License-Identifier: MIT
// The modules of lathe._imgui, under the names that users import: classes then say lathe.imgui.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void py_init_module_imgui_main(nb::module_& m);
void py_init_module_imgui_internal(nb::module_& m);
void py_init_module_implot(nb::module_& m);
void py_init_module_implot_internal(nb::module_& m);
void py_init_module_imguizmo(nb::module_& m);

namespace {

nb::module_ new_module(const char* name) { return nb::steal<nb::module_>(PyModule_New(name)); }

} // namespace

NB_MODULE(_imgui, m) {
    nb::set_leak_warnings(false); // the bindings keep some of their objects until the end
    nb::module_ imgui = new_module("lathe.imgui");
    nb::module_ imgui_internal = new_module("lathe.imgui.internal");
    nb::module_ implot = new_module("lathe.implot");
    nb::module_ implot_internal = new_module("lathe.implot.internal");
    nb::module_ imguizmo = new_module("lathe.imguizmo");
    m.attr("imgui") = imgui;
    m.attr("imgui_internal") = imgui_internal;
    m.attr("implot") = implot;
    m.attr("implot_internal") = implot_internal;
    m.attr("imguizmo") = imguizmo;
    py_init_module_imgui_main(imgui);
    py_init_module_imgui_internal(imgui_internal);
    py_init_module_implot(implot);
    py_init_module_implot_internal(implot_internal);
    py_init_module_imguizmo(imguizmo);
}
