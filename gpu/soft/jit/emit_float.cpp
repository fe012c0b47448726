// SPDX-License-Identifier: MIT
// Floating-point arithmetic in f16, bf16, their pairs, f32 and f64; functions are in
// emit_function.cpp. Directed roundings: f32 through doubles and what they lack, f64 through
// helpers that switch the rounding mode. Approximate instructions are computed more exactly than
// PTX asks.
#include "gpu/soft/jit/floats.h"
#include "gpu/soft/jit/toolchain.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

namespace lathe::soft::jit {

namespace {

using Values = std::vector<Value*>;

/// The operation in the width of its operands, rounded to nearest.
Value* apply(FunctionLowering& f, Opcode opcode, const Values& v) {
    auto& b = f.b;
    switch (opcode) {
    case Opcode::add: return b.CreateFAdd(v[0], v[1]);
    case Opcode::sub: return b.CreateFSub(v[0], v[1]);
    case Opcode::mul: return b.CreateFMul(v[0], v[1]);
    case Opcode::div: return b.CreateFDiv(v[0], v[1]);
    case Opcode::rcp: return b.CreateFDiv(llvm::ConstantFP::get(v[0]->getType(), 1.0), v[0]);
    case Opcode::sqrt: return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
    default: return f.intrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
    }
}

Values as_doubles(FunctionLowering& f, const Values& floats) {
    Values v;
    for (Value* x : floats) v.push_back(f.b.CreateFPExt(x, f.b.getDoubleTy()));
    return v;
}

/// A sum, of floats or of a product of floats and a third, in a directed rounding.
Value* directed_sum(FunctionLowering& f, Opcode opcode, const Values& floats, bool ftz,
                    Rounding rounding) {
    auto& b = f.b;
    const Values v = as_doubles(f, floats);
    const bool has_product = v.size() > 2;
    Value* x = has_product ? b.CreateFMul(v[0], v[1]) : v[0]; // 48 bits: exact
    Value* y = has_product ? v[2] : opcode == Opcode::sub ? b.CreateFNeg(v[1]) : v[1];
    Value* sum = b.CreateFAdd(x, y);
    Value* error = sum_error(f, x, y, sum);
    Value* result = narrow_sum(f, sum, error, rounding);
    if (rounding == Rounding::down) { // a sum of zero is -0, unless both are +0
        Value* some_bits =
            b.CreateOr(b.CreateBitCast(x, b.getInt64Ty()), b.CreateBitCast(y, b.getInt64Ty()));
        Value* is_zero = b.CreateFCmpOEQ(sum, llvm::ConstantFP::get(sum->getType(), 0.0));
        result = b.CreateSelect(b.CreateAnd(is_zero, b.CreateICmpNE(some_bits, b.getInt64(0))),
                                llvm::ConstantFP::getNegativeZero(b.getFloatTy()), result);
    }
    if (!ftz) return result;
    Value* scale = llvm::ConstantFP::get(b.getDoubleTy(), 0x1p64); // subnormal with any exponent
    Value* far = narrow_sum(f, b.CreateFMul(sum, scale), b.CreateFMul(error, scale), rounding);
    return zero_where(f, is_below(f, far, 0x1p-62), result);
}

/// A product, quotient or root of floats as a double that rounds like the exact result.
Value* apply_odd(FunctionLowering& f, Opcode opcode, const Values& floats) {
    auto& b = f.b;
    const Values v = as_doubles(f, floats);
    if (opcode == Opcode::mul) return b.CreateFMul(v[0], v[1]); // 48 bits: exact
    // Quotient and root: the rest has the sign of the error (times the divisor's sign).
    auto fma = [&](Value* x, Value* y, Value* z) {
        return f.intrinsic(llvm::Intrinsic::fma, {b.getDoubleTy()}, {x, y, z});
    };
    Value* result = apply(f, opcode, v);
    if (opcode == Opcode::sqrt) return to_odd(f, result, fma(b.CreateFNeg(result), result, v[0]));
    Value* divisor = opcode == Opcode::rcp ? v[0] : v[1];
    Value* dividend = opcode == Opcode::rcp ? llvm::ConstantFP::get(b.getDoubleTy(), 1.0) : v[0];
    Value* rest = fma(b.CreateFNeg(result), divisor, dividend);
    Value* sign = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                          llvm::ConstantFP::get(b.getDoubleTy(), 1.0), divisor);
    return to_odd(f, result, b.CreateFMul(rest, sign));
}

/// f64 in a directed rounding: a helper that sets the processor's rounding mode.
Value* apply_directed_double(FunctionLowering& f, Opcode opcode, const Values& v,
                             Rounding rounding) {
    auto& b = f.b;
    const unsigned code = opcode == Opcode::add    ? 0
                          : opcode == Opcode::sub  ? 1
                          : opcode == Opcode::mul  ? 2
                          : opcode == Opcode::div  ? 3
                          : opcode == Opcode::rcp  ? 4
                          : opcode == Opcode::sqrt ? 5
                                                   : 6;
    Value* zero = llvm::ConstantFP::get(b.getDoubleTy(), 0.0);
    return f.call_c("lathe_jit_directed", b.getDoubleTy(),
                    {b.getInt32(code), b.getInt32(static_cast<std::uint32_t>(rounding)), v[0],
                     v.size() > 1 ? v[1] : zero, v.size() > 2 ? v[2] : zero});
}

/// The operation rounded to nearest, and zero where that would be below the smallest normal number
/// with any exponent, as on GPUs: of 2^-126 and the number below one the product, which rounds up
/// to 2^-126 as a subnormal number, is zero.
Value* flushed_operation(FunctionLowering& f, Opcode opcode, const Values& v) {
    auto& b = f.b;
    Value* result = apply(f, opcode, v);
    const auto scaled = [&](Value* x, double by) {
        return b.CreateFMul(x, llvm::ConstantFP::get(x->getType(), by));
    };
    switch (opcode) {
    case Opcode::mul: // once more far from subnormal numbers
        return zero_where(f, is_below(f, apply(f, opcode, {scaled(v[0], 0x1p32), v[1]}), 0x1p-94),
                          result);
    case Opcode::fma:
    case Opcode::mad:
        return zero_where(
            f,
            is_below(f, apply(f, opcode, {scaled(v[0], 0x1p32), v[1], scaled(v[2], 0x1p32)}),
                     0x1p-94),
            result);
    case Opcode::rcp: { // below 2^-126, with any exponent
        Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
        Value* limit = llvm::ConstantFP::get(size->getType(), 0x1p126);
        return zero_where(f, b.CreateFCmpOGT(size, limit), result);
    }
    case Opcode::div: {
        // A result of 2^-126 was rounded up where the dividend is below the divisor times 2^-126.
        Value *x = v[0], *y = v[1];
        const auto size = [&](Value* of, double by) {
            return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, scaled(of, by));
        };
        Value* rounded_up = b.CreateAnd(is_below(f, result, 0x1.000002p-126),
                                        b.CreateFCmpOLT(size(x, 0x1p64), size(y, 0x1p-62)));
        return zero_where(f, b.CreateOr(is_below(f, result, 0x1p-126), rounded_up), result);
    }
    default: // sums that are subnormal are exact, roots never are
        return flush(f, result);
    }
}

