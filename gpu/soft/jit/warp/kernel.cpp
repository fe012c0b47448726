// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/kernel.h"

#include "gpu/soft/jit/pipeline.h"
#include "gpu/soft/jit/warp/gathers.h"
#include "gpu/soft/jit/warp/join.h"
#include "gpu/soft/jit/warp/loop_ends.h"
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/rounds.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/waits.h"
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

#include <fmt/format.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace lathe::soft::jit::warp {

namespace {

Value* load_invariant(llvm::IRBuilder<>& b, llvm::Type* type, Value* base, std::size_t offset) {
    auto* load = b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), base, offset));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    return load;
}

} // namespace

void make_warp_loop(llvm::Function& loop, llvm::Function& wide, std::uint32_t param_bytes,
                    const ShapeOptions& options, llvm::DILocation* place) {
    const unsigned width = options.width;
    auto& context = loop.getContext();
    auto block = [&](const char* label) { return llvm::BasicBlock::Create(context, label, &loop); };
    auto *start = block("start"), *warp = block("warp"), *done = block("done");
    Value *ctx = loop.getArg(0), *first = loop.getArg(1), *count = loop.getArg(2);
    llvm::IRBuilder<> b{start};
    b.SetCurrentDebugLocation(place);
    auto* i32 = b.getInt32Ty();
    auto field = [&](std::size_t offset) {
        return b.CreateConstGEP1_64(b.getInt8Ty(), ctx, offset);
    };
    Value* size_x = load_invariant(b, i32, ctx, offsetof(ThreadContext, ntid));
    Value* size_y = load_invariant(b, i32, ctx, offsetof(ThreadContext, ntid) + 4);
    llvm::LoadInst* params = b.CreateLoad(b.getPtrTy(), field(offsetof(ThreadContext, params)));
    if (param_bytes) {
        const auto number = [&](std::uint64_t n) {
            return llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(b.getInt64(n)));
        };
        params->setMetadata(llvm::LLVMContext::MD_dereferenceable, number(param_bytes));
        params->setMetadata(llvm::LLVMContext::MD_align, number(8));
    }
    Value* place_of_warp = field(offsetof(ThreadContext, linear_tid));
    Value* end = b.CreateAdd(first, count);
    Value* first_x = b.CreateURem(first, size_x);
    Value* row = b.CreateUDiv(first, size_x);
    Value* first_y = b.CreateURem(row, size_y);
    Value* first_z = b.CreateUDiv(row, size_y);
    // From a warp to the next.
    Value *step_x = b.getInt32(width), *step_y = b.getInt32(0), *step_z = b.getInt32(0);
    if (options.whole_rows) {
        step_x = b.getInt32(0);
        step_y = b.getInt32(options.strips());
    } else if (options.has_strips()) {
        step_x = b.CreateURem(b.getInt32(width), size_x);
        Value* rows = b.CreateUDiv(b.getInt32(width), size_x);
        step_y = b.CreateURem(rows, size_y);
        step_z = b.CreateUDiv(rows, size_y);
    }
    if (options.counts) { // once for all warps
        Value* slots = b.CreateLoad(b.getPtrTy(), field(offsetof(ThreadContext, counters)));
        const auto add = [&](std::uint32_t slot, Value* by) {
            Value* to = b.CreateConstGEP1_64(b.getInt64Ty(), slots, slot);
            by = b.CreateZExt(by, b.getInt64Ty());
            b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), to), by), to);
        };
        add(kWarpsSlot, b.CreateUDiv(b.CreateAdd(count, b.getInt32(width - 1)), b.getInt32(width)));
        add(kLanesSlot, count);
    }
    b.CreateCondBr(b.CreateICmpEQ(count, b.getInt32(0)), done, warp);

    b.SetInsertPoint(warp);
    llvm::PHINode *linear = b.CreatePHI(i32, 2), *x = b.CreatePHI(i32, 2);
    llvm::PHINode *y = b.CreatePHI(i32, 2), *z = b.CreatePHI(i32, 2);
    Value* left = b.CreateSub(end, linear);
    Value* lanes = b.getInt32(width);
    if (!options.whole_warps) lanes = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, lanes);
    Value* mask = b.CreateLShr(b.getInt32(~0u), b.CreateSub(b.getInt32(32), lanes));
    b.CreateStore(linear, place_of_warp, true); // fault reports read it
    b.CreateCall(&wide, {ctx, x, y, z, linear, params, mask});
    // Rows hold whole warps (or a warp finds its places itself): the next row begins at lane 0.
    Value* next_linear = b.CreateAdd(linear, b.getInt32(width));
    Value* right = b.CreateAdd(x, step_x);
    Value* row_ends = b.CreateICmpUGE(right, size_x);
    Value* next_x = b.CreateSelect(
        row_ends, options.has_strips() ? b.CreateSub(right, size_x) : b.getInt32(0), right);
    Value* below = b.CreateAdd(b.CreateAdd(y, step_y), b.CreateZExt(row_ends, i32));
    Value* layer_ends = b.CreateICmpUGE(below, size_y);
    Value* next_y = b.CreateSelect(
        layer_ends, options.has_strips() ? b.CreateSub(below, size_y) : b.getInt32(0), below);
    Value* next_z = b.CreateAdd(b.CreateAdd(z, step_z), b.CreateZExt(layer_ends, i32));
    b.CreateCondBr(b.CreateICmpUGT(left, b.getInt32(width)), warp, done);
    const auto join = [&](llvm::PHINode* phi, Value* at_first, Value* then) {
        phi->addIncoming(at_first, start);
        phi->addIncoming(then, warp);
    };
    join(linear, first, next_linear);
    join(x, first_x, next_x);
    join(y, first_y, next_y);
    join(z, first_z, next_z);

    b.SetInsertPoint(done);
    b.CreateRetVoid();
}

