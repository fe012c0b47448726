// SPDX-License-Identifier: MIT
// Names of types that nvcc's kernels have without an include, because its host headers bring
// <sys/types.h>: uint, ushort, ulong and the like. NVRTC has none of them.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"

#include <span>
#include <string>

namespace lathe::gpu {

/// The text of <sys/types.h> for kernels.
LATHE_API std::string system_types_header();

/// A header that declares those of the types, and of <stdint.h>'s, that a compile found undefined;
/// empty if there are none. A source that declares such a name itself never has that error, so
/// nothing of its own is declared twice.
LATHE_API std::string declare_undefined_types(std::span<const Diagnostic> diagnostics);

} // namespace lathe::gpu
