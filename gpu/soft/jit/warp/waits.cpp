// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/waits.h"

#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <utility>

namespace lathe::soft::jit::warp {

namespace {

using llvm::Value;

CallKind kind_of(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    return callee ? call_kind(callee->getName()) : CallKind::by_lane;
}

Value* mark(llvm::IRBuilder<>& b, const char* name, llvm::Type* result,
            std::vector<Value*> arguments) {
    std::vector<llvm::Type*> types;
    for (Value* argument : arguments) types.push_back(argument->getType());
    llvm::Module* module = b.GetInsertBlock()->getModule();
    return b.CreateCall(
        module->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)),
        arguments);
}

/// What the run time needs to know of an operation (rt/warp.cpp).
struct Brought {
    WarpOperation operation = WarpOperation::sync;
    Value* members = nullptr;
    Value* operands[2] = {nullptr, nullptr};
};

Brought brought(llvm::IRBuilder<>& b, const llvm::CallBase& call, CallKind kind) {
    const auto wide = [&](unsigned k) {
        return b.CreateZExt(call.getArgOperand(k), b.getInt64Ty());
    };
    Value* none = b.getInt64(0);
    switch (kind) {
    case CallKind::shuffle: { // (mask, mode, value, b, c)
        Value* mode = b.CreateShl(wide(1), 62);
        Value* by = b.CreateShl(b.CreateAnd(wide(3), b.getInt64(31)), 32);
        return {WarpOperation::shuffle,
                call.getArgOperand(0),
                {wide(2), b.CreateOr(b.CreateOr(mode, by), wide(4))}};
    }
    case CallKind::ballot: // (context, mask, predicate)
        return {WarpOperation::ballot, call.getArgOperand(1), {wide(2), none}};
    case CallKind::match_any: // (context, mask, value, ...)
        return {WarpOperation::match, call.getArgOperand(1), {call.getArgOperand(2), none}};
    case CallKind::match_all: // (mask, value)
        return {
            WarpOperation::match, call.getArgOperand(0), {call.getArgOperand(1), b.getInt64(1)}};
    case CallKind::reduce: // (context, mask, operation, is signed, value)
        return {WarpOperation::reduce,
                call.getArgOperand(1),
                {wide(4), b.CreateOr(wide(2), b.CreateShl(wide(3), 8))}};
    default: // (context, mask)
        return {WarpOperation::sync, call.getArgOperand(1), {none, none}};
    }
}

void part_operation(llvm::CallBase& call) {
    const CallKind kind = kind_of(call);
    llvm::LLVMContext& context = call.getContext();
    llvm::Function* function = call.getFunction();
    llvm::BasicBlock* before = call.getParent();
    llvm::BasicBlock* fast = before->splitBasicBlock(&call, "fast");
    llvm::BasicBlock* rest = fast->splitBasicBlock(call.getNextNode(), "rest");
    const auto block = [&](const char* name) {
        return llvm::BasicBlock::Create(context, name, function, rest);
    };
    auto *bring = block("bring"), *met = block("met"), *take = block("take");
    before->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> b{before};
    b.SetCurrentDebugLocation(call.getDebugLoc());
    auto* bit = b.getInt1Ty();
    auto* none = b.getVoidTy();
    const Brought what = brought(b, call, kind);
    b.CreateCondBr(mark(b, kTogether, bit, {what.members}), fast, bring);

    b.SetInsertPoint(bring);
    mark(b, kBring, none,
         {what.members, b.getInt32(static_cast<std::uint32_t>(what.operation)), what.operands[0],
          what.operands[1]});
    b.CreateBr(met);

    b.SetInsertPoint(met);
    mark(b, kWaitLoop, none, {b.getInt32(1)}); // only others of the warp bring this on
    b.CreateCondBr(mark(b, kMet, bit, {}), take, met);

    b.SetInsertPoint(take);
    const auto result = [&](unsigned k, llvm::Type* type) {
        Value* word = mark(b, kResult, b.getInt32Ty(), {b.getInt32(k)});
        return type == bit ? b.CreateICmpNE(word, b.getInt32(0)) : word;
    };
    const auto join = [&](llvm::Instruction& old, Value* at_once, Value* later) {
        auto* phi = llvm::PHINode::Create(old.getType(), 2, "");
        phi->insertBefore(rest->begin());
        old.replaceUsesWithIf(phi, [&](const llvm::Use& use) {
            const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
            return user != phi && user != at_once;
        });
        phi->addIncoming(at_once, fast);
        phi->addIncoming(later, take);
    };
    if (call.getType()->isStructTy()) {
        for (llvm::User* user : llvm::make_early_inc_range(call.users())) {
            auto* part = llvm::cast<llvm::ExtractValueInst>(user);
            llvm::Instruction* in_fast = part->clone();
            in_fast->insertBefore(fast->getTerminator());
            join(*part, in_fast, result(part->getIndices()[0], part->getType()));
            part->eraseFromParent();
        }
    } else if (!call.getType()->isVoidTy()) {
        join(call, &call, result(0, call.getType()));
    }
    b.CreateBr(rest);
}

