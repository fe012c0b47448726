// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/pipeline.h"

#include "gpu/soft/jit/branch_loads.h"
#include "gpu/soft/jit/flushing_atomics.h"
#include "gpu/soft/jit/gather_addresses.h"

#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <algorithm>

namespace lathe::soft::jit {

namespace {

llvm::SimplifyCFGOptions simple_blocks() {
    return llvm::SimplifyCFGOptions{}
        .convertSwitchRangeToICmp(true)
        .hoistCommonInsts(true)
        .sinkCommonInsts(true);
}

void add_loop_passes(llvm::FunctionPassManager& passes) {
    llvm::LoopPassManager loop;
    loop.addPass(llvm::LoopRotatePass{});
    loop.addPass(llvm::LICMPass{llvm::LICMOptions{}});
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loop), true));
}

// Memory to registers, calls inlined, then `main`: the frame of the passes over scalar code.
void run_scalar(llvm::FunctionPassManager main, llvm::Module& module, Toolchain& toolchain) {
    llvm::FunctionPassManager early;
    early.addPass(llvm::SROAPass{llvm::SROAOptions::ModifyCFG});
    early.addPass(llvm::EarlyCSEPass{});
    early.addPass(llvm::SimplifyCFGPass{});

    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(early)));
    passes.addPass(llvm::AlwaysInlinerPass{false});
    passes.addPass(llvm::GlobalDCEPass{});
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(main)));
    toolchain.run(passes, module);
}

// What both kinds of scalar code go through up to their loops.
llvm::FunctionPassManager up_to_loops() {
    llvm::FunctionPassManager main;
    main.addPass(llvm::InstCombinePass{});
    main.addPass(
        llvm::SROAPass{llvm::SROAOptions::ModifyCFG}); // depots, now that addresses are GEPs
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    main.addPass(llvm::EarlyCSEPass{true});
    add_loop_passes(main);
    return main;
}

} // namespace

void optimise(llvm::Module& module, Toolchain& toolchain) {
    llvm::FunctionPassManager main = up_to_loops();
    main.addPass(llvm::EarlyCSEPass{true});
    main.addPass(llvm::InstCombinePass{});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    main.addPass(llvm::ADCEPass{});
    main.addPass(ExpandFlushingAtomics{});
    run_scalar(std::move(main), module, toolchain);
}

void optimise_quickly(llvm::Module& module, Toolchain& toolchain) {
    // A function's parameters are packed in memory: inlined, they need more than registers.
    const bool inlines = std::ranges::any_of(module, [](const llvm::Function& function) {
        return function.hasFnAttribute(llvm::Attribute::AlwaysInline);
    });
    if (inlines) return optimise(module, toolchain);
    llvm::FunctionPassManager main;
    main.addPass(llvm::PromotePass{});
    main.addPass(llvm::EarlyCSEPass{});
    main.addPass(llvm::SimplifyCFGPass{});
    main.addPass(ExpandFlushingAtomics{});
    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(main)));
    toolchain.run(passes, module);
}

void optimise_scalar(llvm::Module& module, Toolchain& toolchain) {
    llvm::FunctionPassManager main = up_to_loops();
    main.addPass(llvm::InstCombinePass{});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    main.addPass(BranchLoads{});
    run_scalar(std::move(main), module, toolchain);
}

void optimise_wide(llvm::Module& module, Toolchain& toolchain) {
    llvm::FunctionPassManager main;
    main.addPass(llvm::EarlyCSEPass{true});
    main.addPass(llvm::InstCombinePass{});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    llvm::LoopPassManager loop;
    loop.addPass(llvm::LICMPass{llvm::LICMOptions{}});
    main.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loop), true));
    main.addPass(llvm::EarlyCSEPass{true});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    main.addPass(GatherAddresses{});
    main.addPass(llvm::ADCEPass{});
    main.addPass(ExpandFlushingAtomics{});

    llvm::ModulePassManager passes;
    passes.addPass(llvm::GlobalDCEPass{});
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(main)));
    toolchain.run(passes, module);
}

} // namespace lathe::soft::jit
