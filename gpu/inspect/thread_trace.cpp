// SPDX-License-Identifier: MIT
#include "gpu/inspect/thread_trace.h"

#include "engine/core/error.h"
#include "engine/core/source_name.h"
#include "gpu/context.h"
#include "gpu/ptx/parser.h"
#include "gpu/ptx/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

constexpr std::size_t kRecordBytes = std::size_t{8} << 20;

ptx::Module debug_module(CompileRequest request) {
    request.debug_info = true;
    request.quick = false;
    const CompileResult result = compile_or_throw(request);
    ptx::ParseResult parsed = ptx::parse(result.ptx());
    if (!parsed.ok()) throw lathe::Error{to_string(parsed.errors.front())};
    return std::move(parsed.module);
}

/// Numbers of the files that are the user's: the source itself, and what stands in its folders.
std::vector<std::uint32_t> files_of(const ptx::Module& module, const CompileRequest& request) {
    namespace fs = std::filesystem;
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, name] : module.files) {
        const fs::path path{name};
        const bool is_source = path.filename() == fs::path{request.name}.filename();
        const bool is_beside =
            std::ranges::any_of(request.include_directories, [&](const fs::path& folder) {
                return path.parent_path() == folder;
            });
        if (is_source || is_beside) numbers.push_back(number);
    }
    return numbers;
}

/// Registers of optimised code let a block have as many threads as the device allows.
constexpr std::uint32_t kMostThreads = 1024;

} // namespace

TracedKernel::TracedKernel(const CompileRequest& request, const std::string& kernel) {
    ptx::Module module = debug_module(request);
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
    plan_ = ptx::trace_threads(module, files_of(module, request));
    for (const auto& type : plan_.variables)
        types_.push_back(std::make_shared<const ptx::ParameterType>(type));
    for (std::uint32_t v = 0; v < plan_.constants.size(); ++v) {
        const auto bytes = std::as_bytes(std::span{plan_.constants[v]});
        if (!bytes.empty()) constants_[v].assign(bytes.begin(), bytes.end());
    }
    for (const std::string& name : plan_.functions) functions_.push_back(source_name(name));
    for (const auto& [number, name] : module.files) {
        if (files_.size() <= number) files_.resize(number + 1);
        files_[number] = name;
    }
    module_ = Module{ptx::print(module)};
    kernel_ = module_.kernel(entry);
    records_ = DeviceBuffer{kRecordBytes};
}

void TracedKernel::copy_variables(const Module& from, const Module& to) const {
    for (const std::string& name : variables_) {
        const auto source = from.find_global(name), target = to.find_global(name);
        if (source && target && source->bytes() == target->bytes())
            copy_on_device(target->address(), source->address(), source->bytes());
    }
}

void TracedKernel::begin(const Dim3& block, const Dim3& thread, const Module& original) {
    Context::current().synchronize();
    copy_variables(original, module_);
    ptx::TraceState state;
    const unsigned where[]{block.x, block.y, block.z, thread.x, thread.y, thread.z};
    std::copy_n(where, 3, state.block);
    std::copy_n(where + 3, 3, state.thread);
    state.next = records_.address();
    state.end = records_.address() + records_.bytes();
    copy_to_device(module_.global(ptx::kTraceState).address(), &state, sizeof state);
}

ThreadTrace TracedKernel::finish(const Module& original) {
    Context::current().synchronize();
    copy_variables(module_, original);
    ptx::TraceState state;
    copy_to_host(&state, module_.global(ptx::kTraceState).address(), sizeof state);
    std::vector<std::byte> records(state.next - records_.address());
    copy_to_host(records.data(), records_.address(), records.size());

    ThreadTrace trace;
    trace.is_cut = state.is_full != 0;
    std::vector<Frame> frames{constants_}; // calls that the thread is in
    for (std::size_t at = 0; at + sizeof(std::uint32_t) <= records.size();) {
        std::uint32_t number = 0;
        std::memcpy(&number, records.data() + at, sizeof number);
        const ptx::TraceSite& site = plan_.sites.at(number);
        if (site.event == ptx::TraceEvent::enter) {
            frames.push_back(constants_);
        } else {
            Frame& frame = frames.back();
            for (const ptx::TracedPlace& value : site.values) {
                const std::byte* const from = records.data() + at + value.offset;
                frame[value.variable].assign(from, from + value.bytes);
            }
            TraceStep& step = trace.steps.emplace_back();
            step.function = functions_[site.function];
            step.file = site.file < files_.size() ? files_[site.file] : std::string{};
            step.line = static_cast<int>(site.line);
            step.depth = static_cast<int>(frames.size()) - 1;
            step.is_end = site.event == ptx::TraceEvent::leave;
            for (const std::uint32_t variable : site.known)
                step.values.push_back({types_[variable], frame.at(variable)});
            if (step.is_end && frames.size() > 1) frames.pop_back();
        }
        at += site.bytes;
    }
    return trace;
}

} // namespace lathe::gpu
