// SPDX-License-Identifier: MIT
#include "gpu/ptx/dwarf_types.h"

namespace lathe::ptx::dwarf {
namespace {

using Kind = ParameterType::Kind;

// A damaged tree may refer to itself, at more than one place.
constexpr int kDeepestEntry = 24;
constexpr int kMostTypes = 10'000;

class TypeReader {
public:
    explicit TypeReader(const Tree& tree) : tree_{tree} {}

    const Entry* entry(std::uint64_t offset) const { return entry_at(tree_, offset); }

    /// Fills in what `offset` says of a type. `follow` false: structures are named, not unfolded.
    void describe(std::uint64_t offset, ParameterType& out, bool follow = true,
                  int depth = 0) const {
        out.type_name = type_name(offset);
        const Entry* e = stripped(offset);
        if (!e || depth > kDeepestEntry || ++described_ > kMostTypes) return;
        out.bytes = static_cast<std::uint32_t>(e->bytes);
        switch (e->tag) {
        case kBaseType: out.kind = kind_of(*e); break;
        case kPointerType:
        case kReferenceType:
        case kRvalueReferenceType: describe_pointer(*e, out, depth); break;
        case kStructureType:
        case kClassType:
        case kUnionType:
            out.kind = Kind::structure;
            if (follow) add_members(*e, out, depth);
            break;
        case kEnumerationType:
            out.kind = Kind::enumeration;
            for (const std::uint64_t child : e->children)
                if (const Entry* c = entry(child); c && c->tag == kEnumerator)
                    out.enumerators.push_back({c->name, c->constant});
            break;
        case kArrayType: describe_array(*e, out, follow, depth); break;
        default: break;
        }
    }

    std::string type_name(std::uint64_t offset, int depth = 0) const {
        const Entry* e = entry(offset);
        if (!e) return "void";
        if (!e->name.empty() || depth > kDeepestEntry) return e->name;
        switch (e->tag) {
        case kPointerType: return type_name(e->type, depth + 1) + "*";
        case kReferenceType: return type_name(e->type, depth + 1) + "&";
        case kRvalueReferenceType: return type_name(e->type, depth + 1) + "&&";
        case kConstType: return "const " + type_name(e->type, depth + 1);
        case kVolatileType: return "volatile " + type_name(e->type, depth + 1);
        case kArrayType: return type_name(e->type, depth + 1) + "[]";
        case kRestrictType:
        case kAtomicType: return type_name(e->type, depth + 1);
        default: return {};
        }
    }

    /// The entry behind typedefs and qualifiers.
    const Entry* stripped(std::uint64_t offset) const {
        const Entry* e = entry(offset);
        for (int depth = 0; e && depth < kDeepestEntry; ++depth) {
            switch (e->tag) {
            case kTypedef:
            case kConstType:
            case kVolatileType:
            case kRestrictType:
            case kAtomicType: e = entry(e->type); break;
            default: return e;
            }
        }
        return e;
    }

private:
    bool is_const(std::uint64_t offset) const {
        const Entry* e = entry(offset);
        for (int depth = 0; e && depth < kDeepestEntry; ++depth) {
            if (e->tag == kConstType) return true;
            if (e->tag != kTypedef && e->tag != kVolatileType) return false;
            e = entry(e->type);
        }
        return false;
    }

    static Kind kind_of(const Entry& base) {
        switch (base.encoding) {
        case kBoolean: return Kind::boolean;
        case kFloat: return Kind::floating;
        case kSigned:
        case kSignedChar: return Kind::signed_integer;
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
            if (!member || member->tag != kMember) continue;
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
            if (const Entry* range = entry(child); range && range->tag == kSubrangeType)
                out.shape.push_back(static_cast<std::uint64_t>(range->upper_bound) + 1);
        for (const std::uint64_t size : out.shape) out.count *= size;
        ParameterType element;
        describe(e.type, element, follow, depth + 1);
        if (!out.bytes) out.bytes = static_cast<std::uint32_t>(element.bytes * out.count);
        out.members.push_back(std::move(element));
    }

    const Tree& tree_;
    mutable int described_ = 0;
};

} // namespace

ParameterType type_at(const Tree& tree, std::uint64_t offset) {
    ParameterType type;
    TypeReader{tree}.describe(offset, type);
    return type;
}

ParameterType pointee_at(const Tree& tree, std::uint64_t offset) {
    ParameterType type;
    const TypeReader reader{tree};
    const Entry* const pointer = reader.stripped(offset);
    if (pointer && pointer->tag == kPointerType) reader.describe(pointer->type, type);
    return type;
}

} // namespace lathe::ptx::dwarf
