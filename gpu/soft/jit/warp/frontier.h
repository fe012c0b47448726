// SPDX-License-Identifier: MIT
// The order in which a warp runs the blocks of a function, and which blocks may hold waiting lanes.
//
// Divergent lanes are run by thread frontiers: of all blocks that hold lanes, the one that comes
// first in the order runs next. The order keeps the blocks of a loop together and its latch last,
// so that all lanes of an iteration meet at the latch, and those that left wait behind the loop.
//
// Two kinds of blocks stand outside of that order, in kernels whose lanes wait for each other:
//   wait loops   after some iterations in vain their lanes are put aside at the header, and lanes
//                elsewhere go on, those of other wait loops in turn (forward progress)
//   barriers     run when no lane of the warp can do anything else
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <functional>
#include <vector>

namespace lathe::soft::jit::warp {

/// The blocks outside of the order.
struct Waits {
    llvm::DenseMap<const llvm::BasicBlock*, unsigned> loops; ///< headers; iterations in a row
    llvm::DenseSet<const llvm::BasicBlock*> barriers;        ///< blocks of nothing but a barrier
    /// Warp operations that run where the lanes they need are known to be.
    llvm::DenseSet<const llvm::CallBase*> complete;

    bool any() const { return !loops.empty() || !barriers.empty(); }
};

class Frontier {
public:
    /// How lanes leave a block.
    enum class Exit {
        in_order,
        keep_waiting, ///< the back edge of a wait loop: its next iteration comes first
        give_turn,    ///< the back edge of a wait loop: all others come first
        stay          ///< a barrier that other lanes of the warp have yet to come to
    };

    /// Orders the blocks. Throws Unsupported where control flow is irreducible.
    Frontier(llvm::Function& function, const llvm::LoopInfo& loops, const Waits& waits);

    unsigned size() const { return static_cast<unsigned>(order_.size()); }
    llvm::BasicBlock* block(unsigned index) const { return order_[index]; }
    unsigned index(const llvm::BasicBlock* block) const { return index_.lookup(block); }
    bool is_back_edge(unsigned from, unsigned to) const { return to <= from; }
    /// True for a way out of the innermost loop around `from`.
    bool leaves_loop(unsigned from, unsigned to) const { return to > latches_[from]; }
    bool is_wait_loop(unsigned header) const { return patience_[header] > 0; }
    /// Iterations of a wait loop in a row.
    unsigned patience(unsigned header) const { return patience_[header]; }
    bool is_barrier(unsigned block) const { return barriers_.test(block); }
    bool comes_after_barrier(unsigned block) const { return after_barriers_.test(block); }
    /// True for a block that does nothing: its lanes have ended.
    bool only_ends(unsigned block) const {
        return llvm::isa<llvm::ReturnInst>(order_[block]->getFirstNonPHIOrDbg());
    }
    bool is_in_loop(unsigned block) const { return latches_[block] != size(); }
    /// Some block is outside of the order.
    bool has_waits() const { return has_waits_; }
    /// Distinct successors, ascending.
    const std::vector<unsigned>& successors(unsigned block) const { return successors_[block]; }

    /// Works out the waiting sets for these divergent terminators; grows what was found before.
    void find_waiting(const std::function<bool(unsigned)>& is_divergent);
    /// Blocks that may hold lanes while `block` runs.
    const llvm::BitVector& waiting(unsigned block) const { return waiting_[block]; }
    /// True where lanes that come from different places may meet at the start of the block.
    bool joins(unsigned block) const { return joins_.test(block); }

    /// The blocks that may run after lanes left `from` for `targets`, in the order in which they
    /// are to be tested for lanes. Where there are targets the last block needs no test: it holds
    /// lanes when all before it do not. The last may be scheduler().
    std::vector<unsigned> next_blocks(unsigned from, const std::vector<unsigned>& targets,
                                      Exit exit) const;
    /// Stands for the blocks outside of the order: it looks for one with lanes when no block of the
    /// order has any. waiting(scheduler()) are those that may.
    unsigned scheduler() const { return size(); }

private:
    void leave(unsigned from, const std::vector<unsigned>& targets, Exit exit,
               std::vector<unsigned>& work, llvm::BitVector& queued);
    void hold(unsigned block, const llvm::BitVector& others, std::vector<unsigned>& work,
              llvm::BitVector& queued);
    void place(const llvm::Loop* loop, llvm::BasicBlock* head, const llvm::LoopInfo& loops);

    std::vector<llvm::BasicBlock*> order_;
    llvm::DenseMap<const llvm::BasicBlock*, unsigned> index_;
    std::vector<std::vector<unsigned>> successors_;
    std::vector<llvm::BitVector> waiting_;
    llvm::BitVector reached_, joins_;
    std::vector<unsigned> latches_; ///< of the innermost loops; else size()
    std::vector<unsigned> patience_;
    llvm::BitVector barriers_, after_barriers_;
    bool has_waits_ = false;
};

} // namespace lathe::soft::jit::warp
