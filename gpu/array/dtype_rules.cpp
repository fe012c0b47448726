// SPDX-License-Identifier: MIT
// NumPy Enhancement Proposal 50 for Python's numbers; NumPy's reference, "Data type promotion".
#include "gpu/array/dtype_rules.h"

#include <algorithm>
#include <array>

namespace lathe::gpu {

namespace {

struct Row {
    Kind kind;
    std::string_view kernel_type;
    std::string_view compute_type;
};

constexpr std::array kRows{
    Row{Kind::boolean, "bool", "bool"},
    Row{Kind::signed_integer, "signed char", "int"},
    Row{Kind::unsigned_integer, "unsigned char", "unsigned"},
    Row{Kind::signed_integer, "short", "int"},
    Row{Kind::unsigned_integer, "unsigned short", "unsigned"},
    Row{Kind::signed_integer, "int", "int"},
    Row{Kind::unsigned_integer, "unsigned", "unsigned"},
    Row{Kind::signed_integer, "long long", "long long"},
    Row{Kind::unsigned_integer, "unsigned long long", "unsigned long long"},
    Row{Kind::floating, "lathe::half", "float"},
    Row{Kind::floating, "float", "float"},
    Row{Kind::floating, "double", "double"},
    Row{Kind::complex, "pycuda::complex<float>", "pycuda::complex<float>"},
    Row{Kind::complex, "pycuda::complex<double>", "pycuda::complex<double>"},
};

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

DType integer_of(std::size_t bytes, bool is_signed) {
    switch (bytes) {
    case 1: return is_signed ? DType::int8 : DType::uint8;
    case 2: return is_signed ? DType::int16 : DType::uint16;
    case 4: return is_signed ? DType::int32 : DType::uint32;
    default: return is_signed ? DType::int64 : DType::uint64;
    }
}

/// The least floating type that holds every value of an integer type; float64 for 64 bits, as NumPy
/// has it.
DType floating_that_holds(DType integer) {
    switch (item_bytes(integer)) {
    case 1: return DType::float16;
    case 2: return DType::float32;
    default: return DType::float64;
    }
}

DType wider(DType a, DType b) { return item_bytes(a) >= item_bytes(b) ? a : b; }

DType promote_integers(DType a, DType b) {
    if (kind_of(a) == kind_of(b)) return wider(a, b);
    const DType with_sign = kind_of(a) == Kind::signed_integer ? a : b;
    const DType without = kind_of(a) == Kind::signed_integer ? b : a;
    if (item_bytes(with_sign) > item_bytes(without)) return with_sign;
    return without == DType::uint64 ? DType::float64 : integer_of(item_bytes(without) * 2, true);
}

} // namespace

Kind kind_of(DType dtype) { return row(dtype).kind; }

bool is_integer(DType dtype) {
    return kind_of(dtype) == Kind::signed_integer || kind_of(dtype) == Kind::unsigned_integer;
}

bool is_inexact(DType dtype) { return kind_of(dtype) >= Kind::floating; }

DType promote(DType a, DType b) {
    if (a == b || b == DType::bool_) return a;
    if (a == DType::bool_) return b;
    if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
    if (kind_of(a) < kind_of(b)) std::swap(a, b);
    const DType real_b = is_integer(b) ? floating_that_holds(b) : real_for(b);
    if (kind_of(a) == Kind::floating) return wider(a, real_b);
    return complex_for(wider(real_for(a), real_b));
}

DType promote(DType array, PythonNumber number) {
    switch (number) {
    case PythonNumber::boolean: return array;
    case PythonNumber::integer: return array == DType::bool_ ? DType::int64 : array;
    case PythonNumber::floating: return is_inexact(array) ? array : DType::float64;
    case PythonNumber::complex: break;
    }
    return is_inexact(array) ? complex_for(array) : DType::complex128;
}

DType default_dtype(PythonNumber number) {
    switch (number) {
    case PythonNumber::boolean: return DType::bool_;
    case PythonNumber::integer: return DType::int64;
    case PythonNumber::floating: return DType::float64;
    case PythonNumber::complex: break;
    }
    return DType::complex128;
}

bool can_cast_safely(DType from, DType to) { return promote(from, to) == to; }

bool can_cast_same_kind(DType from, DType to) {
    // The order of Kind is NumPy's, but that signed integers come after unsigned ones.
    constexpr std::array order{0, 2, 1, 3, 4};
    return order[static_cast<std::size_t>(kind_of(from))] <=
           order[static_cast<std::size_t>(kind_of(to))];
}

DType floating_for(DType dtype) {
    if (is_inexact(dtype)) return dtype;
    return dtype == DType::bool_ ? DType::float16 : floating_that_holds(dtype);
}

DType complex_for(DType dtype) {
    if (kind_of(dtype) == Kind::complex) return dtype;
    return dtype == DType::float32 || dtype == DType::float16 ? DType::complex64
                                                              : DType::complex128;
}

DType real_for(DType dtype) {
    if (dtype == DType::complex64) return DType::float32;
    return dtype == DType::complex128 ? DType::float64 : dtype;
}

std::string_view kernel_type(DType dtype) { return row(dtype).kernel_type; }
std::string_view compute_type(DType dtype) { return row(dtype).compute_type; }

} // namespace lathe::gpu
