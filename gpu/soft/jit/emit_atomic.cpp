// SPDX-License-Identifier: MIT
// atom and red. Shared memory belongs to one worker thread, so its atomics are plain code;
// elsewhere LLVM atomics, and compare-exchange loops for halves.
#include "gpu/soft/jit/floats.h"
#include "gpu/soft/jit/flushing_atomics.h"
#include "gpu/soft/jit/watching.h"

#include <fmt/format.h>

namespace lathe::soft::jit {

namespace {

using BinOp = llvm::AtomicRMWInst::BinOp;

llvm::AtomicOrdering ordering(const Instruction& i) {
    if (i.has("acq_rel")) return llvm::AtomicOrdering::AcquireRelease;
    if (i.has("acquire")) return llvm::AtomicOrdering::Acquire;
    if (i.has("release")) return llvm::AtomicOrdering::Release;
    return llvm::AtomicOrdering::Monotonic;
}

std::optional<BinOp> operation(const Instruction& i, ptx::Type type) {
    const bool real = ptx::is_float(type), sign = is_signed_integer(type);
    if (i.has("add")) return real ? BinOp::FAdd : BinOp::Add;
    if (i.has("exch")) return BinOp::Xchg;
    if (i.has("and")) return BinOp::And;
    if (i.has("or")) return BinOp::Or;
    if (i.has("xor")) return BinOp::Xor;
    if (i.has("inc")) return BinOp::UIncWrap;
    if (i.has("dec")) return BinOp::UDecWrap;
    if (i.has("min")) return real ? BinOp::FMin : sign ? BinOp::Min : BinOp::UMin;
    if (i.has("max")) return real ? BinOp::FMax : sign ? BinOp::Max : BinOp::UMax;
    return std::nullopt;
}

/// Sum, minimum or maximum of halves or pairs of them.
Value* half_result(FunctionLowering& f, const Instruction& i, ptx::Type type, Value* x, Value* y) {
    auto& b = f.b;
    const ptx::Type element = element_of(type);
    return per_element(f, type, {x, y}, [&](const std::vector<Value*>& v) {
        Value *p = widen(f, v[0], element), *q = widen(f, v[1], element);
        Value* r = i.has("add")   ? b.CreateFAdd(p, q)
                   : i.has("min") ? b.CreateBinaryIntrinsic(llvm::Intrinsic::minnum, p, q)
                                  : b.CreateBinaryIntrinsic(llvm::Intrinsic::maxnum, p, q);
        return narrow(f, r, element, Rounding::nearest);
    });
}

/// The value that a plain (shared memory) operation stores.
Value* plain_result(FunctionLowering& f, const Instruction& i, ptx::Type type, Value* old,
                    Value* v) {
    auto& b = f.b;
    if (type != ptx::Type::f32 && type != ptx::Type::f64 && ptx::is_float(type) && !i.has("exch")) {
        return half_result(f, i, type, old, v);
    }
    Value* one =
        old->getType()->isIntegerTy() ? llvm::ConstantInt::get(old->getType(), 1) : nullptr;
    switch (*operation(i, type)) {
    case BinOp::FAdd: return b.CreateFAdd(old, v);
    case BinOp::Add: return b.CreateAdd(old, v);
    case BinOp::And: return b.CreateAnd(old, v);
    case BinOp::Or: return b.CreateOr(old, v);
    case BinOp::Xor: return b.CreateXor(old, v);
    case BinOp::Min: return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, old, v);
    case BinOp::Max: return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, old, v);
    case BinOp::UMin: return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, old, v);
    case BinOp::UMax: return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, old, v);
    case BinOp::FMin: return b.CreateBinaryIntrinsic(llvm::Intrinsic::minnum, old, v);
    case BinOp::FMax: return b.CreateBinaryIntrinsic(llvm::Intrinsic::maxnum, old, v);
    case BinOp::UIncWrap:
        return b.CreateSelect(b.CreateICmpUGE(old, v), b.CreateSub(one, one),
                              b.CreateAdd(old, one));
    case BinOp::UDecWrap: {
        Value* zero = b.CreateICmpEQ(old, llvm::ConstantInt::get(old->getType(), 0));
        return b.CreateSelect(b.CreateOr(zero, b.CreateICmpUGT(old, v)), v, b.CreateSub(old, one));
    }
    default: return v; // exch
    }
}

