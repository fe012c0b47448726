// SPDX-License-Identifier: MIT
#include "gpu/inspect/kernel_ptx.h"

#include "engine/core/error.h"
#include "engine/core/source_name.h"
#include "gpu/ptx/parser.h"

#include <fmt/format.h>

#include <utility>

namespace lathe::gpu {

ptx::Module ptx_of(CompileRequest request) {
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

std::string entry_of(const ptx::Module& module, const std::string& kernel,
                     const std::string& source) {
    for (const ptx::Function& f : module.functions)
        if (f.is_entry && f.has_body && (f.name == kernel || source_name(f.name) == kernel))
            return f.name;
    throw lathe::Error{fmt::format("{} has no kernel '{}'", source, kernel)};
}

std::vector<std::string> variables_of(const ptx::Module& module) {
    std::vector<std::string> names;
    for (const ptx::Variable& v : module.variables)
        if (v.space == ptx::Space::global || v.space == ptx::Space::constant)
            names.push_back(v.name);
    return names;
}

} // namespace lathe::gpu
