// SPDX-License-Identifier: MIT
// Bits: logic, shifts, fields, counts, permutations.
#include "gpu/soft/jit/lowering.h"

#include <array>

namespace lathe::soft::jit {

namespace {

Value* constant_like(Value* v, std::uint64_t value) {
    return llvm::ConstantInt::get(v->getType(), value);
}

void emit_logic(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    Value* x = f.read(i, 1, type);
    Value* result = nullptr;
    switch (i.opcode) {
    case Opcode::and_: result = b.CreateAnd(x, f.read(i, 2, type)); break;
    case Opcode::or_: result = b.CreateOr(x, f.read(i, 2, type)); break;
    case Opcode::xor_: result = b.CreateXor(x, f.read(i, 2, type)); break;
    case Opcode::not_: result = b.CreateNot(x); break;
    default: // cnot
        result = b.CreateZExt(b.CreateICmpEQ(x, constant_like(x, 0)), x->getType());
    }
    f.write(i, result, type);
}

/// shl, shr: amounts at or beyond the width shift everything out.
void emit_shift(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const unsigned bits = f.bits_of(type);
    Value* x = f.read(i, 1, type);
    Value* amount = f.read(i, 2, ptx::Type::u32);
    Value* inside = b.CreateICmpULT(amount, b.getInt32(bits));
    const bool arithmetic = i.opcode == Opcode::shr && is_signed_integer(type);
    Value* clamped = b.CreateSelect(inside, amount, b.getInt32(arithmetic ? bits - 1 : 0));
    Value* n = b.CreateZExtOrTrunc(clamped, x->getType());
    if (arithmetic) {
        f.write(i, b.CreateAShr(x, n), type);
        return;
    }
    Value* shifted = i.opcode == Opcode::shl ? b.CreateShl(x, n) : b.CreateLShr(x, n);
    f.write(i, b.CreateSelect(inside, shifted, constant_like(x, 0)), type);
}

/// shf: a funnel shift of the 64 bits {b, a} with the amount clamped to 32 or wrapped.
void emit_funnel(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    auto* i64 = b.getInt64Ty();
    Value* low = b.CreateZExt(f.read(i, 1, ptx::Type::b32), i64);
    Value* high = b.CreateZExt(f.read(i, 2, ptx::Type::b32), i64);
    Value* amount = f.read(i, 3, ptx::Type::u32);
    Value* n = i.has("wrap")
                   ? b.CreateAnd(amount, b.getInt32(31))
                   : b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, b.getInt32(32));
    Value* all = b.CreateOr(b.CreateShl(high, 32), low);
    n = b.CreateZExt(n, i64);
    Value* result = i.has("l") ? b.CreateLShr(b.CreateShl(all, n), 32) : b.CreateLShr(all, n);
    f.write(i, b.CreateTrunc(result, b.getInt32Ty()), ptx::Type::b32);
}

/// Ones in the lowest `count` bits; all ones from the width on.
Value* low_mask(FunctionLowering& f, Value* count, unsigned bits) {
    auto& b = f.b;
    Value* inside = b.CreateICmpULT(count, constant_like(count, bits));
    Value* n = b.CreateSelect(inside, count, constant_like(count, 0));
    Value* mask = b.CreateSub(b.CreateShl(constant_like(count, 1), n), constant_like(count, 1));
    return b.CreateSelect(inside, mask, llvm::ConstantInt::getAllOnesValue(count->getType()));
}

/// x << n (or >>), zero from the width on.
Value* shift_or_zero(FunctionLowering& f, Value* x, Value* n, bool left) {
    auto& b = f.b;
    Value* inside = b.CreateICmpULT(n, constant_like(n, n->getType()->getIntegerBitWidth()));
    Value* safe = b.CreateSelect(inside, n, constant_like(n, 0));
    Value* shifted = left ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
    return b.CreateSelect(inside, shifted, constant_like(x, 0));
}

Value* byte_operand(FunctionLowering& f, const Instruction& i, std::size_t index, Value* like) {
    Value* v = f.b.CreateAnd(f.read(i, index, ptx::Type::u32), f.b.getInt32(255));
    return f.b.CreateZExt(v, like->getType());
}

void emit_extract(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const unsigned bits = f.bits_of(type);
    Value* x = f.read(i, 1, type);
    Value *position = byte_operand(f, i, 2, x), *length = byte_operand(f, i, 3, x);
    Value* top = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, position, constant_like(x, bits));
    Value* kept = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, length,
                                          b.CreateSub(constant_like(x, bits), top));
    Value* mask = low_mask(f, kept, bits);
    Value* field = b.CreateAnd(shift_or_zero(f, x, position, false), mask);
    if (is_signed_integer(type)) {
        Value* last = b.CreateSub(b.CreateAdd(position, length), constant_like(x, 1));
        last = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, last, constant_like(x, bits - 1));
        Value* sign = b.CreateAnd(b.CreateLShr(x, last), constant_like(x, 1));
        Value* empty = b.CreateICmpEQ(length, constant_like(x, 0));
        Value* negative =
            b.CreateAnd(b.CreateICmpNE(sign, constant_like(x, 0)), b.CreateNot(empty));
        field = b.CreateOr(field, b.CreateSelect(negative, b.CreateNot(mask), constant_like(x, 0)));
    }
    f.write(i, field, type);
}

