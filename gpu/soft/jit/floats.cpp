// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/floats.h"

namespace lathe::soft::jit {

Rounding rounding_of(const Instruction& i) {
    for (const std::string& m : i.modifiers) {
        if (m == "rz" || m == "rzi") return Rounding::zero;
        if (m == "rm" || m == "rmi") return Rounding::down;
        if (m == "rp" || m == "rpi") return Rounding::up;
    }
    return Rounding::nearest;
}

ptx::Type element_of(ptx::Type type) {
    if (type == ptx::Type::f16x2) return ptx::Type::f16;
    if (type == ptx::Type::bf16x2) return ptx::Type::bf16;
    return type;
}

bool is_half(ptx::Type type) { return type == ptx::Type::f16 || type == ptx::Type::bf16; }

Value* flush(FunctionLowering& f, Value* x) {
    auto& b = f.b;
    Value* bits = f.as_int(x);
    const bool half = bits->getType()->getIntegerBitWidth() == 16;
    auto* type = llvm::cast<llvm::IntegerType>(bits->getType());
    Value* exponent = b.CreateAnd(bits, llvm::ConstantInt::get(type, half ? 0x7c00 : 0x7f800000));
    Value* zero = b.CreateAnd(bits, llvm::ConstantInt::get(type, half ? 0x8000 : 0x80000000));
    Value* tiny = b.CreateICmpEQ(exponent, llvm::ConstantInt::get(type, 0));
    return b.CreateBitCast(b.CreateSelect(tiny, zero, bits), x->getType());
}

Value* zero_where(FunctionLowering& f, Value* tiny, Value* x) {
    auto& b = f.b;
    Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
    return b.CreateSelect(tiny, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, x), x);
}

Value* is_below(FunctionLowering& f, Value* x, double limit) {
    auto& b = f.b;
    return b.CreateFCmpOLT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x),
                           llvm::ConstantFP::get(x->getType(), limit));
}

Value* saturate(FunctionLowering& f, Value* x) {
    auto& b = f.b;
    Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
    Value* one = llvm::ConstantFP::get(x->getType(), 1.0);
    Value* low = b.CreateSelect(b.CreateFCmpOGT(x, zero), x, zero);
    return b.CreateSelect(b.CreateFCmpOLT(low, one), low, one);
}

Value* relu(FunctionLowering& f, Value* x) {
    auto& b = f.b;
    Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
    Value* nan = llvm::ConstantFP::getNaN(x->getType());
    Value* positive = b.CreateSelect(b.CreateFCmpOGT(x, zero), x, zero);
    return b.CreateSelect(b.CreateFCmpUNO(x, x), nan, positive);
}

Value* widen(FunctionLowering& f, Value* bits, ptx::Type type) {
    auto& b = f.b;
    if (type == ptx::Type::bf16) {
        return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits, b.getInt32Ty()), 16), b.getFloatTy());
    }
    return b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy());
}