/// The barrier in a block of its own; its result is asked for behind it.
void part_barrier(llvm::CallBase& call) {
    llvm::BasicBlock* own = call.getParent()->splitBasicBlock(&call, "barrier");
    llvm::BasicBlock* behind = own->splitBasicBlock(call.getNextNode(), "behind");
    if (kind_of(call) != CallKind::barrier_reduce) return;
    llvm::IRBuilder<> b{behind, behind->begin()};
    b.SetCurrentDebugLocation(call.getDebugLoc());
    // (context, id, threads, operation, predicate)
    call.replaceAllUsesWith(mark(b, kVoted, b.getInt32Ty(), {call.getArgOperand(3)}));
}

bool is_warp_operation(CallKind kind) {
    return kind == CallKind::shuffle || kind == CallKind::ballot || kind == CallKind::match_any ||
           kind == CallKind::match_all || kind == CallKind::reduce || kind == CallKind::sync;
}

bool is_wait(const llvm::CallBase& call, CallKind kind) {
    return kind == CallKind::barrier_reduce ||
           (kind == CallKind::barrier && !call.getCalledFunction()->getName().ends_with("arrive"));
}

} // namespace

Waits find_waits(llvm::Function& body, const llvm::LoopInfo& loops,
                 const PartedOperations& parted) {
    Waits waits;
    for (const llvm::CallBase* barrier : parted.barriers)
        waits.barriers.insert(barrier->getParent());
    waits.complete = parted.complete;
    constexpr std::size_t kMostPlaces = 64; // what is kept for each grows with their number
    for (const llvm::BasicBlock& block : body) {
        for (const llvm::Instruction& i : block) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
            if (!call || kind_of(*call) != CallKind::wait_loop) continue;
            const llvm::Loop* loop = loops.getLoopFor(&block);
            if (!loop) continue; // it does not come round again
            const auto iterations = static_cast<unsigned>(
                llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue());
            unsigned& known = waits.loops[loop->getHeader()];
            known = std::max(known, iterations);
        }
    }
    if (waits.loops.size() + waits.barriers.size() > kMostPlaces)
        throw Unsupported{"lanes wait for each other at more than 64 places"};
    return waits;
}

bool part_operations(llvm::Function& body, const Frontier& frontier, PartedOperations& parted) {
    std::vector<llvm::CallBase*> operations, barriers;
    for (llvm::BasicBlock& block : body) {
        bool alone = true;
        for (unsigned k : frontier.waiting(frontier.index(&block)).set_bits())
            alone &= frontier.only_ends(k);
        if (alone) continue;
        for (llvm::Instruction& i : block) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
            if (!call) continue;
            const CallKind kind = kind_of(*call);
            if (is_warp_operation(kind) && !parted.complete.contains(call))
                operations.push_back(call);
            if (is_wait(*call, kind) && !frontier.is_barrier(frontier.index(&block)))
                barriers.push_back(call);
        }
    }
    for (llvm::CallBase* call : operations) {
        part_operation(*call);
        parted.complete.insert(call);
    }
    for (llvm::CallBase* call : barriers) {
        part_barrier(*call);
        parted.barriers.push_back(call);
    }
    return !operations.empty() || !barriers.empty();
}

} // namespace lathe::soft::jit::warp
