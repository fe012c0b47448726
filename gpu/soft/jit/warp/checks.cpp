// SPDX-License-Identifier: MIT
// Checks of the accesses of a warp (access_checks.h left marks). One comparison where the lanes'
// addresses are the same or a row, else one of vectors, reduced to a bit. Which lane it is, and
// whether its access is allowed after all, the run time finds out.
#include "gpu/soft/jit/access_checks.h"
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/IR/MDBuilder.h>

namespace lathe::soft::jit::warp {

namespace {

// kCheck's arguments.
enum Argument : unsigned {
    kAddress,
    kBegin,
    kRoom,
    kSize,
    kWhat,
    kDoesWrite,
    kBytes,
    kStep,
    kAccesses
};

std::uint64_t constant(const llvm::CallBase& i, unsigned argument) {
    return llvm::cast<llvm::ConstantInt>(i.getArgOperand(argument))->getZExtValue();
}

} // namespace

void Widener::emit_check(const llvm::CallBase& i) {
    const Value *address = i.getArgOperand(kAddress), *begin = i.getArgOperand(kBegin);
    const Value *size = i.getArgOperand(kSize), *step = i.getArgOperand(kStep);
    const Shape s = shape(address), of_begin = shape(begin);
    auto* i64 = b.getInt64Ty();
    const bool known_size = llvm::isa<llvm::ConstantInt>(size);
    const std::uint64_t steps = constant(i, kAccesses) - 1;
    Value* room = scalar(i.getArgOperand(kRoom));
    // Of accesses at equal distances the first and the last are looked at.
    const auto ends = [&](Value* offset, Value* limit, llvm::function_ref<Value*(Value*)> spread) {
        Value* inside = b.CreateICmpULT(offset, limit);
        if (!steps) return inside;
        Value* last = b.CreateMul(spread(b.getInt64(steps)), spread(nullptr));
        return b.CreateAnd(inside, b.CreateICmpULT(b.CreateAdd(offset, last), limit));
    };
    const bool same_steps = shapes_.is_uniform(step);
    if (s.is_strips() && of_begin.is_linear() && known_size && shape(step).is_even())
        return emit_strips_check(i);
    if (s.is_affine() && of_begin.is_affine() && known_size && same_steps) {
        // Lanes that are off are looked at, too: the run time finds out where it matters.
        const std::int64_t stride = s.stride - of_begin.stride;
        const auto reach = static_cast<std::uint64_t>(stride < 0 ? -stride : stride) * (width_ - 1);
        Value* offset = b.CreateSub(b.CreatePtrToInt(scalar(address), i64), scalar(begin));
        if (stride < 0) offset = b.CreateSub(offset, b.getInt64(reach));
        Value* limit = limit_of(b, room, b.getInt64(reach + constant(i, kSize)));
        return look_closer(
            i, ends(offset, limit, [&](Value* number) { return number ? number : scalar(step); }));
    }
    if (known_size && same_steps && of_begin.is_uniform()) {
        if (const std::optional<Indexed> indexed = find_indexed(address))
            return emit_indexed_check(i, *indexed);
    }
    Value* offsets = b.CreateSub(as_vector(address), vector(begin));
    Value* limits =
        known_size ? splat(limit_of(b, room, const_cast<Value*>(size)))
                   : b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, splat(room), vector(size));
    Value* inside =
        ends(offsets, limits, [&](Value* number) { return number ? splat(number) : vector(step); });
    Value* bad = b.CreateAnd(b.CreateNot(mask_bits(inside)), mask_);
    look_closer(i, b.CreateICmpEQ(bad, llvm::ConstantInt::get(mask_type_, 0)));
}

