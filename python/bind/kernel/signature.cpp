// SPDX-License-Identifier: MIT
// Signatures from the DWARF of a -G compile. The live reflect pass compiles the same request, so
// mostly the compile cache answers.
#include "python/bind/kernel/signature.h"
#include "engine/live/build.h"
#include "gpu/ptx/dwarf.h"
#include "gpu/ptx/parser.h"

namespace lathe::bind {

namespace {

using Kind = ptx::ParameterType::Kind;

ParameterType type_of(Kind kind) {
    switch (kind) {
    case Kind::boolean: return ParameterType::boolean;
    case Kind::signed_integer:
    case Kind::enumeration: return ParameterType::integer;
    case Kind::unsigned_integer: return ParameterType::unsigned_integer;
    case Kind::floating: return ParameterType::floating;
    case Kind::pointer: return ParameterType::pointer;
    case Kind::structure: return ParameterType::structure;
    case Kind::array: return ParameterType::array;
    case Kind::unknown: break;
    }
    return ParameterType::unknown;
}

ParameterInfo info_of(const ptx::ParameterType& p) {
    ParameterInfo info;
    info.name = p.name;
    info.type_name = p.type_name;
    info.type = type_of(p.kind);
    info.bytes = p.bytes;
    info.named = !p.name.empty();
    info.is_read_only = p.is_const_pointee;
    if (p.kind == Kind::pointer && p.members.size() == 1) {
        const auto pointee = type_of(p.members[0].kind);
        if (pointee == ParameterType::integer || pointee == ParameterType::unsigned_integer ||
            pointee == ParameterType::floating || pointee == ParameterType::boolean) {
            info.pointee = pointee;
            info.pointee_bytes = p.members[0].bytes;
        }
    } else if (p.kind == Kind::structure) {
        for (const auto& member : p.members) {
            info.members.push_back(info_of(member));
            info.member_offsets.push_back(member.offset);
        }
    } else if (p.kind == Kind::array) {
        for (const auto& element : p.members) info.members.push_back(info_of(element));
        info.count = info.members.empty() ? 0 : p.count;
    }
    return info;
}

} // namespace

std::optional<Signature> signature_from_source(const KernelSource& source,
                                               const std::string& entry) {
    gpu::CompileRequest request = request_of(source);
    request.debug_info = true;
    if (entry.find('<') != entry.npos) request.name_expressions = {entry}; // of a template
    const gpu::CompileResult result = gpu::compile(request);
    if (!result.ok) return {};
    const auto lowered = result.lowered_names.find(entry);
    const ptx::ParseResult parsed = ptx::parse(result.ptx());
    for (const auto& kernel : ptx::kernel_signatures(parsed.module)) {
        const bool is_instance =
            lowered != result.lowered_names.end() && kernel.name == lowered->second;
        if (kernel.source_name != entry && kernel.name != entry && !is_instance) continue;
        Signature s;
        s.kernel = entry;
        s.named = true;
        for (const auto& p : kernel.parameters) s.parameters.push_back(info_of(p));
        return s;
    }
    return {};
}

} // namespace lathe::bind
