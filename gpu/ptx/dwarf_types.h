// SPDX-License-Identifier: MIT
// Types of C++ as the tree of a module's DWARF has them.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/dwarf.h"
#include "gpu/ptx/dwarf_tree.h"

#include <cstdint>

namespace lathe::ptx::dwarf {

/// The type whose entry is at `offset`, with its members and elements; without a name of its own.
/// What a damaged tree does not tell is `unknown`.
LATHE_API ParameterType type_at(const Tree& tree, std::uint64_t offset);

/// What a pointer, whose entry is at `offset`, points at, with its members. `unknown` where that is
/// no pointer.
LATHE_API ParameterType pointee_at(const Tree& tree, std::uint64_t offset);

} // namespace lathe::ptx::dwarf