/// A sum, product or both in a directed rounding, as one instruction; null where there is none.
Value* by_instruction(FunctionLowering& f, Opcode opcode, const Values& v, Rounding rounding) {
    if (!has_rounding_in_instructions()) return nullptr;
    auto& b = f.b;
    Value *x = v[0], *y = llvm::ConstantFP::get(x->getType(), 1.0), *z = nullptr;
    switch (opcode) {
    case Opcode::add: z = v[1]; break;
    case Opcode::sub: z = b.CreateFNeg(v[1]); break;
    case Opcode::mul: { // and a zero of its sign
        y = v[1];
        Value* signs = b.CreateAnd(b.CreateXor(f.as_int(x), f.as_int(y)), b.getInt32(0x80000000u));
        z = b.CreateBitCast(signs, x->getType());
        break;
    }
    case Opcode::fma:
    case Opcode::mad:
        y = v[1];
        z = v[2];
        break;
    default: return nullptr;
    }
    const std::uint32_t code = rounding == Rounding::down ? 1 : rounding == Rounding::up ? 2 : 3;
    return f.intrinsic(llvm::Intrinsic::x86_avx512_vfmadd_f32, {},
                       {x, y, z, b.getInt32(8 | code)}); // 8: without exceptions
}

/// Of x and one of these LLVM knows the result, x as it is.
bool is_neutral(const Value* v) {
    const auto* number = llvm::dyn_cast<llvm::ConstantFP>(v);
    return number && (number->isZero() || number->isExactlyValue(1) || number->isExactlyValue(-1));
}

