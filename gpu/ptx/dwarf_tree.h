// SPDX-License-Identifier: MIT
// DWARF debugging information entries (DWARF standard versions 2 to 5, section 7.5) of a PTX
// module as a tree: tags and the few attributes that types, signatures and variables need.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace lathe::ptx::dwarf {

// clang-format off
enum Tag : std::uint16_t {
    kArrayType = 0x01, kClassType = 0x02, kEnumerationType = 0x04, kFormalParameter = 0x05,
    kLexicalBlock = 0x0b, kMember = 0x0d, kPointerType = 0x0f, kReferenceType = 0x10,
    kStructureType = 0x13, kTypedef = 0x16, kUnionType = 0x17, kInlinedSubroutine = 0x1d,
    kSubrangeType = 0x21, kBaseType = 0x24, kConstType = 0x26, kEnumerator = 0x28,
    kSubprogram = 0x2e, kVariable = 0x34, kVolatileType = 0x35, kRestrictType = 0x37,
    kRvalueReferenceType = 0x42, kAtomicType = 0x47,
};
// clang-format on

enum Encoding : std::uint8_t { kBoolean = 2, kFloat = 4, kSigned = 5, kSignedChar = 6 };

/// Where a variable is, from one label of the code to another: in a register, or `offset` bytes
/// from a symbol.
struct Place {
    std::string begin, end; ///< empty: wherever the variable is known
    bool is_register = false;
    std::string name;
    std::uint64_t offset = 0;
};

struct Entry {
    std::uint16_t tag = 0;
    std::string name;
    std::string linkage_name;
    std::uint64_t type = 0; ///< offset of the type's entry; 0: void
    std::uint64_t bytes = 0;
    std::uint64_t member_offset = 0;
    std::uint64_t encoding = 0;    ///< base types
    std::int64_t constant = 0;     ///< DW_AT_const_value
    std::int64_t upper_bound = -1; ///< subrange; count - 1
    std::uint64_t origin = 0;      ///< DW_AT_specification or DW_AT_abstract_origin
    std::uint64_t line = 0;        ///< of the declaration
    std::string low_pc, high_pc;   ///< labels
    std::vector<Place> places;
    std::vector<std::uint8_t> constant_bytes; ///< DW_AT_const_value, whatever its form
    std::vector<std::uint64_t> children;
};

/// Entries by their offset in .debug_info. A reader that meets a form it does not know stops
/// there and keeps what it has.
using Tree = std::unordered_map<std::uint64_t, Entry>;
LATHE_API Tree read_tree(const Module& module);

/// The entry at an offset; null where there is none.
LATHE_API const Entry* entry_at(const Tree& tree, std::uint64_t offset);

/// Whether an entry is the function with this name in PTX, by itself or by what it refers to.
LATHE_API bool is_function(const Tree& tree, const Entry& entry, const std::string& ptx_name);

} // namespace lathe::ptx::dwarf
