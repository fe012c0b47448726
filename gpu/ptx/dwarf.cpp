// SPDX-License-Identifier: MIT
#include "gpu/ptx/dwarf.h"

#include "gpu/ptx/dwarf_tree.h"

namespace lathe::ptx {
namespace {

using dwarf::Entry;
using Kind = ParameterType::Kind;

// A damaged tree may refer to itself, at more than one place.
constexpr int kDeepestEntry = 24;
constexpr int kMostTypes = 10'000;

class TypeReader {
public:
    explicit TypeReader(const dwarf::Tree& tree) : tree_{tree} {}

    const Entry* entry(std::uint64_t offset) const {
        const auto found = tree_.find(offset);
        return found == tree_.end() ? nullptr : &found->second;
    }

    /// Fills in what `offset` says of a type. `follow` false: structures are named, not unfolded.
    void describe(std::uint64_t offset, ParameterType& out, bool follow = true,
                  int depth = 0) const {
        out.type_name = type_name(offset);
        const Entry* e = stripped(offset);
        if (!e || depth > kDeepestEntry || ++described_ > kMostTypes) return;
        out.bytes = static_cast<std::uint32_t>(e->bytes);
        switch (e->tag) {
        case dwarf::kBaseType: out.kind = kind_of(*e); break;
        case dwarf::kPointerType:
        case dwarf::kReferenceType:
        case dwarf::kRvalueReferenceType: describe_pointer(*e, out, depth); break;
        case dwarf::kStructureType:
        case dwarf::kClassType:
        case dwarf::kUnionType:
            out.kind = Kind::structure;
            if (follow) add_members(*e, out, depth);
            break;
        case dwarf::kEnumerationType:
            out.kind = Kind::enumeration;
            for (const std::uint64_t child : e->children)
                if (const Entry* c = entry(child); c && c->tag == dwarf::kEnumerator)
                    out.enumerators.push_back({c->name, c->constant});
            break;
        case dwarf::kArrayType: describe_array(*e, out, follow, depth); break;
        default: break;
        }
    }

    std::string type_name(std::uint64_t offset, int depth = 0) const {
        const Entry* e = entry(offset);
        if (!e) return "void";
        if (!e->name.empty() || depth > kDeepestEntry) return e->name;
        switch (e->tag) {
        case dwarf::kPointerType: return type_name(e->type, depth + 1) + "*";
        case dwarf::kReferenceType: return type_name(e->type, depth + 1) + "&";
        case dwarf::kRvalueReferenceType: return type_name(e->type, depth + 1) + "&&";
        case dwarf::kConstType: return "const " + type_name(e->type, depth + 1);
        case dwarf::kVolatileType: return "volatile " + type_name(e->type, depth + 1);
        case dwarf::kArrayType: return type_name(e->type, depth + 1) + "[]";
        case dwarf::kRestrictType:
        case dwarf::kAtomicType: return type_name(e->type, depth + 1);
        default: return {};
        }
    }

private:
    /// The entry behind typedefs and qualifiers.
    const Entry* stripped(std::uint64_t offset) const {
        const Entry* e = entry(offset);
        for (int depth = 0; e && depth < kDeepestEntry; ++depth) {
            switch (e->tag) {
            case dwarf::kTypedef:
            case dwarf::kConstType:
            case dwarf::kVolatileType:
            case dwarf::kRestrictType:
            case dwarf::kAtomicType: e = entry(e->type); break;
            default: return e;
            }
        }
        return e;
    }

    bool is_const(std::uint64_t offset) const {
        const Entry* e = entry(offset);
        for (int depth = 0; e && depth < kDeepestEntry; ++depth) {
            if (e->tag == dwarf::kConstType) return true;
            if (e->tag != dwarf::kTypedef && e->tag != dwarf::kVolatileType) return false;
            e = entry(e->type);
        }
        return false;
    }

    static Kind kind_of(const Entry& base) {
        switch (base.encoding) {
        case dwarf::kBoolean: return Kind::boolean;
        case dwarf::kFloat: return Kind::floating;
        case dwarf::kSigned:
        case dwarf::kSignedChar: return Kind::signed_integer;
        default: return Kind::unsigned_integer;
        }
    }

    void describe_pointer(const Entry& e, ParameterType& out, int depth) const {
        out.kind = Kind::pointer;
        out.bytes = 8;
        out.is_const_pointee = is_const(e.type);
        if (!entry(e.type)) return; // void*
        ParameterType pointee;
        describe(e.type, pointee, false, depth + 1);
        out.members.push_back(std::move(pointee));
    }

    void add_members(const Entry& e, ParameterType& out, int depth) const {
        for (const std::uint64_t child : e.children) {
            const Entry* member = entry(child);
            if (!member || member->tag != dwarf::kMember) continue;
            ParameterType type;
            describe(member->type, type, true, depth + 1);
            type.name = member->name;
            type.offset = static_cast<std::uint32_t>(member->member_offset);
            out.members.push_back(std::move(type));
        }
    }

    void describe_array(const Entry& e, ParameterType& out, bool follow, int depth) const {
        out.kind = Kind::array;
        out.count = 1;
        for (const std::uint64_t child : e.children)
            if (const Entry* range = entry(child); range && range->tag == dwarf::kSubrangeType)
                out.count *= static_cast<std::uint64_t>(range->upper_bound) + 1;
        ParameterType element;
        describe(e.type, element, follow, depth + 1);
        if (!out.bytes) out.bytes = static_cast<std::uint32_t>(element.bytes * out.count);
        out.members.push_back(std::move(element));
    }

    const dwarf::Tree& tree_;
    mutable int described_ = 0;
};

bool is_entry_subprogram(const TypeReader& types, const Entry& e, const std::string& ptx_name) {
    if (e.tag != dwarf::kSubprogram) return false;
    if (e.linkage_name == ptx_name || e.name == ptx_name) return true;
    const Entry* origin = types.entry(e.origin);
    return origin && (origin->linkage_name == ptx_name || origin->name == ptx_name);
}

} // namespace

std::vector<KernelSignature> kernel_signatures(const Module& module) {
    const dwarf::Tree tree = dwarf::read_tree(module);
    const TypeReader types{tree};
    std::vector<KernelSignature> result;
    for (const Function& function : module.functions) {
        if (!function.is_entry) continue;
        for (const auto& [offset, entry] : tree) {
            if (!is_entry_subprogram(types, entry, function.name)) continue;
            KernelSignature signature{function.name, entry.name, {}};
            for (const std::uint64_t child : entry.children) {
                const Entry* parameter = types.entry(child);
                if (!parameter || parameter->tag != dwarf::kFormalParameter) continue;
                ParameterType type;
                types.describe(parameter->type, type);
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
