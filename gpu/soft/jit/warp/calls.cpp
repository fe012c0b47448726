// SPDX-License-Identifier: MIT
// Calls: marks of warp operations, run-time functions, device functions lane by lane.
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace lathe::soft::jit::warp {

// The run time finds the calling thread by the linear index in the context.
void Widener::set_place(Value* lane) {
    Value* place =
        b.CreateConstGEP1_64(b.getInt8Ty(), wide_.getArg(0), offsetof(ThreadContext, linear_tid));
    b.CreateStore(b.CreateAdd(wide_.getArg(4), lane), place);
}

llvm::CallInst* Widener::call_runtime(const char* name, llvm::Type* result,
                                      std::vector<Value*> arguments) {
    arguments.insert(arguments.begin(), wide_.getArg(0));
    std::vector<llvm::Type*> types;
    for (Value* argument : arguments) types.push_back(argument->getType());
    auto callee =
        wide_.getParent()->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
    auto* call = b.CreateCall(callee, arguments);
    call->setDoesNotThrow();
    call->addFnAttr(llvm::Attribute::NoMerge);
    return call;
}

void Widener::emit_call(const llvm::CallBase& i) {
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
        if (intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd()) return;
        bool uniform = true;
        for (const llvm::Use& use : i.args()) uniform &= shapes_.is_uniform(use.get());
        if (uniform) return emit_uniform(i);
        if (shape(&i).is_strips()) return emit_by_strip(i);
        if (Value* all = vector_intrinsic(*intrinsic)) return set(i, all);
        return emit_by_lane(i);
    }
    const llvm::Function* callee = i.getCalledFunction();
    switch (callee ? call_kind(callee->getName()) : CallKind::by_lane) {
    case CallKind::by_lane: return emit_by_lane(i);
    case CallKind::pure: return shape(&i).is_uniform() ? emit_uniform(i) : emit_by_lane(i);
    case CallKind::once: {
        std::vector<Value*> arguments;
        for (unsigned k = 1; k < i.arg_size(); ++k) {
            const Value* argument = i.getArgOperand(k);
            arguments.push_back(shape(argument).is_affine()
                                    ? scalar(argument)
                                    : b.CreateExtractElement(scalar(argument), first_lane(mask_)));
        }
        call_runtime(callee->getName().str().c_str(), b.getVoidTy(), arguments);
        return;
    }
    case CallKind::warp_uniform: return emit_uniform(i);
    case CallKind::linear_tid: return set(i, wide_.getArg(4));
    case CallKind::stop: set_place(first_lane(mask_)); return emit_uniform(i);
    case CallKind::end_of_thread: // the block ends here, and with it its lanes
        return;
    case CallKind::wait_loop: // the back edge does it
        return;
    case CallKind::check: return emit_check(i);
    case CallKind::count: return emit_count(i);
    case CallKind::watch: return emit_watch(i);
    case CallKind::together: return emit_together(i);
    case CallKind::bring: return emit_bring(i);
    case CallKind::met: return emit_met(i);
    case CallKind::result: return emit_result(i);
    case CallKind::voted:
        return set(i, call_runtime("lathe_rt_warp_voted", b.getInt32Ty(), {i.getArgOperand(0)}));
    case CallKind::texture_2d: return emit_texture_2d(i);
    case CallKind::surface_2d: return emit_surface_2d(i);
    case CallKind::shuffle: return emit_shuffle(i);
    case CallKind::permute: return emit_permute(i);
    case CallKind::product: return emit_product(i);
    case CallKind::ballot: return emit_ballot(i);
    case CallKind::match_any: return emit_match(i, false);
    case CallKind::match_all: return emit_match(i, true);
    case CallKind::reduce: return emit_reduce(i);
    case CallKind::sync: return check_members(i.getArgOperand(1));
    case CallKind::active_mask: return set(i, mask_);
    case CallKind::barrier:
    case CallKind::barrier_reduce: return emit_barrier(i);
    default: throw Unsupported{fmt::format("call of {}", callee->getName().str())};
    }
}

} // namespace lathe::soft::jit::warp
