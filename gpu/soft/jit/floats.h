// SPDX-License-Identifier: MIT
// What the files on floating point share: flushing, saturation, rounding, half precision.
#pragma once

#include "gpu/soft/jit/lowering.h"

namespace lathe::soft::jit {

Rounding rounding_of(const Instruction& i);

/// Element of f16x2 and bf16x2, else the type itself.
ptx::Type element_of(ptx::Type type);
bool is_half(ptx::Type type); ///< f16 or bf16

/// Subnormals become zero of the same sign (float, or i16 bits of f16).
Value* flush(FunctionLowering& f, Value* x);
/// `x` or, where `tiny`, zero of its sign.
Value* zero_where(FunctionLowering& f, Value* tiny, Value* x);
/// |x| < limit.
Value* is_below(FunctionLowering& f, Value* x, double limit);
/// Clamps to [0, 1]; NaN becomes +0.
Value* saturate(FunctionLowering& f, Value* x);
/// Negative values become +0, NaN the canonical NaN.
Value* relu(FunctionLowering& f, Value* x);

/// f16 or bf16 bits (i16) as float. Exact.
Value* widen(FunctionLowering& f, Value* bits, ptx::Type type);
/// float or double to `to` (f64, f32, f16, bf16), correctly rounded; halves come back as i16.
Value* narrow(FunctionLowering& f, Value* x, ptx::Type to, Rounding rounding);

/// double with the value of `sum + error`, where sum is its rounded value and `error` the exact
/// rest, rounded to odd: rounding it once more to 51 bits or less equals rounding the exact value.
Value* to_odd(FunctionLowering& f, Value* sum, Value* error);
/// The same value as a float.
Value* narrow_sum(FunctionLowering& f, Value* sum, Value* error, Rounding rounding);
/// The exact rest of a + b after s = a + b (Knuth's TwoSum).
Value* sum_error(FunctionLowering& f, Value* a, Value* b, Value* s);

/// Functions, and approximations that have rules of their own (emit_function.cpp); false for other
/// instructions.
bool emit_function(FunctionLowering& f, const Instruction& i);
/// sin, cos, tanh, lg2 or ex2 of a float, better than the PTX ISA asks of .approx. lg2 needs to be
/// told whether subnormals come to it as they are.
Value* approximate(FunctionLowering& f, Opcode opcode, Value* x, bool may_be_subnormal);

/// Applies `operation` to the elements of packed halves, or to whole values. Elements of halves are
/// i16.
Value* per_element(FunctionLowering& f, ptx::Type type, const std::vector<Value*>& values,
                   const std::function<Value*(const std::vector<Value*>&)>& operation);

/// Compares by a PTX comparison name (eq, ltu, num, hs...) in `type`; false where unknown: null.
Value* compare(FunctionLowering& f, const std::string& name, Value* x, Value* y, ptx::Type type);
bool is_comparison(const std::string& name);

} // namespace lathe::soft::jit
