// SPDX-License-Identifier: MIT
// How blocks end: which lanes go where, phis as copies on edges, back edges, and which block runs
// next.
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

void Widener::emit_end(const llvm::Instruction& end) {
    if (llvm::isa<llvm::ReturnInst, llvm::UnreachableInst>(end)) {
        dispatch({}, Frontier::Exit::in_order);
    } else if (others_to_come_) {
        emit_end_of_barrier(frontier_.successors(current_).front());
    } else if (shapes_.is_divergent(end.getParent())) {
        const auto lanes = lanes_of_targets(end);
        count_branch(end, &lanes);
        emit_branch(lanes);
    } else {
        emit_uniform_end(end);
    }
}

void Widener::emit_uniform_end(const llvm::Instruction& end) {
    const std::vector<unsigned>& successors = frontier_.successors(current_);
    if (successors.size() == 1) {
        emit_branch({{successors[0], mask_}});
        return;
    }
    const std::uint32_t to_first = count_branch(end, nullptr);
    // A copy of the scalar branch to blocks of their own, which then go on as if alone.
    llvm::Instruction* copy = end.clone();
    for (unsigned k = 0; k < copy->getNumOperands(); ++k) {
        if (!llvm::isa<llvm::BasicBlock>(copy->getOperand(k)))
            copy->setOperand(k, scalar(copy->getOperand(k)));
    }
    llvm::DenseMap<unsigned, llvm::BasicBlock*> edges;
    for (unsigned k = 0; k < copy->getNumSuccessors(); ++k) {
        llvm::BasicBlock*& edge = edges[frontier_.index(end.getSuccessor(k))];
        if (!edge) edge = block("edge");
        copy->setSuccessor(k, edge);
    }
    b.Insert(copy);
    for (unsigned to : successors) {
        b.SetInsertPoint(edges[to]);
        if (to_first && to == frontier_.index(end.getSuccessor(0))) bump(to_first, count_of(mask_));
        emit_branch({{to, mask_}});
    }
}

std::vector<std::pair<unsigned, Value*>> Widener::lanes_of_targets(const llvm::Instruction& end) {
    llvm::DenseMap<unsigned, Value*> lanes;
    const auto add = [&](const llvm::BasicBlock* to, Value* some) {
        Value*& all = lanes[frontier_.index(to)];
        all = all ? b.CreateOr(all, some) : some;
    };
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
        Value* holds = bits_of(branch->getCondition());
        add(branch->getSuccessor(0), b.CreateAnd(holds, mask_));
        // Not mask ^ taken: LLVM 19 then combines masks of 32 lanes back and forth for ever
        // (x86-64-v4, beside a masked gather).
        add(branch->getSuccessor(1), b.CreateAnd(mask_, b.CreateNot(holds)));
    } else {
        const auto& choice = llvm::cast<llvm::SwitchInst>(end);
        Value* index = vector(choice.getCondition());
        Value* left = mask_;
        for (const auto& each : choice.cases()) {
            Value* equal =
                b.CreateICmpEQ(index, splat(const_cast<llvm::ConstantInt*>(each.getCaseValue())));
            Value* holds = mask_bits(equal);
            left = b.CreateAnd(left, b.CreateNot(holds));
            add(each.getCaseSuccessor(), b.CreateAnd(holds, mask_));
        }
        add(choice.getDefaultDest(), left);
    }
    std::vector<std::pair<unsigned, Value*>> list{lanes.begin(), lanes.end()};
    std::sort(list.begin(), list.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    return list;
}

