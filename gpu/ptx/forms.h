// SPDX-License-Identifier: MIT
// Which dotted words each opcode takes together, private to gpu/ptx. The table is forms.inc. As
// ptxas does, modifiers are taken in any order and types in theirs.
#pragma once

#include "gpu/ptx/ast.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lathe::ptx {

struct FormFault {
    /// Index into the words; their number where a word is missing.
    std::size_t word;
    std::string text;
};

/// What is wrong with `words` (without their dots) behind the opcode, or nothing.
std::optional<FormFault> form_fault(Opcode opcode, std::span<const std::string_view> words);

} // namespace lathe::ptx
