// SPDX-License-Identifier: MIT
// setp, set, selp, slct, testp: comparisons and choices.
#include "gpu/soft/jit/floats.h"

namespace lathe::soft::jit {

namespace {

const std::string& comparison(FunctionLowering& f, const Instruction& i) {
    for (const std::string& m : i.modifiers) {
        if (is_comparison(m)) return m;
    }
    f.fail(i, "comparison missing");
}

Value* combine(FunctionLowering& f, const Instruction& i, Value* result, Value* with) {
    auto& b = f.b;
    if (i.has("and")) return b.CreateAnd(result, with);
    if (i.has("or")) return b.CreateOr(result, with);
    if (i.has("xor")) return b.CreateXor(result, with);
    return result;
}

bool combines(const Instruction& i) { return i.has("and") || i.has("or") || i.has("xor"); }

/// Elements of the operands, ready to compare: halves as float, flushed where asked.
Value* comparable(FunctionLowering& f, const Instruction& i, Value* v, ptx::Type type) {
    if (is_half(type)) {
        if (i.has("ftz")) v = flush(f, v);
        return widen(f, v, type);
    }
    return i.has("ftz") && type == ptx::Type::f32 && !f.module.flushes ? flush(f, v) : v;
}

/// One result, or two (low and high half) for packed operands.
std::vector<Value*> compare_all(FunctionLowering& f, const Instruction& i, ptx::Type type) {
    auto& b = f.b;
    const std::string& name = comparison(f, i);
    Value *x = f.read(i, 1, type), *y = f.read(i, 2, type);
    const ptx::Type element = element_of(type);
    std::vector<Value*> results;
    for (unsigned k = 0; k < (element == type ? 1u : 2u); ++k) {
        Value *p = x, *q = y;
        if (element != type) {
            p = b.CreateTrunc(b.CreateLShr(x, 16 * k), b.getInt16Ty());
            q = b.CreateTrunc(b.CreateLShr(y, 16 * k), b.getInt16Ty());
        }
        results.push_back(
            compare(f, name, comparable(f, i, p, element), comparable(f, i, q, element), type));
    }
    return results;
}

void emit_setp(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const std::vector<Value*> results = compare_all(f, i, f.type(i));
    Value* with = combines(i) ? f.read(i, 3, ptx::Type::pred) : nullptr;
    auto combined = [&](Value* v) { return with ? combine(f, i, v, with) : v; };
    const Operand& target = f.operand(i, 0);
    // p|q: the other half of packed operands, else the combination with the opposite comparison.
    Value* second = combined(results.size() == 2 ? results[1] : b.CreateNot(results[0]));
    f.write(target, combined(results[0]), ptx::Type::pred);
    f.write_second(target, second);
}

void emit_set(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type to = f.type(i, 0);
    const ptx::Type from = f.type(i, 1);
    std::vector<Value*> results = compare_all(f, i, from);
    if (combines(i)) {
        Value* with = f.read(i, 3, ptx::Type::pred);
        for (Value*& result : results) result = combine(f, i, result, with);
    }
    if (results.size() == 2) { // halves: 1.0 where the result is a float, else all ones
        const std::uint32_t one = to == ptx::Type::f16x2    ? 0x3c00
                                  : to == ptx::Type::bf16x2 ? 0x3f80
                                                            : 0xffff;
        Value* low = b.CreateSelect(results[0], b.getInt32(one), b.getInt32(0));
        Value* high = b.CreateSelect(results[1], b.getInt32(one << 16), b.getInt32(0));
        f.write(i, b.CreateOr(low, high), to);
        return;
    }
    llvm::Type* type = f.llvm_type(to);
    llvm::Constant* one = to == ptx::Type::f32    ? llvm::ConstantFP::get(type, 1.0)
                          : to == ptx::Type::f16  ? llvm::ConstantInt::get(type, 0x3c00)
                          : to == ptx::Type::bf16 ? llvm::ConstantInt::get(type, 0x3f80)
                                                  : llvm::ConstantInt::getAllOnesValue(type);
    f.write(i, b.CreateSelect(results[0], one, llvm::Constant::getNullValue(type)), to);
}

/// slct: a where c >= 0 (NaN chooses b), else b.
void emit_slct(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i), condition = f.type(i, 1);
    Value* c = f.read(i, 3, condition);
    if (i.has("ftz") && condition == ptx::Type::f32 && !f.module.flushes) c = flush(f, c);
    Value* zero = llvm::Constant::getNullValue(c->getType());
    Value* first = c->getType()->isFloatTy() ? b.CreateFCmpOGE(c, zero) : b.CreateICmpSGE(c, zero);
    f.write(i, b.CreateSelect(first, f.read(i, 1, type), f.read(i, 2, type)), type);
}

void emit_testp(FunctionLowering& f, const Instruction& i) {
    const unsigned test = i.has("finite")       ? llvm::fcFinite
                          : i.has("infinite")   ? llvm::fcInf
                          : i.has("number")     ? llvm::fcAllFlags & ~llvm::fcNan
                          : i.has("notanumber") ? llvm::fcNan
                          : i.has("normal")
                              ? llvm::fcNormal | llvm::fcZero // zeroes count as normal
                              : llvm::fcSubnormal;
    Value* x = f.read(i, 1, f.type(i));
    f.write(i, f.b.createIsFPClass(x, test), ptx::Type::pred);
}

} // namespace

bool emit_compare(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::setp: emit_setp(f, i); return true;
    case Opcode::set: emit_set(f, i); return true;
    case Opcode::selp: {
        const ptx::Type type = f.type(i);
        Value* condition = f.read(i, 3, ptx::Type::pred);
        f.write(i, f.b.CreateSelect(condition, f.read(i, 1, type), f.read(i, 2, type)), type);
        return true;
    }
    case Opcode::slct: emit_slct(f, i); return true;
    case Opcode::testp: emit_testp(f, i); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
