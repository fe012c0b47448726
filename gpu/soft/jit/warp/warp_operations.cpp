// SPDX-License-Identifier: MIT
// Shuffles, votes, matches and reductions over the lanes of one vector, and barriers of the block.
// Where lanes come one by one, waits.cpp has taken the operation apart, and the run time joins
// them. The lanes of a member mask that do not run here have ended or are not expected (PTX leaves
// it open what they would bring).
#include "gpu/soft/jit/warp/products.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

namespace lathe::soft::jit::warp {

namespace {

/// Where a lane of shfl.sync reads (PTX ISA): the segment mask selects the sub-warp, the clamp its
/// last lane.
struct Source {
    unsigned lane;
    bool in_range;
};

Source shuffle_source(unsigned lane, std::uint64_t mode, std::uint64_t by, std::uint64_t c) {
    const auto segment = static_cast<unsigned>(c >> 8) & 31, clamp = static_cast<unsigned>(c) & 31;
    const auto distance = static_cast<unsigned>(by) & 31;
    const unsigned first = lane & segment, last = first | (clamp & ~segment);
    const unsigned from = mode == 0   ? lane - distance
                          : mode == 1 ? lane + distance
                          : mode == 2 ? lane ^ distance
                                      : first | (distance & ~segment);
    const bool ok = mode == 0 ? static_cast<int>(from) >= static_cast<int>(last) : from <= last;
    return {ok ? from : lane, ok};
}

const llvm::ConstantInt* constant(const Value* value) {
    return llvm::dyn_cast<llvm::ConstantInt>(value);
}

} // namespace

void Widener::check_members(const Value* members) {
    Value* bad = nullptr;
    if (shapes_.is_uniform(members)) {
        bad = b.CreateAnd(mask_, b.CreateNot(scalar(members)));
    } else {
        Value* own = b.CreateShl(splat(b.getInt32(1)), lane_numbers(b.getInt32Ty()));
        Value* in = b.CreateICmpNE(b.CreateAnd(vector(members), own), splat(b.getInt32(0)));
        bad = b.CreateAnd(mask_, b.CreateNot(mask_bits(in)));
    }
    llvm::BasicBlock *stop = block("not_member"), *go_on = block("members");
    auto* weights = llvm::MDBuilder{b.getContext()}.createBranchWeights(1, 10000);
    b.CreateCondBr(b.CreateICmpNE(bad, b.getInt32(0)), stop, go_on, weights);
    b.SetInsertPoint(stop);
    Value* lane_number = first_lane(bad);
    set_place(lane_number);
    Value* mask = shapes_.is_uniform(members)
                      ? scalar(members)
                      : b.CreateExtractElement(vector(members), lane_number);
    call_runtime("lathe_rt_warp_not_member", b.getVoidTy(), {mask})->setDoesNotReturn();
    b.CreateUnreachable();
    b.SetInsertPoint(go_on);
}

void Widener::emit_shuffle(const llvm::CallBase& i) {
    const Value *members = i.getArgOperand(0), *value = i.getArgOperand(2);
    const llvm::ConstantInt *mode = constant(i.getArgOperand(1)),
                            *by = constant(i.getArgOperand(3)), *c = constant(i.getArgOperand(4));
    check_members(members);
    auto* i32 = b.getInt32Ty();
    auto* bit = b.getInt1Ty();
    Value *sources = nullptr, *in_range = nullptr;
    std::vector<int> fixed;
    if (by && c) {
        std::vector<llvm::Constant*> lanes, ranges;
        for (unsigned k = 0; k < width_; ++k) {
            const Source s =
                shuffle_source(k, mode->getZExtValue(), by->getZExtValue(), c->getZExtValue());
            fixed.push_back(static_cast<int>(s.lane));
            lanes.push_back(b.getInt32(s.lane));
            ranges.push_back(b.getInt1(s.in_range));
        }
        sources = llvm::ConstantVector::get(lanes);
        in_range = llvm::ConstantVector::get(ranges);
    } else {
        const auto number = [&](std::uint32_t n) { return splat(b.getInt32(n)); };
        Value* own = lane_numbers(i32);
        Value* all = vector(i.getArgOperand(4));
        Value* segment = b.CreateAnd(b.CreateLShr(all, number(8)), number(31));
        Value* outside = b.CreateNot(segment);
        Value* first = b.CreateAnd(own, segment);
        Value* last = b.CreateOr(first, b.CreateAnd(b.CreateAnd(all, number(31)), outside));
        Value* distance = b.CreateAnd(vector(i.getArgOperand(3)), number(31));
        const std::uint64_t how = mode->getZExtValue();
        Value* from = how == 0   ? b.CreateSub(own, distance)
                      : how == 1 ? b.CreateAdd(own, distance)
                      : how == 2 ? b.CreateXor(own, distance)
                                 : b.CreateOr(first, b.CreateAnd(distance, outside));
        in_range = how == 0 ? b.CreateICmpSGE(from, last) : b.CreateICmpULE(from, last);
        sources = b.CreateSelect(in_range, from, own);
    }
    const auto lane_by_lane = [&] {
        llvm::AllocaInst* array = results(i32);
        const Spilled from = spill_vector(sources), values = spill(value), of = spill(members);
        for_each_lane(mask_, [&](Value* index) {
            // A source that is not there has no defined value: the lane keeps its own.
            Value* source = lane(from, index);
            Value* there = b.CreateLShr(b.CreateAnd(lane(of, index), mask_), source);
            source = b.CreateSelect(b.CreateTrunc(there, bit), source, index);
            put(array, index, lane(values, source));
        });
        return collect(array, i32);
    };
    if (fixed.empty() || !shapes_.is_uniform(members)) {
        parts_[&i] = {lane_by_lane(), in_range};
        return;
    }
    Value* all = vector(value);
    Value* result = usually(
        is_full(b.CreateAnd(mask_, scalar(members))),
        [&] { return b.CreateShuffleVector(all, fixed); }, lane_by_lane);
    parts_[&i] = {result, in_range};
}

// (value, table): a shuffle that all lanes come to together, by constants
void Widener::emit_permute(const llvm::CallBase& i) {
    const llvm::Constant* table =
        llvm::cast<llvm::GlobalVariable>(i.getArgOperand(1))->getInitializer();
    std::vector<int> lanes;
    for (unsigned k = 0; k < width_; ++k) {
        const auto* from = llvm::cast<llvm::ConstantInt>(table->getAggregateElement(k));
        lanes.push_back(static_cast<int>(from->getZExtValue()));
    }
    set(i, b.CreateShuffleVector(vector(i.getArgOperand(0)), lanes));
}

// The lanes that are off bring what nobody looks at.
void Widener::emit_product(const llvm::CallBase& i) {
    llvm::Function* product = product_of_warp(*i.getCalledFunction(), wide_);
    std::vector<Value*> arguments;
    for (unsigned k = 0; k + 1 < i.arg_size(); ++k) arguments.push_back(vector(i.getArgOperand(k)));
    Value* all = b.CreateCall(product, arguments);
    std::vector<Value*>& parts = parts_[&i];
    for (unsigned k = 0; k < i.getType()->getStructNumElements(); ++k)
        parts.push_back(b.CreateExtractValue(all, k));
}

// (context, mask, predicate as a word)
void Widener::emit_ballot(const llvm::CallBase& i) {
    const Value *members = i.getArgOperand(1), *predicate = i.getArgOperand(2);
    check_members(members);
    Value* votes = mask_bits(b.CreateICmpNE(vector(predicate), splat(b.getInt32(0))));
    votes = b.CreateAnd(votes, mask_);
    if (shapes_.is_uniform(members)) {
        set(i, b.CreateAnd(votes, scalar(members)));
    } else {
        set(i, b.CreateAnd(splat(votes), vector(members)));
    }
}

// match.any (context, mask, value, ...), and the mark of match.all (mask, value)
void Widener::emit_match(const llvm::CallBase& i, bool all) {
    const unsigned first = all ? 0 : 1;
    const Value *members = i.getArgOperand(first), *value = i.getArgOperand(first + 1);
    check_members(members);
    Value* every = vector(value);
    const Spilled values = spill(value), of = spill(members);
    llvm::AllocaInst *lanes = results(b.getInt32Ty()), *equal = results(b.getInt1Ty());
    for_each_lane(mask_, [&](Value* index) {
        Value* mine = b.CreateAnd(lane(of, index), mask_);
        Value* same = mask_bits(b.CreateICmpEQ(every, splat(lane(values, index))));
        same = b.CreateAnd(same, mine);
        Value* whole = b.CreateICmpEQ(same, mine);
        put(lanes, index, all ? b.CreateSelect(whole, same, b.getInt32(0)) : same);
        put(equal, index, whole);
    });
    if (all) parts_[&i] = {collect(lanes, b.getInt32Ty()), collect(equal, b.getInt1Ty())};
    else set(i, collect(lanes, b.getInt32Ty()));
}

Value* Widener::reduce(Value* members, std::uint32_t operation, bool is_signed, Value* values) {
    const std::uint32_t neutral[] = {
        0, is_signed ? 0x7fffffffu : ~0u, is_signed ? 0x80000000u : 0u, ~0u, 0, 0};
    Value* those =
        b.CreateSelect(mask_vector(members), values, splat(b.getInt32(neutral[operation])));
    switch (operation) {
    case 0: return b.CreateAddReduce(those);
    case 1: return b.CreateIntMinReduce(those, is_signed);
    case 2: return b.CreateIntMaxReduce(those, is_signed);
    case 3: return b.CreateAndReduce(those);
    case 4: return b.CreateOrReduce(those);
    default: return b.CreateXorReduce(those);
    }
}

// (context, mask, operation, is signed, value)
void Widener::emit_reduce(const llvm::CallBase& i) {
    const Value* members = i.getArgOperand(1);
    const auto* operation = constant(i.getArgOperand(2));
    const auto* is_signed = constant(i.getArgOperand(3));
    if (!operation || !is_signed || operation->getZExtValue() > 5)
        throw Unsupported{"redux of an unknown kind"};
    check_members(members);
    Value* values = vector(i.getArgOperand(4));
    const auto of = [&](Value* lanes) {
        return reduce(b.CreateAnd(lanes, mask_),
                      static_cast<std::uint32_t>(operation->getZExtValue()), !is_signed->isZero(),
                      values);
    };
    if (shapes_.is_uniform(members)) return set(i, of(scalar(members)));
    const Spilled all = spill(members);
    llvm::AllocaInst* array = results(b.getInt32Ty());
    for_each_lane(mask_, [&](Value* index) { put(array, index, of(lane(all, index))); });
    set(i, collect(array, b.getInt32Ty()));
}

// barrier_sync, barrier_arrive (context, id, threads), barrier_red (..., operation, predicate).
void Widener::emit_barrier(const llvm::CallBase& i) {
    const auto word = [&](unsigned k) {
        const Value* argument = i.getArgOperand(k);
        return shape(argument).is_affine()
                   ? scalar(argument)
                   : b.CreateExtractElement(scalar(argument), first_lane(mask_));
    };
    const auto lanes = [&](Value* mask) { return b.CreateZExt(mask, b.getInt32Ty()); };
    const bool reduces = i.arg_size() > 3;
    const bool arrives = i.getCalledFunction()->getName().ends_with("arrive");
    Value* kind = b.getInt32(arrives ? 1 : 0);
    Value* votes = b.getInt32(0);
    if (reduces) {
        kind = b.CreateAdd(word(3), b.getInt32(2));
        Value* set = b.CreateICmpNE(vector(i.getArgOperand(4)), splat(b.getInt32(0)));
        votes = lanes(b.CreateAnd(mask_bits(set), mask_));
    }
    Value* arrival = count_arrival();
    if (frontier_.is_barrier(current_) || arrives) {
        // Other lanes may be at other barriers, or behind one that has not opened yet.
        Value* others = lanes_at([&](unsigned k) {
            return arrives ? !frontier_.only_ends(k) : frontier_.is_barrier(k);
        });
        Value* alive = b.CreateOr(mask_, others);
        for (const auto& [k, held] : held_)
            alive = b.CreateOr(alive, b.CreateLoad(mask_type_, held));
        if (!arrives) others_to_come_ = others;
        call_runtime("lathe_rt_warp_barrier_part", b.getVoidTy(),
                     {word(1), word(2), kind, lanes(mask_), votes, lanes(alive), lanes(others)});
        count_wait(i, arrival);
        return;
    }
    Value* result = call_runtime("lathe_rt_warp_barrier", b.getInt32Ty(),
                                 {word(1), word(2), kind, lanes(mask_), votes});
    count_wait(i, arrival);
    if (reduces) set(i, result);
}

// --- operations that lanes come to one by one ----------------------------------------------------

// (mask) -> i1: no lane of the masks is elsewhere.
void Widener::emit_together(const llvm::CallBase& i) {
    const Value* members = i.getArgOperand(0);
    Value* wanted = nullptr;
    if (shapes_.is_uniform(members)) {
        wanted = scalar(members);
    } else {
        wanted = b.CreateOrReduce(
            b.CreateSelect(mask_vector(mask_), vector(members), splat(b.getInt32(0))));
    }
    Value* elsewhere = lanes_at([&](unsigned k) { return !frontier_.only_ends(k); });
    for (const auto& [k, held] : held_)
        elsewhere = b.CreateOr(elsewhere, b.CreateLoad(mask_type_, held));
    set(i, b.CreateICmpEQ(b.CreateAnd(wanted, elsewhere), b.getInt32(0)));
}

llvm::AllocaInst* Widener::meeting() {
    if (!meeting_) {
        meeting_ = stack(llvm::ArrayType::get(b.getInt8Ty(), sizeof(WarpMeeting)), "meeting");
        meeting_->setAlignment(llvm::Align{alignof(WarpMeeting)});
        llvm::IRBuilder<>{alloca_point_}.CreateMemSet(meeting_, b.getInt8(0), sizeof(WarpMeeting),
                                                      meeting_->getAlign());
    }
    return meeting_;
}

// (mask, operation, operand, operand)
void Widener::emit_bring(const llvm::CallBase& i) {
    const Spilled members = spill(i.getArgOperand(0)), first = spill(i.getArgOperand(2)),
                  second = spill(i.getArgOperand(3));
    Value* place = meeting();
    for_each_lane(mask_, [&](Value* index) {
        set_place(index);
        call_runtime("lathe_rt_warp_bring", b.getVoidTy(),
                     {place, index, lane(members, index), i.getArgOperand(1), lane(first, index),
                      lane(second, index)});
    });
    set_place(b.getInt32(0));
}

// () -> i1. Where all other lanes wait as well, nothing can complete the operation any more.
void Widener::emit_met(const llvm::CallBase& i) {
    const auto is_met = [&](unsigned k) {
        return frontier_.is_wait_loop(k) && frontier_.patience(k) == 1;
    };
    Value* alive = lanes_at([&](unsigned k) { return !frontier_.only_ends(k); });
    for (const auto& [k, held] : held_) alive = b.CreateOr(alive, b.CreateLoad(mask_type_, held));
    Value* busy = lanes_at([&](unsigned k) {
        return !frontier_.only_ends(k) && !frontier_.is_barrier(k) && !is_met(k);
    });
    Value* ready = call_runtime("lathe_rt_warp_meet", b.getInt32Ty(),
                                {meeting(), mask_, b.CreateOr(alive, mask_), busy});
    set(i, mask_vector(ready));
}

// (which of two) -> i32
void Widener::emit_result(const llvm::CallBase& i) {
    llvm::AllocaInst* array = results(b.getInt32Ty());
    const auto* which = llvm::cast<llvm::ConstantInt>(i.getArgOperand(0));
    Value* first =
        b.CreateConstGEP1_64(b.getInt8Ty(), meeting(),
                             offsetof(WarpMeeting, lanes) + offsetof(WarpMeeting::Lane, result) +
                                 4 * which->getZExtValue());
    for_each_lane(mask_, [&](Value* index) {
        Value* offset =
            b.CreateMul(b.CreateZExt(index, b.getInt64Ty()), b.getInt64(sizeof(WarpMeeting::Lane)));
        Value* place = b.CreateGEP(b.getInt8Ty(), first, offset);
        put(array, index, b.CreateLoad(b.getInt32Ty(), place));
    });
    set(i, collect(array, b.getInt32Ty()));
}

} // namespace lathe::soft::jit::warp
