// SPDX-License-Identifier: MIT
// + - * / // % ** @ & | ^ << >> and comparisons, of arrays with arrays and with numbers.
#include "gpu/array/elementwise.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/array/linalg.h"
#include "python/bind/array/operands.h"
#include "python/bind/bind.h"

#include <fmt/format.h>

#include <array>

namespace lathe::bind {

namespace {

/// operation(a, b) or, with `into`, the same into the first one; NotImplemented for other types.
PyObject* apply_operator(const gpu::Operation& operation, PyObject* const* values,
                         std::size_t count, bool into = false) {
    std::array<Operand, 2> operands;
    for (std::size_t k = 0; k < count; ++k)
        if (!read_operand(values[k], operands[k])) Py_RETURN_NOTIMPLEMENTED;
    try {
        const std::span<const Operand> all{operands.data(), count};
        if (into) {
            apply_into(operation, all, {values, 1});
            return Py_NewRef(values[0]);
        }
        return apply(operation, all).release().ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

/// Operators are functions without room for an argument: one for each name.
template <const char* name> const gpu::Operation& operation_of() {
    static const gpu::Operation& found = gpu::operation(name);
    return found;
}

template <const char* name> PyObject* unary(PyObject* a) {
    return apply_operator(operation_of<name>(), &a, 1);
}

template <const char* name> PyObject* binary(PyObject* a, PyObject* b) {
    PyObject* const values[] = {a, b};
    return apply_operator(operation_of<name>(), values, 2);
}

template <const char* name> PyObject* in_place(PyObject* a, PyObject* b) {
    PyObject* const values[] = {a, b};
    return apply_operator(operation_of<name>(), values, 2, true);
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus);
PyObject* power_in_place(PyObject* a, PyObject* b, PyObject* modulus);

constexpr char kAdd[] = "add", kSubtract[] = "subtract", kMultiply[] = "multiply",
               kDivide[] = "divide", kFloorDivide[] = "floor_divide", kRemainder[] = "remainder",
               kDivmod[] = "divmod", kPower[] = "power", kNegative[] = "negative",
               kPositive[] = "positive", kAbsolute[] = "absolute", kInvert[] = "invert",
               kAnd[] = "bitwise_and", kOr[] = "bitwise_or", kXor[] = "bitwise_xor",
               kLeft[] = "left_shift", kRight[] = "right_shift", kEqual[] = "equal",
               kNotEqual[] = "not_equal", kLess[] = "less", kLessEqual[] = "less_equal",
               kGreater[] = "greater", kGreaterEqual[] = "greater_equal";

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return binary<kPower>(a, b);
}

PyObject* power_in_place(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return in_place<kPower>(a, b);
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
    switch (how) {
    case Py_EQ: return binary<kEqual>(a, b);
    case Py_NE: return binary<kNotEqual>(a, b);
    case Py_LT: return binary<kLess>(a, b);
    case Py_LE: return binary<kLessEqual>(a, b);
    case Py_GT: return binary<kGreater>(a, b);
    default: return binary<kGreaterEqual>(a, b);
    }
}

} // namespace

void add_operators(std::vector<PyType_Slot>& slots) {
    const auto add = [&](int slot, auto* function) {
        slots.push_back({slot, reinterpret_cast<void*>(function)});
    };
    add(Py_nb_add, &binary<kAdd>);
    add(Py_nb_subtract, &binary<kSubtract>);
    add(Py_nb_multiply, &binary<kMultiply>);
    add(Py_nb_true_divide, &binary<kDivide>);
    add(Py_nb_floor_divide, &binary<kFloorDivide>);
    add(Py_nb_remainder, &binary<kRemainder>);
    add(Py_nb_divmod, &binary<kDivmod>);
    add(Py_nb_power, &power);
    add(Py_nb_and, &binary<kAnd>);
    add(Py_nb_or, &binary<kOr>);
    add(Py_nb_xor, &binary<kXor>);
    add(Py_nb_lshift, &binary<kLeft>);
    add(Py_nb_rshift, &binary<kRight>);
    add(Py_nb_negative, &unary<kNegative>);
    add(Py_nb_positive, &unary<kPositive>);
    add(Py_nb_absolute, &unary<kAbsolute>);
    add(Py_nb_invert, &unary<kInvert>);
    add(Py_nb_inplace_add, &in_place<kAdd>);
    add(Py_nb_inplace_subtract, &in_place<kSubtract>);
    add(Py_nb_inplace_multiply, &in_place<kMultiply>);
    add(Py_nb_inplace_true_divide, &in_place<kDivide>);
    add(Py_nb_inplace_floor_divide, &in_place<kFloorDivide>);
    add(Py_nb_inplace_remainder, &in_place<kRemainder>);
    add(Py_nb_inplace_power, &power_in_place);
    add(Py_nb_inplace_and, &in_place<kAnd>);
    add(Py_nb_inplace_or, &in_place<kOr>);
    add(Py_nb_inplace_xor, &in_place<kXor>);
    add(Py_nb_inplace_lshift, &in_place<kLeft>);
    add(Py_nb_inplace_rshift, &in_place<kRight>);
    add(Py_nb_matrix_multiply, &multiply_matrices);
    add(Py_nb_inplace_matrix_multiply, &multiply_matrices_in_place);
    add(Py_tp_richcompare, &compare);
}

} // namespace lathe::bind
