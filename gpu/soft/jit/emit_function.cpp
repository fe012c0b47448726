// SPDX-License-Identifier: MIT
// sin, cos, tanh, lg2, ex2, rsqrt, and the rough rcp and rsqrt of f64.
#include "gpu/soft/jit/floats.h"

namespace lathe::soft::jit {

namespace {

/// rcp, rsqrt.approx.ftz.f64: the low word of result is zero.
void emit_approximate_double(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value* x = f.read(i, 1, ptx::Type::f64);
    Value* bits = b.CreateBitCast(x, b.getInt64Ty());
    Value* exponent = b.CreateAnd(bits, b.getInt64(0x7ff0000000000000ull));
    Value* zero = b.CreateAnd(bits, b.getInt64(0x8000000000000000ull));
    Value* flushed = b.CreateSelect(b.CreateICmpEQ(exponent, b.getInt64(0)), zero, bits);
    x = b.CreateBitCast(flushed, b.getDoubleTy());
    if (i.opcode == Opcode::rsqrt) x = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
    Value* y = b.CreateFDiv(llvm::ConstantFP::get(b.getDoubleTy(), 1.0), x);
    y = zero_where(f, is_below(f, y, 0x1p-1022), y);
    Value* high =
        b.CreateAnd(b.CreateBitCast(y, b.getInt64Ty()), b.getInt64(0xffffffff00000000ull));
    f.write(i, b.CreateBitCast(high, b.getDoubleTy()), ptx::Type::f64);
}

/// sin, cos, tanh, lg2, ex2, rsqrt.
Value* function_of(FunctionLowering& f, Opcode opcode, Value* x, bool may_be_subnormal) {
    if (opcode != Opcode::rsqrt) return approximate(f, opcode, x, may_be_subnormal);
    return f.b.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0),
                          f.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
}

void emit_any_width(FunctionLowering& f, const Instruction& i) {
    const ptx::Type type = f.type(i);
    const ptx::Type element = element_of(type);
    const bool ftz = i.has("ftz");
    Value* x = f.read(i, 1, type);
    Value* result = nullptr;
    if (type == ptx::Type::f64) { // rsqrt.approx.f64
        auto& b = f.b;
        result = b.CreateFDiv(llvm::ConstantFP::get(b.getDoubleTy(), 1.0),
                              b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
    } else if (is_half(element)) {
        result = per_element(f, type, {x}, [&](const std::vector<Value*>& v) {
            Value* y = function_of(f, i.opcode, widen(f, ftz ? flush(f, v[0]) : v[0], element),
                                   element == ptx::Type::bf16 && !ftz);
            Value* bits = narrow(f, y, element, Rounding::nearest);
            return ftz ? flush(f, bits) : bits;
        });
    } else {
        const bool flushes = ftz && !f.module.flushes; // else the processor does
        const bool same = i.opcode == Opcode::ex2;     // of a subnormal number and of zero: one
        result = function_of(f, i.opcode, flushes && !same ? flush(f, x) : x, !ftz);
        if (flushes) result = flush(f, result);
        if (i.has("sat")) result = saturate(f, result);
    }
    f.write(i, result, type);
}

} // namespace

bool emit_function(FunctionLowering& f, const Instruction& i) {
    const bool rough = i.types[0] == ptx::Type::f64 && i.has("approx") && i.has("ftz");
    switch (i.opcode) {
    case Opcode::rcp:
        if (!rough) return false;
        emit_approximate_double(f, i);
        return true;
    case Opcode::rsqrt: rough ? emit_approximate_double(f, i) : emit_any_width(f, i); return true;
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::tanh:
    case Opcode::lg2:
    case Opcode::ex2: emit_any_width(f, i); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
