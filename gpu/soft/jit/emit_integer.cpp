// SPDX-License-Identifier: MIT
// Integer arithmetic: add, sub, mul, mad with carries and saturation, div, rem, min, max, sums.
#include "gpu/soft/jit/lowering.h"

#include <fmt/format.h>

namespace lathe::soft::jit {

namespace {

bool is_packed16(ptx::Type type) { return type == ptx::Type::u16x2 || type == ptx::Type::s16x2; }
bool packed_is_signed(ptx::Type type) { return ptx::is_signed(type) || type == ptx::Type::s16x2; }

/// Applies `operation` to both halves of packed 16-bit operands, or to whole operands.
template <class Operation>
Value* lanes(FunctionLowering& f, ptx::Type type, std::vector<Value*> v, Operation operation) {
    auto& b = f.b;
    if (!is_packed16(type)) return operation(v);
    Value* result = b.getInt32(0);
    for (unsigned k = 0; k < 2; ++k) { // numbers, not LLVM's vectors, which warps cannot widen
        std::vector<Value*> halves;
        for (Value* each : v)
            halves.push_back(b.CreateTrunc(b.CreateLShr(each, 16 * k), b.getInt16Ty()));
        Value* half = b.CreateZExt(operation(halves), b.getInt32Ty());
        result = b.CreateOr(result, b.CreateShl(half, 16 * k));
    }
    return result;
}

/// x + y + carry in twice the width, which gives the next carry in the bit above.
void emit_sum(FunctionLowering& f, const Instruction& i, Value* x, Value* y, Value* carry,
              ptx::Type type) {
    auto& b = f.b;
    const unsigned bits = f.bits_of(type);
    auto* wide = f.int_type(2 * bits);
    Value* sum = b.CreateAdd(b.CreateAdd(b.CreateZExt(x, wide), b.CreateZExt(y, wide)),
                             b.CreateZExt(carry, wide));
    if (i.has("cc")) b.CreateStore(b.CreateTrunc(b.CreateLShr(sum, bits), b.getInt1Ty()), f.carry);
    f.write(i, b.CreateTrunc(sum, f.int_type(bits)), type);
}

/// add, sub, addc, subc. A difference is x + ~y + 1, as in hardware: the flag is 1 where nothing is
/// borrowed, and what follows may be any instruction that reads it.
void emit_add(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const bool subtract = i.opcode == Opcode::sub || i.opcode == Opcode::subc;
    const bool carry_in = i.opcode == Opcode::addc || i.opcode == Opcode::subc;
    Value *x = f.read(i, 1, type), *y = f.read(i, 2, type);
    f.propagate_base(i);
    if (!carry_in && !i.has("cc")) {
        f.write(i,
                lanes(f, type, {x, y},
                      [&](auto& v) -> Value* {
                          if (i.has("sat")) {
                              return b.CreateBinaryIntrinsic(subtract ? llvm::Intrinsic::ssub_sat
                                                                      : llvm::Intrinsic::sadd_sat,
                                                             v[0], v[1]);
                          }
                          return subtract ? b.CreateSub(v[0], v[1]) : b.CreateAdd(v[0], v[1]);
                      }),
                type);
        return;
    }
    Value* carry =
        carry_in ? static_cast<Value*>(b.CreateLoad(b.getInt1Ty(), f.carry)) : b.getInt1(subtract);
    emit_sum(f, i, x, subtract ? b.CreateNot(y) : y, carry, type);
}

/// The product's low half, high half, or all of it.
Value* product(FunctionLowering& f, const Instruction& i, Value* x, Value* y, ptx::Type type) {
    auto& b = f.b;
    if (!i.has("hi") && !i.has("wide")) return b.CreateMul(x, y);
    const unsigned bits = f.bits_of(type);
    auto* wide = f.int_type(2 * bits);
    const bool sign = ptx::is_signed(type);
    Value* full = b.CreateMul(sign ? b.CreateSExt(x, wide) : b.CreateZExt(x, wide),
                              sign ? b.CreateSExt(y, wide) : b.CreateZExt(y, wide));
    return i.has("wide") ? full : b.CreateTrunc(b.CreateLShr(full, bits), f.int_type(bits));
}

ptx::Type result_type(const Instruction& i, ptx::Type type) {
    if (!i.has("wide")) return type;
    switch (type) {
    case ptx::Type::s16: return ptx::Type::s32;
    case ptx::Type::s32: return ptx::Type::s64;
    case ptx::Type::u16: return ptx::Type::u32;
    case ptx::Type::u32: return ptx::Type::u64;
    default: return ptx::Type::b128;
    }
}

void emit_mul(FunctionLowering& f, const Instruction& i) {
    const ptx::Type type = f.type(i);
    f.write(i, product(f, i, f.read(i, 1, type), f.read(i, 2, type), type), result_type(i, type));
}

void emit_mad(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const ptx::Type result = result_type(i, type);
    f.propagate_base(i);
    Value* p = product(f, i, f.read(i, 1, type), f.read(i, 2, type), type);
    Value* c = f.read(i, 3, result);
    const bool carry_in = i.opcode == Opcode::madc;
    if (!carry_in && !i.has("cc")) {
        f.write(i,
                i.has("sat") ? b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, p, c)
                             : b.CreateAdd(p, c),
                result);
        return;
    }
    Value* carry =
        carry_in ? static_cast<Value*>(b.CreateLoad(b.getInt1Ty(), f.carry)) : b.getFalse();
    emit_sum(f, i, p, c, carry, type);
}

/// mul24, mad24: 24-bit operands; lo is bits 31..0 of the 48-bit product, hi is bits 47..16.
void emit_mul24(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    auto narrow = [&](Value* v) {
        Value* top = b.CreateShl(v, 8);
        Value* low = ptx::is_signed(type) ? b.CreateAShr(top, 8) : b.CreateLShr(top, 8);
        return ptx::is_signed(type) ? b.CreateSExt(low, b.getInt64Ty())
                                    : b.CreateZExt(low, b.getInt64Ty());
    };
    Value* p = b.CreateMul(narrow(f.read(i, 1, type)), narrow(f.read(i, 2, type)));
    p = b.CreateTrunc(i.has("hi") ? b.CreateLShr(p, 16) : p, b.getInt32Ty());
    if (i.opcode == Opcode::mad24) {
        Value* c = f.read(i, 3, type);
        p = i.has("sat") ? b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, p, c)
                         : b.CreateAdd(p, c);
    }
    f.write(i, p, type);
}