// Sends lanes to blocks (ascending), then goes where the order wants.
void Widener::emit_branch(const std::vector<std::pair<unsigned, Value*>>& lanes) {
    std::vector<unsigned> targets;
    Copies copies;
    std::vector<std::pair<Value*, Copies>> leaving;
    for (const auto& [to, some] : lanes) {
        targets.push_back(to);
        const bool is_rare = lanes.size() > 1 && frontier_.waiting(current_).test(to) &&
                             frontier_.leaves_loop(current_, to);
        find_copies(to, some, is_rare ? leaving.emplace_back(some, Copies{}).second : copies);
    }
    store(copies);
    // Most iterations of a loop have no lane that leaves it.
    for (const auto& [some, theirs] : leaving) {
        if (theirs.empty()) continue;
        llvm::BasicBlock *leave = block("leave"), *stay = block("stay");
        b.CreateCondBr(b.CreateICmpNE(some, llvm::ConstantInt::get(mask_type_, 0)), leave, stay);
        b.SetInsertPoint(leave);
        store(theirs);
        b.CreateBr(stay);
        b.SetInsertPoint(stay);
    }
    bool waits = false;
    for (const auto& [to, some] : lanes) {
        const bool others = frontier_.waiting(current_).test(to);
        b.CreateStore(others ? b.CreateOr(b.CreateLoad(mask_type_, waiting_[to]), some) : some,
                      waiting_[to]);
        if (!frontier_.is_back_edge(current_, to)) continue;
        if (frontier_.is_wait_loop(to)) waits = true;
        else emit_back_edge();
    }
    if (waits) emit_turns(targets);
    else dispatch(targets, Frontier::Exit::in_order);
}

// The back edge of a wait loop: after some iterations others get their turn, lanes of this warp
// that are elsewhere and other warps.
void Widener::emit_turns(const std::vector<unsigned>& targets) {
    const unsigned header = targets.front();
    const unsigned iterations = frontier_.patience(header);
    if (iterations > 1) {
        llvm::AllocaInst* patience = patience_.lookup(header);
        Value* left = b.CreateSub(b.CreateLoad(b.getInt32Ty(), patience), b.getInt32(1));
        llvm::BasicBlock *turn = block("turn"), *go_on = block("go_on");
        b.CreateCondBr(b.CreateICmpEQ(left, b.getInt32(0)), turn, go_on);
        b.SetInsertPoint(go_on);
        b.CreateStore(left, patience);
        dispatch(targets, Frontier::Exit::keep_waiting);
        b.SetInsertPoint(turn);
        b.CreateStore(b.getInt32(iterations), patience);
        call_runtime("lathe_rt_backedge", b.getVoidTy(), {});
    }
    b.CreateStore(b.getInt32(header), turn_);
    dispatch(targets, Frontier::Exit::give_turn);
}

// Comes after all blocks of the order: wait loops in a circle, each when those behind it had their
// turn, then barriers.
void Widener::emit_scheduler() {
    b.SetInsertPoint(scheduler_);
    const llvm::BitVector& waiting = frontier_.waiting(frontier_.scheduler());
    const auto go = [&](unsigned k, Value* condition) {
        llvm::BasicBlock* other = block("next");
        b.CreateCondBr(condition, blocks_[k], other);
        b.SetInsertPoint(other);
    };
    const auto has_lanes = [&](unsigned k) {
        return b.CreateICmpNE(b.CreateLoad(mask_type_, waiting_[k]),
                              llvm::ConstantInt::get(mask_type_, 0));
    };
    Value* last = turn_ ? b.CreateLoad(b.getInt32Ty(), turn_) : nullptr;
    for (unsigned k : waiting.set_bits()) {
        if (frontier_.is_wait_loop(k))
            go(k, b.CreateAnd(has_lanes(k), b.CreateICmpULT(last, b.getInt32(k))));
    }
    for (unsigned k : waiting.set_bits()) {
        if (frontier_.is_wait_loop(k)) go(k, has_lanes(k));
    }
    for (unsigned k : waiting.set_bits()) {
        if (frontier_.is_barrier(k)) go(k, has_lanes(k));
    }
    b.CreateRetVoid();
}

// While others of the warp have yet to come, lanes are held; with the last of them all go on.
void Widener::emit_end_of_barrier(unsigned behind) {
    Value* zero = llvm::ConstantInt::get(mask_type_, 0);
    llvm::BasicBlock *hold = block("hold"), *open = block("open");
    Copies copies;
    find_copies(behind, mask_, copies);
    store(copies);
    b.CreateCondBr(b.CreateICmpNE(others_to_come_, zero), hold, open);
    b.SetInsertPoint(hold);
    b.CreateStore(b.CreateOr(b.CreateLoad(mask_type_, held_.lookup(behind)), mask_),
                  held_.lookup(behind));
    dispatch({behind}, Frontier::Exit::stay);
    b.SetInsertPoint(open);
    for (unsigned k = 0; k < frontier_.size(); ++k) {
        llvm::AllocaInst* held = held_.lookup(k);
        if (!held) continue;
        Value* lanes = b.CreateLoad(mask_type_, held);
        if (k == behind) lanes = b.CreateOr(lanes, mask_);
        b.CreateStore(b.CreateOr(b.CreateLoad(mask_type_, waiting_[k]), lanes), waiting_[k]);
        b.CreateStore(zero, held);
    }
    dispatch({behind}, Frontier::Exit::in_order);
}

