// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/module.h"

#include "engine/core/error.h"
#include "gpu/ptx/parser.h"
#include "gpu/ptx/verify.h"
#include "gpu/soft/drv/device_runtime.h"
#include "gpu/soft/drv/memory.h"
#include "gpu/soft/drv/texture_reference.h"
#include "gpu/soft/rt/printf.h"
#include "gpu/soft/rt/watch/instruments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace lathe::soft {

namespace {
constexpr std::size_t kCompiledAtOnce = 4; // kernels
/// Beyond it the best code takes too long for somebody who waits: 0.1 ms an instruction and more.
constexpr std::size_t kSoonCompiled = 2000; // instructions

ExecutionMode mode_for(const ptx::Module& module) {
    ExecutionMode mode = ExecutionMode::from_environment();
    if (!Module::wants_best_code) return mode;
    std::size_t statements = 0;
    for (const ptx::Function& function : module.functions)
        statements += function.body.statements.size();
    mode.at_once = mode.at_once || statements <= kSoonCompiled;
    return mode;
}

using Block = std::array<std::uint32_t, 3>;

/// The blocks that kernels were last launched with, by their names: a source that is compiled again
/// after an edit will be launched as before.
class LastBlocks {
public:
    static LastBlocks& instance() {
        static auto* const all = new LastBlocks; // threads may launch while the process ends
        return *all;
    }
    void set(const std::string& kernel, const Block& block) {
        std::lock_guard lock{mutex_};
        blocks_[kernel] = block;
    }
    std::optional<Block> find(const std::string& kernel) const {
        std::lock_guard lock{mutex_};
        const auto found = blocks_.find(kernel);
        return found == blocks_.end() ? std::nullopt : std::optional{found->second};
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, Block> blocks_;
};

/// The block that code is compiled for before a launch tells.
Block usual_block(const KernelInfo& kernel) {
    if (const auto& required = kernel.required_threads; required[0] && required[1] && required[2])
        return {required[0], required[1], required[2]};
    if (const auto last = LastBlocks::instance().find(kernel.name)) return *last;
    return kernel.has_rows ? Block{32, 8, 1} : Block{256, 1, 1};
}
} // namespace

thread_local int Module::wants_best_code = 0;

std::shared_ptr<const ptx::Module> Module::parse(std::string_view text) {
    auto parsed = std::make_shared<ptx::ParseResult>(ptx::parse(text));
    const std::vector<Diagnostic> findings =
        parsed->ok() ? ptx::verify(parsed->module) : parsed->errors;
    if (!findings.empty()) {
        std::string log;
        for (const Diagnostic& d : findings) log += to_string(d) + "\n";
        fail(CUDA_ERROR_INVALID_PTX, log);
    }
    return {parsed, &parsed->module};
}

bool loads_eagerly() noexcept {
    static const bool eagerly = [] {
        const char* mode = std::getenv("CUDA_MODULE_LOADING");
        return mode && std::string_view{mode} == "EAGER";
    }();
    return eagerly;
}

std::shared_ptr<Module> Module::load(const Context& context,
                                     std::shared_ptr<const ptx::Module> ptx) {
    auto module = std::make_shared<Module>();
    module->context = &context;
    module->ast_ = std::move(ptx);
    try {
        // The code outlives the module where a launch holds it; symbols are only asked for while
        // a kernel is compiled, which happens through the module.
        Module* self = module.get();
        module->code_ = CompiledModule::create(
            module->ast_, [self](std::string_view symbol) { return self->resolve(symbol); },
            mode_for(*module->ast_));
        const auto& kernels = module->code_->kernels();
        if (loads_eagerly() || kernels.size() <= kCompiledAtOnce)
            for (const KernelInfo& kernel : kernels) {
                std::lock_guard lock{module->mutex_};
                module->code_->code(kernel.name, usual_block(kernel).data(), wanted_instruments());
            }
    } catch (const lathe::Error& e) { fail(CUDA_ERROR_INVALID_PTX, e.what()); }
    return module;
}

KernelCode Function::code(const std::uint32_t block[3], Instruments instruments) {
    {
        std::lock_guard lock{mutex_};
        if (instruments_ == instruments && std::equal(block, block + 3, block_))
            return code_.best();
    }
    LastBlocks::instance().set(info->name, {block[0], block[1], block[2]});
    return compile(block, instruments);
}

KernelCode Function::code_ahead(Instruments instruments) {
    return compile(usual_block(*info).data(), instruments);
}

KernelCode Function::plain_code() {
    std::uint32_t block[3];
    {
        std::lock_guard lock{mutex_};
        if (!instruments_.any()) return code_.best();
        std::copy_n(block_, 3, block);
    }
    return module->compile(*info, block, {}).best();
}

KernelCode Function::compile(const std::uint32_t block[3], Instruments instruments) {
    const KernelCode found = module->compile(*info, block, instruments);
    std::lock_guard lock{mutex_};
    code_ = found;
    std::copy_n(block, 3, block_);
    instruments_ = instruments;
    return found;
}

KernelCode Module::compile(const KernelInfo& kernel, const std::uint32_t block[3],
                           Instruments instruments) {
    std::lock_guard lock{mutex_};
    return code_->code(kernel.name, block, instruments);
}

Module::~Module() {
    for (const auto& [name, kernel] : device_kernels_)
        Objects<DeviceKernel>::instance().remove(kernel.get());
    for (const auto& [name, variable] : variables_)
        if (variable.address) release(reinterpret_cast<std::uintptr_t>(variable.address));
}

Function* Module::function(std::string_view name, bool* is_new) {
    std::lock_guard lock{mutex_};
    if (is_new) *is_new = false;
    if (auto it = functions_.find(name); it != functions_.end()) return it->second;
    for (const KernelInfo& kernel : code_->kernels()) {
        if (kernel.name != name) continue;
        auto made = std::make_shared<Function>();
        made->context = context;
        made->module = shared_from_this();
        made->info = &kernel;
        try { // compile now: a launch should not wait for it
            (void)made->code_ahead(wanted_instruments());
        } catch (const lathe::Error& e) { fail(CUDA_ERROR_INVALID_PTX, e.what()); }
        Function* handle = Objects<Function>::instance().add(std::move(made));
        functions_.emplace(name, handle);
        if (is_new) *is_new = true;
        return handle;
    }
    return nullptr;
}

std::vector<Function*> Module::functions() {
    std::vector<Function*> all;
    for (const KernelInfo& kernel : code_->kernels()) all.push_back(function(kernel.name));
    return all;
}

Module::Variable Module::variable(std::string_view name) {
    std::lock_guard lock{mutex_};
    if (auto it = variables_.find(name); it != variables_.end()) return it->second;
    const ptx::Variable* source = ast_->find_variable(name);
    bool here = source && !source->is_extern && source->size_bytes() > 0 &&
                (source->space == ptx::Space::global || source->space == ptx::Space::constant);
    if (!here) return {};
    std::size_t bytes = source->size_bytes();
    Variable made{allocate(*context, bytes, Allocation::Kind::variable, 0, std::string{name}),
                  bytes};
    variables_.emplace(name, made); // before its initialiser, which may point back to it
    initialise(*source, static_cast<std::uint8_t*>(made.address));
    return made;
}

void Module::initialise(const ptx::Variable& source, std::uint8_t* memory) {
    std::size_t bytes = source.size_bytes(), given = std::min(bytes, source.init.size());
    if (given) std::memcpy(memory, source.init.data(), given);
    std::memset(memory + given, 0, bytes - given);
    for (const auto& relocation : source.relocations) {
        const std::string& target = relocation.target.name;
        auto address = reinterpret_cast<std::uintptr_t>(resolve(target));
        if (!address)
            throw lathe::Error{
                fmt::format("{}: initialiser names unknown symbol {}", source.name, target)};
        address += static_cast<std::uintptr_t>(relocation.target.offset);
        if (relocation.offset + relocation.bytes <= bytes)
            std::memcpy(memory + relocation.offset, &address,
                        std::min<std::size_t>(relocation.bytes, sizeof address));
    }
}

void* Module::resolve(std::string_view symbol) {
    std::lock_guard lock{mutex_};
    if (auto found = variable(symbol); found.address) return found.address;
    if (DeviceFunction known = code_ ? code_->device_function(symbol) : nullptr)
        return reinterpret_cast<void*>(known);
    if (DeviceKernel* kernel = device_kernel(symbol)) return kernel;
    return reinterpret_cast<void*>(device_runtime_function(symbol));
}

/// What a kernel's address is in device code; null where there is no such kernel.
DeviceKernel* Module::device_kernel(std::string_view name) {
    const ptx::Function* function = ast_->find_function(name);
    if (!function || !function->is_entry) return nullptr;
    auto& kernel = device_kernels_[std::string{name}];
    if (!kernel) {
        kernel = std::make_shared<DeviceKernel>();
        kernel->module = this;
        kernel->name = name;
        Objects<DeviceKernel>::instance().add(kernel);
    }
    return kernel.get();
}

void unload(const std::shared_ptr<Module>& module) {
    if (auto context = Objects<Context>::instance().find(module->context)) context->wait_idle();
    flush_printf(); // its kernels' text may be unprinted
    drop_references(*module);
    Objects<Function>::instance().remove_if([&](const Function& f) { return f.module == module; });
    Objects<Module>::instance().remove(module.get());
}

} // namespace lathe::soft
