// SPDX-License-Identifier: MIT
// cvt in all its forms, cvt.pack.
#include "gpu/soft/jit/floats.h"

#include <fmt/format.h>

namespace lathe::soft::jit {

namespace {

bool rounds_to_integer(const Instruction& i) {
    return i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi");
}

Value* round_to_integer(FunctionLowering& f, Value* x, Rounding rounding) {
    const auto id = rounding == Rounding::nearest ? llvm::Intrinsic::roundeven
                    : rounding == Rounding::zero  ? llvm::Intrinsic::trunc
                    : rounding == Rounding::down  ? llvm::Intrinsic::floor
                                                  : llvm::Intrinsic::ceil;
    return f.b.CreateUnaryIntrinsic(id, x);
}

/// Clamps an integer of type `from` to the range of `to`; the value keeps its width.
Value* clamp(FunctionLowering& f, Value* x, ptx::Type from, ptx::Type to) {
    auto& b = f.b;
    const unsigned width = f.bits_of(from), bits = f.bits_of(to);
    const bool from_signed = is_signed_integer(from), to_signed = is_signed_integer(to);
    auto constant = [&](const llvm::APInt& v) { return b.getInt(v); };
    if (from_signed && !to_signed) {
        x = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, constant(llvm::APInt{width, 0}));
    }
    const unsigned top = to_signed ? bits - 1 : bits; // magnitude bits of the target
    if (top >= (from_signed ? width - 1 : width)) return x;
    const llvm::APInt high = llvm::APInt::getLowBitsSet(width, top);
    if (from_signed && to_signed) {
        x = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, constant(~high));
    }
    return b.CreateBinaryIntrinsic(from_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x,
                                   constant(high));
}

Value* resize(FunctionLowering& f, Value* x, ptx::Type from, ptx::Type to) {
    auto* type = f.int_type(f.bits_of(to));
    return is_signed_integer(from) ? f.b.CreateSExtOrTrunc(x, type)
                                   : f.b.CreateZExtOrTrunc(x, type);
}

/// A 64-bit integer as a double rounded to odd.
Value* wide_integer(FunctionLowering& f, Value* x, bool sign) {
    auto& b = f.b;
    Value* high = sign ? b.CreateAShr(x, 32) : b.CreateLShr(x, 32);
    Value* low = b.CreateAnd(x, b.getInt64(0xffffffffu));
    Value* scaled = b.CreateFMul(sign ? b.CreateSIToFP(high, b.getDoubleTy())
                                      : b.CreateUIToFP(high, b.getDoubleTy()),
                                 llvm::ConstantFP::get(b.getDoubleTy(), 4294967296.0));
    Value* rest = b.CreateUIToFP(low, b.getDoubleTy());
    Value* sum = b.CreateFAdd(scaled, rest);
    return to_odd(f, sum, sum_error(f, scaled, rest, sum));
}

Value* integer_to_float(FunctionLowering& f, const Instruction& i, Value* x, ptx::Type from,
                        ptx::Type to) {
    auto& b = f.b;
    const bool sign = is_signed_integer(from);
    const Rounding rounding = rounding_of(i);
    auto direct = [&](llvm::Type* type) {
        return sign ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
    };
    if (rounding == Rounding::nearest && !is_half(to)) return direct(f.llvm_type(to));
    const bool wide = f.bits_of(from) == 64;
    if (to == ptx::Type::f64 && wide) {
        return f.call_c("lathe_jit_from_integer", b.getDoubleTy(),
                        {x, b.getInt32(sign), b.getInt32(static_cast<std::uint32_t>(rounding))});
    }
    Value* exact = wide ? wide_integer(f, x, sign) : direct(b.getDoubleTy());
    return narrow(f, exact, to, rounding);
}

