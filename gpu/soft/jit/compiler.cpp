// SPDX-License-Identifier: MIT
// CompiledModule: compiles kernels when first asked for.
#include "gpu/soft/jit/compiler.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gpu/ptx/aliases.h"
#include "gpu/soft/jit/access_checks.h"
#include "gpu/soft/jit/background.h"
#include "gpu/soft/jit/counting.h"
#include "gpu/soft/jit/debug_info.h"
#include "gpu/soft/jit/flushing.h"
#include "gpu/soft/jit/module_lowering.h"
#include "gpu/soft/jit/object_cache.h"
#include "gpu/soft/jit/orc.h"
#include "gpu/soft/jit/pipeline.h"
#include "gpu/soft/jit/warp/kernel.h"
#include "gpu/soft/jit/warp/mode.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/watching.h"

#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>

namespace lathe::soft {

namespace {

/// LATHE_SOFT_DUMP=1 prints the LLVM code as lowered, 2 as optimised.
int dump_level() {
    static const int level = [] {
        const char* text = std::getenv("LATHE_SOFT_DUMP");
        return text ? std::atoi(text) : 0;
    }();
    return level;
}

std::shared_ptr<const ptx::Module>
without_aliases(const std::shared_ptr<const ptx::Module>& module) {
    if (module->aliases.empty()) return module;
    auto resolved = std::make_shared<ptx::Module>(*module);
    ptx::resolve_aliases(*resolved);
    return resolved;
}

class Compiled final : public CompiledModule, public std::enable_shared_from_this<Compiled> {
public:
    Compiled(std::shared_ptr<const ptx::Module> module, Resolve resolve, ExecutionMode mode)
        : module_{without_aliases(module)}, aliases_{module->aliases}, mode_{mode},
          facts_{jit::find_facts(*module_)} {
        resolve_ = [this, ask = std::move(resolve)](std::string_view symbol) -> void* {
            const auto known = symbols_.find(symbol);
            if (known != symbols_.end()) return known->second;
            void* address = ask ? ask(symbol) : nullptr;
            if (address) symbols_.emplace(symbol, address);
            return address;
        };
        for (const jit::KernelFacts& kernel : facts_.kernels) kernels_.push_back(kernel.info);
    }

    const std::vector<KernelInfo>& kernels() const override { return kernels_; }

    KernelCode code(std::string_view kernel, const std::uint32_t block[3],
                    Instruments instruments) override {
        return code_for(kernel, block, true, instruments);
    }
    KernelCode checked_code(std::string_view kernel, const std::uint32_t block[3],
                            Instruments instruments) override {
        return code_for(kernel, block, false, instruments);
    }
    KernelCode thread_code(std::string_view kernel) override {
        std::lock_guard lock{mutex_};
        return threads(facts_of(kernel));
    }

    DeviceFunction device_function(std::string_view name) override;

    std::optional<SourcePlace> place_of(std::uintptr_t pc) const override {
        return code_.place_of(pc);
    }
    bool contains(std::uintptr_t pc) const override { return code_.contains(pc); }
    std::vector<CodeRow> listing(std::uintptr_t pc) const override { return code_.listing(pc); }

private:
    /// What is compiled together.
    struct Job {
        const jit::KernelFacts* kernel = nullptr;       ///< null: a .func by itself
        const jit::warp::ShapeOptions* warps = nullptr; ///< null: by single threads
        Instruments instruments;
        jit::Effort effort = jit::Effort::full;
    };
    static Job job_of_warps(const jit::KernelFacts& kernel,
                            const jit::warp::ShapeOptions& options) {
        return {&kernel, &options, {options.counts, options.watches}};
    }