// As of a row, for each strip; where their distance is known, for all at once.
void Widener::emit_strips_check(const llvm::CallBase& i) {
    auto* i64 = b.getInt64Ty();
    const Value *address = i.getArgOperand(kAddress), *begin = i.getArgOperand(kBegin);
    const Value* step = i.getArgOperand(kStep);
    const std::uint64_t steps = constant(i, kAccesses) - 1;
    const Shape s = shape(address);
    const std::int64_t stride = s.stride - shape(begin).stride;
    const auto of_address = shapes_.pitch(s), of_begin = shapes_.pitch(shape(begin));
    const bool at_once = of_address && of_begin && shapes_.is_uniform(step);
    const std::int64_t pitch = at_once ? *of_address - *of_begin : 0;
    const auto size_of = [](std::int64_t n) { return static_cast<std::uint64_t>(n < 0 ? -n : n); };
    const std::uint64_t reach =
        size_of(stride) * (options_.strip - 1) + size_of(pitch) * (options_.strips() - 1);
    const std::uint64_t back = (stride < 0 ? size_of(stride) * (options_.strip - 1) : 0) +
                               (pitch < 0 ? size_of(pitch) * (options_.strips() - 1) : 0);
    std::vector<Value*> offsets, all_steps;
    for (unsigned r = 0; r < (at_once ? 1 : options_.strips()); ++r) {
        Value* offset = b.CreateSub(b.CreatePtrToInt(strip(address, r), i64), strip(begin, r));
        offsets.push_back(back ? b.CreateSub(offset, b.getInt64(back)) : offset);
        all_steps.push_back(strip(step, r));
    }
    if (!at_once) { // strips that are off are often outside
        offsets = running(offsets);
        if (steps) all_steps = running(all_steps);
    }
    Value* limit =
        limit_of(b, scalar(i.getArgOperand(kRoom)), b.getInt64(reach + constant(i, kSize)));
    Value* allowed = nullptr;
    for (std::size_t r = 0; r < offsets.size(); ++r) {
        Value* inside = b.CreateICmpULT(offsets[r], limit);
        if (steps) {
            Value* last = b.CreateAdd(offsets[r], b.CreateMul(all_steps[r], b.getInt64(steps)));
            inside = b.CreateAnd(inside, b.CreateICmpULT(last, limit));
        }
        allowed = allowed ? b.CreateAnd(allowed, inside) : inside;
    }
    look_closer(i, allowed);
}

// A uniform address plus a power of two times the extension of a number of 32 bits, or of fewer
// where lanes have any.
std::optional<Widener::Indexed> Widener::find_indexed(const Value* address) {
    for (unsigned shift = 0; shift < 5; ++shift) {
        const llvm::CastInst* index = row_index(address, std::uint64_t{1} << shift, false, 8);
        if (!index) continue;
        const bool is_narrow = !index->getSrcTy()->isIntegerTy(32);
        if (is_narrow && !shape(index->getOperand(0)).is_varying()) continue;
        return Indexed{index, shift, b.CreatePtrToInt(origin(address, *index), b.getInt64Ty())};
    }
    return std::nullopt;
}

// The scalar code of an address for the number 0. Not of lane 0, which may not run.
Value* Widener::origin(const Value* value, const llvm::CastInst& index) {
    if (value == &index) return llvm::ConstantInt::get(index.getType(), 0);
    if (shape(value).is_affine()) return scalar(value);
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    copy->dropPoisonGeneratingFlags();
    for (llvm::Use& operand : copy->operands()) operand.set(origin(operand.get(), index));
    return b.Insert(copy);
}

Value* Widener::numbers_of(const Indexed& indexed) {
    return b.CreateCast(indexed.index->getOpcode(), vector(indexed.index->getOperand(0)),
                        vector_type(b.getInt32Ty()));
}

// The numbers are compared with the least and the largest one that are allowed: vectors of half the
// size. The origin may lie outside: x[i - 1] and y[2 * n - i] begin elsewhere for i = 0.
void Widener::emit_indexed_check(const llvm::CallBase& i, const Indexed& indexed) {
    constexpr std::int64_t kFar = std::int64_t{1} << 47;
    auto* i64 = b.getInt64Ty();
    const auto number64 = [&](std::int64_t n) { return b.getInt64(static_cast<std::uint64_t>(n)); };
    const bool is_signed = llvm::isa<llvm::SExtInst>(indexed.index);
    Value* room = scalar(i.getArgOperand(kRoom));
    Value* limit = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, limit_of(b, room, i.getArgOperand(kSize)), number64(kFar));
    // offset + number * 2^shift lies in [0, limit)
    Value *is_near = b.getTrue(), *least = number64(is_signed ? INT32_MIN : 0);
    Value* most = number64(is_signed ? INT32_MAX : std::int64_t{UINT32_MAX});
    const auto narrow_down = [&](Value* offset) {
        Value* near = b.CreateICmpULT(b.CreateAdd(offset, number64(kFar)), number64(2 * kFar));
        Value* left = b.CreateSub(b.CreateSub(limit, b.getInt64(1)), offset);
        is_near = b.CreateAnd(is_near, near);
        least = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, least,
                                        b.CreateNeg(b.CreateAShr(offset, indexed.shift)));
        most =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, most, b.CreateAShr(left, indexed.shift));
    };
    Value* offset = b.CreateSub(indexed.origin, scalar(i.getArgOperand(kBegin)));
    narrow_down(offset);
    if (const std::uint64_t steps = constant(i, kAccesses) - 1) // the last one, too
        narrow_down(
            b.CreateAdd(offset, b.CreateMul(scalar(i.getArgOperand(kStep)), b.getInt64(steps))));
    const Value* number = indexed.index->getOperand(0);
    if (shape(number).is_linear()) {
        // Their numbers are known from the first: no vector is needed. Lanes that are off are
        // looked at, too. One number beyond `most` is one that wraps, or one outside.
        Firsts numbers = firsts(number);
        if (numbers.size() > 1) numbers = running(numbers);
        Value* last = b.CreateSub(most, b.getInt64(width_ / numbers.size() - 1));
        Value* all = is_near;
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            if (is_same(numbers, k)) continue;
            Value* first = b.CreateCast(indexed.index->getOpcode(), numbers[k], i64);
            all = b.CreateAnd(
                all, b.CreateAnd(b.CreateICmpSGE(first, least), b.CreateICmpSLE(first, last)));
        }
        return look_closer(i, all, &indexed);
    }
    auto* i32 = b.getInt32Ty();
    Value* any = b.CreateAnd(is_near, b.CreateICmpSLE(least, most));
    Value* above = b.CreateSub(numbers_of(indexed), splat(b.CreateTrunc(least, i32)));
    Value* inside = b.CreateICmpULE(above, splat(b.CreateTrunc(b.CreateSub(most, least), i32)));
    Value* bad = b.CreateAnd(b.CreateNot(mask_bits(inside)), mask_);
    Value* all = b.CreateICmpEQ(bad, llvm::ConstantInt::get(mask_type_, 0));
    look_closer(i, b.CreateAnd(any, all), &indexed);
}