void emit_insert(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    Value *x = f.read(i, 1, type), *into = f.read(i, 2, type);
    Value *position = byte_operand(f, i, 3, x), *length = byte_operand(f, i, 4, x);
    Value* mask = shift_or_zero(f, low_mask(f, length, f.bits_of(type)), position, true);
    Value* field = b.CreateAnd(shift_or_zero(f, x, position, true), mask);
    f.write(i, b.CreateOr(b.CreateAnd(into, b.CreateNot(mask)), field), type);
}

/// bfind: the highest bit that differs from the sign; ~0 where there is none.
void emit_find(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    Value* x = f.read(i, 1, type);
    if (is_signed_integer(type)) {
        Value* negative = b.CreateICmpSLT(x, constant_like(x, 0));
        x = b.CreateSelect(negative, b.CreateNot(x), x);
    }
    Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b.getFalse());
    Value* n =
        i.has("shiftamt") ? zeros : b.CreateSub(constant_like(x, f.bits_of(type) - 1), zeros);
    Value* none = b.CreateICmpEQ(x, constant_like(x, 0));
    f.write(i, b.CreateSelect(none, b.getInt32(~0u), b.CreateZExtOrTrunc(n, b.getInt32Ty())),
            ptx::Type::u32);
}

/// lop3: a look-up table over three bits, as multiplexers.
Value* lookup(FunctionLowering& f, Value* a, Value* x, Value* c, unsigned table) {
    auto& b = f.b;
    auto of_c = [&](unsigned two) -> Value* { // bit 0: c = 0, bit 1: c = 1
        switch (two & 3) {
        case 0: return constant_like(c, 0);
        case 1: return b.CreateNot(c);
        case 2: return c;
        default: return llvm::ConstantInt::getAllOnesValue(c->getType());
        }
    };
    auto choose = [&](Value* s, Value* one, Value* zero) {
        return one == zero ? one
                           : b.CreateOr(b.CreateAnd(s, one), b.CreateAnd(b.CreateNot(s), zero));
    };
    Value* a0 = choose(x, of_c(table >> 2), of_c(table));
    Value* a1 = choose(x, of_c(table >> 6), of_c(table >> 4));
    return choose(a, a1, a0);
}

void emit_lop3(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value* result = lookup(f, f.read(i, 1, ptx::Type::b32), f.read(i, 2, ptx::Type::b32),
                           f.read(i, 3, ptx::Type::b32), static_cast<unsigned>(f.immediate(i, 4)));
    if (f.has_operand(i, 5)) { // lop3.or.b32 d|p, a, b, c, lut, q
        Value* any = b.CreateICmpNE(result, b.getInt32(0));
        Value* q = f.read(i, 5, ptx::Type::pred);
        f.write_second(i.operands[0], i.has("and") ? b.CreateAnd(any, q) : b.CreateOr(any, q));
    }
    f.write(i, result, ptx::Type::b32);
}

