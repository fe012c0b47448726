// SPDX-License-Identifier: MIT
#include "gpu/ptx/dwarf.h"

#include "gpu/ptx/dwarf_tree.h"
#include "gpu/ptx/dwarf_types.h"

namespace lathe::ptx {
namespace {

using dwarf::Entry;

const Entry* entry_at(const dwarf::Tree& tree, std::uint64_t offset) {
    const auto found = tree.find(offset);
    return found == tree.end() ? nullptr : &found->second;
}

bool is_entry_subprogram(const dwarf::Tree& tree, const Entry& e, const std::string& ptx_name) {
    if (e.tag != dwarf::kSubprogram) return false;
    if (e.linkage_name == ptx_name || e.name == ptx_name) return true;
    const Entry* origin = entry_at(tree, e.origin);
    return origin && (origin->linkage_name == ptx_name || origin->name == ptx_name);
}

} // namespace

std::vector<KernelSignature> kernel_signatures(const Module& module) {
    const dwarf::Tree tree = dwarf::read_tree(module);
    std::vector<KernelSignature> result;
    for (const Function& function : module.functions) {
        if (!function.is_entry) continue;
        for (const auto& [offset, entry] : tree) {
            if (!is_entry_subprogram(tree, entry, function.name)) continue;
            KernelSignature signature{function.name, entry.name, {}};
            for (const std::uint64_t child : entry.children) {
                const Entry* parameter = entry_at(tree, child);
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