    const jit::KernelFacts& facts_of(std::string_view kernel) const;
    KernelCode threads(const jit::KernelFacts& kernel, Instruments instruments = {},
                       jit::Effort effort = jit::Effort::full);
    const KernelCode& keep_threads(const jit::KernelFacts& kernel, const std::string& group,
                                   Instruments instruments);
    bool find_threads(const jit::KernelFacts& kernel);
    KernelCode first_code(const jit::KernelFacts& kernel, const jit::warp::ShapeOptions* warps);
    bool can_be_quick(const jit::KernelFacts& kernel) const;
    KernelCode code_for(std::string_view name, const std::uint32_t block[3], bool trusting,
                        Instruments instruments);
    bool can_watch(const jit::KernelFacts& kernel) const;
    CounterTablePtr counters_of(const std::string& group);
    KernelCode warp_code(const jit::KernelFacts& kernel, std::uint32_t width,
                         const std::string& group);
    const std::optional<KernelCode>& compile_warps(const jit::KernelFacts& kernel,
                                                   const jit::warp::ShapeOptions& options);
    void compile(const std::string& group, const std::function<jit::CachedCode()>& generate);
    template <class Lower>
    jit::CachedCode generate(Lower lower, const Job& job, const Resolve& resolve);
    jit::CachedCode generate_kernel(const Job& job, const Resolve& resolve);
    void add_checks(llvm::Module& module, llvm::Function* body,
                    const jit::KernelFacts* kernel) const;
    void add_counters(llvm::Module& module, llvm::Function* body, const jit::KernelFacts& kernel,
                      jit::CounterSites& sites) const;
    std::string cache_key(const std::string& group) const;
    bool link_cached(const std::string& group);
    void link(const std::string& object, const std::string& group,
              const std::vector<std::string>& symbols);
    bool find_warps(const jit::KernelFacts& kernel, std::uint32_t width, const std::string& group);
    std::shared_ptr<CodeToCome> code_to_come(const jit::KernelFacts& kernel,
                                             const jit::warp::ShapeOptions* warps);
    std::optional<KernelCode> warps_in_background(const jit::KernelFacts& kernel,
                                                  const jit::warp::ShapeOptions& options,
                                                  const Resolve& resolve);
    std::optional<KernelCode> threads_in_background(const jit::KernelFacts& kernel,
                                                    const Resolve& resolve);

