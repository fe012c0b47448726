// SPDX-License-Identifier: MIT
// Loops over the whole grid (for (i = ...; i < n; i += gridDim.x * blockDim.x)): a warp comes back
// to memory a grid's width further on in each pass. No processor guesses such steps, as they cross
// pages: the code asks for the rows of later passes itself.
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

namespace lathe::soft::jit::warp {

namespace {

/// Passes ahead: some 100 ns at the pace of small loops.
constexpr unsigned kPasses = 16;
constexpr std::uint64_t kCacheLine = 64;

/// Made from the grid's size, among others.
bool is_of_grid(const Value* value, unsigned depth = 0) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || depth > 6) return false;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
        const auto* field = llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand());
        const auto* context =
            field ? llvm::dyn_cast<llvm::Argument>(field->getPointerOperand()) : nullptr;
        llvm::APInt offset{64, 0};
        return context && context->getArgNo() == 0 &&
               field->accumulateConstantOffset(field->getDataLayout(), offset) &&
               offset.getZExtValue() - offsetof(ThreadContext, nctaid) <
                   sizeof(ThreadContext::nctaid);
    }
    if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst>(i)) return false;
    return llvm::any_of(i->operands(),
                        [&](const llvm::Use& use) { return is_of_grid(use, depth + 1); });
}

/// What a pass adds to a counter of a loop over the grid.
const Value* step_of(const Value* counter) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(counter);
    if (!phi || phi->getNumIncomingValues() != 2) return nullptr;
    for (const llvm::Use& use : phi->incoming_values()) {
        const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(use.get());
        if (!next || next->getOpcode() != llvm::Instruction::Add) continue;
        for (const unsigned k : {0u, 1u})
            if (next->getOperand(k) == phi && is_of_grid(next->getOperand(1 - k)))
                return next->getOperand(1 - k);
    }
    return nullptr;
}

} // namespace

// From the address of a pass to that of the next: `scale` times the step of a counter, which the
// address is made of. What else it is made of is taken for the same in all passes: where it is not,
// other memory is asked for, which changes no result.
const Value* Widener::grid_step(const Value* address, std::uint64_t& scale, unsigned depth) const {
    if (const Value* step = step_of(address))
        return is_emitted(step) && shapes_.is_uniform(step) ? step : nullptr;
    const auto* i = llvm::dyn_cast<llvm::Instruction>(address);
    if (!i || depth > 8) return nullptr;
    const std::uint64_t before = scale;
    for (const llvm::Use& use : i->operands()) {
        scale = before;
        if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(i)) {
            if (use.get() != gep->getPointerOperand())
                scale *= layout_.getTypeAllocSize(gep->getSourceElementType());
        } else if (i->getOpcode() == llvm::Instruction::Shl) {
            const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
            if (!by || by->getZExtValue() > 16) return nullptr;
            scale <<= by->getZExtValue();
        } else if (i->getOpcode() != llvm::Instruction::Add && !llvm::isa<llvm::CastInst>(i)) {
            return nullptr;
        }
        if (const Value* step = grid_step(use.get(), scale, depth + 1)) return step;
    }
    return nullptr;
}

void Widener::prefetch_rows(const llvm::LoadInst& i, const Firsts& firsts) {
    std::uint64_t scale = kPasses;
    const Value* step = grid_step(i.getPointerOperand(), scale);
    if (!step) return;
    Value* distance = b.CreateMul(b.CreateSExt(strip(step, 0), b.getInt64Ty()), b.getInt64(scale));
    const std::uint64_t bytes = width_ / firsts.size() * layout_.getTypeStoreSize(i.getType());
    for (std::size_t k = 0; k < firsts.size(); ++k) {
        if (is_same(firsts, k)) continue;
        for (std::uint64_t line = 0; line < bytes; line += kCacheLine) {
            Value* ahead =
                b.CreateGEP(b.getInt8Ty(), firsts[k], b.CreateAdd(distance, b.getInt64(line)));
            b.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()},
                              {ahead, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
        }
    }
}

} // namespace lathe::soft::jit::warp
