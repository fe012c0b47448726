// SPDX-License-Identifier: MIT
// Loads and stores. One address for all lanes: a scalar access. Addresses of a row of elements,
// known as such or found so when running: one vector access. Of records: record_access.cpp. Else a
// gather or scatter, or a lane loop where the processor has none.
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/IR/MDBuilder.h>

namespace lathe::soft::jit::warp {

namespace {
constexpr unsigned kRegisterBytes = 32; // of AVX2
} // namespace

void Widener::emit_alloca(const llvm::AllocaInst& i) {
    const Shape s = shape(&i);
    if (!s.is_affine()) throw Unsupported{"stack memory of a size known late"};
    // One after another: lane k's variable lies at k times the stride.
    const auto bytes = static_cast<std::uint64_t>(s.stride) * width_;
    llvm::AllocaInst* all = stack(llvm::ArrayType::get(b.getInt8Ty(), bytes), "local");
    all->setAlignment(i.getAlign());
    set(i, all);
}

void Widener::emit_load(const llvm::LoadInst& i) {
    llvm::Type* type = i.getType();
    if (type->isVectorTy() || type->isAggregateType()) throw Unsupported{"load of packed values"};
    const Shape from = shape(i.getPointerOperand());
    if (from.is_uniform()) return emit_uniform(i);
    if (shape(&i).is_strips()) return emit_by_strip(i);
    if (!i.isSimple()) return emit_by_lane(i);
    if (emit_in_record(i)) return;
    const std::uint64_t bytes = layout_.getTypeStoreSize(type);
    if (from.is_linear() && from.stride == static_cast<std::int64_t>(bytes)) {
        set(i, load_row(i, firsts(i.getPointerOperand()), mask_));
        return;
    }
    if (from.hopeful && has_linear_index(i.getPointerOperand(), bytes)) {
        const Row row = find_row(i.getPointerOperand(), bytes);
        set(i, usually(
                   row.found, [&] { return load_row(i, row.firsts, mask_); },
                   [&] { return load_by_index(i); }));
        return;
    }
    if (!from.hopeful || is_no_row(i.getPointerOperand(), bytes)) {
        set(i, load_gather(i, mask_));
        return;
    }
    const Row row = find_row(i.getPointerOperand(), bytes);
    set(i, usually(
               row.found, [&] { return load_row(i, row.firsts, mask_); },
               [&] { return load_gather(i, mask_); }));
}

Value* Widener::usually(Value* condition, llvm::function_ref<Value*()> usual,
                        llvm::function_ref<Value*()> rare) {
    const auto one = [](Value* x) { return x ? Values{x} : Values{}; };
    const Values result =
        usually(condition, [&] { return one(usual()); }, [&] { return one(rare()); });
    return result.empty() ? nullptr : result.front();
}

Widener::Values Widener::usually(Value* condition, llvm::function_ref<Values()> usual,
                                 llvm::function_ref<Values()> rare) {
    llvm::BasicBlock *first = block("usual"), *second = block("rare"), *done = block("done");
    b.CreateCondBr(condition, first, second,
                   llvm::MDBuilder{b.getContext()}.createBranchWeights(100, 1));
    b.SetInsertPoint(first);
    const Values x = usual();
    llvm::BasicBlock* end_of_first = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(second);
    const Values y = rare();
    llvm::BasicBlock* end_of_second = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(done);
    Values results;
    for (std::size_t k = 0; k < x.size(); ++k) {
        auto* result = b.CreatePHI(x[k]->getType(), 2);
        result->addIncoming(x[k], end_of_first);
        result->addIncoming(y[k], end_of_second);
        results.push_back(result);
    }
    return results;
}

Value* Widener::load_rows(const llvm::LoadInst& i, const Firsts& firsts) {
    const auto lanes = static_cast<unsigned>(width_ / firsts.size());
    auto* type = llvm::FixedVectorType::get(i.getType(), lanes);
    prefetch_rows(i, firsts);
    std::vector<Value*> parts;
    for (std::size_t k = 0; k < firsts.size(); ++k) {
        if (is_same(firsts, k)) {
            parts.push_back(parts.back());
            continue;
        }
        auto* x = b.CreateAlignedLoad(type, firsts[k], i.getAlign());
        if (i.hasMetadata(llvm::LLVMContext::MD_invariant_load))
            x->setMetadata(llvm::LLVMContext::MD_invariant_load,
                           llvm::MDNode::get(b.getContext(), {}));
        parts.push_back(x);
    }
    return concatenate(parts);
}

Value* Widener::load_row(const llvm::LoadInst& i, const Firsts& firsts, Value* mask) {
    prefetch_row_of_blocks(i, firsts);
    if (lanes_ == Lanes::some) return load_part_of_row(i, firsts, mask);
    if (llvm::isa<llvm::Constant>(mask)) return load_rows(i, firsts);
    return usually(
        is_full(mask), [&] { return load_rows(i, firsts); },
        [&] { return load_part_of_row(i, firsts, mask); });
}

Value* Widener::load_part_of_row(const llvm::LoadInst& i, const Firsts& firsts, Value* mask) {
    const auto lanes = static_cast<unsigned>(width_ / firsts.size());
    llvm::Type* type = llvm::FixedVectorType::get(i.getType(), lanes);
    if (target_.isLegalMaskedLoad(type, i.getAlign())) {
        std::vector<Value*> parts;
        for (unsigned k = 0; k < firsts.size(); ++k) {
            Value* some = firsts.size() > 1 ? mask_of_strip(mask, k) : mask;
            parts.push_back(
                b.CreateMaskedLoad(type, firsts[k], i.getAlign(), mask_vector_of(some, lanes)));
        }
        return concatenate(parts);
    }
    llvm::AllocaInst* array = results(i.getType());
    const Spilled place = spill(i.getPointerOperand());
    for_each_lane(mask, [&](Value* index) {
        put(array, index, b.CreateAlignedLoad(i.getType(), lane(place, index), i.getAlign()));
    });
    return collect(array, i.getType());
}

bool Widener::can_gather(llvm::Type* type, llvm::Align align) const {
    auto* all = llvm::FixedVectorType::get(type, width_);
    return target_.isLegalMaskedGather(all, align) &&
           !target_.forceScalarizeMaskedGather(all, align);
}

// Where lanes are mostly a row, but not this time, a gather's vectors of addresses are not worth
// their registers: AVX2 has half as many as AVX-512.
bool Widener::may_gather(const llvm::LoadInst& i) const {
    return has_mask_registers_ || !shape(i.getPointerOperand()).hopeful;
}

Value* Widener::load_gather(const llvm::LoadInst& i, Value* mask) {
    llvm::Type* type = vector_type(i.getType());
    if (may_gather(i) && can_gather(i.getType(), i.getAlign())) {
        return b.CreateMaskedGather(type, vector(i.getPointerOperand()), i.getAlign(),
                                    mask_vector(mask));
    }
    llvm::AllocaInst* array = results(i.getType());
    const Spilled place = spill(i.getPointerOperand());
    for_each_lane(mask, [&](Value* index) {
        put(array, index, b.CreateAlignedLoad(i.getType(), lane(place, index), i.getAlign()));
    });
    return collect(array, i.getType());
}

void Widener::emit_store(const llvm::StoreInst& i) {
    llvm::Type* type = i.getValueOperand()->getType();
    if (type->isVectorTy() || type->isAggregateType()) throw Unsupported{"store of packed values"};
    const Shape to = shape(i.getPointerOperand());
    if (to.is_uniform()) {
        // Of all lanes that write to one place, one must win: the last, as in the scalar mode.
        Value* last = b.CreateSub(
            b.getInt32(width_ - 1),
            b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mask_, b.getTrue()),
                                b.getInt32Ty()));
        const Shape from = shape(i.getValueOperand());
        Value* value = from.is_affine() ? lane({from, type, scalar(i.getValueOperand())}, last)
                                        : b.CreateExtractElement(scalar(i.getValueOperand()), last);
        llvm::Instruction* copy = i.clone();
        copy->setOperand(0, value);
        copy->setOperand(1, scalar(i.getPointerOperand()));
        b.Insert(copy);
        return;
    }
    if (!i.isSimple()) return emit_by_lane(i);
    if (emit_in_record(i)) return;
    const std::uint64_t bytes = layout_.getTypeStoreSize(type);
    if (to.is_even()) return store_by_strip(i);
    if (to.is_linear() && to.stride == static_cast<std::int64_t>(bytes)) {
        store_row(i, firsts(i.getPointerOperand()), mask_);
        return;
    }
    if (to.hopeful && has_linear_index(i.getPointerOperand(), bytes)) {
        const Row row = find_row(i.getPointerOperand(), bytes);
        usually(
            row.found,
            [&]() -> Value* {
                store_row(i, row.firsts, mask_);
                return nullptr;
            },
            [&]() -> Value* {
                store_by_index(i);
                return nullptr;
            });
        return;
    }
    if (!to.hopeful || is_no_row(i.getPointerOperand(), bytes)) {
        store_scatter(i, mask_);
        return;
    }
    const Row row = find_row(i.getPointerOperand(), bytes);
    usually(
        row.found,
        [&]() -> Value* {
            store_row(i, row.firsts, mask_);
            return nullptr;
        },
        [&]() -> Value* {
            store_scatter(i, mask_);
            return nullptr;
        });
}