/// Old value of an atomic update by a loop of compare-exchange.
Value* update_loop(FunctionLowering& f, Value* place, llvm::Type* type,
                   const std::function<Value*(Value*)>& next) {
    auto& b = f.b;
    llvm::Align align{type->getPrimitiveSizeInBits() / 8};
    Value* first = b.CreateAlignedLoad(type, place, align, true);
    auto* before = b.GetInsertBlock();
    auto *loop = f.block("update"), *done = f.block("updated");
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    auto* old = b.CreatePHI(type, 2);
    old->addIncoming(first, before);
    auto* exchange = b.CreateAtomicCmpXchg(place, old, next(old), align,
                                           llvm::AtomicOrdering::SequentiallyConsistent,
                                           llvm::AtomicOrdering::Monotonic);
    old->addIncoming(b.CreateExtractValue(exchange, 0), b.GetInsertBlock());
    b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, loop);
    b.SetInsertPoint(done);
    return old;
}

/// One element: returns the old value, or null where there is none to return.
Value* update(FunctionLowering& f, const Instruction& i, ptx::Type type, Value* place, Value* v) {
    auto& b = f.b;
    const bool half = ptx::is_float(type) && type != ptx::Type::f32 && type != ptx::Type::f64;
    if (!operation(i, type)) f.fail(i, "unknown atomic operation");
    // Lanes of a warp may update the same place: the widener must see that it is an update.
    const bool shared = i.space() == Space::shared, in_warp = f.in_warp();
    llvm::SyncScope::ID scope =
        shared && in_warp ? llvm::SyncScope::SingleThread : llvm::SyncScope::System;
    // f32 sums outside of shared memory flush subnormal numbers.
    if (i.has("add") && type == ptx::Type::f32 && !shared) scope = flushing_scope(b.getContext());
    if (shared && !in_warp) {
        Value* old = b.CreateLoad(v->getType(), place);
        b.CreateStore(plain_result(f, i, type, old, v), place);
        return old;
    }
    if (half && !i.has("exch")) {
        return update_loop(f, place, v->getType(),
                           [&](Value* old) { return half_result(f, i, type, old, v); });
    }
    return b.CreateAtomicRMW(*operation(i, type), place, v,
                             llvm::Align{v->getType()->getPrimitiveSizeInBits() / 8}, ordering(i),
                             scope);
}

void emit_compare_and_swap(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    auto* bits = f.int_type(f.bits_of(type));
    Value* place = f.address(i, 1);
    watch_atomic(f, i, place, ptx::bytes_of(type));
    Value *expected = f.as_int(f.read(i, 2, type)), *desired = f.as_int(f.read(i, 3, type));
    Value* old = nullptr;
    const bool shared = i.space() == Space::shared;
    if (shared && !f.in_warp()) {
        old = b.CreateLoad(bits, place);
        Value* equal = b.CreateICmpEQ(old, expected);
        b.CreateStore(b.CreateSelect(equal, desired, old), place);
    } else {
        const auto failure = i.has("acquire") || i.has("acq_rel") ? llvm::AtomicOrdering::Acquire
                                                                  : llvm::AtomicOrdering::Monotonic;
        auto* exchange = b.CreateAtomicCmpXchg(
            place, expected, desired, llvm::Align{bits->getBitWidth() / 8}, ordering(i), failure,
            shared ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
        old = b.CreateExtractValue(exchange, 0);
    }
    f.write(i, b.CreateBitCast(old, f.llvm_type(type)), type);
}

} // namespace

bool emit_atomic(FunctionLowering& f, const Instruction& i) {
    if (i.opcode != Opcode::atom && i.opcode != Opcode::red) return false;
    const bool returns = i.opcode == Opcode::atom;
    if (i.has("cas")) {
        emit_compare_and_swap(f, i);
        return true;
    }
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const std::size_t at = returns ? 1 : 0;
    Value* place = f.address(i, at);
    const auto* values = std::get_if<ptx::Vector>(&f.operand(i, at + 1).value);
    watch_atomic(f, i, place,
                 ptx::bytes_of(type) * static_cast<std::uint64_t>(std::max(i.vector_width(), 1)));
    if (!values || i.vector_width() == 1) {
        Value* old = update(f, i, type, place, f.read(i, at + 1, type));
        if (returns) f.write(i, old, type);
        return true;
    }
    const auto* targets = returns ? std::get_if<ptx::Vector>(&f.operand(i, 0).value) : nullptr;
    std::vector<Value*> old;
    for (std::size_t k = 0; k < values->items.size(); ++k) {
        Value* element = b.CreateConstGEP1_32(f.llvm_type(type), place, static_cast<unsigned>(k));
        old.push_back(update(f, i, type, element, f.read(values->items[k], type)));
    }
    for (std::size_t k = 0; targets && k < targets->items.size() && k < old.size(); ++k) {
        f.write(targets->items[k], old[k], type);
    }
    return true;
}

} // namespace lathe::soft::jit