namespace {

/// Marks in functions that run lane by lane after all: the linear index is in the context.
void resolve_marks(llvm::Module& module, const llvm::Function& body) {
    llvm::Function* mark = module.getFunction(kLinearTid);
    if (!mark) return;
    for (llvm::User* user : llvm::make_early_inc_range(mark->users())) {
        auto* call = llvm::cast<llvm::CallInst>(user);
        llvm::Function* function = call->getFunction();
        if (function == &body) continue;
        llvm::IRBuilder<> b{call};
        Value* place = b.CreateConstGEP1_64(b.getInt8Ty(), function->getArg(0),
                                            offsetof(ThreadContext, linear_tid));
        call->replaceAllUsesWith(b.CreateLoad(b.getInt32Ty(), place));
        call->eraseFromParent();
    }
}

/// Loops with one latch and exits of their own, values leave them through phis; the parts of a
/// structure are taken where it is made.
void normalise(llvm::Function& body, llvm::DominatorTree& tree, llvm::LoopInfo& loops) {
    llvm::removeUnreachableBlocks(body);
    for (llvm::BasicBlock& block : body) {
        for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
            auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(&i);
            auto* whole =
                part ? llvm::dyn_cast<llvm::Instruction>(part->getAggregateOperand()) : nullptr;
            if (whole && !llvm::isa<llvm::PHINode>(whole)) part->moveAfter(whole);
        }
    }
    tree.recalculate(body);
    loops.analyze(tree);
    for (llvm::Loop* loop : loops)
        llvm::simplifyLoop(loop, &tree, &loops, nullptr, nullptr, nullptr, false);
    for (llvm::Loop* loop : loops) llvm::formLCSSARecursively(*loop, tree, &loops, nullptr);
}

/// Addresses at a constant distance from one another were moved out of loops; then each needs a
/// register, or a place on the stack. Beside its access the distance is a part of the instruction.
void sink_distances(llvm::Function& function) {
    for (llvm::BasicBlock& block : function) {
        llvm::DenseMap<llvm::Value*, llvm::Instruction*> here;
        for (llvm::Instruction& i : block) {
            llvm::Use* use = nullptr;
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
                use = &load->getOperandUse(0);
            } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
                use = &store->getOperandUse(1);
            } else if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
                const auto id = call->getIntrinsicID();
                if (id == llvm::Intrinsic::masked_load) use = &call->getArgOperandUse(0);
                if (id == llvm::Intrinsic::masked_store) use = &call->getArgOperandUse(1);
            }
            auto* far = use ? llvm::dyn_cast<llvm::GetElementPtrInst>(use->get()) : nullptr;
            if (!far || far->getParent() == &block || !far->hasAllConstantIndices()) continue;
            llvm::Instruction*& copy = here[far];
            if (!copy) {
                copy = far->clone();
                copy->insertBefore(&i);
            }
            use->set(copy);
            if (far->use_empty()) far->eraseFromParent();
        }
    }
}

/// "warp.NAME" and "step.NAME"
llvm::StringRef name_of_kernel(const llvm::Function& function) {
    return function.getName().drop_front(5);
}

