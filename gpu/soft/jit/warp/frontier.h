// SPDX-License-Identifier: MIT
// The order in which a warp runs the blocks of a function, and which blocks may hold waiting lanes.
//
// Divergent lanes are run by thread frontiers: of all blocks that hold lanes, the one that comes
// first in the order runs next. The order keeps the blocks of a loop together and its latch last,
// so that all lanes of an iteration meet at the latch, and those that left wait behind the loop.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <functional>
#include <vector>

namespace lathe::soft::jit::warp {

class Frontier {
public:
    /// Orders the blocks. Throws Unsupported where control flow is irreducible.
    Frontier(llvm::Function& function, const llvm::LoopInfo& loops);

    unsigned size() const { return static_cast<unsigned>(order_.size()); }
    llvm::BasicBlock* block(unsigned index) const { return order_[index]; }
    unsigned index(const llvm::BasicBlock* block) const { return index_.lookup(block); }
    bool is_back_edge(unsigned from, unsigned to) const { return to <= from; }
    /// Distinct successors, ascending.
    const std::vector<unsigned>& successors(unsigned block) const { return successors_[block]; }

    /// Works out the waiting sets for these divergent terminators; grows what was found before.
    void find_waiting(const std::function<bool(unsigned)>& is_divergent);
    /// Blocks that may hold lanes while `block` runs.
    const llvm::BitVector& waiting(unsigned block) const { return waiting_[block]; }
    /// True where lanes that come from different places may meet at the start of the block.
    bool joins(unsigned block) const { return joins_.test(block); }

    /// The blocks that may run after lanes went to `targets` (ascending) while `waiting` holds
    /// lanes: the last one given needs no test, as it holds lanes when all before it do not; where
    /// `targets` is empty each needs a test.
    static std::vector<unsigned> next_blocks(const llvm::BitVector& waiting,
                                             const std::vector<unsigned>& targets);

private:
    void place(const llvm::Loop* loop, llvm::BasicBlock* head, const llvm::LoopInfo& loops);

    std::vector<llvm::BasicBlock*> order_;
    llvm::DenseMap<const llvm::BasicBlock*, unsigned> index_;
    std::vector<std::vector<unsigned>> successors_;
    std::vector<llvm::BitVector> waiting_;
    llvm::BitVector reached_, joins_;
};

} // namespace lathe::soft::jit::warp
