// SPDX-License-Identifier: MIT
#include "python/bind/kernel/launcher.h"

#include "python/bind/bind.h"
#include "python/bind/cuda/fast_method.h"
#include "python/bind/kernel/launch_shape.h"

#include <fmt/format.h>

#include <structmember.h>

#include <exception>
#include <limits>

namespace lathe::bind {

namespace {

PyTypeObject* launcher_type = nullptr; // a reference held until the process ends
PyObject* bound_over = nullptr;        // by pybind11

struct Launcher {
    PyObject_HEAD vectorcallfunc call;
    PyObject* kernel;
    gpu::Dim3 grid, block, elements;
    std::size_t shared_bytes;
};
Launcher& launcher_of(PyObject* object) { return *reinterpret_cast<Launcher*>(object); }

/// The checked way of launch_by().
void launch_checked(const Launcher& launcher, const LaunchRequest& request, PyObject* const* values,
                    std::size_t count, PyObject* names) {
    py::tuple given{count};
    for (std::size_t k = 0; k < count; ++k) given[k] = py::handle{values[k]};
    py::dict named;
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k)
        named[py::handle{PyTuple_GET_ITEM(names, k)}] = py::handle{values[count + std::size_t(k)]};
    bound_object<PyKernel>(launcher.kernel)->launch(request, given, named);
}

PyObject* launch_by(PyObject* self, PyObject* const* values, std::size_t flagged_count,
                    PyObject* names) {
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
    const Launcher& launcher = launcher_of(self);
    LaunchRequest request;
    request.config.grid = launcher.grid;
    request.config.block = launcher.block;
    request.config.shared_bytes = launcher.shared_bytes;
    request.elements = launcher.elements;
    if (names && PyTuple_GET_SIZE(names) == 0) names = nullptr;
    PyKernel& kernel = *bound_object<PyKernel>(launcher.kernel);
    if (const auto result = launched(kernel, request, {values, count, names})) return *result;
    try {
        launch_checked(launcher, request, values, count, names);
    } catch (...) { return raise_in_python(std::current_exception()); }
    Py_RETURN_NONE;
}

PyObject* new_launcher(PyObject* kernel, gpu::Dim3 grid, gpu::Dim3 block, std::size_t shared,
                       gpu::Dim3 elements = {0, 0, 0}) {
    auto* const made = PyObject_New(Launcher, launcher_type);
    if (!made) return nullptr;
    made->call = &launch_by;
    made->kernel = Py_NewRef(kernel);
    made->grid = grid;
    made->block = block;
    made->elements = elements;
    made->shared_bytes = shared;
    return reinterpret_cast<PyObject*>(made);
}

void end_launcher(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    Py_DECREF(launcher_of(self).kernel);
    PyObject_Free(self);
    Py_DECREF(type);
}

/// kernel[grid, block] and kernel[grid, block, shared_bytes], of all kinds of values.
PyObject* checked_subscript(PyObject* self, PyKernel& kernel, py::handle index) {
    if (!py::isinstance<py::tuple>(index) || py::len(index) < 2 || py::len(index) > 3)
        throw py::type_error(
            fmt::format("{0}[grid, block] or {0}[grid, block, shared_bytes], got {0}[{1}]",
                        kernel.name(), py::repr(index).cast<std::string>()));
    const auto parts = py::reinterpret_borrow<py::tuple>(index);
    return new_launcher(self, dim3_from(parts[0], "grid"), dim3_from(parts[1], "block"),
                        parts.size() == 3 ? parts[2].cast<std::size_t>() : 0);
}

/// Rows before columns, in NumPy's order.
py::object checked_over(const py::object& kernel, const py::object& shape, const py::object& block,
                        std::size_t shared_bytes) {
    py::tuple sizes = py::isinstance<py::tuple>(shape) || py::isinstance<py::list>(shape)
                          ? py::tuple(shape)
                          : py::make_tuple(shape);
    const auto elements =
        dim3_from(sizes[py::slice(py::none(), py::none(), py::int_(-1))], "shape");
    const gpu::Dim3 threads =
        block.is_none() ? gpu::usual_block(sizes.size()) : dim3_from(block, "block");
    return py::reinterpret_steal<py::object>(new_launcher(
        kernel.ptr(), gpu::blocks_for(elements, threads), threads, shared_bytes, elements));
}

PyObject* over(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (count == 1 && !keywords && PyTuple_CheckExact(args[0]) && bound_object<PyKernel>(self)) {
        const Py_ssize_t axes = PyTuple_GET_SIZE(args[0]);
        gpu::Dim3 elements;
        unsigned* const sizes[] = {&elements.x, &elements.y, &elements.z};
        bool plain = axes >= 1 && axes <= 3;
        for (Py_ssize_t k = 0; plain && k < axes; ++k)
            plain = to_unsigned(PyTuple_GET_ITEM(args[0], axes - 1 - k), *sizes[k]) &&
                    *sizes[k] >= 1 && *sizes[k] <= std::numeric_limits<int>::max();
        const gpu::Dim3 block = gpu::usual_block(std::size_t(axes));
        if (plain) return new_launcher(self, gpu::blocks_for(elements, block), block, 0, elements);
    }
    return checked_call(bound_over, self, args, static_cast<std::size_t>(count), keywords);
}

PyObject* describe(PyObject* self) {
    const Launcher& l = launcher_of(self);
    try {
        return py::str(fmt::format("<lathe.Launcher {}[({}, {}, {}), ({}, {}, {})]>",
                                   bound_object<PyKernel>(l.kernel)->name(), l.grid.x, l.grid.y,
                                   l.grid.z, l.block.x, l.block.y, l.block.z))
            .release()
            .ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

PyMemberDef launcher_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Launcher, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot launcher_slots[] = {
    {Py_tp_doc,
     const_cast<char*>(
         "kernel[grid, block] or kernel.over(shape): call it with the arguments.\n\n"
         "Launches on the App's stream, without an App on the legacy default stream, and\n"
         "returns at once. Parameters that are not given are taken from the sliders of\n"
         "their name. Raises TypeError or ValueError naming the parameter, LogicError\n"
         "where the driver refuses the launch.")},
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&end_launcher)},
    {Py_tp_repr, reinterpret_cast<void*>(&describe)},
    {Py_tp_members, launcher_members},
    {0, nullptr},
};
PyType_Spec launcher_spec{"lathe._lathe.Launcher", sizeof(Launcher), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                              Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                          launcher_slots};

} // namespace