/// Division never faults: x / 0 and x % 0 are all ones as on NVIDIA GPUs, INT_MIN / -1 wraps.
void emit_div(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    Value *x = f.read(i, 1, type), *y = f.read(i, 2, type);
    llvm::Type* t = x->getType();
    Value* by_zero = b.CreateICmpEQ(y, llvm::ConstantInt::get(t, 0));
    const bool remainder = i.opcode == Opcode::rem;
    Value* result = nullptr;
    if (ptx::is_signed(type)) {
        Value* minus_one = b.CreateICmpEQ(y, llvm::ConstantInt::getAllOnesValue(t));
        Value* safe =
            b.CreateSelect(b.CreateOr(by_zero, minus_one), llvm::ConstantInt::get(t, 1), y);
        result = remainder ? b.CreateSRem(x, safe) : b.CreateSDiv(x, safe);
        if (!remainder) result = b.CreateSelect(minus_one, b.CreateNeg(x), result);
    } else {
        Value* safe = b.CreateSelect(by_zero, llvm::ConstantInt::get(t, 1), y);
        result = remainder ? b.CreateURem(x, safe) : b.CreateUDiv(x, safe);
    }
    f.write(i, b.CreateSelect(by_zero, llvm::ConstantInt::getAllOnesValue(t), result), type);
}

void emit_integer_min_max(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const bool sign = packed_is_signed(type);
    const bool is_min = i.opcode == Opcode::min;
    Value* result = lanes(f, type, {f.read(i, 1, type), f.read(i, 2, type)}, [&](auto& v) {
        const auto id = is_min ? (sign ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                               : (sign ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
        Value* r = b.CreateBinaryIntrinsic(id, v[0], v[1]);
        if (i.has("relu")) {
            r = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, r,
                                        llvm::Constant::getNullValue(r->getType()));
        }
        return r;
    });
    f.write(i, result, type);
}

void emit_sad(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    Value *x = f.read(i, 1, type), *y = f.read(i, 2, type);
    Value* less = ptx::is_signed(type) ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
    Value* distance = b.CreateSelect(less, b.CreateSub(y, x), b.CreateSub(x, y));
    f.write(i, b.CreateAdd(f.read(i, 3, type), distance), type);
}

/// dp4a: four 8-bit products; dp2a: two products of 16-bit halves and two bytes (lo or hi).
void emit_dot(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const bool four = i.opcode == Opcode::dp4a;
    const bool sign_x = ptx::is_signed(f.type(i, 0)), sign_y = ptx::is_signed(f.type(i, 1));
    Value *x = f.read(i, 1, ptx::Type::b32), *y = f.read(i, 2, ptx::Type::b32);
    Value* sum = f.read(i, 3, ptx::Type::b32);
    auto part = [&](Value* v, unsigned index, unsigned bits, bool sign) {
        Value* low = b.CreateTrunc(b.CreateLShr(v, index * bits), f.int_type(bits));
        return sign ? b.CreateSExt(low, b.getInt32Ty()) : b.CreateZExt(low, b.getInt32Ty());
    };
    for (unsigned k = 0; k < (four ? 4u : 2u); ++k) {
        Value* p = part(x, k, four ? 8 : 16, sign_x);
        Value* q = part(y, four || !i.has("hi") ? k : k + 2, 8, sign_y);
        sum = b.CreateAdd(sum, b.CreateMul(p, q));
    }
    f.write(i, sum, sign_x || sign_y ? ptx::Type::s32 : ptx::Type::u32);
}

} // namespace

bool emit_integer(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    if (i.opcode == Opcode::dp4a || i.opcode == Opcode::dp2a) {
        emit_dot(f, i);
        return true;
    }
    if (i.types.empty() || (ptx::is_float(i.types[0]) && !is_packed16(i.types[0]))) return false;
    const ptx::Type type = i.types[0];
    switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::addc:
    case Opcode::subc: emit_add(f, i); return true;
    case Opcode::mul: emit_mul(f, i); return true;
    case Opcode::mad:
    case Opcode::madc: emit_mad(f, i); return true;
    case Opcode::mul24:
    case Opcode::mad24: emit_mul24(f, i); return true;
    case Opcode::div:
    case Opcode::rem: emit_div(f, i); return true;
    case Opcode::min:
    case Opcode::max: emit_integer_min_max(f, i); return true;
    case Opcode::sad: emit_sad(f, i); return true;
    case Opcode::abs:
        f.write(i, b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, f.read(i, 1, type), b.getFalse()),
                type);
        return true;
    case Opcode::neg: f.write(i, b.CreateNeg(f.read(i, 1, type)), type); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