/// f32: flush, operate, flush, saturate. The processor flushes by itself in kernels that run so.
Value* float_operation(FunctionLowering& f, const Instruction& i, Values v) {
    auto& b = f.b;
    const Rounding rounding = rounding_of(i);
    const bool ftz = i.has("ftz");
    const bool by_processor = f.module.flushes;
    if (ftz && (!by_processor || std::any_of(v.begin(), v.end(), is_neutral))) {
        for (Value*& x : v) x = flush(f, x);
    }
    Value* result = nullptr;
    if (rounding == Rounding::nearest) {
        result = ftz && !by_processor ? flushed_operation(f, i.opcode, v) : apply(f, i.opcode, v);
    } else if (Value* one = ftz ? nullptr : by_instruction(f, i.opcode, v, rounding)) {
        result = one;
    } else if (i.opcode == Opcode::add || i.opcode == Opcode::sub || v.size() > 2) {
        result = directed_sum(f, i.opcode, v, ftz, rounding);
    } else {
        Value* odd = apply_odd(f, i.opcode, v);
        result = narrow(f, odd, ptx::Type::f32, rounding);
        if (ftz) {
            Value* far = b.CreateFMul(odd, llvm::ConstantFP::get(b.getDoubleTy(), 0x1p64));
            far = narrow(f, far, ptx::Type::f32, rounding);
            result = zero_where(f, is_below(f, far, 0x1p-62), result);
        }
    }
    if (i.opcode == Opcode::div && i.has("approx")) {
        // a times an approximate 1 / b, which is below the normal numbers from |b| > 2^126 on.
        Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[1]);
        Value* zero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                              llvm::ConstantFP::get(size->getType(), 0.0), v[1]);
        Value* far = b.CreateFCmpOGT(size, llvm::ConstantFP::get(size->getType(), 0x1p126));
        result = b.CreateSelect(far, b.CreateFMul(v[0], zero), result);
    }
    return i.has("sat") ? saturate(f, result) : result;
}

/// f16, bf16: sums and products of widened operands round correctly; fma goes through double.
Value* half_operation(FunctionLowering& f, const Instruction& i, ptx::Type type,
                      const Values& bits) {
    auto& b = f.b;
    const bool is_fma = i.opcode == Opcode::fma || i.opcode == Opcode::mad;
    Values v;
    for (Value* x : bits) {
        Value* wide = widen(f, i.has("ftz") ? flush(f, x) : x, type);
        v.push_back(is_fma ? b.CreateFPExt(wide, b.getDoubleTy()) : wide);
    }
    Value* result = nullptr;
    if (is_fma) {
        Value *product = b.CreateFMul(v[0], v[1]), *sum = b.CreateFAdd(product, v[2]);
        result = to_odd(f, sum, sum_error(f, product, v[2], sum));
    } else {
        result = apply(f, i.opcode, v);
    }
    if (i.has("sat")) result = saturate(f, result);
    if (i.has("relu")) result = relu(f, result);
    Value* narrowed = narrow(f, result, type, Rounding::nearest);
    return i.has("ftz") ? flush(f, narrowed) : narrowed;
}

void emit_arithmetic(FunctionLowering& f, const Instruction& i) {
    const ptx::Type type = f.type(i);
    const ptx::Type element = element_of(type);
    Values v;
    // Mixed precision (add.f32.bf16 d, a, c): the first operands have the second type.
    const bool mixed = i.types.size() > 1 && is_half(i.types[1]) && type == ptx::Type::f32;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        const bool half = mixed && k + 1 < i.operands.size();
        Value* x = f.read(i, k, half ? i.types[1] : type);
        v.push_back(half ? widen(f, x, i.types[1]) : x);
    }
    const std::size_t needed = i.opcode == Opcode::rcp || i.opcode == Opcode::sqrt  ? 1
                               : i.opcode == Opcode::fma || i.opcode == Opcode::mad ? 3
                                                                                    : 2;
    if (v.size() < needed) f.fail(i, "operands are missing");
    Value* result = nullptr;
    if (is_half(element)) {
        result = per_element(
            f, type, v, [&](const Values& parts) { return half_operation(f, i, element, parts); });
    } else if (type == ptx::Type::f64) {
        const Rounding rounding = rounding_of(i);
        result = rounding == Rounding::nearest ? apply(f, i.opcode, v)
                                               : apply_directed_double(f, i.opcode, v, rounding);
    } else {
        result = float_operation(f, i, v);
    }
    f.write(i, result, type);
}

