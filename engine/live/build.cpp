// SPDX-License-Identifier: MIT
#include "engine/live/build.h"

#include "engine/core/source_name.h"
#include "engine/live/literal.h"
#include "engine/live/source_scan.h"
#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <memory>

namespace lathe {

namespace {

void add_kernels(LoadedKernels& loaded, const KernelSource& source) {
    const auto scanned = scan_source(source.text).kernels;
    for (const auto& lowered : loaded.module.kernel_names())
        loaded.kernels.emplace(source_name(lowered), loaded.module.kernel(lowered));
    if (loaded.kernels.empty()) // a driver that cannot list them
        for (const auto& k : scanned)
            if (auto kernel = loaded.module.find_kernel(k.name))
                loaded.kernels.emplace(k.name, std::move(*kernel));
    for (const auto& k : scanned)
        if (loaded.first.empty() && loaded.kernels.contains(k.name)) loaded.first = k.name;
    if (loaded.first.empty() && !loaded.kernels.empty())
        loaded.first = loaded.kernels.begin()->first;
}

/// Why the module cannot serve the slot; empty where it can.
std::string missing_kernel(const LoadedKernels& loaded, const KernelSource& source) {
    if (loaded.kernels.empty()) return "the source has no __global__ function";
    if (source.entry.empty() || loaded.kernels.contains(source.entry)) return {};
    std::vector<std::string_view> names;
    for (const auto& [name, kernel] : loaded.kernels) names.push_back(name);
    return fmt::format("the source has no kernel '{}'; it has {}", source.entry,
                       fmt::join(names, ", "));
}

} // namespace

gpu::CompileRequest request_of(const KernelSource& source) {
    gpu::CompileRequest request;
    request.source = source.text;
    request.name = source.name;
    request.options = source.options;
    request.include_directories = source.include_directories;
    return request;
}

gpu::CompileRequest request_of(const KernelSource& source, const std::string& kernel) {
    gpu::CompileRequest request = request_of(source);
    if (kernel.find('<') != kernel.npos) request.name_expressions = {kernel};
    return request;
}

KernelBuild build_kernel(const KernelSource& source, Effort effort) {
    gpu::CompileRequest request = request_of(source);
    request.quick = effort == Effort::quick;
    request.more_will_come = true;
    gpu::CompileResult result = gpu::compile(request);

    KernelBuild build;
    build.diagnostics = std::move(result.diagnostics);
    build.log = std::move(result.log);
    build.milliseconds = result.milliseconds;
    build.from_cache = result.from_cache;
    build.files = std::move(result.files);
    build.key = std::move(result.key);
    build.effort = result.quick ? Effort::quick : Effort::full;
    if (!result.ok) return build;
    auto refuse = [&](std::string why) {
        build.diagnostics.push_back(
            {source.name, 0, 0, Diagnostic::Severity::error, std::move(why)});
    };
    try {
        auto loaded = std::make_shared<LoadedKernels>();
        loaded->source = source;
        const gpu::BestCodeScope best; // the frames until then are the older version's
        loaded->module = gpu::Module{result};
        add_kernels(*loaded, source);
        if (std::string why = missing_kernel(*loaded, source); !why.empty()) {
            refuse(std::move(why));
        } else {
            for (const auto& [name, kernel] : loaded->kernels) kernel.load();
            const std::string variable{kLiteralVariable};
            if (source.text.find(variable) != source.text.npos)
                loaded->variable = loaded->module.find_global(variable);
            build.loaded = std::move(loaded);
        }
    } catch (const gpu::Error& e) { refuse(e.what()); }
    return build;
}

BuildKernel build_for(gpu::Device device) {
    return [device](const KernelSource& source, Effort effort) {
        const gpu::CurrentContext here{gpu::Context::primary(device)};
        return build_kernel(source, effort);
    };
}

} // namespace lathe
