// SPDX-License-Identifier: MIT
// Names and types of kernel parameters, read from the DWARF that NVRTC's -G leaves in PTX text:
// sliders need no C++ parser. The sections' bytes become a tree in dwarf_tree.h.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lathe::ptx {

/// A type as the source wrote it (`type_name`) and what it is once typedefs and qualifiers are
/// taken off (`kind`, `bytes`).
struct ParameterType {
    enum class Kind : std::uint8_t {
        unknown,
        boolean,
        signed_integer,
        unsigned_integer,
        floating,
        pointer,
        structure,
        array,
        enumeration,
    };
    struct Enumerator {
        std::string name;
        std::int64_t value = 0;
    };

    std::string name;      ///< of the parameter or member
    std::string type_name; ///< "float", "uint", "const float*", "Params"
    Kind kind = Kind::unknown;
    std::uint32_t bytes = 0;
    std::uint32_t offset = 0;      ///< of a member in its structure
    bool is_const_pointee = false; ///< pointer to const
    /// structure: its members. array: one element. pointer: the pointee where it is a plain type;
    /// a structure behind a pointer is named and not unfolded.
    std::vector<ParameterType> members;
    std::vector<Enumerator> enumerators;
    std::uint64_t count = 0;          ///< array: elements over all dimensions
    std::vector<std::uint64_t> shape; ///< array: elements of each; 0: not known
};

struct KernelSignature {
    std::string name;        ///< as in the PTX: the linkage name of a C++ kernel
    std::string source_name; ///< as written in the source
    std::vector<ParameterType> parameters;
};

/// Signatures of the module's entries, in PTX order; an entry without debug information is left
/// out. Damaged sections give what could be read before the damage; never throws.
LATHE_API std::vector<KernelSignature> kernel_signatures(const Module& module);

} // namespace lathe::ptx
