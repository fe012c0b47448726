// SPDX-License-Identifier: MIT
// A one-instruction test as a case.
#pragma once

#include "tests/soft/jit/ops.h"
#include "tests/soft/recorded/session.h"

#include <string>
#include <string_view>

namespace lathe::recorded {

/// `name` is the case's.
std::vector<Part> run_op(Session& session, const std::string& name, const soft::test::Op& op,
                         Tolerance tolerance);

/// The instruction, for a case's name.
std::string short_name(const soft::test::Op& op);

/// How far two devices may be apart that both keep the PTX ISA's bound: twice the bound. Exact for
/// what is no approximation.
Tolerance tolerance_of(std::string_view instruction);

} // namespace lathe::recorded
