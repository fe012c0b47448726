// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/pipeline.h"

#include "engine/core/error.h"

#include <fmt/format.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
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

#include <cstdlib>
#include <mutex>

namespace lathe::soft::jit {

namespace {

/// LATHE_SOFT_CPU, an LLVM name such as x86-64 or x86-64-v3, stands in for the processor.
std::string host_name() {
    if (const char* name = std::getenv("LATHE_SOFT_CPU")) return name;
    return llvm::sys::getHostCPUName().str();
}

} // namespace

std::unique_ptr<llvm::TargetMachine> make_target_machine() {
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
    });
    const std::string triple = llvm::sys::getProcessTriple();
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target) throw Error{fmt::format("LLVM has no code generator for {}: {}", triple, problem)};
    static const std::string features = [] {
        llvm::SubtargetFeatures list;
        if (std::getenv("LATHE_SOFT_CPU")) return std::string{}; // what the name says
        for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
            list.AddFeature(feature.getKey(), feature.getValue());
        }
        return list.getString();
    }();
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // PTX says where a fma is
    return std::unique_ptr<llvm::TargetMachine>{
        target->createTargetMachine(triple, host_name(), features, options, llvm::Reloc::PIC_,
                                    llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true)};
}

bool has_wide_vectors() {
    static const bool found = [] {
        const auto features = llvm::sys::getHostCPUFeatures();
        return host_name() == llvm::sys::getHostCPUName() && features.lookup("avx512f") &&
               features.lookup("avx512bw") && features.lookup("avx512vl");
    }();
    return found;
}

namespace {

/// Runs passes with the analyses they ask for.
void run(llvm::ModulePassManager passes, llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder{&machine};
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    passes.run(module, modules);
}

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
void run_scalar(llvm::FunctionPassManager main, llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::FunctionPassManager early;
    early.addPass(llvm::SROAPass{llvm::SROAOptions::ModifyCFG});
    early.addPass(llvm::EarlyCSEPass{});
    early.addPass(llvm::SimplifyCFGPass{});

    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(early)));
    passes.addPass(llvm::AlwaysInlinerPass{false});
    passes.addPass(llvm::GlobalDCEPass{});
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(main)));
    run(std::move(passes), module, machine);
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

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::FunctionPassManager main = up_to_loops();
    main.addPass(llvm::EarlyCSEPass{true});
    main.addPass(llvm::InstCombinePass{});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    main.addPass(llvm::ADCEPass{});
    run_scalar(std::move(main), module, machine);
}

void optimise_scalar(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::FunctionPassManager main = up_to_loops();
    main.addPass(llvm::InstCombinePass{});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    run_scalar(std::move(main), module, machine);
}

void optimise_wide(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::FunctionPassManager main;
    main.addPass(llvm::EarlyCSEPass{true});
    main.addPass(llvm::InstCombinePass{});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    llvm::LoopPassManager loop;
    loop.addPass(llvm::LICMPass{llvm::LICMOptions{}});
    main.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loop), true));
    main.addPass(llvm::EarlyCSEPass{true});
    main.addPass(llvm::SimplifyCFGPass{simple_blocks()});
    main.addPass(llvm::ADCEPass{});

    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass{false});
    passes.addPass(llvm::GlobalDCEPass{});
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(main)));
    run(std::move(passes), module, machine);
}

std::unique_ptr<llvm::MemoryBuffer> generate_code(llvm::Module& module,
                                                  llvm::TargetMachine& machine) {
    llvm::SmallVector<char, 0> bytes;
    {
        llvm::raw_svector_ostream stream{bytes};
        llvm::legacy::PassManager passes;
        llvm::MCContext* context = nullptr;
        if (machine.addPassesToEmitMC(passes, context, stream, true)) {
            throw Error{"LLVM cannot write object code for this host"};
        }
        passes.run(module);
    }
    return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), "ptx", false);
}

} // namespace lathe::soft::jit