Value* Widener::as_vector(const Value* pointer) {
    return b.CreatePtrToInt(vector(pointer), vector_type(b.getInt64Ty()));
}

// Goes on where the accesses are allowed, else asks the run time first.
void Widener::look_closer(const llvm::CallBase& i, Value* allowed, const Indexed* indexed) {
    llvm::BasicBlock *cold = block("look"), *go_on = block("allowed");
    b.CreateCondBr(allowed, go_on, cold,
                   llvm::MDBuilder{b.getContext()}.createBranchWeights(1u << 20, 1));
    b.SetInsertPoint(cold);
    auto* i64 = b.getInt64Ty();
    const Value *address = i.getArgOperand(kAddress), *begin = i.getArgOperand(kBegin);
    const Value *size = i.getArgOperand(kSize), *step = i.getArgOperand(kStep);
    const Shape s = shape(address), of_begin = shape(begin);
    const auto laid_out = [&](Value* all) {
        llvm::AllocaInst* array = stack(all->getType(), "lanes");
        b.CreateStore(all, array);
        return b.CreatePtrToInt(array, i64);
    };
    const auto* known_size = llvm::dyn_cast<llvm::ConstantInt>(size);
    const AccessSite::Access access{
        0, static_cast<std::uint32_t>(known_size ? known_size->getZExtValue() : 0) |
               (constant(i, kDoesWrite) ? kWrites : 0)};
    FailedCheck failed;
    failed.what = static_cast<std::uint32_t>(constant(i, kWhat)) | kLanes;
    failed.bytes = constant(i, kBytes);
    failed.accesses = {&access, 1};
    failed.mask = b.CreateZExt(mask_, i64);
    const bool in_row = s.is_affine() && shapes_.is_uniform(step);
    failed.stride = in_row ? s.stride : 0;
    if (indexed) {
        failed.what |= kIndexed | (llvm::isa<llvm::SExtInst>(indexed->index) ? kSigned : 0u);
        failed.stride = std::int64_t{1} << indexed->shift;
        failed.length = laid_out(numbers_of(*indexed));
    } else if (!in_row) {
        failed.what |= kGathered;
    }
    if (failed.bytes) {
        failed.begin = scalar(begin);
        failed.begin_stride = of_begin.stride;
    }
    if (!known_size) failed.length = laid_out(vector(size));
    for (std::uint64_t k = 0; k < constant(i, kAccesses); ++k) {
        if (indexed)
            failed.place = b.CreateAdd(indexed->origin, b.CreateMul(scalar(step), b.getInt64(k)));
        else if (in_row)
            failed.place = b.CreateAdd(b.CreatePtrToInt(scalar(address), i64),
                                       b.CreateMul(scalar(step), b.getInt64(k)));
        else
            failed.place = laid_out(
                b.CreateAdd(as_vector(address), b.CreateMul(vector(step), splat(b.getInt64(k)))));
        call_failed_check(b, failed);
    }
    b.CreateBr(go_on);
    b.SetInsertPoint(go_on);
}

} // namespace lathe::soft::jit::warp