    std::shared_ptr<const ptx::Module> module_;
    std::vector<std::pair<std::string, std::string>> aliases_; ///< which others may ask for
    /// Asks once for each symbol: kernels may be compiled again, by other threads, in a form of the
    /// same symbols (checked_code) when the module that answers is gone.
    Resolve resolve_;
    std::map<std::string, void*, std::less<>> symbols_;
    ExecutionMode mode_;
    jit::ModuleFacts facts_;
    std::vector<KernelInfo> kernels_;
    jit::CodeSpace code_;
    std::recursive_mutex mutex_; ///< resolve_ may ask for a function of this module
    std::map<std::string, KernelCode, std::less<>> threads_; ///< by group
    /// By group; none: by single threads.
    std::map<std::string, std::optional<KernelCode>, std::less<>> warps_;
    std::map<std::string, std::shared_ptr<CodeToCome>> to_come_; ///< by group
    std::map<std::string, void*, std::less<>> functions_;
    std::map<std::string, CounterTablePtr, std::less<>> counters_; ///< by group
};

void Compiled::compile(const std::string& group, const std::function<jit::CachedCode()>& generate) {
    if (link_cached(group)) return;
    auto& cache = jit::ObjectCache::instance();
    const std::string key = cache_key(group);
    const jit::CachedCode made = [&] {
        try {
            return generate();
        } catch (const jit::warp::Unsupported& why) {
            cache.store(key, {{}, {}, why.what()});
            throw;
        }
    }();
    cache.store(key, made);
    link(made.object, group, made.symbols);
}

std::string Compiled::cache_key(const std::string& group) const {
    if (dump_level()) return {};
    return jit::ObjectCache::instance().key(module_->key,
                                            group + (mode_.exact_checks ? ".exact" : ".pages"));
}

/// Code of an earlier process or module. Throws Unsupported where it is known to be refused.
bool Compiled::link_cached(const std::string& group) {
    const auto known = jit::ObjectCache::instance().find(cache_key(group));
    if (!known) return false;
    if (!known->refusal.empty()) throw jit::warp::Unsupported{known->refusal};
    link(known->object, group, known->symbols);
    return true;
}

void Compiled::link(const std::string& object, const std::string& group,
                    const std::vector<std::string>& symbols) {
    jit::CodeSpace::Symbols places;
    for (const std::string& name : symbols) {
        void* address = resolve_(name);
        if (!address) throw Error{fmt::format("symbol {} is not defined", name)};
        places.emplace_back(jit::ModuleLowering::external_name(name), address);
    }
    code_.add(llvm::MemoryBuffer::getMemBufferCopy(object, "ptx"), group, places);
}

template <class Lower>
jit::CachedCode Compiled::generate(Lower lower, const Job& job, const Resolve& resolve) {
    const auto& [kernel, warp, instruments, effort] = job;
    const jit::Toolchain::Lease tools = jit::Toolchain::take(effort);
    const llvm::TargetMachine& machine = *tools->machine;
    jit::ModuleLowering lowering{
        tools->context, *module_, facts_, resolve, machine.createDataLayout(), warp};
    lowering.llvm->setTargetTriple(machine.getTargetTriple().str());
    lowering.watches = instruments.watches;
    lowering.is_quick = effort == jit::Effort::quick;
    lower(lowering);
    llvm::Function *body = lowering.warp_body, *wide = lowering.warp_wide;
    const std::unique_ptr<llvm::Module> llvm = lowering.take();
    if (dump_level() == 1) llvm->print(llvm::errs(), nullptr);
    jit::CounterSites sites;
    const bool counts = job.instruments.counts;
    const auto add = [&, &job = job] {
        add_checks(*llvm, body, job.kernel);
        if (job.instruments.watches) jit::resolve_watches(*llvm, body);
        if (counts) add_counters(*llvm, body, *job.kernel, sites);
    };
    if (warp) {
        jit::warp::widen(*llvm, *body, *wide, *lowering.warp_loop, *warp, *tools, add,
                         counts ? &sites : nullptr);
    } else {
        if (effort == jit::Effort::quick) jit::optimise_quickly(*llvm, *tools);
        else jit::optimise(*llvm, *tools);
        add();
    }
    if (counts) sites.write(*llvm, kernel->info.name);
    if (lowering.flushes) jit::keep_chosen_bits(*llvm);
    for (llvm::Function& function : *llvm) // a frame larger than the guard of a stack touches it
        if (!function.isDeclaration()) function.addFnAttr("probe-stack", "inline-asm");
    if (dump_level() >= 2) llvm->print(llvm::errs(), nullptr);
    jit::CachedCode code{std::string{tools->generate_code(*llvm)}, {}, {}};
    code.symbols.assign(lowering.externals().begin(), lowering.externals().end());
    return code;
}

jit::CachedCode Compiled::generate_kernel(const Job& job, const Resolve& resolve) {
    const auto lower = [&job](jit::ModuleLowering& lowering) {
        lowering.lower_kernel(*job.kernel->function, *job.kernel);
    };
    return generate(lower, job, resolve);
}

/// `body` is what will be widened; all other functions run single threads.
void Compiled::add_checks(llvm::Module& module, llvm::Function* body,
                          const jit::KernelFacts* kernel) const {
    for (llvm::Function& function : module) {
        if (!mode_.exact_checks) {
            jit::forget_alignment(function);
            continue;
        }
        function.addFnAttr(llvm::Attribute::NoRedZone); // a failed check pushes its values
        if (function.isDeclaration() || (body && function.getName().starts_with("warp."))) continue;
        if (&function == body) jit::mark_accesses(function, facts_, *kernel);
        else jit::check_accesses(function, facts_, kernel);
    }
}

void Compiled::add_counters(llvm::Module& module, llvm::Function* body,
                            const jit::KernelFacts& kernel, jit::CounterSites& sites) const {
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || (body && function.getName().starts_with("warp."))) continue;
        if (&function == body) jit::mark_counted(function, facts_, kernel);
        else jit::count_threads(function, sites);
    }
}