Value* Widener::lanes_at(const std::function<bool(unsigned)>& test) {
    Value* lanes = llvm::ConstantInt::get(mask_type_, 0);
    for (unsigned k : frontier_.waiting(current_).set_bits()) {
        if (test(k)) lanes = b.CreateOr(lanes, b.CreateLoad(mask_type_, waiting_[k]));
    }
    return lanes;
}

// The values that phis of a target take for these lanes. Stored together: a phi may be another's
// operand.
void Widener::find_copies(unsigned to, Value* lanes, Copies& copies) {
    const llvm::BasicBlock* from = frontier_.block(current_);
    const bool joins = frontier_.waiting(current_).test(to);
    for (const llvm::PHINode& phi : frontier_.block(to)->phis()) {
        const Value* incoming = phi.getIncomingValueForBlock(from);
        if (llvm::isa<llvm::UndefValue>(incoming)) continue;
        if (shape(&phi).is_strips()) {
            const std::vector<llvm::AllocaInst*>& slots = strip_slots_[&phi];
            for (unsigned r = 0; r < slots.size(); ++r)
                copies.push_back({slots[r], strip(incoming, r), nullptr});
            continue;
        }
        llvm::AllocaInst* slot = slots_.lookup(&phi);
        if (shape(&phi).is_affine()) {
            copies.push_back({slot, scalar(incoming), nullptr});
            continue;
        }
        const bool is_blended = joins || shapes_.is_torn(&phi);
        copies.push_back({slot, vector(incoming), is_blended ? lanes : nullptr});
    }
}

void Widener::store(const Copies& copies) {
    for (const auto& [slot, value, lanes] : copies) {
        Value* all = value;
        if (lanes) {
            Value* old = b.CreateLoad(slot->getAllocatedType(), slot);
            all = b.CreateSelect(mask_vector(lanes), value, old);
        }
        b.CreateStore(all, slot);
    }
}

void Widener::emit_back_edge() {
    Value* left = b.CreateSub(b.CreateLoad(b.getInt32Ty(), back_edges_), b.getInt32(1));
    b.CreateStore(left, back_edges_);
    llvm::BasicBlock *report = block("report"), *go_on = block("go_on");
    auto* weights = llvm::MDBuilder{b.getContext()}.createBranchWeights(1, kBackEdgesPerReport);
    b.CreateCondBr(b.CreateICmpEQ(left, b.getInt32(0)), report, go_on, weights);
    b.SetInsertPoint(report);
    call_runtime("lathe_rt_backedge", b.getVoidTy(), {});
    b.CreateStore(b.getInt32(kBackEdgesPerReport), back_edges_);
    b.CreateBr(go_on);
    b.SetInsertPoint(go_on);
}

void Widener::dispatch(const std::vector<unsigned>& targets, Frontier::Exit exit) {
    const std::vector<unsigned> next = frontier_.next_blocks(current_, targets, exit);
    for (unsigned k : next) {
        if (k == frontier_.scheduler()) {
            if (!scheduler_) scheduler_ = block("scheduler");
            b.CreateBr(scheduler_);
            return;
        }
        if (!targets.empty() && k == next.back()) {
            b.CreateBr(blocks_[k]);
            return;
        }
        Value* lanes = b.CreateLoad(mask_type_, waiting_[k]);
        Value* some = b.CreateICmpNE(lanes, llvm::ConstantInt::get(mask_type_, 0));
        llvm::BasicBlock* other = block("next");
        b.CreateCondBr(some, blocks_[k], other);
        b.SetInsertPoint(other);
    }
    b.CreateRetVoid();
}

} // namespace lathe::soft::jit::warp
