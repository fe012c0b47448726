// SPDX-License-Identifier: MIT
#include "gpu/ptx/dwarf_variables.h"

#include "gpu/ptx/dwarf_types.h"

#include <string_view>

namespace lathe::ptx {
namespace {

using dwarf::Entry;

// A damaged tree may refer to itself.
constexpr int kDeepestScope = 64;
constexpr std::size_t kMostVariables = 1000;

class VariableReader {
public:
    explicit VariableReader(const dwarf::Tree& tree) : tree_{tree} {}

    const Entry* subprogram(const std::string& function) const {
        for (const auto& [offset, e] : tree_)
            if (!e.low_pc.empty() && dwarf::is_function(tree_, e, function)) return &e;
        return nullptr;
    }

    void read(const Entry& scope, std::vector<DebugVariable>& out, int depth = 0) const {
        if (depth > kDeepestScope) return;
        for (const std::uint64_t child : scope.children) {
            const Entry* const e = dwarf::entry_at(tree_, child);
            if (!e || out.size() > kMostVariables) continue;
            if (e->tag == dwarf::kVariable || e->tag == dwarf::kFormalParameter)
                add(*e, scope, out);
            else if (e->tag == dwarf::kLexicalBlock || e->tag == dwarf::kInlinedSubroutine)
                read(*e, out, depth + 1);
        }
    }

private:
    void add(const Entry& e, const Entry& scope, std::vector<DebugVariable>& out) const {
        const Entry* const origin = dwarf::entry_at(tree_, e.origin); // of what is inlined
        const Entry& told = origin ? *origin : e;
        const bool is_pointer = told.name.starts_with(kSharedPointer); // without code, or a place
        if ((e.places.empty() && e.constant_bytes.empty() && !is_pointer) || told.name.empty())
            return;
        DebugVariable& v = out.emplace_back();
        v.type = dwarf::type_at(tree_, told.type);
        v.type.name = told.name;
        v.line = static_cast<std::uint32_t>(told.line);
        v.is_parameter = e.tag == dwarf::kFormalParameter;
        v.places = e.places;
        if (v.places.empty()) v.constant = e.constant_bytes;
        if (v.constant.size() > v.type.bytes) v.constant.resize(v.type.bytes);
        if (is_pointer) point(told, v);
        if (scope.tag == dwarf::kSubprogram) return;
        v.begin = scope.low_pc;
        v.end = scope.high_pc;
    }

    /// Becomes what the pointer points at; that has no place yet.
    void point(const Entry& pointer, DebugVariable& v) const {
        v.is_shared = true;
        v.places.clear();
        v.constant.clear();
        v.type = dwarf::pointee_at(tree_, pointer.type);
        v.type.name = pointer.name.substr(std::string_view{kSharedPointer}.size());
    }

    const dwarf::Tree& tree_;
};

} // namespace

std::vector<DebugVariable> debug_variables(const dwarf::Tree& tree, const std::string& function) {
    const VariableReader reader{tree};
    std::vector<DebugVariable> variables;
    if (const Entry* const found = reader.subprogram(function)) reader.read(*found, variables);
    return variables;
}

} // namespace lathe::ptx