namespace {

/// Moves a rounded result to the neighbour that a directed rounding asks for, where the result lies
/// above, or below, of what was rounded.
Value* redirect(FunctionLowering& f, Value* bits, Value* above, Value* below, Rounding rounding) {
    auto& b = f.b;
    auto* type = bits->getType();
    Value* one = llvm::ConstantInt::get(type, 1);
    Value* negative = b.CreateICmpSLT(bits, llvm::ConstantInt::get(type, 0));
    Value *inward = b.CreateSub(bits, one), *outward = b.CreateAdd(bits, one);
    switch (rounding) {
    case Rounding::nearest: return bits;
    case Rounding::zero:
        return b.CreateSelect(b.CreateSelect(negative, below, above), inward, bits);
    case Rounding::down:
        return b.CreateSelect(above, b.CreateSelect(negative, outward, inward), bits);
    case Rounding::up:
        return b.CreateSelect(below, b.CreateSelect(negative, inward, outward), bits);
    }
    return bits;
}

/// The same for bits whose value, in x's type, is `back`.
Value* redirect_to(FunctionLowering& f, Value* x, Value* bits, Value* back, Rounding rounding) {
    return redirect(f, bits, f.b.CreateFCmpOGT(back, x), f.b.CreateFCmpOLT(back, x), rounding);
}

/// double to float, rounded to odd.
Value* odd_float(FunctionLowering& f, Value* x) {
    auto& b = f.b;
    Value* rounded = b.CreateFPTrunc(x, b.getFloatTy());
    Value* back = b.CreateFPExt(rounded, b.getDoubleTy());
    Value* bits = b.CreateBitCast(rounded, b.getInt32Ty());
    Value* toward_zero = redirect_to(f, x, bits, back, Rounding::zero);
    Value* inexact = b.CreateFCmpONE(back, x);
    Value* odd = b.CreateSelect(inexact, b.CreateOr(toward_zero, b.getInt32(1)), bits);
    return b.CreateBitCast(odd, b.getFloatTy());
}

Value* float_to_bf16(FunctionLowering& f, Value* x) {
    auto& b = f.b;
    Value* bits = b.CreateBitCast(x, b.getInt32Ty());
    Value* tie = b.CreateAnd(b.CreateLShr(bits, 16), b.getInt32(1));
    Value* rounded = b.CreateLShr(b.CreateAdd(bits, b.CreateAdd(tie, b.getInt32(0x7fff))), 16);
    Value* result = b.CreateSelect(b.CreateFCmpUNO(x, x), b.getInt32(0x7fff), rounded);
    return b.CreateTrunc(result, b.getInt16Ty());
}

} // namespace

Value* narrow(FunctionLowering& f, Value* x, ptx::Type to, Rounding rounding) {
    auto& b = f.b;
    if (to == ptx::Type::f64) {
        return x->getType()->isDoubleTy() ? x : b.CreateFPExt(x, b.getDoubleTy());
    }
    if (to == ptx::Type::f32) {
        if (x->getType()->isFloatTy()) return x;
        Value* rounded = b.CreateFPTrunc(x, b.getFloatTy());
        if (rounding == Rounding::nearest) return rounded;
        Value* bits = b.CreateBitCast(rounded, b.getInt32Ty());
        Value* back = b.CreateFPExt(rounded, b.getDoubleTy());
        return b.CreateBitCast(redirect_to(f, x, bits, back, rounding), b.getFloatTy());
    }
    if (x->getType()->isDoubleTy()) x = odd_float(f, x);
    Value* bits = to == ptx::Type::bf16
                      ? float_to_bf16(f, x)
                      : b.CreateBitCast(b.CreateFPTrunc(x, b.getHalfTy()), b.getInt16Ty());
    return redirect_to(f, x, bits, widen(f, bits, to), rounding);
}

Value* narrow_sum(FunctionLowering& f, Value* sum, Value* error, Rounding rounding) {
    auto& b = f.b;
    Value* rounded = b.CreateFPTrunc(sum, b.getFloatTy());
    Value* over = b.CreateFSub(b.CreateFPExt(rounded, b.getDoubleTy()), sum); // exact
    Value* bits = redirect(f, b.CreateBitCast(rounded, b.getInt32Ty()),
                           b.CreateFCmpOGT(over, error), b.CreateFCmpOLT(over, error), rounding);
    return b.CreateBitCast(bits, b.getFloatTy());
}

Value* sum_error(FunctionLowering& f, Value* x, Value* y, Value* s) {
    auto& b = f.b;
    Value* y_part = b.CreateFSub(s, x);
    Value* x_part = b.CreateFSub(s, y_part);
    return b.CreateFAdd(b.CreateFSub(x, x_part), b.CreateFSub(y, y_part));
}

Value* to_odd(FunctionLowering& f, Value* sum, Value* error) {
    auto& b = f.b;
    auto* i64 = b.getInt64Ty();
    Value* bits = b.CreateBitCast(sum, i64);
    Value* zero = llvm::ConstantFP::get(sum->getType(), 0.0);
    Value* inexact = b.CreateFCmpONE(error, zero);
    // An error against the sign of the sum: the exact value lies one step inward.
    Value* inward = b.CreateICmpSLT(b.CreateXor(bits, b.CreateBitCast(error, i64)), b.getInt64(0));
    Value* truncated = b.CreateSub(bits, b.CreateZExt(inward, i64));
    Value* odd = b.CreateOr(truncated, b.getInt64(1));
    Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, sum);
    Value* finite = b.CreateFCmpOLT(magnitude, llvm::ConstantFP::getInfinity(sum->getType()));
    return b.CreateBitCast(b.CreateSelect(b.CreateAnd(inexact, finite), odd, bits), sum->getType());
}

