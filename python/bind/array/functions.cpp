// SPDX-License-Identifier: MIT
// Elementwise functions by name, copies and casts, for the modules of lathe.array.
#include "gpu/array/elementwise.h"
#include "gpu/array/indexing.h"
#include "gpu/memory.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/array/operands.h"
#include "python/bind/array/recorder.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/stream.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace lathe::bind {

namespace {

Operand operand_of(const gpu::Operation& operation, std::size_t number, PyObject* value) {
    Operand operand;
    if (!read_operand(value, operand))
        throw py::type_error(
            fmt::format("{}: operand {} is a {}: pass a GPUArray or a number (to_gpu() copies "
                        "host arrays to the device)",
                        operation.name, number, Py_TYPE(value)->tp_name));
    return operand;
}

/// The arrays of `out`, an array or a tuple of them.
std::span<PyObject* const> outputs_of(PyObject* const& out) {
    if (!PyTuple_Check(out)) return {&out, 1};
    return {PySequence_Fast_ITEMS(out), static_cast<std::size_t>(PyTuple_GET_SIZE(out))};
}

/// apply(name, operands..., out=None, stream=None)
py::object call(std::span<PyObject* const> values, PyObject* out, PyObject* stream) {
    const char* const name =
        !values.empty() && PyUnicode_Check(values[0]) ? PyUnicode_AsUTF8(values[0]) : nullptr;
    if (!name) throw py::type_error("apply: the first argument is a function's name");
    const gpu::Operation& operation = gpu::operation(name);
    values = values.subspan(1);
    std::array<Operand, gpu::Loop::kMostInputs> operands;
    if (values.size() != operation.inputs)
        throw py::type_error(fmt::format("{}() takes {} operands, got {}", operation.name,
                                         operation.inputs, values.size()));
    for (std::size_t k = 0; k < values.size(); ++k)
        operands[k] = operand_of(operation, k, values[k]);
    const std::span<const Operand> all{operands.data(), values.size()};
    const gpu::StreamView on = stream == Py_None
                                   ? gpu::StreamView::legacy()
                                   : stream_of(py::handle{stream}.cast<const PyStream*>());
    StreamUse use{on, true, {}};
    for (PyObject* const each : values) use.add(each);
    if (out == Py_None) {
        py::object made = apply(operation, all, on);
        for (PyObject* const each : outputs_of(made.ptr())) use.add(each);
        return made;
    }
    for (PyObject* const each : outputs_of(out)) use.add(each);
    apply_into(operation, all, outputs_of(out), on);
    return py::reinterpret_borrow<py::object>(out);
}

PyObject* call_fast(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    PyObject *out = Py_None, *stream = Py_None;
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject* const name = PyTuple_GET_ITEM(keywords, k);
        if (PyUnicode_CompareWithASCIIString(name, "out") == 0) out = args[count + k];
        else if (PyUnicode_CompareWithASCIIString(name, "stream") == 0) stream = args[count + k];
        else
            return PyErr_Format(PyExc_TypeError, "apply() got an unexpected keyword argument %R",
                                name);
    }
    try {
        return call({args, static_cast<std::size_t>(count)}, out, stream).release().ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

PyMethodDef apply_method{
    "apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_fast)),
    METH_FASTCALL | METH_KEYWORDS,
    "apply(name, *operands, out=None, stream=None)\n--\n\n"
    "An elementwise function by NumPy's name on arrays and numbers; into `out`, an array or a "
    "tuple of them, where it is given. Asynchronous on `stream`."};

py::object copied(const py::object& array, const std::string& order, const PyStream* stream) {
    if (recording && order == "K" && is_gpu_array(array.ptr()))
        if (const auto dtype = self_of(array.ptr()).array.type().dtype)
            if (py::object made = record_cast(array.ptr(), *dtype, stream_of(stream))) return made;
    const gpu::Array& from = array_of(array);
    const bool f =
        order == "F" || (order == "A" && from.is_f_contiguous() && !from.is_c_contiguous());
    const gpu::Layout layout = order == "K" ? gpu::compact_like(from.layout(), from.type().bytes)
                                            : gpu::compact(from.shape(), from.type().bytes,
                                                           f ? gpu::Order::f : gpu::Order::c);
    const auto* like = reinterpret_cast<const GpuArray*>(array.ptr());
    gpu::Array to = empty_like(like, from.type(), layout);
    gpu::assign(to, from, stream_of(stream));
    return wrap_array(std::move(to), like);
}

py::object cast(const py::object& array, const py::object& dtype, const PyStream* stream) {
    const gpu::ElementType type = element_type(to_dtype(dtype));
    if (recording && type.dtype && is_gpu_array(array.ptr()))
        if (py::object made = record_cast(array.ptr(), *type.dtype, stream_of(stream))) return made;
    const gpu::Array& from = array_of(array);
    const auto* like = reinterpret_cast<const GpuArray*>(array.ptr());
    gpu::Array to = empty_like(like, type, gpu::compact_like(from.layout(), type.bytes));
    gpu::assign(to, from, stream_of(stream));
    return wrap_array(std::move(to), like);
}

void assigned(const py::object& to, const py::object& from, const PyStream* stream) {
    gpu::assign(array_of(to), array_of(from), stream_of(stream));
}

void filled(const py::object& array, const py::object& value, const PyStream* stream) {
    Operand operand;
    gpu::Array& to = array_of(array);
    if (!to.type().dtype) { // a structure: NumPy knows what its fields become
        py::module_::import("lathe.array.indexing")
            .attr("assign_host")(array, value,
                                 py::cast(stream, py::return_value_policy::reference));
        return;
    }
    if (!read_operand(value.ptr(), operand) || operand.array)
        throw py::type_error(
            fmt::format("fill: expected a number, got {}", Py_TYPE(value.ptr())->tp_name));
    const StreamUse use{stream_of(stream), true, {array}};
    gpu::assign(to, number_of(operand, to.dtype("fill")), stream_of(stream));
}

/// Every byte 0; the array is dense.
void cleared(const py::object& array, const PyStream* stream) {
    const gpu::Array& to = array_of(array);
    if (to.size() == 0) return;
    if (!to.writable() || !gpu::is_dense(to.layout(), to.type().bytes))
        throw py::value_error("clear_array: not a dense array to be written");
    const gpu::Reach reach = gpu::reach_of(to.layout(), to.type().bytes);
    const StreamUse use{stream_of(stream), true, {array}};
    gpu::fill(gpu::DeviceSpan<std::byte>{to.address() + static_cast<CUdeviceptr>(reach.begin),
                                         static_cast<std::size_t>(reach.end - reach.begin)},
              std::byte{0}, stream_of(stream));
}

/// Offsets in bytes for one index array after the other (array, stride, size).
py::object offsets_of(const py::list& indices, const PyStream* stream) {
    std::optional<gpu::Array> offsets;
    for (const py::handle each : indices) {
        const auto [index, stride, size] =
            each.cast<std::tuple<py::object, std::int64_t, std::int64_t>>();
        const gpu::Array* const before = offsets ? &*offsets : nullptr;
        offsets = gpu::index_offsets(array_of(index), stride, size, before, stream_of(stream));
    }
    if (!offsets) throw py::value_error("no indices");
    return wrap_array(std::move(*offsets));
}

/// (names, inputs, outputs) of all functions.
py::list functions() {
    py::list all;
    for (const gpu::Operation& each : gpu::all_operations())
        all.append(py::make_tuple(std::string{each.name}, int{each.inputs}, int{each.outputs}));
    return all;
}

} // namespace

void bind_array_functions(py::module_& m) {
    m.add_object("apply",
                 py::reinterpret_steal<py::object>(PyCFunction_New(&apply_method, nullptr)));
    m.def("copy_array", &copied, py::arg("array"), py::arg("order") = "K",
          py::arg("stream") = nullptr);
    m.def("cast_array", &cast, py::arg("array"), py::arg("dtype"), py::arg("stream") = nullptr);
    m.def("assign_array", &assigned, py::arg("to"), py::arg("source"), py::arg("stream") = nullptr);
    m.def("fill_array", &filled, py::arg("array"), py::arg("value"), py::arg("stream") = nullptr);
    m.def("clear_array", &cleared, py::arg("array"), py::arg("stream") = nullptr);
    m.def("index_offsets", &offsets_of, py::arg("indices"), py::arg("stream") = nullptr);
    m.def(
        "gather",
        [](const py::object& to, const py::object& from, const py::object& offsets,
           const PyStream* stream) {
            gpu::gather(array_of(to), array_of(from), array_of(offsets), stream_of(stream));
        },
        py::arg("to"), py::arg("source"), py::arg("offsets"), py::arg("stream") = nullptr);
    m.def(
        "scatter",
        [](const py::object& to, const py::object& offsets, const py::object& values,
           const PyStream* stream) {
            gpu::scatter(array_of(to), array_of(offsets), array_of(values), stream_of(stream));
        },
        py::arg("to"), py::arg("offsets"), py::arg("values"), py::arg("stream") = nullptr);
    m.def("elementwise_functions", &functions);
}

} // namespace lathe::bind
