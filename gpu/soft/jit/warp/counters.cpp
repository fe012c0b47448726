// SPDX-License-Identifier: MIT
// Counters of a warp (counting.h left marks; count_accesses.cpp has those). What a block counts
// follows from how often it ran with all lanes and with some; code of its own have only: blocks,
// some lanes, rows that are not aligned to sectors, addresses that are no row, branches where lanes
// part, waits at barriers.
#include "engine/core/memory_model.h"
#include "gpu/soft/jit/counting.h"
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

namespace lathe::soft::jit::warp {

namespace {

const llvm::DILocation* place_of(const llvm::Instruction& end) {
    for (const llvm::Instruction* i = &end; i; i = i->getPrevNode())
        if (i->getDebugLoc() && i->getDebugLoc().getLine() != 0) return i->getDebugLoc().get();
    return nullptr;
}

} // namespace

// Slots of all blocks, before any code is made: branches count by the lanes of their targets.
void Widener::plan_counters() {
    if (!sites_) return;
    Value* field =
        b.CreateConstGEP1_64(b.getInt8Ty(), wide_.getArg(0), offsetof(ThreadContext, counters));
    auto* load = b.CreateLoad(b.getPtrTy(), field, "counters");
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    counters_ = load;
    const auto places = CounterSites::places(scalar_);
    for (unsigned k = 0; k < frontier_.size(); ++k) {
        BlockCounts& n = block_counts_.emplace_back();
        n.is_counted = !frontier_.only_ends(k);
        if (!n.is_counted) continue;
        for (const llvm::Instruction& i : *frontier_.block(k)) {
            const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
            if (!call || !call->getCalledFunction() ||
                call->getCalledFunction()->getName() != kCount)
                continue;
            n.has_accesses = true;
            const auto size = constant_of(*call, 2);
            if (constant_of(*call, 1) == static_cast<std::uint32_t>(CountedSpace::global) &&
                !n.ideal.count(size))
                n.ideal[size] = sites_->slot();
        }
        n.part = sites_->slot();
        if (k == 0) { // the loop over warps counts for it
            n.runs = {{kWarpsSlot, 1}};
            n.lanes = {{kLanesSlot, 1}};
            n.whole = {{kWarpsSlot, 1}, {n.part, -1}};
        } else {
            const std::uint32_t whole = sites_->slot();
            n.part_lanes = sites_->slot();
            n.runs = {{whole, 1}, {n.part, 1}};
            n.lanes = {{whole, width_}, {n.part_lanes, 1}};
            n.whole = {{whole, 1}};
        }
        for (const CounterSites::Work& work : CounterSites::work(*frontier_.block(k)))
            sites_->add(work, n.runs, n.lanes);
        const auto lines = places.find(frontier_.block(k));
        if (lines == places.end()) continue;
        for (const llvm::DILocation* line : lines->second) {
            sites_->add(line, Counter::executions, n.runs);
            sites_->add(line, Counter::lanes, n.lanes);
        }
    }
}

std::uint32_t Widener::constant_of(const llvm::CallBase& call, unsigned argument) {
    return static_cast<std::uint32_t>(
        llvm::cast<llvm::ConstantInt>(call.getArgOperand(argument))->getZExtValue());
}

Value* Widener::counter(std::uint32_t slot) {
    return b.CreateConstGEP1_64(b.getInt64Ty(), counters_, slot);
}

void Widener::bump(std::uint32_t slot, Value* by) {
    Value* place = counter(slot);
    by = b.CreateZExtOrTrunc(by, b.getInt64Ty());
    auto* before = b.CreateLoad(b.getInt64Ty(), place);
    auto* after = b.CreateStore(b.CreateAdd(before, by), place);
    counting_code_.insert(before);
    counting_code_.insert(after);
}

Value* Widener::count_of(Value* mask) {
    return b.CreateZExt(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask), b.getInt64Ty());
}

// Code for all lanes, and for some.
void Widener::count_by_mask(llvm::function_ref<void()> all, llvm::function_ref<void()> some) {
    if (llvm::isa<llvm::Constant>(mask_)) return all();
    if (lanes_ == Lanes::some) return some();
    usually(
        is_full(mask_),
        [&]() -> Value* {
            all();
            return nullptr;
        },
        [&]() -> Value* {
            some();
            return nullptr;
        });
}

void Widener::count_where(Value* condition, llvm::function_ref<void()> rare) {
    llvm::BasicBlock *cold = block("count"), *go_on = block("counted");
    b.CreateCondBr(condition, cold, go_on,
                   llvm::MDBuilder{b.getContext()}.createBranchWeights(1, 1000));
    b.SetInsertPoint(cold);
    rare();
    b.CreateBr(go_on);
    b.SetInsertPoint(go_on);
}

void Widener::count_block() {
    if (!sites_) return;
    const BlockCounts& n = block_counts_[current_];
    const bool is_entry = current_ == 0;
    if (!n.is_counted || (is_entry && !n.has_accesses)) return;
    count_by_mask(
        [&] {
            if (!is_entry) bump(n.whole.front().first, b.getInt64(1));
        },
        [&] {
            bump(n.part, b.getInt64(1));
            Value* lanes = count_of(mask_);
            if (!is_entry) bump(n.part_lanes, lanes);
            for (const auto& [size, slot] : n.ideal) {
                Value* bytes = b.CreateMul(lanes, b.getInt64(size));
                bump(slot, b.CreateLShr(b.CreateAdd(bytes, b.getInt64(kSectorBytes - 1)), 5));
            }
        });
}