/// A NaN becomes the highest bit alone where the source is f64 or the target has 64 bits, else 0.
Value* float_to_integer(FunctionLowering& f, const Instruction& i, Value* x, ptx::Type from,
                        ptx::Type to) {
    auto& b = f.b;
    x = round_to_integer(f, x, rounding_of(i));
    const unsigned bits = f.bits_of(to);
    auto* type = f.int_type(bits);
    Value* whole = f.intrinsic(is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat
                                                     : llvm::Intrinsic::fptoui_sat,
                               {type, x->getType()}, {x});
    if (from != ptx::Type::f64 && bits != 64) return whole;
    return b.CreateSelect(b.CreateFCmpUNO(x, x), b.getInt(llvm::APInt::getSignMask(bits)), whole);
}

/// Largest finite value for what would be infinite (.satfinite); NaN stays NaN.
Value* limit(FunctionLowering& f, Value* x, double most) {
    auto& b = f.b;
    Value *high = llvm::ConstantFP::get(x->getType(), most),
          *low = llvm::ConstantFP::get(x->getType(), -most);
    x = b.CreateSelect(b.CreateFCmpOGT(x, high), high, x);
    return b.CreateSelect(b.CreateFCmpOLT(x, low), low, x);
}

Value* to_half(FunctionLowering& f, const Instruction& i, Value* x, ptx::Type to) {
    if (i.has("satfinite")) {
        x = limit(f, x, to == ptx::Type::f16 ? 65504.0 : 3.3895313892515355e38);
    }
    if (i.has("sat")) x = saturate(f, x);
    if (i.has("relu")) x = relu(f, x);
    return narrow(f, x, to, rounding_of(i));
}

/// tf32: the upper 19 bits of a float.
Value* to_tf32(FunctionLowering& f, const Instruction& i, Value* x) {
    auto& b = f.b;
    if (i.has("relu")) x = relu(f, x);
    Value* bits = b.CreateBitCast(x, b.getInt32Ty());
    Value* added = bits;
    if (i.has("rna")) {
        added = b.CreateAdd(bits, b.getInt32(0x1000));
    } else if (!i.has("rz")) {
        Value* tie = b.CreateAnd(b.CreateLShr(bits, 13), b.getInt32(1));
        added = b.CreateAdd(bits, b.CreateAdd(tie, b.getInt32(0xfff)));
    }
    Value* rounded = b.CreateAnd(added, b.getInt32(0xffffe000));
    Value* special =
        b.CreateICmpEQ(b.CreateAnd(bits, b.getInt32(0x7f800000)), b.getInt32(0x7f800000));
    Value* nan = b.CreateFCmpUNO(x, x);
    rounded = b.CreateSelect(special, bits, rounded);
    return b.CreateSelect(nan, b.getInt32(0x7fffffff), rounded);
}

bool is_eight_bit(ptx::Type type) { return type == ptx::Type::e4m3x2 || type == ptx::Type::e5m2x2; }

/// Two 8-bit floats from two floats (first operand high), or from the halves of a f16x2.
void emit_to_eight_bit(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type to = f.type(i, 0), from = f.type(i, 1);
    Value *high = nullptr, *low = nullptr;
    if (from == ptx::Type::f32) {
        high = f.read(i, 1, from);
        low = f.read(i, 2, from);
    } else {
        Value* pair = f.read(i, 1, from);
        const ptx::Type element = element_of(from);
        low = widen(f, b.CreateTrunc(pair, b.getInt16Ty()), element);
        high = widen(f, b.CreateTrunc(b.CreateLShr(pair, 16), b.getInt16Ty()), element);
    }
    auto one = [&](Value* x) {
        return f.call_c("lathe_jit_to_float8", b.getInt32Ty(),
                        {x, b.getInt32(to == ptx::Type::e4m3x2), b.getInt32(i.has("relu"))});
    };
    Value* bits = b.CreateOr(b.CreateShl(one(high), 8), one(low));
    f.write(i, b.CreateTrunc(bits, b.getInt16Ty()), to);
}

