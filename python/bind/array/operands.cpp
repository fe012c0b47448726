// SPDX-License-Identifier: MIT
#include "python/bind/array/operands.h"

#include "python/bind/array/recorder.h"
#include "python/bind/bind.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>

namespace lathe::bind {

namespace {

using gpu::PythonNumber;

constexpr std::size_t kMost = gpu::Loop::kMostInputs;

/// Throws what Python raised.
[[noreturn]] void fail() { throw py::error_already_set(); }

/// Bounds of an integer type.
struct Bounds {
    long long least;
    unsigned long long most;
};

Bounds bounds_of(DType dtype) {
    const std::size_t bits = item_bytes(dtype) * 8;
    if (gpu::kind_of(dtype) == gpu::Kind::unsigned_integer) return {0, ~0ull >> (64 - bits)};
    return {std::numeric_limits<long long>::min() >> (64 - bits), ~0ull >> (65 - bits)};
}

gpu::Scalar integer_of(PyObject* value, DType dtype) {
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    if (!index) fail();
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (number == -1 && !overflow && PyErr_Occurred()) fail();
    if (gpu::is_integer(dtype)) {
        const Bounds bounds = bounds_of(dtype);
        unsigned long long large = static_cast<unsigned long long>(number);
        if (overflow > 0) {
            large = PyLong_AsUnsignedLongLong(index.ptr());
            if (PyErr_Occurred()) {
                PyErr_Clear();
                overflow = -1; // beyond 64 bits
            }
        }
        const bool negative = overflow == 0 && number < 0;
        if (overflow < 0 || (negative ? number < bounds.least : large > bounds.most)) {
            PyErr_Format(PyExc_OverflowError, "Python integer %R out of bounds for %s", index.ptr(),
                         std::string{name_of(dtype)}.c_str());
            fail();
        }
        return negative ? gpu::make_scalar(dtype, std::int64_t{number})
                        : gpu::make_scalar(dtype, std::uint64_t{large});
    }
    if (dtype == DType::bool_)
        return gpu::make_scalar(dtype, std::int64_t{overflow != 0 || number != 0});
    if (!overflow) return gpu::make_scalar(dtype, std::int64_t{number});
    const double real = PyLong_AsDouble(index.ptr());
    if (real == -1 && PyErr_Occurred()) fail();
    return gpu::make_scalar(dtype, real);
}

/// A Python integer that a comparison's type cannot hold keeps its value: as 64 bits, or as
/// infinity.
bool widen_for_comparison(const gpu::Operation& operation, std::array<gpu::InputType, kMost>& types,
                          std::array<gpu::Scalar, kMost>& numbers,
                          std::span<const Operand> operands) {
    if (operation.rule != gpu::TypeRule::compare) return false;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const Operand& each = operands[k];
        if (each.array || !each.type.is_weak || each.type.number != PythonNumber::integer) continue;
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(each.value, &overflow);
        if (overflow) {
            const unsigned long long large = PyLong_AsUnsignedLongLong(each.value);
            if (PyErr_Occurred()) {
                PyErr_Clear();
                types[k] = {DType::float64};
                numbers[k] = gpu::make_scalar(
                    DType::float64, overflow < 0 ? -std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::infinity());
            } else {
                types[k] = {DType::uint64};
                numbers[k] = gpu::make_scalar(DType::uint64, std::uint64_t{large});
            }
        } else {
            types[k] = {DType::int64};
            numbers[k] = gpu::make_scalar(DType::int64, std::int64_t{number});
        }
        return true;
    }
    return false;
}

} // namespace

bool read_operand(PyObject* value, Operand& to) noexcept {
    to.value = value;
    if (is_gpu_array(value)) {
        to.array = reinterpret_cast<const GpuArray*>(value);
        const auto& dtype = to.array->array.type().dtype;
        to.type = {dtype.value_or(DType::uint8)};
        return true;
    }
    PyTypeObject* const type = Py_TYPE(value);
    const auto weak = [&](PythonNumber number) {
        to.type = {gpu::default_dtype(number), true, number};
        return true;
    };
    if (type == &PyFloat_Type) return weak(PythonNumber::floating);
    if (type == &PyLong_Type) return weak(PythonNumber::integer);
    if (type == &PyBool_Type) return weak(PythonNumber::boolean);
    if (type == &PyComplex_Type) return weak(PythonNumber::complex);
    if (const DType* const dtype = scalar_dtype(type)) {
        to.type = {*dtype};
        return true;
    }
    // Subclasses of Python's numbers, such as enumerations.
    if (PyLong_Check(value)) return weak(PythonNumber::integer);
    if (PyFloat_Check(value)) return weak(PythonNumber::floating);
    if (PyComplex_Check(value)) return weak(PythonNumber::complex);
    return false;
}

