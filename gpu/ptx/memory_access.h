// SPDX-License-Identifier: MIT
// Loads, stores and atomics of a function: what they access, and code that finds the address again.
#pragma once

#include "gpu/ptx/ast.h"
#include "gpu/ptx/code_writer.h"
#include "gpu/ptx/function_facts.h"

#include <cstdint>
#include <optional>

namespace lathe::ptx {

enum class AccessKind : std::uint8_t { read, write, atomic };

struct MemoryAccess {
    AccessKind kind{};
    Space space{}; ///< generic, global or shared
    const Address* address = nullptr;
    std::uint32_t bytes = 0; ///< of a thread
    Type type{};             ///< of one element
};

/// Nothing for other instructions, and for local memory, parameters and constants. What it points
/// at is the instruction's.
std::optional<MemoryAccess> access_of(const Instruction& i);

/// Writes code that puts what stands in the brackets into a register of 64 bits.
void write_address(CodeWriter& code, const FunctionFacts& facts, const Address& address,
                   const char* into);

} // namespace lathe::ptx
