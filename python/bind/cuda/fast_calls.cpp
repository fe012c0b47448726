// SPDX-License-Identifier: MIT
#include "python/bind/cuda/fast_calls.h"

#include "python/bind/bind.h"
#include "python/bind/cuda/argument_plan.h"
#include "python/bind/cuda/fast_method.h"
#include "python/bind/cuda/function.h"

#include <cstddef>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace lathe::bind {

namespace {

using Values = std::span<PyObject* const>;

/// What is looked up once; references held until the process ends.
struct Known {
    PyObject *block, *grid, *stream, *shared, *shared_size; // keywords, interned
    PyObject *call, *prepared_call, *prepared_async_call;   // bound by pybind11
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
    if (!bound_object<PyFunction>(self)) {
        PyErr_SetString(PyExc_TypeError, "a Function comes from a module's get_function()");
        return nullptr;
    }
    return call_instead(method, self, args, count, keywords);
}

/// None, an exception (null), or nothing: then the checked way is to be taken.
std::optional<PyObject*> launched(PyFunction& function, bool prepared,
                                  const gpu::LaunchConfig& config, Values values) {
    try {
        if (!function.launch_plain(prepared, config, values)) return std::nullopt;
    } catch (...) { return raise_in_python(std::current_exception()); }
    Py_RETURN_NONE;
}

// --- function(a, b, block=(x, y, z), grid=(x, y), stream=s, shared=n)

bool read_keyword(PyFunction& function, PyObject* name, PyObject* value, gpu::LaunchConfig& config,
                  bool& has_block) {
    if (name == known.block)
        return has_block = to_dim3(value, function.known_block(), config.block);
    if (name == known.grid) return to_dim3(value, function.known_grid(), config.grid);
    if (name == known.stream) return to_stream(value, config.stream);
    if (name == known.shared) return to_bytes(value, config.shared_bytes);
    return false;
}

PyObject* call(PyObject* self, PyObject* const* args, std::size_t flagged_count,
               PyObject* keywords) {
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
    gpu::LaunchConfig config{{}, {}, 0, gpu::StreamView::legacy()};
    auto* const function = bound_object<PyFunction>(self);
    bool plain = function != nullptr, has_block = false;
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; plain && k < named; ++k)
        plain = read_keyword(*function, PyTuple_GET_ITEM(keywords, k), args[count + std::size_t(k)],
                             config, has_block);
    if (plain && has_block)
        if (const auto result = launched(*function, false, config, {args, count})) return *result;
    return checked_call(known.call, self, args, count, keywords);
}

// --- function.prepared_call(grid, block, a, b), .prepared_async_call(grid, block, stream, a, b)

template <bool has_stream>
PyObject* prepared_call(PyObject* self, PyObject* const* args, Py_ssize_t given,
                        PyObject* keywords) {
    constexpr std::size_t leading = has_stream ? 3 : 2;
    const auto count = static_cast<std::size_t>(given);
    gpu::LaunchConfig config{{}, {}, 0, gpu::StreamView::legacy()};
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    auto* const function = bound_object<PyFunction>(self);
    bool plain = function && count >= leading &&
                 to_dim3(args[0], function->known_grid(), config.grid) &&
                 to_dim3(args[1], function->known_block(), config.block);
    if (has_stream) plain = plain && to_stream(args[2], config.stream);
    for (Py_ssize_t k = 0; plain && k < named; ++k)
        plain = PyTuple_GET_ITEM(keywords, k) == known.shared_size &&
                to_bytes(args[count + std::size_t(k)], config.shared_bytes);
    if (plain)
        if (const auto result =
                launched(*function, true, config, {args + leading, count - leading}))
            return *result;
    return checked_call(has_stream ? known.prepared_async_call : known.prepared_call, self, args,
                        count, keywords);
}

// --- The type

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
    }};
}

void add_fast_calls(py::handle function_class) {
    const auto interned = [](const char* text) { return PyUnicode_InternFromString(text); };
    known.block = interned("block");
    known.grid = interned("grid");
    known.stream = interned("stream");
    known.shared = interned("shared");
    known.shared_size = interned("shared_size");
    known.call = py::object{function_class.attr("__dict__")["__call__"]}.release().ptr();
    known.prepared_call = replace_method(function_class, "prepared_call", &prepared_call<false>);
    known.prepared_async_call =
        replace_method(function_class, "prepared_async_call", &prepared_call<true>);

    auto* const type = reinterpret_cast<PyTypeObject*>(function_class.ptr());
    type->tp_vectorcall_offset = vectorcall_offset;
    type->tp_call = &PyVectorcall_Call;
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(type);
}

} // namespace lathe::bind