/// Byte selectors of the prmt modes, for the values 0..3 of the control's low bits.
const std::array<std::uint32_t, 4>* permute_mode(const Instruction& i) {
    struct Row {
        const char* name;
        std::array<std::uint32_t, 4> selectors;
    };
    static constexpr Row kRows[] = {
        {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
        {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
        {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
    };
    for (const Row& row : kRows) {
        if (i.has(row.name)) return &row.selectors;
    }
    return nullptr;
}

void emit_permute(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    auto* i64 = b.getInt64Ty();
    Value* all = b.CreateOr(b.CreateZExt(f.read(i, 1, ptx::Type::b32), i64),
                            b.CreateShl(b.CreateZExt(f.read(i, 2, ptx::Type::b32), i64), 32));
    Value* control = f.read(i, 3, ptx::Type::b32);
    if (const auto* mode = permute_mode(i)) {
        Value* which = b.CreateAnd(control, b.getInt32(3));
        control = b.getInt32((*mode)[3]);
        for (std::uint32_t k = 0; k < 3; ++k) {
            control = b.CreateSelect(b.CreateICmpEQ(which, b.getInt32(k)), b.getInt32((*mode)[k]),
                                     control);
        }
    }
    Value* result = b.getInt32(0);
    for (unsigned k = 0; k < 4; ++k) {
        Value* selector = b.CreateLShr(control, 4 * k);
        Value* shift = b.CreateZExt(b.CreateShl(b.CreateAnd(selector, b.getInt32(7)), 3), i64);
        Value* byte = b.CreateTrunc(b.CreateLShr(all, shift), b.getInt8Ty());
        Value* replicate = b.CreateICmpNE(b.CreateAnd(selector, b.getInt32(8)), b.getInt32(0));
        byte = b.CreateSelect(replicate, b.CreateAShr(byte, 7), byte);
        result = b.CreateOr(result, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), 8 * k));
    }
    f.write(i, result, ptx::Type::b32);
}

/// szext: sign- or zero-extends the low n bits; n is clamped or wrapped.
void emit_extend(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    Value *x = f.read(i, 1, type), *n = f.read(i, 2, ptx::Type::u32);
    Value* count = i.has("wrap") ? b.CreateAnd(n, b.getInt32(31)) : n;
    Value* mask = low_mask(f, count, 32);
    Value* result = b.CreateAnd(x, mask);
    if (is_signed_integer(type)) {
        Value* some = b.CreateICmpNE(count, b.getInt32(0));
        Value* last = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                              b.CreateSub(count, b.getInt32(1)), b.getInt32(31));
        Value* sign = b.CreateAnd(b.CreateLShr(x, last), b.getInt32(1));
        Value* negative = b.CreateAnd(some, b.CreateICmpNE(sign, b.getInt32(0)));
        result = b.CreateSelect(negative, b.CreateOr(result, b.CreateNot(mask)), result);
    }
    f.write(i, result, type);
}

/// bmsk: ones from bit a, b of them.
void emit_mask(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value *from = f.read(i, 1, ptx::Type::u32), *count = f.read(i, 2, ptx::Type::u32);
    if (i.has("wrap")) {
        from = b.CreateAnd(from, b.getInt32(31));
        count = b.CreateAnd(count, b.getInt32(31));
    }
    f.write(i, shift_or_zero(f, low_mask(f, count, 32), from, true), ptx::Type::b32);
}

void emit_count(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    Value* x = f.read(i, 1, type);
    Value* n = i.opcode == Opcode::popc
                   ? b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x)
                   : b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b.getFalse());
    f.write(i, b.CreateZExtOrTrunc(n, b.getInt32Ty()), ptx::Type::u32);
}

} // namespace

bool emit_bits(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot: emit_logic(f, i); return true;
    case Opcode::shl:
    case Opcode::shr: emit_shift(f, i); return true;
    case Opcode::shf: emit_funnel(f, i); return true;
    case Opcode::bfe: emit_extract(f, i); return true;
    case Opcode::bfi: emit_insert(f, i); return true;
    case Opcode::bfind: emit_find(f, i); return true;
    case Opcode::lop3: emit_lop3(f, i); return true;
    case Opcode::prmt: emit_permute(f, i); return true;
    case Opcode::szext: emit_extend(f, i); return true;
    case Opcode::bmsk: emit_mask(f, i); return true;
    case Opcode::popc:
    case Opcode::clz: emit_count(f, i); return true;
    case Opcode::brev:
        f.write(i, f.b.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, f.read(i, 1, f.type(i))),
                f.type(i));
        return true;
    case Opcode::fns:
        f.write(i,
                f.call_c("lathe_jit_fns", f.b.getInt32Ty(),
                         {f.read(i, 1, ptx::Type::b32), f.read(i, 2, ptx::Type::b32),
                          f.read(i, 3, ptx::Type::b32)}),
                ptx::Type::b32);
        return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