// Warps that are run by other code count there.
void Widener::count_left(Value* lanes) {
    if (!sites_) return;
    bump(kWarpsSlot, b.getInt64(~0ull));
    bump(kLanesSlot, b.CreateSub(b.getInt64(0), b.CreateZExt(lanes, b.getInt64Ty())));
}

// What a conditional end counts; for uniform ends the slot that gets the lanes which go to its
// first target, 0 for none.
std::uint32_t Widener::count_branch(const llvm::Instruction& end,
                                    const std::vector<std::pair<unsigned, Value*>>* lanes) {
    if (!sites_ || frontier_.successors(current_).size() < 2) return 0;
    const BlockCounts& n = block_counts_[current_];
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end);
    const unsigned first = frontier_.index(end.getSuccessor(0)); // of a switch: the default
    const auto [site, is_new] = count_sites_.try_emplace(&end, 0);
    const llvm::DILocation* line = place_of(end);
    const auto [in, out] = branch ? std::pair{Counter::taken_lanes, Counter::not_taken_lanes}
                                  : std::pair{Counter::not_taken_lanes, Counter::taken_lanes};
    const auto split = [&, in = in, out = out](const SlotSum& to_first, bool swapped) {
        sites_->add(line, swapped ? out : in, to_first);
        sites_->add(line, swapped ? in : out, n.lanes);
        sites_->add(line, swapped ? in : out, to_first, -1);
    };
    const auto has_own_count = [&](unsigned k) {
        return block_counts_[k].is_counted && !frontier_.is_wait_loop(k) &&
               frontier_.block(k)->getUniquePredecessor();
    };
    const bool by_first = has_own_count(first);
    const unsigned second = branch ? frontier_.index(end.getSuccessor(1)) : first;
    const bool by_second = !by_first && branch && has_own_count(second);
    if (is_new) {
        const std::uint32_t base = sites_->slot();
        site->second = base;
        if (!by_first && !by_second) sites_->slot();
        sites_->add(line, Counter::branches, n.runs);
        sites_->add(line, Counter::divergent_branches, {{base, 1}});
        if (by_first) split(block_counts_[first].lanes, false);
        else if (by_second) split(block_counts_[second].lanes, true);
        else split({{base + 1, 1}}, false);
    }
    const std::uint32_t slot = site->second;
    const std::uint32_t explicit_slot = by_first || by_second ? 0 : slot + 1;
    if (!lanes) return explicit_slot;
    Value* zero = llvm::ConstantInt::get(mask_type_, 0);
    Value* parts = b.getFalse();
    if (lanes->size() == 2) {
        parts = b.CreateAnd(b.CreateICmpNE((*lanes)[0].second, zero),
                            b.CreateICmpNE((*lanes)[1].second, zero));
    } else {
        for (const auto& [to, some] : *lanes)
            parts = b.CreateOr(
                parts, b.CreateAnd(b.CreateICmpNE(some, zero), b.CreateICmpNE(some, mask_)));
    }
    count_where(parts, [&] { bump(slot, b.getInt64(1)); });
    for (const auto& [to, some] : *lanes)
        if (explicit_slot && to == first) bump(explicit_slot, count_of(some));
    return 0;
}

// The time at which a warp comes to a barrier is that at which the next one goes on.
Value* Widener::count_arrival() {
    if (!sites_) return nullptr;
    Value* now = b.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}, {});
    b.CreateStore(now, counter(kClockSlot));
    return now;
}

void Widener::count_wait(const llvm::CallBase& i, Value* arrival) {
    if (!sites_) return;
    const auto [site, is_new] = count_sites_.try_emplace(&i, 0);
    if (is_new) {
        site->second = sites_->slot();
        sites_->add(i.getDebugLoc().get(), Counter::barriers, block_counts_[current_].runs);
        sites_->add(i.getDebugLoc().get(), Counter::barrier_ticks, {{site->second, 1}});
    }
    Value* now = b.CreateLoad(b.getInt64Ty(), counter(kClockSlot));
    bump(site->second, b.CreateSub(now, arrival));
}

// The slots are no memory of the kernel: what it loads need not be loaded again.
void Widener::separate_counters() {
    if (!sites_) return;
    llvm::MDBuilder make{b.getContext()};
    llvm::MDNode* domain = make.createAnonymousAliasScopeDomain("counters");
    llvm::MDNode* scope =
        llvm::MDNode::get(b.getContext(), {make.createAnonymousAliasScope(domain, "slots")});
    for (llvm::BasicBlock& block : wide_) {
        for (llvm::Instruction& i : block) {
            if (counting_code_.contains(&i))
                i.setMetadata(llvm::LLVMContext::MD_alias_scope, scope);
            else if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(i))
                i.setMetadata(llvm::LLVMContext::MD_noalias, scope);
        }
    }
}

} // namespace lathe::soft::jit::warp
