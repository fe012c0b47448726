// SPDX-License-Identifier: MIT
#include "python/bind/kernel/fast_calls.h"

#include "python/bind/bind.h"
#include "python/bind/cuda/fast_method.h"
#include "python/bind/kernel/launch_shape.h"
#include "python/bind/kernel/launcher.h"

#include <cstddef>
#include <exception>

namespace lathe::bind {

PyObject* checked_call(PyObject* method, PyObject* self, PyObject* const* args, std::size_t count,
                       PyObject* keywords) {
    if (!bound_object<PyKernel>(self)) {
        PyErr_SetString(PyExc_TypeError, "a Kernel comes from lathe.kernel(), App.kernel() or a "
                                         "module's get_function()");
        return nullptr;
    }
    return call_instead(method, self, args, count, keywords);
}

std::optional<PyObject*> launched(PyKernel& kernel, LaunchRequest request,
                                  const GivenValues& values) {
    try {
        if (!kernel.launch_plain(request, values)) return std::nullopt;
    } catch (...) { return raise_in_python(std::current_exception()); }
    Py_RETURN_NONE;
}

namespace {

/// What is looked up once; references held until the process ends.
struct Known {
    PyObject *block, *grid, *stream, *shared, *shared_size; // keywords, interned
    PyObject *call, *prepared_call, *prepared_async_call;   // bound by pybind11
};
Known known;

std::ptrdiff_t vectorcall_offset = 0;

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
        heap->as_mapping.mp_subscript = &launcher_at;
    }};
}

void add_fast_calls(KernelClass& kernel_class) {
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

    auto* const type = reinterpret_cast<PyTypeObject*>(kernel_class.ptr());
    type->tp_vectorcall_offset = vectorcall_offset;
    type->tp_call = &PyVectorcall_Call;
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(type);
}

} // namespace lathe::bind