/// Functions that are called by address have one code for all who call them.
bool Compiled::can_watch(const jit::KernelFacts& kernel) const {
    for (const std::string& name : facts_.reachable(kernel.info.name)) {
        const auto found = facts_.functions.find(name);
        if (found != facts_.functions.end() && found->second.calls_indirectly) return false;
    }
    return true;
}

/// What the code of a group counts; null where it does not.
CounterTablePtr Compiled::counters_of(const std::string& group) {
    CounterTablePtr& table = counters_[group];
    if (!table)
        table = jit::read_counter_table(
            static_cast<const char*>(code_.find(group, jit::kCounterTable)));
    return table;
}

std::string group_of(const std::string& name, const jit::warp::ShapeOptions& options) {
    std::string places = options.strip == options.width ? "r" : "";
    if (options.has_strips())
        places = fmt::format("s{}{}", options.strip, options.whole_rows ? "w" : "");
    return fmt::format("warp{}{}{}{}{}{}{}.{}", options.width, places,
                       options.whole_warps ? "f" : "", options.trust_extensions ? "" : "c",
                       options.counts ? "n" : "", options.watches ? "h" : "",
                       options.may_refuse ? "t" : "", name);
}

std::string thread_group_of(const std::string& name, Instruments instruments = {},
                            jit::Effort effort = jit::Effort::full) {
    return fmt::format("{}{}{}kernel.{}", instruments.counts ? "count." : "",
                       instruments.watches ? "watch." : "",
                       effort == jit::Effort::quick ? "quick." : "", name);
}

/// Of a group that is linked.
KernelCode Compiled::warp_code(const jit::KernelFacts& kernel, std::uint32_t width,
                               const std::string& group) {
    const auto find = [&](const char* kind) { return code_.find(group, kind + kernel.info.name); };
    KernelCode code;
    code.width = width;
    code.frame_bytes = code_.frame_bytes(group);
    if (kernel.uses_barriers) code.step = reinterpret_cast<StepEntry>(find("step."));
    if (code.step) {
        code.kept_bytes = *static_cast<const std::uint32_t*>(find("kept."));
        return code;
    }
    code.block = reinterpret_cast<BlockEntry>(find("warp."));
    code.fibers = kernel.uses_barriers || kernel.spins;
    return code;
}

const std::optional<KernelCode>& Compiled::compile_warps(const jit::KernelFacts& kernel,
                                                         const jit::warp::ShapeOptions& options) {
    const std::string& name = kernel.info.name;
    const std::string group = group_of(name, options);
    const auto known = warps_.find(group);
    if (known != warps_.end()) return known->second;
    std::optional<KernelCode> code;
    try {
        compile(group, [&] { return generate_kernel(job_of_warps(kernel, options), resolve_); });
        code = warp_code(kernel, options.width, group);
    } catch (const jit::warp::Unsupported& why) { jit::warp::log_fall_back(name, why.what()); }
    return warps_.emplace(group, std::move(code)).first->second;
}

/// True where it is settled how the kernel runs, without compiling anything.
bool Compiled::find_warps(const jit::KernelFacts& kernel, std::uint32_t width,
                          const std::string& group) {
    if (warps_.count(group)) return true;
    if (to_come_.count(group)) return false; // nor on the disk
    try {
        if (!link_cached(group)) return false;
        warps_.emplace(group, warp_code(kernel, width, group));
    } catch (const jit::warp::Unsupported& why) {
        jit::warp::log_fall_back(kernel.info.name, why.what());
        warps_.emplace(group, std::nullopt);
    }
    return true;
}

/// Code that is there soonest, by single threads. Where it is not the best, that is to come: by
/// warps unless that is null, or known to be refused.
KernelCode Compiled::first_code(const jit::KernelFacts& kernel,
                                const jit::warp::ShapeOptions* warps) {
    const bool is_full = find_threads(kernel) || !can_be_quick(kernel);
    KernelCode code = threads(kernel, {}, is_full ? jit::Effort::full : jit::Effort::quick);
    if (warps || !is_full) code.later = code_to_come(kernel, warps);
    return code;
}

