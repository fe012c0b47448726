// SPDX-License-Identifier: MIT
#include "python/bind/kernel/fast_calls.h"

#include "python/bind/bind.h"
#include "python/bind/cuda/fast_method.h"
#include "python/bind/kernel/kernel.h"

#include <fmt/format.h>

#include <structmember.h>

#include <cstddef>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

namespace lathe::bind {

namespace {

/// What is looked up once; references held until the process ends.
struct Known {
    PyObject *block, *grid, *stream, *shared, *shared_size;      // keywords, interned
    PyObject *call, *over, *prepared_call, *prepared_async_call; // bound by pybind11
    PyTypeObject* launcher;
};
Known known;

std::ptrdiff_t vectorcall_offset = 0;

// --- Values of a launch's shape; false: not plain.

bool to_unsigned(PyObject* value, unsigned& to) {
    if (!PyLong_CheckExact(value)) return false;
    int overflow = 0;
    const long number = PyLong_AsLongAndOverflow(value, &overflow);
    if (overflow || number < 0 || number > long{std::numeric_limits<unsigned>::max()}) return false;
    to = static_cast<unsigned>(number);
    return true;
}

bool to_dim3(PyObject* value, KnownShape& last, gpu::Dim3& to) {
    if (value == last.tuple.ptr()) {
        to = last.shape;
        return true;
    }
    if (!PyTuple_CheckExact(value)) return false;
    const Py_ssize_t size = PyTuple_GET_SIZE(value);
    unsigned* const all[] = {&to.x, &to.y, &to.z};
    if (size < 1 || size > 3) return false;
    for (Py_ssize_t k = 0; k < size; ++k)
        if (!to_unsigned(PyTuple_GET_ITEM(value, k), *all[k]) || *all[k] == 0) return false;
    last = {py::reinterpret_borrow<py::object>(value), to};
    return true;
}

bool to_bytes(PyObject* value, std::size_t& to) {
    unsigned bytes = 0;
    if (!to_unsigned(value, bytes)) return false;
    to = bytes;
    return true;
}

// --- Ways out

/// The same call by the way that knows everything.
PyObject* checked_call(PyObject* method, PyObject* self, PyObject* const* args, std::size_t count,
                       PyObject* keywords) {
    if (!bound_object<PyKernel>(self)) {
        PyErr_SetString(PyExc_TypeError, "a Kernel comes from lathe.kernel(), App.kernel() or a "
                                         "module's get_function()");
        return nullptr;
    }
    return call_instead(method, self, args, count, keywords);
}

/// None, an exception (null), or nothing: then the checked way is to be taken.
std::optional<PyObject*> launched(PyKernel& kernel, LaunchRequest request,
                                  const GivenValues& values) {
    try {
        if (!kernel.launch_plain(request, values)) return std::nullopt;
    } catch (...) { return raise_in_python(std::current_exception()); }
    Py_RETURN_NONE;
}

// --- kernel(a, b, block=(x, y, z), grid=(x, y), stream=s, shared=n)

bool read_keyword(PyKernel& kernel, PyObject* name, PyObject* value, LaunchRequest& request,
                  bool& has_block) {
    gpu::LaunchConfig& config = request.config;
    if (name == known.block) return has_block = to_dim3(value, kernel.known_block(), config.block);
    if (name == known.grid) return to_dim3(value, kernel.known_grid(), config.grid);
    if (name == known.stream) return to_stream(value, request.stream);
    if (name == known.shared) return to_bytes(value, config.shared_bytes);
    return false;
}

PyObject* call(PyObject* self, PyObject* const* args, std::size_t flagged_count,
               PyObject* keywords) {
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
    LaunchRequest request;
    auto* const kernel = bound_object<PyKernel>(self);
    bool plain = kernel != nullptr, has_block = false;
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; plain && k < named; ++k)
        plain = read_keyword(*kernel, PyTuple_GET_ITEM(keywords, k), args[count + std::size_t(k)],
                             request, has_block);
    if (plain && has_block)
        if (const auto result = launched(*kernel, request, {args, count})) return *result;
    return checked_call(known.call, self, args, count, keywords);
}

// --- kernel.prepared_call(grid, block, a, b), .prepared_async_call(grid, block, stream, a, b)

template <bool has_stream>
PyObject* prepared_call(PyObject* self, PyObject* const* args, Py_ssize_t given,
                        PyObject* keywords) {
    constexpr std::size_t leading = has_stream ? 3 : 2;
    const auto count = static_cast<std::size_t>(given);
    LaunchRequest request;
    request.is_prepared = true;
    gpu::LaunchConfig& config = request.config;
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    auto* const kernel = bound_object<PyKernel>(self);
    bool plain = kernel && count >= leading &&
                 to_dim3(args[0], kernel->known_grid(), config.grid) &&
                 to_dim3(args[1], kernel->known_block(), config.block);
    if (has_stream) plain = plain && to_stream(args[2], request.stream);
    for (Py_ssize_t k = 0; plain && k < named; ++k)
        plain = PyTuple_GET_ITEM(keywords, k) == known.shared_size &&
                to_bytes(args[count + std::size_t(k)], config.shared_bytes);
    if (plain)
        if (const auto result = launched(*kernel, request, {args + leading, count - leading}))
            return *result;
    return checked_call(has_stream ? known.prepared_async_call : known.prepared_call, self, args,
                        count, keywords);
}

// --- kernel[grid, block], kernel.over(shape): a launch whose values are still to come

struct Launcher {
    PyObject_HEAD vectorcallfunc call;
    PyObject* kernel;
    gpu::Dim3 grid, block;
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
    if (names && PyTuple_GET_SIZE(names) == 0) names = nullptr;
    PyKernel& kernel = *bound_object<PyKernel>(launcher.kernel);
    if (const auto result = launched(kernel, request, {values, count, names})) return *result;
    try {
        launch_checked(launcher, request, values, count, names);
    } catch (...) { return raise_in_python(std::current_exception()); }
    Py_RETURN_NONE;
}

PyObject* new_launcher(PyObject* kernel, gpu::Dim3 grid, gpu::Dim3 block, std::size_t shared) {
    auto* const made = PyObject_New(Launcher, known.launcher);
    if (!made) return nullptr;
    made->call = &launch_by;
    made->kernel = Py_NewRef(kernel);
    made->grid = grid;
    made->block = block;
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

PyObject* subscript(PyObject* self, PyObject* index) {
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
    return py::reinterpret_steal<py::object>(
        new_launcher(kernel.ptr(), gpu::blocks_for(elements, threads), threads, shared_bytes));
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
        if (plain) return new_launcher(self, gpu::blocks_for(elements, block), block, 0);
    }
    return checked_call(known.over, self, args, static_cast<std::size_t>(count), keywords);
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

// --- The type of kernels

PyObject* allocate(PyTypeObject* type, Py_ssize_t items) {
    PyObject* const made = PyType_GenericAlloc(type, items);
    if (made)
        *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(made) + vectorcall_offset) =
            &call;
    return made;
}

} // namespace

