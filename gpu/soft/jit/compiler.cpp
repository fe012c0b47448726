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

#include <cstdlib>
#include <mutex>

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
        return thread_code(facts_of(kernel));
    }

    DeviceFunction device_function(std::string_view name) override;

    std::optional<SourcePlace> place_of(std::uintptr_t pc) const override {
        return code_.place_of(pc);
    }
    bool contains(std::uintptr_t pc) const override { return code_.contains(pc); }
    std::vector<CodeRow> listing(std::uintptr_t pc) const override { return code_.listing(pc); }

private:
    const jit::KernelFacts& facts_of(std::string_view kernel) const;
    KernelCode thread_code(const jit::KernelFacts& kernel, Instruments instruments = {});
    KernelCode code_for(std::string_view name, const std::uint32_t block[3], bool trusting,
                        Instruments instruments);
    bool can_watch(const jit::KernelFacts& kernel) const;
    CounterTablePtr counters_of(const std::string& group);
    KernelCode warp_code(const jit::KernelFacts& kernel, BlockEntry loop, std::uint32_t width,
                         const std::string& group) const;
    BlockEntry compile_warps(const jit::KernelFacts& kernel,
                             const jit::warp::ShapeOptions& options);
    template <class Lower>
    void compile(const std::string& group, Lower lower, const jit::KernelFacts* kernel,
                 const jit::warp::ShapeOptions* warp = nullptr, Instruments instruments = {});
    template <class Lower>
    jit::CachedCode generate(Lower lower, const jit::KernelFacts* kernel,
                             const jit::warp::ShapeOptions* warp, const Resolve& resolve,
                             Instruments instruments);
    void add_checks(llvm::Module& module, llvm::Function* body,
                    const jit::KernelFacts* kernel) const;
    void add_counters(llvm::Module& module, llvm::Function* body, const jit::KernelFacts& kernel,
                      jit::CounterSites& sites) const;
    std::string cache_key(const std::string& group) const;
    bool link_cached(const std::string& group);
    void link(const std::string& object, const std::string& group,
              const std::vector<std::string>& symbols);
    bool find_warps(const std::string& group, const std::string& name);
    std::shared_ptr<CodeToCome> warps_to_come(const jit::KernelFacts& kernel,
                                              const jit::warp::ShapeOptions& options,
                                              const std::string& group);
    void compile_in_background(const jit::KernelFacts& kernel,
                               const jit::warp::ShapeOptions& options, const std::string& group,
                               const Resolve& resolve, CodeToCome& code);

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
    std::map<std::string, BlockEntry, std::less<>> warps_;   ///< null: by single threads
    std::map<std::string, std::shared_ptr<CodeToCome>> to_come_;
    std::map<std::string, void*, std::less<>> functions_;
    std::map<std::string, CounterTablePtr, std::less<>> counters_; ///< by group
};