/// How deep a recursion may go must not depend on when better code is there: frames of code that
/// was made quickly are larger.
bool Compiled::can_be_quick(const jit::KernelFacts& kernel) const {
    return std::ranges::none_of(facts_.reachable(kernel.info.name), [&](const std::string& name) {
        const auto found = facts_.functions.find(name);
        return found != facts_.functions.end() && found->second.recursive;
    });
}

std::shared_ptr<CodeToCome> Compiled::code_to_come(const jit::KernelFacts& kernel,
                                                   const jit::warp::ShapeOptions* warps) {
    const std::string& name = kernel.info.name;
    auto& known = to_come_[warps ? group_of(name, *warps) : thread_group_of(name)];
    if (known) return known;
    auto code = std::make_shared<CodeToCome>();
    known = code;
    // The module that answers may be gone by then: all code of a kernel uses the same symbols.
    const Resolve resolve = [symbols = symbols_](std::string_view symbol) -> void* {
        const auto found = symbols.find(symbol);
        return found == symbols.end() ? nullptr : found->second;
    };
    const auto options = warps ? std::optional{*warps} : std::nullopt;
    jit::Background::end_with_this_thread();
    code->compile = [self = weak_from_this(), &kernel, options, resolve,
                     to_come = std::weak_ptr{code}] {
        jit::Background::instance().add([=] {
            const auto alive = self.lock();
            const auto due = to_come.lock();
            if (!alive || !due) return;
            std::optional<KernelCode> best;
            if (options) best = alive->warps_in_background(kernel, *options, resolve);
            if (!best) best = alive->threads_in_background(kernel, resolve);
            if (!best) return;
            due->code = *std::move(best);
            due->ready.store(true, std::memory_order_release);
        });
    };
    return known;
}

/// None where the kernel cannot run by warps.
std::optional<KernelCode> Compiled::warps_in_background(const jit::KernelFacts& kernel,
                                                        const jit::warp::ShapeOptions& options,
                                                        const Resolve& resolve) {
    const std::string& name = kernel.info.name;
    const std::string group = group_of(name, options);
    auto& cache = jit::ObjectCache::instance();
    try {
        const jit::CachedCode made = generate_kernel(job_of_warps(kernel, options), resolve);
        cache.store(cache_key(group), made);
        std::lock_guard lock{mutex_};
        link(made.object, group, made.symbols);
        return warps_.emplace(group, warp_code(kernel, options.width, group)).first->second;
    } catch (const jit::warp::Unsupported& why) {
        jit::warp::log_fall_back(name, why.what());
        cache.store(cache_key(group), {{}, {}, why.what()});
    } catch (const std::exception& why) { // settled, as what is refused: others do not wait for it
        log::warning("{} stays with single threads, much slower: it could not be compiled for "
                     "warps: {}",
                     name, why.what());
    }
    std::lock_guard lock{mutex_};
    warps_.emplace(group, std::nullopt);
    return std::nullopt;
}

/// None where it cannot be compiled: the first code stays.
std::optional<KernelCode> Compiled::threads_in_background(const jit::KernelFacts& kernel,
                                                          const Resolve& resolve) {
    const std::string group = thread_group_of(kernel.info.name);
    const auto known = [&]() -> std::optional<KernelCode> {
        std::lock_guard lock{mutex_};
        const auto found = threads_.find(group);
        return found == threads_.end() ? std::nullopt : std::optional{found->second};
    };
    if (const auto there = known()) return there;
    try {
        const jit::CachedCode made = generate_kernel({&kernel, nullptr, {}}, resolve);
        jit::ObjectCache::instance().store(cache_key(group), made);
        std::lock_guard lock{mutex_};
        if (const auto meanwhile = known()) return meanwhile;
        link(made.object, group, made.symbols);
        return keep_threads(kernel, group, {});
    } catch (const std::exception& why) {
        log::warning("{} stays with code that was made quickly, much slower: {}", kernel.info.name,
                     why.what());
        return std::nullopt;
    }
}