/// min, max: a NaN loses against a number, -0 is below +0; .NaN: a NaN wins.
Value* choose(FunctionLowering& f, const Instruction& i, Value* x, Value* y) {
    auto& b = f.b;
    const bool is_min = i.opcode == Opcode::min;
    if (i.has("abs")) {
        x = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
        y = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y);
    }
    Value* chosen =
        b.CreateBinaryIntrinsic(is_min ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, x, y);
    Value *x_nan = b.CreateFCmpUNO(x, x), *y_nan = b.CreateFCmpUNO(y, y);
    Value* nan = b.CreateBitCast(x->getType()->isDoubleTy()
                                     ? static_cast<Value*>(b.getInt64(0x7fffffffffffffffull))
                                     : static_cast<Value*>(b.getInt32(0x7fffffff)),
                                 x->getType());
    if (i.has("NaN")) return b.CreateSelect(b.CreateOr(x_nan, y_nan), nan, chosen);
    Value* with_nan = b.CreateSelect(b.CreateAnd(x_nan, y_nan), nan, b.CreateSelect(x_nan, y, x));
    return b.CreateSelect(b.CreateOr(x_nan, y_nan), with_nan, chosen);
}

void emit_float_min_max(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const ptx::Type element = element_of(type);
    const bool half = is_half(element);
    auto one = [&](const Values& bits) {
        Values v = bits;
        for (Value*& x : v) {
            if (i.has("ftz")) x = flush(f, x);
            if (half) x = widen(f, x, element);
        }
        Value* result = choose(f, i, v[0], v[1]);
        if (v.size() > 2) result = choose(f, i, result, v[2]);
        if (i.has("xorsign")) {
            Value* sign = b.CreateXor(f.as_int(v[0]), f.as_int(v[1]));
            result = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result,
                                             b.CreateBitCast(sign, result->getType()));
        }
        return half ? narrow(f, result, element, Rounding::nearest) : result;
    };
    Values v;
    for (std::size_t k = 1; k < i.operands.size(); ++k) v.push_back(f.read(i, k, type));
    f.write(i, per_element(f, type, v, one), type);
}

/// abs, neg: the sign bit alone.
void emit_sign(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const bool ftz = i.has("ftz");
    auto one = [&](const Values& v) -> Value* {
        Value* bits = f.as_int(ftz ? flush(f, v[0]) : v[0]);
        const unsigned width = bits->getType()->getIntegerBitWidth();
        const llvm::APInt sign = llvm::APInt::getSignMask(width);
        bits = i.opcode == Opcode::abs ? b.CreateAnd(bits, b.getInt(~sign))
                                       : b.CreateXor(bits, b.getInt(sign));
        return b.CreateBitCast(bits, v[0]->getType());
    };
    f.write(i, per_element(f, type, {f.read(i, 1, type)}, one), type);
}

/// copysign d, a, b: magnitude of b with the sign of a.
void emit_copysign(FunctionLowering& f, const Instruction& i) {
    const ptx::Type type = f.type(i);
    f.write(i,
            f.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, f.read(i, 2, type),
                                      f.read(i, 1, type)),
            type);
}

} // namespace

bool emit_float(FunctionLowering& f, const Instruction& i) {
    if (i.types.empty() || !ptx::is_float(i.types[0])) return false;
    if (emit_function(f, i)) return true;
    switch (i.opcode) {
    case Opcode::rcp:
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::div:
    case Opcode::fma:
    case Opcode::mad:
    case Opcode::sqrt: emit_arithmetic(f, i); return true;
    case Opcode::min:
    case Opcode::max: emit_float_min_max(f, i); return true;
    case Opcode::abs:
    case Opcode::neg: emit_sign(f, i); return true;
    case Opcode::copysign: emit_copysign(f, i); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
