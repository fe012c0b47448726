// SPDX-License-Identifier: MIT
#include "gpu/inspect/instrumented_kernel.h"

#include "gpu/context.h"
#include "gpu/inspect/kernel_ptx.h"
#include "gpu/memory.h"
#include "gpu/ptx/printer.h"

#include <algorithm>
#include <utility>

namespace lathe::gpu {

namespace {

namespace fs = std::filesystem;

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
    CompileRequest wanted = request;
    wanted.debug_info = code == Code::debug;
    ptx::Module module = ptx_of(std::move(wanted));
    variables_ = variables_of(module);
    const std::string entry = entry_of(module, kernel, request.name);
    for (ptx::Function& f : module.functions) {
        if (!f.is_entry || !f.has_body) continue;
        const bool is_bounded = f.max_threads[0] || f.required_threads[0] || f.max_registers;
        if (!is_bounded) f.max_threads[0] = kMostThreads, f.max_threads[1] = f.max_threads[2] = 1;
    }
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
