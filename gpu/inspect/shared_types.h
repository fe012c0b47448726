// SPDX-License-Identifier: MIT
// The compiler's DWARF has no variables in shared memory. A source that declares a pointer to each
// of them has their types (gpu/ptx/shared_variables.h).
#pragma once

#include "engine/core/api.h"

#include <string>

namespace lathe::gpu {

/// The source with such a pointer behind each `__shared__` declaration, on the same line: it needs
/// no code. Declarations that macros write, and those of headers, have none. A source that does
/// not compile then is one that this did not understand.
LATHE_API std::string with_pointers_to_shared(const std::string& source);

} // namespace lathe::gpu
