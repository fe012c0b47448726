// SPDX-License-Identifier: MIT
// What operands each opcode takes, private to gpu/ptx.
#pragma once

#include "gpu/ptx/ast.h"

#include <string_view>

namespace lathe::ptx {

/// One letter an operand; operands behind '?' may be absent. Empty: the opcode is not described.
///   t u    source of the instruction's first, or its second (else first) type
///   d      register of the first type            w  the same, twice as wide under .wide
///   x      source as wide as w
///   D      register at least as wide as the first type; S, U: source at least as wide as the
///          first or second
///   i o    32-bit source, 32-bit register        p q  predicate source, predicate register
///   a      address in brackets                   l  label or list of labels
///   *      anything
std::string_view operand_rule(const Instruction& instruction);

} // namespace lathe::ptx
