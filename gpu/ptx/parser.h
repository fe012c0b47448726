// SPDX-License-Identifier: MIT
// PTX text to tree. Accepts what NVRTC 12 and 13, clang and numba write.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"
#include "gpu/ptx/ast.h"

#include <string_view>
#include <vector>

namespace lathe::ptx {

struct LATHE_API ParseResult {
    Module module;
    std::vector<Diagnostic> errors; ///< empty when the text was understood; line is the PTX line

    bool ok() const { return errors.empty(); }
};

/// Parses a whole module; never throws on bad text. Errors name line and column of the PTX text.
LATHE_API ParseResult parse(std::string_view text);

} // namespace lathe::ptx
