// SPDX-License-Identifier: MIT
// Which type an operation has: promotion and casts by NumPy 2's rules, NEP 50 included, and the
// names of the types in kernels.
#pragma once

#include "engine/core/api.h"
#include "engine/core/dtype.h"

#include <optional>
#include <string_view>

namespace lathe::gpu {

enum class Kind { boolean, signed_integer, unsigned_integer, floating, complex };

LATHE_API Kind kind_of(DType dtype);
LATHE_API bool is_integer(DType dtype); ///< signed or unsigned, not bool
LATHE_API bool is_inexact(DType dtype); ///< floating or complex

/// NumPy's `result_type` of two arrays: int8 and uint8 give int16, int64 and uint64 give float64,
/// int32 and float32 give float64.
LATHE_API DType promote(DType a, DType b);

/// A number of Python without a type of its own: bool, int, float, complex.
enum class PythonNumber { boolean, integer, floating, complex };

/// NumPy 2's `result_type` of an array and such a number: the array's own type unless the number is
/// of a higher kind (int with bool gives int64, float with integers float64, complex with float32
/// complex64).
LATHE_API DType promote(DType array, PythonNumber number);
/// The type that the number has alone: bool, int64, float64, complex128.
LATHE_API DType default_dtype(PythonNumber number);

/// NumPy's `can_cast(from, to, "safe")`: no value changes.
LATHE_API bool can_cast_safely(DType from, DType to);
/// NumPy's "same_kind": safe, or within a kind and to higher kinds. What in-place operators allow.
LATHE_API bool can_cast_same_kind(DType from, DType to);

/// What a function of real numbers computes in: floating and complex types stay, bool and 8-bit
/// integers become float16, 16-bit ones float32, others float64.
LATHE_API DType floating_for(DType dtype);
/// complex64 for float32, the type itself where it is complex. float16 has none: complex64.
LATHE_API DType complex_for(DType dtype);
/// The type of real and imaginary part: float32 for complex64; real types stay.
LATHE_API DType real_for(DType dtype);

/// The type's name in the kernels of this folder: "float", "long long", "lathe::half".
LATHE_API std::string_view kernel_type(DType dtype);
/// The type that its arithmetic is done in: int for short integers, float for float16.
LATHE_API std::string_view compute_type(DType dtype);

} // namespace lathe::gpu
