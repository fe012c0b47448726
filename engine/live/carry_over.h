// SPDX-License-Identifier: MIT
// Markers while the text under them changes.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"

#include <string_view>
#include <vector>

namespace lathe {

/// Diagnostics moved from the lines of `before` to those of `after`; those of changed lines are
/// left out (LineMap).
LATHE_API std::vector<Diagnostic> carry_over(const std::vector<Diagnostic>& diagnostics,
                                             std::string_view before, std::string_view after);

} // namespace lathe
