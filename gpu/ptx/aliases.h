// SPDX-License-Identifier: MIT
// `.alias`: another name of a function.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

namespace lathe::ptx {

/// Names functions themselves wherever an alias was named, drops the aliases and their
/// declarations. An alias of an alias is followed.
LATHE_API void resolve_aliases(Module& module);

} // namespace lathe::ptx