gpu::Scalar number_of(const Operand& operand, DType dtype) {
    PyObject* const value = operand.value;
    const gpu::Kind kind = gpu::kind_of(operand.type.dtype);
    if (kind == gpu::Kind::complex) {
        const Py_complex number = PyComplex_AsCComplex(value);
        if (number.real == -1 && PyErr_Occurred()) fail();
        return gpu::make_scalar(dtype, std::complex<double>{number.real, number.imag});
    }
    if (kind == gpu::Kind::floating) {
        const double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred()) fail();
        return gpu::make_scalar(dtype, number);
    }
    if (kind == gpu::Kind::boolean) {
        const int truth = PyObject_IsTrue(value);
        if (truth < 0) fail();
        return gpu::make_scalar(dtype, std::int64_t{truth});
    }
    return integer_of(value, dtype);
}

Resolved resolve(const gpu::Operation& operation, std::span<const Operand> operands) {
    Resolved made;
    std::array<gpu::InputType, kMost> types{
        gpu::InputType{DType::bool_}, {DType::bool_}, {DType::bool_}, {DType::bool_}};
    if (operands.size() != operation.inputs)
        throw py::type_error(fmt::format("{}() takes {} operands, got {}", operation.name,
                                         operation.inputs, operands.size()));
    const std::string name{operation.name};
    bool out_of_bounds = false;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].array) operands[k].array->array.dtype(name.c_str());
        types[k] = operands[k].type;
    }
    const std::span<const gpu::InputType> given{types.data(), operands.size()};
    made.loop = gpu::resolve(operation, given);
    const auto convert = [&] {
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (!operands[k].array) made.numbers[k] = number_of(operands[k], made.loop.inputs[k]);
    };
    if (operation.rule == gpu::TypeRule::compare) {
        try {
            convert();
        } catch (py::error_already_set& error) {
            if (!error.matches(PyExc_OverflowError)) throw;
            out_of_bounds = true;
        }
        if (out_of_bounds && widen_for_comparison(operation, types, made.numbers, operands)) {
            made.loop = gpu::resolve(operation, given);
            // The number is what the loop computes in, or is cast on the device.
            for (std::size_t k = 0; k < operands.size(); ++k)
                if (!operands[k].array && made.numbers[k].dtype != made.loop.inputs[k])
                    made.numbers[k] = number_of(operands[k], made.loop.inputs[k]);
        }
    } else {
        convert();
    }
    made.inputs.reserve(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k)
        if (operands[k].array) made.inputs.emplace_back(operands[k].array->array);
        else made.inputs.emplace_back(made.numbers[k]);
    return made;
}

void check_cast(const gpu::Loop& loop, std::size_t output, const gpu::Array& into) {
    const DType to = into.dtype("out");
    if (!gpu::can_cast_same_kind(loop.outputs[output], to))
        throw py::type_error(fmt::format("Cannot cast ufunc '{}' output from dtype('{}') to "
                                         "dtype('{}') with casting rule 'same_kind'",
                                         loop.operation->name, name_of(loop.outputs[output]),
                                         name_of(to)));
}

py::object apply(const gpu::Operation& operation, std::span<const Operand> operands,
                 gpu::StreamView stream) {
    if (recording) [[unlikely]]
        if (py::object made = record(operation, operands, stream)) return made;
    const GpuArray* like = nullptr;
    for (const Operand& each : operands)
        if (each.array && !like) like = each.array;
    const Resolved call = resolve(operation, operands);
    std::array<gpu::Array, gpu::Loop::kMostOutputs> results;
    if (like && like->allocator) {
        const gpu::Allocate allocate = [&](gpu::ElementType type, const gpu::Layout& layout) {
            return empty_like(like, type, layout);
        };
        results = gpu::run(call.loop, call.inputs, stream, &allocate);
    } else {
        results = gpu::run(call.loop, call.inputs, stream);
    }
    if (operation.outputs == 1) return wrap_array(std::move(results[0]), like);
    return py::make_tuple(wrap_array(std::move(results[0]), like),
                          wrap_array(std::move(results[1]), like));
}

void apply_into(const gpu::Operation& operation, std::span<const Operand> operands,
                std::span<PyObject* const> outputs, gpu::StreamView stream) {
    if (recording) [[unlikely]]
        if (record_into(operation, operands, outputs, stream)) return;
    const Resolved call = resolve(operation, operands);
    std::array<gpu::Array*, gpu::Loop::kMostOutputs> into{};
    if (outputs.size() != operation.outputs)
        throw py::value_error(fmt::format("{} has {} results, got {} arrays for them",
                                          operation.name, operation.outputs, outputs.size()));
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        into[k] = &array_of(outputs[k]);
        check_cast(call.loop, k, *into[k]);
    }
    gpu::run(call.loop, std::span{into}.first(outputs.size()), call.inputs, stream);
}

} // namespace lathe::bind
