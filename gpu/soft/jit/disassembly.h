// SPDX-License-Identifier: MIT
// Linked code as text, for people who read what became of their kernel.
#pragma once

#include "gpu/soft/rt/code.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lathe::soft::jit {

/// A function where it was linked to.
struct LinkedFunction {
    std::string name;
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
};

/// Whether an address lies in what was linked together with the functions.
using IsCode = std::function<bool(std::uintptr_t)>;
/// Fills in file, line and inlined_at of the instruction at `pc`.
using PutPlace = std::function<void(std::uintptr_t pc, CodeRow&)>;

/// Rows of the functions, one behind the other. Targets of branches inside of a function have
/// labels; the data of access checks, which lie in the code, are left out. The code must stay
/// linked meanwhile. Throws lathe::Error where LLVM has no disassembler for the host.
std::vector<CodeRow> disassemble(const std::vector<LinkedFunction>& functions,
                                 const IsCode& is_code, const PutPlace& put_place);

} // namespace lathe::soft::jit