Value* per_element(FunctionLowering& f, ptx::Type type, const std::vector<Value*>& values,
                   const std::function<Value*(const std::vector<Value*>&)>& operation) {
    auto& b = f.b;
    if (element_of(type) == type) return operation(values);
    Value* result = b.getInt32(0);
    for (unsigned k = 0; k < 2; ++k) {
        std::vector<Value*> parts;
        for (Value* v : values) {
            parts.push_back(b.CreateTrunc(b.CreateLShr(v, 16 * k), b.getInt16Ty()));
        }
        Value* part = b.CreateZExt(operation(parts), b.getInt32Ty());
        result = b.CreateOr(result, b.CreateShl(part, 16 * k));
    }
    return result;
}

bool is_comparison(const std::string& name) {
    static const std::set<std::string> names{"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                             "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                             "ltu", "leu", "gtu", "geu", "num", "nan"};
    return names.count(name) > 0;
}

Value* compare(FunctionLowering& f, const std::string& name, Value* x, Value* y, ptx::Type type) {
    using Predicate = llvm::CmpInst::Predicate;
    struct Row {
        Predicate real, with_sign, without_sign;
    };
    static const std::map<std::string, Row> rows{
        {"eq", {Predicate::FCMP_OEQ, Predicate::ICMP_EQ, Predicate::ICMP_EQ}},
        {"ne", {Predicate::FCMP_ONE, Predicate::ICMP_NE, Predicate::ICMP_NE}},
        {"lt", {Predicate::FCMP_OLT, Predicate::ICMP_SLT, Predicate::ICMP_ULT}},
        {"le", {Predicate::FCMP_OLE, Predicate::ICMP_SLE, Predicate::ICMP_ULE}},
        {"gt", {Predicate::FCMP_OGT, Predicate::ICMP_SGT, Predicate::ICMP_UGT}},
        {"ge", {Predicate::FCMP_OGE, Predicate::ICMP_SGE, Predicate::ICMP_UGE}},
        {"equ", {Predicate::FCMP_UEQ, Predicate::ICMP_EQ, Predicate::ICMP_EQ}},
        {"neu", {Predicate::FCMP_UNE, Predicate::ICMP_NE, Predicate::ICMP_NE}},
        {"ltu", {Predicate::FCMP_ULT, Predicate::ICMP_ULT, Predicate::ICMP_ULT}},
        {"leu", {Predicate::FCMP_ULE, Predicate::ICMP_ULE, Predicate::ICMP_ULE}},
        {"gtu", {Predicate::FCMP_UGT, Predicate::ICMP_UGT, Predicate::ICMP_UGT}},
        {"geu", {Predicate::FCMP_UGE, Predicate::ICMP_UGE, Predicate::ICMP_UGE}},
        {"lo", {Predicate::FCMP_OLT, Predicate::ICMP_ULT, Predicate::ICMP_ULT}},
        {"ls", {Predicate::FCMP_OLE, Predicate::ICMP_ULE, Predicate::ICMP_ULE}},
        {"hi", {Predicate::FCMP_OGT, Predicate::ICMP_UGT, Predicate::ICMP_UGT}},
        {"hs", {Predicate::FCMP_OGE, Predicate::ICMP_UGE, Predicate::ICMP_UGE}},
        {"num", {Predicate::FCMP_ORD, Predicate::ICMP_EQ, Predicate::ICMP_EQ}},
        {"nan", {Predicate::FCMP_UNO, Predicate::ICMP_EQ, Predicate::ICMP_EQ}},
    };
    const auto row = rows.find(name);
    if (row == rows.end()) return nullptr;
    if (x->getType()->isFloatingPointTy()) return f.b.CreateFCmp(row->second.real, x, y);
    return f.b.CreateICmp(
        is_signed_integer(type) ? row->second.with_sign : row->second.without_sign, x, y);
}

} // namespace lathe::soft::jit
