// SPDX-License-Identifier: MIT
// From what the compiler says about kernels to the parameters that a slider can stand for.
#pragma once

#include "engine/core/api.h"
#include "engine/live/directive.h"
#include "engine/live/parameter.h"
#include "gpu/ptx/dwarf.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lathe {

/// The names that a program gives values to by itself, as lathe run does for a `.cu` file: time,
/// dt, frame, seed, the launch's sizes, the mouse.
LATHE_API std::span<const std::string_view> program_parameters();

/// Numbers, booleans, enums and vectors (float2 to float4, int2 and so on) of all kernels, in the
/// order of the source, each name once; see parameters_of_type(). Left out: pointers; integers
/// without a directive, which name sizes more often than settings; and program_parameters() without
/// one.
LATHE_API std::vector<Parameter> parameters_of(const std::vector<ptx::KernelSignature>& kernels,
                                               const SourceDirectives& directives);

} // namespace lathe
