// SPDX-License-Identifier: MIT
// Names, sizes and look-ups of the PTX tree.
#include "gpu/ptx/ast.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lathe::ptx {
namespace {

constexpr std::array kOpcodeNames{
#define LATHE_PTX_OPCODE(id, name) std::string_view{name},
#include "gpu/ptx/opcodes.inc"
#undef LATHE_PTX_OPCODE
};

struct TypeRow {
    Type type;
    std::string_view name;
    std::uint32_t bytes;
};

constexpr std::array kTypes{
    // in the order of the enumeration
    TypeRow{Type::none, "", 0},           TypeRow{Type::pred, "pred", 0},
    TypeRow{Type::b8, "b8", 1},           TypeRow{Type::b16, "b16", 2},
    TypeRow{Type::b32, "b32", 4},         TypeRow{Type::b64, "b64", 8},
    TypeRow{Type::b128, "b128", 16},      TypeRow{Type::u8, "u8", 1},
    TypeRow{Type::u16, "u16", 2},         TypeRow{Type::u32, "u32", 4},
    TypeRow{Type::u64, "u64", 8},         TypeRow{Type::s8, "s8", 1},
    TypeRow{Type::s16, "s16", 2},         TypeRow{Type::s32, "s32", 4},
    TypeRow{Type::s64, "s64", 8},         TypeRow{Type::f16, "f16", 2},
    TypeRow{Type::f16x2, "f16x2", 4},     TypeRow{Type::bf16, "bf16", 2},
    TypeRow{Type::bf16x2, "bf16x2", 4},   TypeRow{Type::tf32, "tf32", 4},
    TypeRow{Type::f32, "f32", 4},         TypeRow{Type::f64, "f64", 8},
    TypeRow{Type::u16x2, "u16x2", 4},     TypeRow{Type::s16x2, "s16x2", 4},
    TypeRow{Type::e4m3x2, "e4m3x2", 2},   TypeRow{Type::e5m2x2, "e5m2x2", 2},
    TypeRow{Type::texref, "texref", 8},   TypeRow{Type::samplerref, "samplerref", 8},
    TypeRow{Type::surfref, "surfref", 8},
};

consteval bool types_in_order() {
    for (std::size_t i = 0; i < kTypes.size(); ++i)
        if (kTypes[i].type != static_cast<Type>(i)) return false;
    return true;
}
static_assert(types_in_order());

struct SpaceRow {
    std::string_view name;
    Space space;
};

constexpr std::array kSpaces{
    SpaceRow{"global", Space::global},
    SpaceRow{"shared", Space::shared},
    SpaceRow{"local", Space::local},
    SpaceRow{"param", Space::param},
    SpaceRow{"const", Space::constant},
    SpaceRow{"reg", Space::reg},
    SpaceRow{"sreg", Space::sreg},
    SpaceRow{"shared::cta", Space::shared},
    SpaceRow{"shared::cluster", Space::shared},
    SpaceRow{"param::entry", Space::param},
    SpaceRow{"param::func", Space::param},
};

} // namespace

std::string_view name_of(Opcode opcode) { return kOpcodeNames[static_cast<std::size_t>(opcode)]; }
std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }
std::uint32_t bytes_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

std::string_view name_of(Space space) {
    const auto row = std::find_if(kSpaces.begin(), kSpaces.end(),
                                  [space](const SpaceRow& r) { return r.space == space; });
    return row == kSpaces.end() ? std::string_view{} : row->name;
}

bool is_float(Type type) { return type >= Type::f16 && type <= Type::f64; }
bool is_signed(Type type) {
    return (type >= Type::s8 && type <= Type::s64) || type == Type::s16x2 || is_float(type);
}

std::optional<Opcode> opcode_from_name(std::string_view name) {
    static const auto table = [] {
        std::unordered_map<std::string_view, Opcode> made;
        for (std::size_t i = 0; i < kOpcodeNames.size(); ++i)
            made.emplace(kOpcodeNames[i], static_cast<Opcode>(i));
        return made;
    }();
    const auto found = table.find(name);
    return found == table.end() ? std::nullopt : std::optional{found->second};
}

std::optional<Type> type_from_name(std::string_view name) {
    if (name.size() < 2) return std::nullopt;
    for (const TypeRow& row : kTypes)
        if (row.name == name) return row.type;
    return std::nullopt;
}

std::optional<Space> space_from_name(std::string_view name) {
    for (const SpaceRow& row : kSpaces)
        if (row.name == name) return row.space;
    return std::nullopt;
}

bool Instruction::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Space Instruction::space() const {
    for (const std::string& modifier : modifiers)
        if (const auto found = space_from_name(modifier)) return *found;
    return Space::generic;
}

int Instruction::vector_width() const {
    for (const std::string& modifier : modifiers)
        if (modifier.size() == 2 && modifier[0] == 'v' && modifier[1] >= '1' && modifier[1] <= '8')
            return modifier[1] - '0';
    return 1;
}

std::uint64_t Variable::element_bytes() const { return std::uint64_t{bytes_of(type)} * vector; }

std::uint64_t Variable::size_bytes() const {
    std::uint64_t bytes = element_bytes();
    for (const std::uint64_t dim : dims) bytes *= dim;
    return bytes;
}

std::uint32_t Variable::alignment() const {
    return align ? align : std::max<std::uint32_t>(1, static_cast<std::uint32_t>(element_bytes()));
}

const Function* Module::find_function(std::string_view name) const {
    const Function* declaration = nullptr;
    for (const Function& function : functions) {
        if (function.name != name) continue;
        if (function.has_body) return &function;
        if (!declaration) declaration = &function;
    }
    return declaration;
}

const Variable* Module::find_variable(std::string_view name) const {
    const Variable* declaration = nullptr;
    for (const Variable& variable : variables) {
        if (variable.name != name) continue;
        if (!variable.is_extern) return &variable;
        if (!declaration) declaration = &variable;
    }
    return declaration;
}

std::string_view Module::file_name(std::uint32_t number) const {
    for (const auto& [file, path] : files)
        if (file == number) return path;
    return {};
}

} // namespace lathe::ptx