template <class Lower>
void Compiled::compile(const std::string& group, Lower lower, const jit::KernelFacts* kernel,
                       const jit::warp::ShapeOptions* warp, Instruments instruments) {
    if (link_cached(group)) return;
    auto& cache = jit::ObjectCache::instance();
    const std::string key = cache_key(group);
    const jit::CachedCode made = [&]() -> jit::CachedCode {
        try {
            return generate(lower, kernel, warp, resolve_, instruments);
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
jit::CachedCode Compiled::generate(Lower lower, const jit::KernelFacts* kernel,
                                   const jit::warp::ShapeOptions* warp, const Resolve& resolve,
                                   Instruments instruments) {
    const jit::Toolchain::Lease tools = jit::Toolchain::take();
    const llvm::TargetMachine& machine = *tools->machine;
    jit::ModuleLowering lowering{
        tools->context, *module_, facts_, resolve, machine.createDataLayout(), warp};
    lowering.llvm->setTargetTriple(machine.getTargetTriple().str());
    lowering.watches = instruments.watches;
    lower(lowering);
    llvm::Function *body = lowering.warp_body, *wide = lowering.warp_wide;
    const std::unique_ptr<llvm::Module> llvm = lowering.take();
    if (dump_level() == 1) llvm->print(llvm::errs(), nullptr);
    jit::CounterSites sites;
    const bool counts = instruments.counts;
    const auto add = [&] {
        add_checks(*llvm, body, kernel);
        if (instruments.watches) jit::resolve_watches(*llvm, body);
        if (counts) add_counters(*llvm, body, *kernel, sites);
    };
    if (warp) {
        jit::warp::widen(*llvm, *body, *wide, *warp, *tools, add, counts ? &sites : nullptr);
    } else {
        jit::optimise(*llvm, *tools);
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

KernelCode Compiled::warp_code(const jit::KernelFacts& kernel, BlockEntry loop, std::uint32_t width,
                               const std::string& group) const {
    KernelCode code;
    code.block = loop;
    code.width = width;
    code.fibers = kernel.uses_barriers || kernel.spins;
    code.frame_bytes = code_.frame_bytes(group);
    return code;
}

BlockEntry Compiled::compile_warps(const jit::KernelFacts& kernel,
                                   const jit::warp::ShapeOptions& options) {
    const std::string& name = kernel.info.name;
    const std::string group = group_of(name, options);
    const auto known = warps_.find(group);
    if (known != warps_.end()) return known->second;
    BlockEntry loop = nullptr;
    try {
        compile(
            group,
            [&](jit::ModuleLowering& lowering) { lowering.lower_kernel(*kernel.function, kernel); },
            &kernel, &options, {options.counts, options.watches});
        loop = reinterpret_cast<BlockEntry>(code_.find(group, "warp." + name));
    } catch (const jit::warp::Unsupported& why) { jit::warp::log_fall_back(name, why.what()); }
    warps_.emplace(group, loop);
    return loop;
}

/// True where it is settled how the kernel runs, without compiling anything.
bool Compiled::find_warps(const std::string& group, const std::string& name) {
    if (warps_.count(group)) return true;
    try {
        if (!link_cached(group)) return false;
        warps_.emplace(group, reinterpret_cast<BlockEntry>(code_.find(group, "warp." + name)));
    } catch (const jit::warp::Unsupported& why) {
        jit::warp::log_fall_back(name, why.what());
        warps_.emplace(group, nullptr);
    }
    return true;
}

std::shared_ptr<CodeToCome> Compiled::warps_to_come(const jit::KernelFacts& kernel,
                                                    const jit::warp::ShapeOptions& options,
                                                    const std::string& group) {
    auto& known = to_come_[group];
    if (known) return known;
    auto code = std::make_shared<CodeToCome>();
    known = code;
    // The module that answers may be gone by then: warps use the symbols of the single threads.
    const Resolve resolve = [symbols = symbols_](std::string_view name) -> void* {
        const auto found = symbols.find(name);
        return found == symbols.end() ? nullptr : found->second;
    };
    jit::Background::end_with_this_thread();
    code->compile = [self = weak_from_this(), &kernel, options, group, resolve,
                     to_come = std::weak_ptr{code}] {
        jit::Background::instance().add([=] {
            const auto alive = self.lock();
            const auto due = to_come.lock();
            if (alive && due) alive->compile_in_background(kernel, options, group, resolve, *due);
        });
    };
    return known;
}

void Compiled::compile_in_background(const jit::KernelFacts& kernel,
                                     const jit::warp::ShapeOptions& options,
                                     const std::string& group, const Resolve& resolve,
                                     CodeToCome& code) {
    const std::string& name = kernel.info.name;
    auto& cache = jit::ObjectCache::instance();
    try {
        const jit::CachedCode made = generate(
            [&](jit::ModuleLowering& lowering) { lowering.lower_kernel(*kernel.function, kernel); },
            &kernel, &options, resolve, {});
        cache.store(cache_key(group), made);
        std::lock_guard lock{mutex_};
        link(made.object, group, made.symbols);
        auto* loop = reinterpret_cast<BlockEntry>(code_.find(group, "warp." + name));
        warps_.emplace(group, loop);
        code.code = warp_code(kernel, loop, options.width, group);
        code.ready.store(true, std::memory_order_release);
    } catch (const jit::warp::Unsupported& why) {
        jit::warp::log_fall_back(name, why.what());
        cache.store(cache_key(group), {{}, {}, why.what()});
        std::lock_guard lock{mutex_};
        warps_.emplace(group, nullptr);
    } catch (const std::exception& why) { // settled, as what is refused: others do not wait for it
        log::warning("{} stays with single threads, much slower: it could not be compiled for "
                     "warps: {}",
                     name, why.what());
        std::lock_guard lock{mutex_};
        warps_.emplace(group, nullptr);
    }
}

KernelCode Compiled::code_for(std::string_view name, const std::uint32_t block[3], bool trusting,
                              Instruments instruments) {
    std::lock_guard lock{mutex_};
    const jit::KernelFacts& kernel = facts_of(name);
    instruments.watches = instruments.watches && can_watch(kernel);
    // A block of one thread has no other threads to share a vector with.
    if (!mode_.width && std::uint64_t{block[0]} * block[1] * block[2] == 1)
        return thread_code(kernel, instruments);
    if (!mode_.by_warps && !instruments.any()) return thread_code(kernel);
    jit::warp::ShapeOptions options =
        jit::warp::options_for(kernel, block, mode_, jit::has_wide_vectors(), instruments);
    options.trust_extensions = trusting;
    const std::string group = group_of(kernel.info.name, options);
    if (trusting && !instruments.any() && !mode_.at_once && !find_warps(group, kernel.info.name)) {
        KernelCode code = thread_code(kernel);
        code.later = warps_to_come(kernel, options, group);
        return code;
    }
    BlockEntry const loop = compile_warps(kernel, options);
    if (!loop) return thread_code(kernel, instruments);
    KernelCode code = warp_code(kernel, loop, options.width, group);
    code.watched = instruments.watches;
    if (instruments.counts) code.counters = counters_of(group);
    return code;
}

const jit::KernelFacts& Compiled::facts_of(std::string_view name) const {
    const jit::KernelFacts* kernel = facts_.kernel(name);
    if (!kernel) throw Error{fmt::format("no kernel {} in this module", name)};
    return *kernel;
}

KernelCode Compiled::thread_code(const jit::KernelFacts& kernel, Instruments instruments) {
    const std::string& name = kernel.info.name;
    const std::string group = fmt::format("{}{}kernel.{}", instruments.counts ? "count." : "",
                                          instruments.watches ? "watch." : "", name);
    const auto known = threads_.find(group);
    if (known != threads_.end()) return known->second;
    compile(
        group,
        [&](jit::ModuleLowering& lowering) { lowering.lower_kernel(*kernel.function, kernel); },
        &kernel, nullptr, instruments);
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
    compile(
        "func." + text,
        [&](jit::ModuleLowering& lowering) { lowering.lower_device_function(*function); }, nullptr);
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