void Widener::store_rows(const llvm::StoreInst& i, const Firsts& firsts, Value* value) {
    for (unsigned k = 0; k < firsts.size(); ++k)
        b.CreateAlignedStore(firsts.size() > 1 ? part_of(value, k) : value, firsts[k],
                             i.getAlign());
}

void Widener::store_row(const llvm::StoreInst& i, const Firsts& firsts, Value* mask) {
    prefetch_row_of_blocks(i, firsts);
    if (lanes_ == Lanes::some) return store_part_of_row(i, firsts, mask);
    Value* value = vector(i.getValueOperand());
    if (llvm::isa<llvm::Constant>(mask)) return store_rows(i, firsts, value);
    usually(
        is_full(mask),
        [&]() -> Value* {
            store_rows(i, firsts, value);
            return nullptr;
        },
        [&]() -> Value* {
            store_part_of_row(i, firsts, mask);
            return nullptr;
        });
}

void Widener::store_part_of_row(const llvm::StoreInst& i, const Firsts& firsts, Value* mask) {
    const auto lanes = static_cast<unsigned>(width_ / firsts.size());
    llvm::Type* part = llvm::FixedVectorType::get(i.getValueOperand()->getType(), lanes);
    if (!has_mask_registers_ || !target_.isLegalMaskedStore(part, i.getAlign()))
        return store_by_registers(i, firsts, mask);
    Value* value = vector(i.getValueOperand());
    for (unsigned k = 0; k < firsts.size(); ++k) {
        const bool whole = firsts.size() == 1;
        Value* some = mask_vector_of(whole ? mask : mask_of_strip(mask, k), lanes);
        b.CreateMaskedStore(whole ? value : part_of(value, k), firsts[k], i.getAlign(), some);
    }
}