/// In the place of the loop: a function that runs one warp. The reads of the warp's place are
/// marked as what never changes, so that each step may do them again.
llvm::Function& make_step(llvm::Function& loop, llvm::Function& wide) {
    auto& context = loop.getContext();
    auto* pointer = llvm::PointerType::get(context, 0);
    llvm::Function* step = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer}, false),
        llvm::GlobalValue::ExternalLinkage, "step." + name_of_kernel(loop), loop.getParent());
    step->copyAttributesFrom(&loop);
    llvm::IRBuilder<> b{llvm::BasicBlock::Create(context, "", step)};
    Value *ctx = step->getArg(0), *place = step->getArg(1);
    const auto part = [&](std::size_t offset) {
        return load_invariant(b, b.getInt32Ty(), place, offset);
    };
    constexpr std::size_t tid = offsetof(WarpPlace, tid);
    Value *x = part(tid), *y = part(tid + 4), *z = part(tid + 8);
    Value* linear = part(offsetof(WarpPlace, linear_tid));
    Value* off = b.CreateSub(b.getInt32(32), part(offsetof(WarpPlace, lanes)));
    Value* params = load_invariant(b, pointer, ctx, offsetof(ThreadContext, params));
    b.CreateCall(&wide, {ctx, x, y, z, linear, params, b.CreateLShr(b.getInt32(~0u), off)});
    b.CreateRetVoid();
    loop.eraseFromParent();
    return *step;
}

/// Of a function that make_step() made, when all else is done.
void split_step(llvm::Function& step) {
    auto* word = llvm::Type::getInt32Ty(step.getContext());
    const std::uint32_t bytes = split_at_barriers(step, *step.getArg(2));
    llvm::IRBuilder<> b{&*step.getEntryBlock().getFirstInsertionPt()};
    Value* linear =
        b.CreateConstGEP1_64(b.getInt8Ty(), step.getArg(1), offsetof(WarpPlace, linear_tid));
    Value* here =
        b.CreateConstGEP1_64(b.getInt8Ty(), step.getArg(0), offsetof(ThreadContext, linear_tid));
    b.CreateStore(b.CreateLoad(word, linear), here, true); // fault reports read it
    new llvm::GlobalVariable{*step.getParent(),
                             word,
                             true,
                             llvm::GlobalValue::ExternalLinkage,
                             llvm::ConstantInt::get(word, bytes),
                             "kept." + name_of_kernel(step)};
}

} // namespace

void widen(llvm::Module& module, llvm::Function& body, llvm::Function& wide, llvm::Function& loop,
           const ShapeOptions& options, Toolchain& toolchain, llvm::function_ref<void()> check,
           CounterSites* sites) {
    optimise_scalar(module, toolchain);
    resolve_marks(module, body);
    check();
    bool lanes_wait = false; // for each other, elsewhere than at barriers of all of them
    {
        PartedOperations parted;
        for (bool again = true; again;) {
            llvm::DominatorTree tree;
            llvm::LoopInfo loops;
            normalise(body, tree, loops);
            if (options.trust_extensions) put_ends_of_counters(body, tree, loops);
            const Waits waits = find_waits(body, loops, parted);
            Frontier frontier{body, loops, waits};
            const Shapes shapes{body, frontier, options};
            again = part_operations(body, frontier, parted);
            if (again) continue;
            lanes_wait = frontier.has_waits();
            if (options.may_refuse && is_faster_by_threads(loops, shapes))
                throw Unsupported{"its loops access memory at places of no order, which takes "
                                  "warps longer"};
            const llvm::TargetTransformInfo target =
                toolchain.machine->getTargetTransformInfo(wide);
            llvm::DISubprogram* subprogram = body.getSubprogram();
            body.setSubprogram(nullptr);
            wide.setSubprogram(subprogram);
            Widener{body, wide, frontier, shapes, options, target, sites}.run();
        }
    }
    body.eraseFromParent();
    std::string problem;
    llvm::raw_string_ostream stream{problem};
    if (llvm::verifyFunction(wide, &stream))
        throw Unsupported{fmt::format("the code of its warps is malformed: {}", problem)};
    llvm::Function* step = nullptr;
    if (!options.counts && !options.watches && !lanes_wait && can_run_in_rounds(wide))
        step = &make_step(loop, wide);
    join(wide);
    optimise_wide(module, toolchain);
    for (llvm::Function& function : module) sink_distances(function);
    if (step) split_step(*step);
}

} // namespace lathe::soft::jit::warp