PyObject* launcher_at(PyObject* self, PyObject* index) {
    auto* const kernel = bound_object<PyKernel>(self);
    if (!kernel) return checked_call(nullptr, self, nullptr, 0, nullptr);
    gpu::Dim3 grid, block;
    std::size_t shared = 0;
    const Py_ssize_t size = PyTuple_CheckExact(index) ? PyTuple_GET_SIZE(index) : 0;
    if ((size == 2 || size == 3) &&
        to_dim3(PyTuple_GET_ITEM(index, 0), kernel->known_grid(), grid) &&
        to_dim3(PyTuple_GET_ITEM(index, 1), kernel->known_block(), block) &&
        (size == 2 || to_bytes(PyTuple_GET_ITEM(index, 2), shared)))
        return new_launcher(self, grid, block, shared);
    try {
        return checked_subscript(self, *kernel, index);
    } catch (...) { return raise_in_python(std::current_exception()); }
}

void add_launchers(py::module_& m, KernelClass& kernel_class) {
    kernel_class.def(
        "over", &checked_over, py::arg("shape"), py::arg("block") = py::none(),
        py::arg("shared_bytes") = 0,
        "The launch with a thread for each element of `shape`, which is in NumPy's order: the "
        "last\n"
        "size runs along x. `block` is x, y, z; 256, (16, 16) or (8, 8, 4) unless given.");
    bound_over = replace_method(kernel_class, "over", &over);
    auto launcher = py::reinterpret_steal<py::object>(PyType_FromSpec(&launcher_spec));
    if (!launcher) throw py::error_already_set();
    m.attr("Launcher") = launcher;
    launcher_type = reinterpret_cast<PyTypeObject*>(launcher.release().ptr());
}

} // namespace lathe::bind