// Registers whose lanes all run are stored whole, others lane by lane: masked stores without
// registers for masks are slower than that. A row has mostly one register that is stored in part.
void Widener::store_by_registers(const llvm::StoreInst& i, const Firsts& firsts, Value* mask) {
    llvm::Type* type = i.getValueOperand()->getType();
    const auto bytes = static_cast<unsigned>(layout_.getTypeStoreSize(type));
    const auto lanes = static_cast<unsigned>(width_ / firsts.size());
    const unsigned piece = std::min(lanes, std::max(kRegisterBytes / bytes, 1u));
    auto* piece_type = llvm::FixedVectorType::get(type, piece);
    llvm::AllocaInst* values = stack(vector_type(type), "lanes");
    b.CreateStore(vector(i.getValueOperand()), values);
    for (unsigned r = 0; r < firsts.size(); ++r) {
        const auto place = [&](Value* lane) { return b.CreateGEP(type, firsts[r], lane); };
        const auto value = [&](Value* lane) {
            return b.CreateGEP(type, values, b.CreateAdd(lane, b.getInt32(r * lanes)));
        };
        llvm::BasicBlock* before = b.GetInsertBlock();
        llvm::BasicBlock *pieces = block("piece"), *whole = block("whole"), *part = block("part"),
                         *some = block("some"), *next = block("next"), *done = block("stored");
        b.CreateBr(pieces);
        b.SetInsertPoint(pieces);
        auto* first = b.CreatePHI(b.getInt32Ty(), 2);
        first->addIncoming(b.getInt32(0), before);
        Value* shift = b.CreateAdd(first, b.getInt32(r * lanes));
        Value* all = llvm::ConstantInt::get(mask_type_, (std::uint64_t{1} << piece) - 1);
        Value* run = b.CreateAnd(b.CreateLShr(mask, b.CreateZExtOrTrunc(shift, mask_type_)), all);
        b.CreateCondBr(b.CreateICmpEQ(run, all), whole, part);
        b.SetInsertPoint(whole);
        b.CreateAlignedStore(b.CreateAlignedLoad(piece_type, value(first), llvm::Align{bytes}),
                             place(first), i.getAlign());
        b.CreateBr(next);
        b.SetInsertPoint(part);
        b.CreateCondBr(b.CreateIsNull(run), next, some);
        b.SetInsertPoint(some);
        for_each_lane(run, [&](Value* number) {
            Value* lane = b.CreateAdd(first, number);
            b.CreateAlignedStore(b.CreateAlignedLoad(type, value(lane), llvm::Align{bytes}),
                                 place(lane), i.getAlign());
        });
        b.CreateBr(next);
        b.SetInsertPoint(next);
        Value* following = b.CreateAdd(first, b.getInt32(piece));
        first->addIncoming(following, next);
        b.CreateCondBr(b.CreateICmpEQ(following, b.getInt32(lanes)), done, pieces);
        b.SetInsertPoint(done);
    }
}

