// SPDX-License-Identifier: MIT
#include "engine/live/reflect.h"

#include "engine/core/error.h"
#include "engine/live/build.h"
#include "engine/live/source_scan.h"
#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/ptx/parser.h"

#include <algorithm>
#include <array>

namespace lathe {

namespace {

using Kind = ptx::ParameterType::Kind;

bool is_float_vector(const ptx::ParameterType& t) {
    return t.kind == Kind::structure && t.members.size() >= 2 && t.members.size() <= 4 &&
           std::all_of(t.members.begin(), t.members.end(), [](const auto& m) {
               return m.kind == Kind::floating && (m.bytes == 4 || m.bytes == 8);
           });
}

constexpr std::array<std::string_view, 11> kProgramParameters{
    "width", "height", "depth",   "count",   "time",      "dt",
    "frame", "seed",   "mouse_x", "mouse_y", "mouse_down"};

bool set_by_the_program(std::string_view name) {
    return std::find(kProgramParameters.begin(), kProgramParameters.end(), name) !=
           kProgramParameters.end();
}

std::optional<Parameter> parameter_of(const ptx::ParameterType& t, const Directive* given) {
    const Directive directive = given ? *given : Directive{};
    const auto make = [&](ParameterKind kind) {
        return make_parameter(t.name, kind, int(t.members.size()), directive);
    };
    if (!given && set_by_the_program(t.name)) return {};
    switch (t.kind) {
    case Kind::boolean: return make(ParameterKind::boolean);
    case Kind::floating: return make(ParameterKind::real);
    case Kind::signed_integer:
    case Kind::unsigned_integer:
        if (!given) return {};
        return make(ParameterKind::integer);
    case Kind::enumeration: {
        Directive named = directive;
        named.choices.clear();
        for (const auto& e : t.enumerators) named.choices.push_back(e.name);
        Parameter p = make_parameter(t.name, ParameterKind::choice, 1, named);
        for (const auto& e : t.enumerators) p.choice_values.push_back(e.value);
        if (named.initial.empty() && !p.choice_values.empty())
            p.initial = p.value = p.choice_values.front();
        return p;
    }
    case Kind::structure:
        if (is_float_vector(t)) return make(ParameterKind::vector);
        return {};
    case Kind::unknown:
    case Kind::pointer:
    case Kind::array: break;
    }
    return {};
}

} // namespace

std::span<const std::string_view> program_parameters() { return kProgramParameters; }

std::vector<Parameter> parameters_of(const std::vector<ptx::KernelSignature>& kernels,
                                     const SourceDirectives& directives) {
    std::vector<Parameter> parameters;
    for (const auto& kernel : kernels)
        for (const auto& type : kernel.parameters) {
            const bool known = std::any_of(parameters.begin(), parameters.end(),
                                           [&](const Parameter& p) { return p.name == type.name; });
            if (known || type.name.empty()) continue;
            const Directive* given = directives.find(kernel.source_name, type.name);
            auto p = parameter_of(type, given);
            if (!p) continue;
            p->implied = !given;
            p->type_name = type.type_name;
            parameters.push_back(std::move(*p));
        }
    return parameters;
}

ReflectKernel reflect_for(gpu::Device device) {
    return [device](const KernelSource& source) {
        const gpu::CurrentContext here{gpu::Context::primary(device)};
        gpu::CompileRequest request = request_of(source);
        request.debug_info = true;
        const gpu::CompileResult result = gpu::compile_or_throw(request);
        const auto parsed = ptx::parse(result.ptx());
        if (!parsed.ok()) throw Error{to_string(parsed.errors.front())};
        auto kernels = ptx::kernel_signatures(parsed.module);
        // PTX order is the compiler's; the panel shows the source's.
        const auto scanned = scan_source(source.text).kernels;
        const auto place = [&](const ptx::KernelSignature& k) {
            return std::find_if(scanned.begin(), scanned.end(),
                                [&](const ScannedKernel& s) { return s.name == k.source_name; }) -
                   scanned.begin();
        };
        std::stable_sort(kernels.begin(), kernels.end(),
                         [&](const auto& a, const auto& b) { return place(a) < place(b); });
        return parameters_of(kernels, find_directives(source.text));
    };
}

} // namespace lathe
