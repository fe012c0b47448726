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
enum Argument : unsigned { kAddress, kBegin, kRoom, kSize, kWhat, kDoesWrite, kBytes };

std::uint64_t constant(const llvm::CallBase& i, unsigned argument) {
    return llvm::cast<llvm::ConstantInt>(i.getArgOperand(argument))->getZExtValue();
}

} // namespace

void Widener::emit_check(const llvm::CallBase& i) {
    const Value *address = i.getArgOperand(kAddress), *begin = i.getArgOperand(kBegin);
    const Value* size = i.getArgOperand(kSize);
    const Shape s = shape(address), of_begin = shape(begin);
    auto* i64 = b.getInt64Ty();
    const bool known_size = llvm::isa<llvm::ConstantInt>(size);
    Value* room = scalar(i.getArgOperand(kRoom));
    const auto as_integer = [&](Value* pointer) { return b.CreatePtrToInt(pointer, i64); };
    if (s.is_affine() && of_begin.is_affine() && known_size) {
        const std::int64_t stride = s.stride - of_begin.stride;
        const auto step = static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
        Value* offset = b.CreateSub(as_integer(scalar(address)), scalar(begin));
        Value* reach = b.getInt64(step * (width_ - 1)); // from the lowest lane to the highest
        if (stride != 0 && lanes_ == Lanes::some) {
            Value* first = b.CreateZExt(first_lane(mask_), i64);
            Value* zeros = b.CreateZExtOrTrunc(
                b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mask_, b.getTrue()), i64);
            Value* last = b.CreateSub(b.getInt64(width_ - 1), zeros);
            reach = b.CreateMul(b.CreateSub(last, first), b.getInt64(step));
            offset =
                b.CreateAdd(offset, b.CreateMul(stride < 0 ? last : first,
                                                b.getInt64(static_cast<std::uint64_t>(stride))));
            // Both ends lie inside where the lower one does, and the room behind it is enough.
            Value* limit = limit_of(b, limit_of(b, room, const_cast<Value*>(size)), reach);
            return look_closer(i, b.CreateICmpULT(offset, limit));
        }
        if (stride == 0) reach = b.getInt64(0);
        if (stride < 0) offset = b.CreateSub(offset, reach);
        const std::uint64_t bytes = step * (width_ - 1) + constant(i, kSize);
        return look_closer(i, b.CreateICmpULT(offset, limit_of(b, room, b.getInt64(bytes))));
    }
    Value* offsets = b.CreateSub(as_vector(address), vector(begin));
    Value* limits =
        known_size ? splat(limit_of(b, room, const_cast<Value*>(size)))
                   : b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, splat(room), vector(size));
    Value* bad = b.CreateAnd(mask_bits(b.CreateICmpUGE(offsets, limits)), mask_);
    look_closer(i, b.CreateICmpEQ(bad, llvm::ConstantInt::get(mask_type_, 0)));
}

Value* Widener::as_vector(const Value* pointer) {
    return b.CreatePtrToInt(vector(pointer), vector_type(b.getInt64Ty()));
}

// Goes on where the accesses are allowed, else asks the run time first.
void Widener::look_closer(const llvm::CallBase& i, Value* allowed) {
    llvm::BasicBlock *cold = block("look"), *go_on = block("allowed");
    b.CreateCondBr(allowed, go_on, cold,
                   llvm::MDBuilder{b.getContext()}.createBranchWeights(1u << 20, 1));
    b.SetInsertPoint(cold);
    auto* i64 = b.getInt64Ty();
    const Value *address = i.getArgOperand(kAddress), *begin = i.getArgOperand(kBegin);
    const Value* size = i.getArgOperand(kSize);
    const Shape s = shape(address), of_begin = shape(begin);
    const auto laid_out = [&](Value* all) {
        llvm::AllocaInst* array = stack(vector_type(i64), "addresses");
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
    if (s.is_affine()) {
        failed.place = b.CreatePtrToInt(scalar(address), i64);
        failed.stride = s.stride;
    } else {
        failed.what |= kGathered;
        failed.place = laid_out(as_vector(address));
    }
    if (failed.bytes) {
        failed.begin = scalar(begin);
        failed.begin_stride = of_begin.stride;
    }
    if (!known_size) failed.length = laid_out(vector(size));
    call_failed_check(b, failed);
    b.CreateBr(go_on);
    b.SetInsertPoint(go_on);
}

} // namespace lathe::soft::jit::warp