KernelCode Compiled::code_for(std::string_view name, const std::uint32_t block[3], bool trusting,
                              Instruments instruments) {
    std::lock_guard lock{mutex_};
    const jit::KernelFacts& kernel = facts_of(name);
    instruments.watches = instruments.watches && can_watch(kernel);
    const bool wants_best = mode_.at_once || !trusting || instruments.any();
    // A block of one thread has no other threads to share a vector with.
    const bool alone = !mode_.width && std::uint64_t{block[0]} * block[1] * block[2] == 1;
    if (alone || (!mode_.by_warps && !instruments.any()))
        return wants_best ? threads(kernel, instruments) : first_code(kernel, nullptr);
    jit::warp::ShapeOptions options =
        jit::warp::options_for(kernel, block, mode_, jit::has_wide_vectors(), instruments);
    options.trust_extensions = trusting;
    const std::string group = group_of(kernel.info.name, options);
    if (!wants_best && !find_warps(kernel, options.width, group))
        return first_code(kernel, &options);
    const std::optional<KernelCode>& warps = compile_warps(kernel, options);
    if (!warps) return wants_best ? threads(kernel, instruments) : first_code(kernel, nullptr);
    KernelCode code = *warps;
    code.watched = instruments.watches;
    if (instruments.counts) code.counters = counters_of(group);
    return code;
}

const jit::KernelFacts& Compiled::facts_of(std::string_view name) const {
    const jit::KernelFacts* kernel = facts_.kernel(name);
    if (!kernel) throw Error{fmt::format("no kernel {} in this module", name)};
    return *kernel;
}

KernelCode Compiled::threads(const jit::KernelFacts& kernel, Instruments instruments,
                             jit::Effort effort) {
    const std::string group = thread_group_of(kernel.info.name, instruments, effort);
    const auto known = threads_.find(group);
    if (known != threads_.end()) return known->second;
    const Job job{&kernel, nullptr, instruments, effort};
    compile(group, [&] { return generate_kernel(job, resolve_); });
    return keep_threads(kernel, group, instruments);
}

/// True where the full code is there, or on the disk.
bool Compiled::find_threads(const jit::KernelFacts& kernel) {
    const std::string group = thread_group_of(kernel.info.name);
    if (threads_.count(group)) return true;
    if (to_come_.count(group) || !link_cached(group)) return false;
    keep_threads(kernel, group, {});
    return true;
}

/// Of a group that is linked.
const KernelCode& Compiled::keep_threads(const jit::KernelFacts& kernel, const std::string& group,
                                         Instruments instruments) {
    const std::string& name = kernel.info.name;
    KernelCode code;
    code.fibers = kernel.info.needs_fibers;
    code.entry = reinterpret_cast<KernelEntry>(code_.find(group, "entry." + name));
    if (!code.fibers) code.block = reinterpret_cast<BlockEntry>(code_.find(group, "block." + name));
    code.watched = instruments.watches;
    if (instruments.counts) code.counters = counters_of(group);
    code.frame_bytes = code_.frame_bytes(group);
    return threads_.emplace(group, std::move(code)).first->second;
}

DeviceFunction Compiled::device_function(std::string_view name) {
    std::lock_guard lock{mutex_};
    for (std::size_t k = 0; k < aliases_.size(); ++k) // an alias may name an alias
        for (const auto& [alias, target] : aliases_)
            if (alias == name) name = target;
    const std::string text{name};
    const auto known = functions_.find(name);
    if (known != functions_.end()) return reinterpret_cast<DeviceFunction>(known->second);
    const ptx::Function* function = module_->find_function(name);
    if (!function || function->is_entry || !function->has_body) return nullptr;
    const auto lower = [&](jit::ModuleLowering& lowering) {
        lowering.lower_device_function(*function);
    };
    compile("func." + text, [&] { return generate(lower, {}, resolve_); });
    void* address = code_.find("func." + text, "func." + text);
    functions_.emplace(text, address);
    return reinterpret_cast<DeviceFunction>(address);
}

} // namespace

std::shared_ptr<CompiledModule> CompiledModule::create(std::shared_ptr<const ptx::Module> module,
                                                       Resolve resolve, ExecutionMode mode) {
    return std::make_shared<Compiled>(std::move(module), std::move(resolve), mode);
}

} // namespace lathe::soft
