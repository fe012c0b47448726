// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/toolchain.h"

#include "engine/core/error.h"
#include "gpu/soft/jit/sunk_places.h"

#include <fmt/format.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/X86TargetParser.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Utils.h>

#include <cstdlib>
#include <mutex>
#include <vector>

namespace lathe::soft::jit {

namespace {

constexpr unsigned kUses = 32;
constexpr std::size_t kIdle = 4;

struct Pool {
    std::mutex mutex;
    std::vector<std::unique_ptr<Toolchain>> idle;
};

Pool& pool() {
    static auto* const made = new Pool; // threads may compile until the end of the process
    return *made;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const std::string& cpu, Effort effort) {
    register_host();
    const std::string triple = llvm::sys::getProcessTriple();
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target) throw Error{fmt::format("LLVM has no code generator for {}: {}", triple, problem)};
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // PTX says where a fma is
    options.EmitStackSizeSection = true;                // CodeSpace::frame_bytes
    const auto level = effort == Effort::quick ? llvm::CodeGenOptLevel::None // and fast selection
                                               : llvm::CodeGenOptLevel::Default;
    return std::unique_ptr<llvm::TargetMachine>{
        target->createTargetMachine(triple, cpu, target_features(), options, llvm::Reloc::PIC_,
                                    llvm::CodeModel::Small, level, true)};
}

/// Hands passes on to a manager, but for some that a configuration cannot disable. Loop strength
/// reduction and what prepares for it: a tenth of the time of a compile, and no speed to be
/// measured here, as PTX comes with its addresses reduced. The move of masks to mask registers (X86
/// domain reassignment): its time grows with the square of a function's size, minutes for 2,000
/// lines of PTX with many divergent branches. And instructions that are sunk keep their lines.
class WithoutSlowPasses : public llvm::legacy::PassManagerBase {
public:
    explicit WithoutSlowPasses(llvm::legacy::PassManagerBase& manager) : manager_{manager} {}
    void add(llvm::Pass* pass) override {
        std::unique_ptr<llvm::Pass> owned{pass};
        if (is_one_of_them(*pass)) return;
        const bool sinks = pass->getPassID() == &llvm::MachineSinkingID;
        const SunkPlaces places = sinks ? keep_places_of_sunk() : SunkPlaces{};
        if (sinks) manager_.add(places.before);
        manager_.add(owned.release());
        if (sinks) manager_.add(places.behind);
    }

private:
    static bool is_one_of_them(const llvm::Pass& pass) {
        static const llvm::AnalysisID reduction = std::unique_ptr<llvm::Pass> {
            llvm::createLoopStrengthReducePass()
        } -> getPassID();
        static const llvm::AnalysisID freezes = std::unique_ptr<llvm::Pass> {
            llvm::createCanonicalizeFreezeInLoopsPass()
        } -> getPassID();
        return pass.getPassID() == reduction || pass.getPassID() == freezes ||
               pass.getPassName() == "X86 Domain Reassignment Pass";
    }
    llvm::legacy::PassManagerBase& manager_;
};

} // namespace

void register_host() {
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        llvm::InitializeNativeTargetAsmParser(); // failed checks are inline assembly
        llvm::InitializeNativeTargetDisassembler();
    });
}

std::string target_name() {
    if (const char* name = std::getenv("LATHE_SOFT_CPU")) return name;
    static const std::string host = llvm::sys::getHostCPUName().str();
    return host;
}

const std::string& target_features() {
    static const std::string none; // what the name says
    static const std::string host = [] {
        llvm::SubtargetFeatures list;
        for (const auto& feature : llvm::sys::getHostCPUFeatures())
            list.AddFeature(feature.getKey(), feature.getValue());
        // LLVM takes gathers of AVX2 for slower than single loads on some processors: they take
        // half as long (Zen 3), and less where there is a mask.
        if (llvm::sys::getHostCPUFeatures().lookup("avx2")) list.AddFeature("fast-gather");
        return list.getString();
    }();
    return std::getenv("LATHE_SOFT_CPU") ? none : host;
}

