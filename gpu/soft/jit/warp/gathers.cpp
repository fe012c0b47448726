// SPDX-License-Identifier: MIT
// Costs are of one lane, in eighths of a cycle or so: what matters is how they compare. Gathers are
// as measured on processors of two makes (3 cycles a lane with AVX2, 5 with AVX-512).
#include "gpu/soft/jit/warp/gathers.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

namespace {

struct Cost {
    std::uint64_t warp = 0, thread = 0;
};

constexpr Cost kGather{40, 8}, kRow{2, 8}, kOther{1, 3};
constexpr Cost kByLane{16, 16};     // atomics, calls
constexpr Cost kOnce{0, 3};         // the same in all lanes
constexpr unsigned kInnerTurns = 8; // how often a loop runs in a turn of the one around it

Cost cost_of(const llvm::Instruction& i, const Shapes& shapes) {
    if (llvm::isa<llvm::PHINode>(i) || i.isTerminator()) return {};
    if (const llvm::Value* place = llvm::getLoadStorePointerOperand(&i)) {
        const Shape s = shapes.of(place);
        if (s.is_uniform()) return kOnce;
        return s.is_varying() && !s.hopeful ? kGather : kRow;
    }
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) return kByLane;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
        const llvm::Function* callee = call->getCalledFunction();
        if (callee && callee->getName().starts_with("lathe.warp.")) return {}; // checks, counters
        if (!callee || !callee->isIntrinsic()) return kByLane;
    }
    return shapes.of(&i).is_linear() ? kOnce : kOther;
}

} // namespace

bool is_faster_by_threads(const llvm::LoopInfo& loops, const Shapes& shapes) {
    Cost all;
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
        std::uint64_t turns = 1;
        for (unsigned k = 1; k < std::min(loop->getLoopDepth(), 4u); ++k) turns *= kInnerTurns;
        for (const llvm::BasicBlock* block : loop->blocks()) {
            if (loops.getLoopFor(block) != loop) continue; // of a loop inside
            for (const llvm::Instruction& i : *block) {
                const Cost cost = cost_of(i, shapes);
                all.warp += turns * cost.warp;
                all.thread += turns * cost.thread;
            }
        }
    }
    return all.warp > all.thread + all.thread / 4;
}

} // namespace lathe::soft::jit::warp
