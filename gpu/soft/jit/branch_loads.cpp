// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/branch_loads.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

namespace lathe::soft::jit {
namespace {

using llvm::Value;

constexpr unsigned kMostBranches = 4, kMostSteps = 4;

/// Blocks that go to `block` and nowhere else, each of them before it; none where others do.
std::vector<llvm::BasicBlock*> branches_to(llvm::BasicBlock& block,
                                           const llvm::DominatorTree& tree) {
    std::vector<llvm::BasicBlock*> branches;
    for (llvm::BasicBlock* from : llvm::predecessors(&block)) {
        const auto* end = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
        if (!end || end->isConditional() || tree.dominates(&block, from)) return {};
        branches.push_back(from);
    }
    return branches.size() < 2 || branches.size() > kMostBranches ? std::vector<llvm::BasicBlock*>{}
                                                                  : branches;
}

/// True where the value is made of phis of `block` by a few steps in it.
bool comes_of_branches(const Value* value, const llvm::BasicBlock& block, unsigned steps = 0) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || i->getParent() != &block) return false;
    if (llvm::isa<llvm::PHINode>(i)) return true;
    if (steps == kMostSteps || i->mayReadOrWriteMemory() || !llvm::isSafeToSpeculativelyExecute(i))
        return false;
    bool found = false;
    for (const Value* operand : i->operands()) {
        const auto* part = llvm::dyn_cast<llvm::Instruction>(operand);
        if (!part || part->getParent() != &block) continue;
        if (!comes_of_branches(part, block, steps + 1)) return false;
        found = true;
    }
    return found;
}

/// The code of one block as one branch to it sees it.
class Branch {
public:
    Branch(llvm::BasicBlock& from, llvm::BasicBlock& block) : from_{from}, block_{block} {}

    Value* copy(Value* value) {
        auto* i = llvm::dyn_cast<llvm::Instruction>(value);
        if (!i || i->getParent() != &block_) return value;
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i))
            return phi->getIncomingValueForBlock(&from_);
        if (Value* known = copies_.lookup(i)) return known;
        llvm::Instruction* made = i->clone();
        for (llvm::Use& operand : made->operands()) operand.set(copy(operand.get()));
        made->insertBefore(from_.getTerminator());
        copies_[i] = made;
        return made;
    }

private:
    llvm::BasicBlock& from_;
    llvm::BasicBlock& block_;
    llvm::DenseMap<llvm::Instruction*, Value*> copies_;
};

bool move_loads(llvm::BasicBlock& block, const llvm::DominatorTree& tree) {
    std::vector<llvm::LoadInst*> loads;
    for (llvm::Instruction& i : block) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
        if (load && load->isSimple() && comes_of_branches(load->getPointerOperand(), block))
            loads.push_back(load);
        // What stands behind this may find other memory, or not be reached.
        if (i.mayWriteToMemory() || !llvm::isGuaranteedToTransferExecutionToSuccessor(&i)) break;
    }
    if (loads.empty()) return false;
    const std::vector<llvm::BasicBlock*> from = branches_to(block, tree);
    if (from.empty()) return false;
    std::vector<Branch> branches;
    for (llvm::BasicBlock* each : from) branches.emplace_back(*each, block);
    for (llvm::LoadInst* load : loads) {
        auto* phi = llvm::PHINode::Create(load->getType(), static_cast<unsigned>(from.size()), "",
                                          block.begin());
        phi->setDebugLoc(load->getDebugLoc());
        for (std::size_t k = 0; k < from.size(); ++k)
            phi->addIncoming(branches[k].copy(load), from[k]);
        Value* address = load->getPointerOperand();
        load->replaceAllUsesWith(phi);
        load->eraseFromParent();
        llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
    }
    return true;
}

} // namespace

llvm::PreservedAnalyses BranchLoads::run(llvm::Function& function,
                                         llvm::FunctionAnalysisManager& analyses) {
    const auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    bool changed = false;
    for (llvm::BasicBlock& block : function) changed |= move_loads(block, tree);
    if (!changed) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses preserved;
    preserved.preserveSet<llvm::CFGAnalyses>();
    return preserved;
}

} // namespace lathe::soft::jit