py::custom_type_setup with_fast_calls() {
    return py::custom_type_setup{[](PyHeapTypeObject* heap) {
        PyTypeObject& type = heap->ht_type;
        vectorcall_offset = type.tp_basicsize;
        type.tp_basicsize += static_cast<Py_ssize_t>(sizeof(vectorcallfunc));
        type.tp_alloc = &allocate;
        heap->as_mapping.mp_subscript = &subscript;
    }};
}

void add_fast_calls(py::module_& m, KernelClass& kernel_class) {
    kernel_class.def(
        "over", &checked_over, py::arg("shape"), py::arg("block") = py::none(),
        py::arg("shared_bytes") = 0,
        "The launch with a thread for each element of `shape`, which is in NumPy's order: the "
        "last\n"
        "size runs along x. `block` is x, y, z; 256, (16, 16) or (8, 8, 4) unless given.");
    const auto interned = [](const char* text) { return PyUnicode_InternFromString(text); };
    known.block = interned("block");
    known.grid = interned("grid");
    known.stream = interned("stream");
    known.shared = interned("shared");
    known.shared_size = interned("shared_size");
    known.call = py::object{kernel_class.attr("__dict__")["__call__"]}.release().ptr();
    known.prepared_call = replace_method(kernel_class, "prepared_call", &prepared_call<false>);
    known.prepared_async_call =
        replace_method(kernel_class, "prepared_async_call", &prepared_call<true>);
    known.over = replace_method(kernel_class, "over", &over);

    auto* const type = reinterpret_cast<PyTypeObject*>(kernel_class.ptr());
    type->tp_vectorcall_offset = vectorcall_offset;
    type->tp_call = &PyVectorcall_Call;
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(type);

    auto launcher = py::reinterpret_steal<py::object>(PyType_FromSpec(&launcher_spec));
    if (!launcher) throw py::error_already_set();
    m.attr("Launcher") = launcher;
    known.launcher = reinterpret_cast<PyTypeObject*>(launcher.release().ptr());
}

} // namespace lathe::bind
