// SPDX-License-Identifier: MIT
#include "gpu/ptx/dwarf.h"

#include "gpu/ptx/dwarf_tree.h"
#include "gpu/ptx/dwarf_types.h"

namespace lathe::ptx {

std::vector<KernelSignature> kernel_signatures(const Module& module) {
    const dwarf::Tree tree = dwarf::read_tree(module);
    std::vector<KernelSignature> result;
    for (const Function& function : module.functions) {
        if (!function.is_entry) continue;
        for (const auto& [offset, entry] : tree) {
            if (!dwarf::is_function(tree, entry, function.name)) continue;
            KernelSignature signature{function.name, entry.name, {}};
            for (const std::uint64_t child : entry.children) {
                const dwarf::Entry* parameter = dwarf::entry_at(tree, child);
                if (!parameter || parameter->tag != dwarf::kFormalParameter) continue;
                ParameterType type = dwarf::type_at(tree, parameter->type);
                type.name = parameter->name;
                signature.parameters.push_back(std::move(type));
            }
            // A declaration has no parameters of its own where its definition has.
            if (signature.parameters.size() != function.params.size()) continue;
            result.push_back(std::move(signature));
            break;
        }
    }
    return result;
}

} // namespace lathe::ptx