namespace {

bool named_processor_has(const char* name, const char* feature) {
    llvm::SmallVector<llvm::StringRef> features;
    llvm::X86::getFeaturesForCPU(name, features, false);
    return llvm::is_contained(features, feature);
}

} // namespace

bool has_fused_multiply_add() {
    if (const char* name = std::getenv("LATHE_SOFT_CPU")) return named_processor_has(name, "fma");
    static const bool found = llvm::sys::getHostCPUFeatures().lookup("fma");
    return found;
}

bool has_rounding_in_instructions() {
    if (const char* name = std::getenv("LATHE_SOFT_CPU"))
        return named_processor_has(name, "avx512f");
    static const bool found = llvm::sys::getHostCPUFeatures().lookup("avx512f");
    return found;
}

bool has_wide_vectors() {
    static const bool found = [] {
        const auto features = llvm::sys::getHostCPUFeatures();
        return features.lookup("avx512f") && features.lookup("avx512bw") &&
               features.lookup("avx512vl");
    }();
    return found && !std::getenv("LATHE_SOFT_CPU");
}

Toolchain::Toolchain(std::string cpu, Effort effort)
    : machine{make_target_machine(cpu, effort)}, cpu_{std::move(cpu)}, effort_{effort} {
    llvm::PassBuilder builder{machine.get()};
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(components_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, components_, modules_);
    make_code_generator();
}

Toolchain::~Toolchain() = default;

void Toolchain::make_code_generator() {
    auto& target = static_cast<llvm::LLVMTargetMachine&>(*machine);
    auto* const info = new llvm::MachineModuleInfoWrapperPass{&target}; // the manager's, as all
    WithoutSlowPasses passes{code_generator_};
    llvm::TargetPassConfig* const config = target.createPassConfig(passes);
    config->setDisableVerify(true);
    // No variables to follow, no scopes of stack slots, and processors reorder by themselves.
    // Machine code has no constants to move out of loops: they are operands in memory, and moved
    // out (for vectors wider than registers: each part) they keep the register allocator busy.
    for (const llvm::AnalysisID pass :
         {&llvm::LiveDebugValuesID, &llvm::StackColoringID, &llvm::PostRASchedulerID,
          &llvm::MachineSchedulerID, &llvm::EarlyMachineLICMID})
        config->disablePass(pass);
    code_generator_.add(config);
    code_generator_.add(info);
    bool failed = config->addISelPasses();
    if (!failed) {
        config->addMachinePasses();
        config->setInitialized();
        failed =
            target.addAsmPrinter(code_generator_, stream_, nullptr,
                                 llvm::CodeGenFileType::ObjectFile, info->getMMI().getContext());
    }
    if (failed) throw Error{"LLVM cannot write object code for this host"};
    code_generator_.add(llvm::createFreeMachineFunctionPass());
}

Toolchain::Lease Toolchain::take(Effort effort) {
    std::string cpu = target_name();
    {
        std::lock_guard lock{pool().mutex};
        auto& idle = pool().idle;
        for (auto one = idle.begin(); one != idle.end(); ++one) {
            if ((*one)->cpu_ != cpu || (*one)->effort_ != effort) continue;
            Lease lease{one->release()};
            idle.erase(one);
            return lease;
        }
    }
    return Lease{new Toolchain{std::move(cpu), effort}};
}

void Toolchain::GiveBack::operator()(Toolchain* toolchain) const {
    std::unique_ptr<Toolchain> owned{toolchain};
    if (++owned->uses_ == kUses) return;
    std::lock_guard lock{pool().mutex};
    if (pool().idle.size() < kIdle) pool().idle.push_back(std::move(owned));
}

void Toolchain::run(llvm::ModulePassManager& passes, llvm::Module& module) {
    passes.run(module, modules_);
    loops_.clear();
    functions_.clear();
    components_.clear();
    modules_.clear();
}

std::string_view Toolchain::generate_code(llvm::Module& module) {
    object_.clear();
    code_generator_.run(module);
    return {object_.data(), object_.size()};
}

} // namespace lathe::soft::jit