void emit_from_eight_bit(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type to = f.type(i, 0), from = f.type(i, 1);
    Value* pair = b.CreateZExt(f.read(i, 1, from), b.getInt32Ty());
    auto one = [&](Value* bits) {
        Value* x =
            f.call_c("lathe_jit_from_float8", b.getFloatTy(),
                     {b.CreateAnd(bits, b.getInt32(255)), b.getInt32(from == ptx::Type::e4m3x2)});
        if (i.has("relu")) x = relu(f, x);
        return b.CreateZExt(narrow(f, x, element_of(to), Rounding::nearest), b.getInt32Ty());
    };
    f.write(i, b.CreateOr(b.CreateShl(one(b.CreateLShr(pair, 8)), 16), one(pair)), to);
}

/// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
void emit_pair(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type to = f.type(i, 0);
    auto one = [&](std::size_t index) {
        Value* x = f.read(i, index, ptx::Type::f32);
        return b.CreateZExt(to_half(f, i, x, element_of(to)), b.getInt32Ty());
    };
    f.write(i, b.CreateOr(b.CreateShl(one(1), 16), one(2)), to);
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c: a and b saturated and packed below the bits of c.
void emit_pack(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type to = f.type(i, 0), from = f.type(i, 1);
    const unsigned bits = f.bits_of(to);
    auto part = [&](std::size_t index) {
        Value* x = clamp(f, f.read(i, index, from), from, to);
        return b.CreateZExt(b.CreateTrunc(x, f.int_type(bits)), b.getInt32Ty());
    };
    Value* result = b.CreateOr(b.CreateShl(part(1), bits), part(2));
    if (f.has_operand(i, 3)) {
        result = b.CreateOr(result, b.CreateShl(f.read(i, 3, ptx::Type::b32), 2 * bits));
    }
    f.write(i, result, ptx::Type::b32);
}

/// Float to float.
Value* convert_float(FunctionLowering& f, const Instruction& i, Value* x, ptx::Type to) {
    if (rounds_to_integer(i)) { x = round_to_integer(f, x, rounding_of(i)); }
    if (is_half(to)) return to_half(f, i, x, to);
    const Rounding rounding = rounds_to_integer(i) ? Rounding::nearest : rounding_of(i);
    x = narrow(f, x, to, rounding);
    if (i.has("sat")) x = saturate(f, x);
    return i.has("ftz") && to == ptx::Type::f32 ? flush(f, x) : x;
}

void emit_cvt(FunctionLowering& f, const Instruction& i) {
    const ptx::Type to = f.type(i, 0), from = f.type(i, 1);
    if (is_eight_bit(to)) return emit_to_eight_bit(f, i);
    if (is_eight_bit(from)) return emit_from_eight_bit(f, i);
    if (element_of(to) != to) return emit_pair(f, i);
    Value* x = f.read(i, 1, from);
    if (to == ptx::Type::tf32) return f.write(i, to_tf32(f, i, x), ptx::Type::b32);
    if (!ptx::is_float(from) && !ptx::is_float(to)) {
        if (i.has("sat")) x = clamp(f, x, from, to);
        return f.write(i, resize(f, x, from, to), to);
    }
    if (!ptx::is_float(from)) {
        x = integer_to_float(f, i, x, from, to);
        if (i.has("sat") && !is_half(to)) x = saturate(f, x);
        return f.write(i, x, to);
    }
    if (i.has("ftz") && from == ptx::Type::f32) x = flush(f, x);
    if (is_half(from)) x = widen(f, x, from);
    f.write(i, ptx::is_float(to) ? convert_float(f, i, x, to) : float_to_integer(f, i, x, from, to),
            to);
}

} // namespace

bool emit_convert(FunctionLowering& f, const Instruction& i) {
    if (i.opcode != Opcode::cvt) return false;
    if (i.has("pack")) {
        emit_pack(f, i);
    } else {
        emit_cvt(f, i);
    }
    return true;
}

} // namespace lathe::soft::jit