// Of the lanes of a strip the last one wins, of strips the last one.
void Widener::store_by_strip(const llvm::StoreInst& i) {
    const Value* from = i.getValueOperand();
    const bool whole = llvm::isa<llvm::Constant>(mask_);
    for (unsigned r = 0; r < options_.strips(); ++r) {
        Value* last = b.getInt32(options_.strip - 1);
        llvm::BasicBlock *runs = nullptr, *go_on = nullptr;
        if (!whole) {
            Value* some = mask_of_strip(mask_, r);
            runs = block("strip_runs"), go_on = block("strip_done");
            b.CreateCondBr(b.CreateICmpNE(some, llvm::ConstantInt::get(some->getType(), 0)), runs,
                           go_on);
            b.SetInsertPoint(runs);
            Value* above = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, some, b.getTrue());
            last = b.CreateSub(last, b.CreateZExtOrTrunc(above, b.getInt32Ty()));
        }
        Value* value = nullptr;
        if (shape(from).is_linear()) {
            value = strip(from, r);
            if (!shape(from).is_even())
                value = lane({Shape::affine(shape(from).stride), from->getType(), value}, last);
        } else {
            Value* number = b.CreateAdd(last, b.getInt32(r * options_.strip));
            value = b.CreateExtractElement(scalar(from), number);
        }
        b.CreateAlignedStore(value, strip(i.getPointerOperand(), r), i.getAlign());
        if (whole) continue;
        b.CreateBr(go_on);
        b.SetInsertPoint(go_on);
    }
}

void Widener::store_scatter(const llvm::StoreInst& i, Value* mask) {
    llvm::Type* type = vector_type(i.getValueOperand()->getType());
    if (target_.isLegalMaskedScatter(type, i.getAlign())) {
        b.CreateMaskedScatter(vector(i.getValueOperand()), vector(i.getPointerOperand()),
                              i.getAlign(), mask_vector(mask));
        return;
    }
    const Spilled places = spill(i.getPointerOperand()), values = spill(i.getValueOperand());
    for_each_lane(mask, [&](Value* index) {
        b.CreateAlignedStore(lane(values, index), lane(places, index), i.getAlign());
    });
}

} // namespace lathe::soft::jit::warp
