// SPDX-License-Identifier: MIT
// Memory that will be needed later is asked for where processors do not guess it.
// Loops over the whole grid (for (i = ...; i < n; i += gridDim.x * blockDim.x)): a warp comes back
// to memory a grid's width further on in each pass, and such steps cross pages.
// Rows of blocks, as those of stencils: each row of a block is short, and goes on in the next block
// along x, which runs soon. In between come all other rows of this block.
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>

#include <cstdlib>
#include <vector>

namespace lathe::soft::jit::warp {

namespace {

/// Passes ahead: some 100 ns at the pace of small loops.
constexpr unsigned kPasses = 16;
constexpr std::uint64_t kCacheLine = 64;
/// Bytes along a row: a block or two of 32 x 4 x 2, some 100 ns.
constexpr std::uint64_t kAheadInRow = 256;

struct ReadPlace {
    const Value* base;
    std::uint64_t offset;
};

ReadPlace place_of(const llvm::LoadInst& load) {
    std::int64_t offset = 0;
    const Value* base = llvm::GetPointerBaseWithConstantOffset(load.getPointerOperand(), offset,
                                                               load.getDataLayout());
    return {base, static_cast<std::uint64_t>(offset)};
}

bool is_context(const Value* base) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
    return argument && argument->getArgNo() == 0;
}

/// Made from the grid's size, among others.
bool is_of_grid(const Value* value, unsigned depth = 0) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || depth > 6) return false;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
        const auto [base, offset] = place_of(*load);
        return is_context(base) &&
               offset - offsetof(ThreadContext, nctaid) < sizeof(ThreadContext::nctaid);
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

/// What a value is made of.
struct Sources {
    bool block_x = false, block_yz = false; ///< the place of the block along these axes
    bool memory = false;                    ///< what the kernel reads
};

Sources sources_of(const Value* value) {
    Sources found;
    std::vector<const Value*> left{value};
    llvm::SmallPtrSet<const Value*, 32> known;
    while (!left.empty()) {
        const auto* i = llvm::dyn_cast<llvm::Instruction>(left.back());
        left.pop_back();
        if (!i || !known.insert(i).second) continue;
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(i);
        if (!load) {
            left.insert(left.end(), i->value_op_begin(), i->value_op_end());
            continue;
        }
        const auto [base, offset] = place_of(*load);
        constexpr std::uint64_t kAlongX = offsetof(ThreadContext, ctaid);
        if (!llvm::isa<llvm::Argument>(base)) found.memory = true;
        else if (is_context(base) && offset - kAlongX < sizeof(ThreadContext::ctaid))
            (offset == kAlongX ? found.block_x : found.block_yz) = true;
    }
    return found;
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
    for (std::size_t k = 0; k < firsts.size(); ++k)
        if (!is_same(firsts, k))
            prefetch(b.CreateGEP(b.getInt8Ty(), firsts[k], distance), bytes, false);
}

// A row that the next block along x goes on with, and that no other block reads as well: its
// address depends on the block's place along x and along another axis. In loops also rows that
// begin where memory says, as those of a sparse matrix: they lie one behind the other.
bool Widener::is_row_of_blocks(const llvm::Instruction& i) {
    const Value* address = llvm::getLoadStorePointerOperand(&i);
    const Sources from = sources_of(address);
    const bool by_memory = from.memory && frontier_.is_in_loop(current_);
    if (!by_memory && !(from.block_x && from.block_yz)) return false;
    if (!roots_) roots_.emplace(scalar_, nullptr);
    switch (roots_->of(address).kind) {
    case Root::Kind::parameter:
    case Root::Kind::loaded:
    case Root::Kind::unknown: return true;
    default: return false;
    }
}

void Widener::prefetch_row_of_blocks(const llvm::Instruction& i, const Firsts& firsts) {
    if (!is_row_of_blocks(i)) return;
    const bool writes = llvm::isa<llvm::StoreInst>(i);
    llvm::Type* type = writes ? i.getOperand(0)->getType() : i.getType();
    const std::uint64_t bytes = width_ / firsts.size() * layout_.getTypeStoreSize(type);
    for (std::size_t k = 0; k < firsts.size(); ++k) {
        if (is_same(firsts, k)) continue;
        std::int64_t offset = 0;
        const Value* base = llvm::GetPointerBaseWithConstantOffset(firsts[k], offset, layout_);
        std::vector<std::int64_t>& known = prefetched_[base];
        const bool is_known = llvm::any_of(known, [&](std::int64_t other) {
            return std::abs(other - offset) < static_cast<std::int64_t>(kCacheLine);
        });
        if (is_known) continue;
        known.push_back(offset);
        prefetch(b.CreateConstGEP1_64(b.getInt8Ty(), firsts[k], kAheadInRow), bytes, writes);
    }
}

void Widener::prefetch(Value* address, std::uint64_t bytes, bool writes) {
    for (std::uint64_t line = 0; line < bytes; line += kCacheLine) {
        Value* at = b.CreateConstGEP1_64(b.getInt8Ty(), address, line);
        b.CreateIntrinsic(llvm::Intrinsic::prefetch, {at->getType()},
                          {at, b.getInt32(writes), b.getInt32(3), b.getInt32(1)});
    }
}

} // namespace lathe::soft::jit::warp
