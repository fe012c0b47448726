// SPDX-License-Identifier: MIT
#include "gpu/inspect/instrumented_kernel.h"

#include "engine/core/error.h"
#include "engine/core/source_name.h"
#include "gpu/context.h"
#include "gpu/memory.h"
#include "gpu/ptx/parser.h"
#include "gpu/ptx/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::gpu {

namespace {

namespace fs = std::filesystem;

ptx::Module module_of(CompileRequest request, InstrumentedKernel::Code code) {
    request.debug_info = code == InstrumentedKernel::Code::debug;
    if (!request.debug_info) {
        if (!request.target) request.target = CompileTarget::current();
        request.target->kind = ImageKind::ptx;
    }
    request.quick = false;
    const CompileResult result = compile_or_throw(request);
    ptx::ParseResult parsed = ptx::parse(result.ptx());
    if (!parsed.ok()) throw lathe::Error{to_string(parsed.errors.front())};
    return std::move(parsed.module);
}

bool is_named(const fs::path& path, const std::string& name) {
    return path.filename() == fs::path{name}.filename();
}

std::vector<std::uint32_t> files_of(const ptx::Module& module, const CompileRequest& request) {
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, name] : module.files) {
        const fs::path path{name};
        const bool is_beside =
            std::ranges::any_of(request.include_directories, [&](const fs::path& folder) {
                return path.parent_path() == folder;
            });
        if (is_named(path, request.name) || is_beside) numbers.push_back(number);
    }
    return numbers;
}

/// Registers of optimised code let a block have as many threads as the device allows.
constexpr std::uint32_t kMostThreads = 1024;

} // namespace

InstrumentedKernel::InstrumentedKernel(const CompileRequest& request, const std::string& kernel,
                                       const Change& change, Code code) {
    ptx::Module module = module_of(request, code);
    for (const ptx::Variable& v : module.variables)
        if (v.space == ptx::Space::global || v.space == ptx::Space::constant)
            variables_.push_back(v.name);
    std::string entry;
    for (ptx::Function& f : module.functions) {
        if (!f.is_entry || !f.has_body) continue;
        if (f.name == kernel || source_name(f.name) == kernel) entry = f.name;
        const bool is_bounded = f.max_threads[0] || f.required_threads[0] || f.max_registers;
        if (!is_bounded) f.max_threads[0] = kMostThreads, f.max_threads[1] = f.max_threads[2] = 1;
    }
    if (entry.empty())
        throw lathe::Error{fmt::format("{} has no kernel '{}'", request.name, kernel)};
    for (const auto& [number, name] : module.files) {
        if (files_.size() <= number) files_.resize(number + 1);
        files_[number] = name;
    }
    change(module, files_of(module, request));
    module_ = Module{ptx::print(module)};
    kernel_ = module_.kernel(entry);
}

void InstrumentedKernel::copy_variables(const Module& from, const Module& to) const {
    for (const std::string& name : variables_) {
        const auto source = from.find_global(name), target = to.find_global(name);
        if (source && target && source->bytes() == target->bytes())
            copy_on_device(target->address(), source->address(), source->bytes());
    }
}

void InstrumentedKernel::begin(const Module& original, const char* name,
                               std::span<const std::byte> state) {
    Context::current().synchronize();
    copy_variables(original, module_);
    copy_to_device(module_.global(name).address(), state.data(), state.size());
}

void InstrumentedKernel::finish(const Module& original) const {
    Context::current().synchronize();
    copy_variables(module_, original);
}

void InstrumentedKernel::read(const char* name, std::span<std::byte> state) const {
    copy_to_host(state.data(), module_.global(name).address(), state.size());
}

std::vector<std::uint32_t> numbers_of_file(const ptx::Module& module, const std::string& source,
                                           const std::string& file) {
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, name] : module.files)
        if (is_named(name, file.empty() ? source : file)) numbers.push_back(number);
    return numbers;
}

} // namespace lathe::gpu
