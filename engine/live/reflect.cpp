// SPDX-License-Identifier: MIT
#include "engine/live/reflect.h"

#include "engine/core/error.h"
#include "engine/live/build.h"
#include "engine/live/parameter_type.h"
#include "engine/live/source_scan.h"
#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/ptx/parser.h"

#include <algorithm>
#include <array>

namespace lathe {

namespace {

constexpr std::array<std::string_view, 11> kProgramParameters{
    "width", "height", "depth",   "count",   "time",      "dt",
    "frame", "seed",   "mouse_x", "mouse_y", "mouse_down"};

bool set_by_the_program(std::string_view name) {
    return std::find(kProgramParameters.begin(), kProgramParameters.end(), name) !=
           kProgramParameters.end();
}

bool has(const std::vector<Parameter>& parameters, std::string_view name) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const Parameter& p) { return p.name == name; });
}

} // namespace

std::span<const std::string_view> program_parameters() { return kProgramParameters; }

std::vector<Parameter> parameters_of(const std::vector<ptx::KernelSignature>& kernels,
                                     const SourceDirectives& directives) {
    std::vector<Parameter> parameters;
    for (const auto& kernel : kernels)
        for (const auto& type : kernel.parameters) {
            const Directive* given = directives.find(kernel.source_name, type.name);
            if (type.name.empty() || (!given && set_by_the_program(type.name))) continue;
            for (Parameter& p : parameters_of_type(type, given, directives)) {
                if (has(parameters, p.name)) continue;
                if (p.declared_in.list.empty()) p.declared_in = {kernel.source_name, type.name};
                parameters.push_back(std::move(p));
            }
        }
    return parameters;
}

ReflectKernel reflect_for(gpu::Device device) {
    return [device](const KernelSource& source) {
        const gpu::CurrentContext here{gpu::Context::primary(device)};
        gpu::CompileRequest request = request_of(source);
        request.debug_info = true;
        request.more_will_come = true;
        const gpu::CompileResult result = gpu::compile_or_throw(request);
        const auto parsed = ptx::parse(result.ptx());
        if (!parsed.ok()) throw Error{to_string(parsed.errors.front())};
        auto kernels = ptx::kernel_signatures(parsed.module);
        // PTX order is the compiler's; the panel shows the source's.
        const auto scanned = scan_source(source.text).kernels;
        const auto place = [&](const ptx::KernelSignature& k) {
            return std::find_if(scanned.begin(), scanned.end(),
                                [&](const ScannedList& s) { return s.name == k.source_name; }) -
                   scanned.begin();
        };
        std::stable_sort(kernels.begin(), kernels.end(),
                         [&](const auto& a, const auto& b) { return place(a) < place(b); });
        return parameters_of(kernels, find_directives(source.text));
    };
}

} // namespace lathe
