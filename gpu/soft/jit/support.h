// SPDX-License-Identifier: MIT
// C++ helpers that compiled code calls where instructions would be long, and the table of every
// function that compiled code may call.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lathe::soft::jit {

/// Name and address of run-time functions, helpers and the C library's mathematics.
std::vector<std::pair<std::string, void*>> runtime_symbols();

} // namespace lathe::soft::jit
