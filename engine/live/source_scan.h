// SPDX-License-Identifier: MIT
// The little of CUDA C++ that can be read without a compiler: where kernels with their parameters
// and structures with their members stand, and where `//@` comments are. Types come from the
// compiler (reflect), never from here.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct ScannedParameter {
    std::string name;
    int line = 0;
    std::size_t offset = 0; ///< of the name, bytes
};

/// A kernel with its parameters, or a structure with its members.
struct ScannedList {
    std::string name; ///< a structure's is empty where it has none
    int line = 0;
    std::size_t begin = 0; ///< the list's parentheses or braces, bytes
    std::size_t end = 0;
    std::vector<ScannedParameter> parameters;
};

struct ScannedDirective {
    std::string text; ///< after `//@`
    int line = 0;
    int column = 0; ///< from 1, of the text
    std::size_t offset = 0;
};

struct SourceScan {
    std::vector<ScannedList> kernels;
    std::vector<ScannedList> structures; ///< those within others stand behind them
    std::vector<ScannedDirective> directives;
    /// All tokens outside function bodies, and the directives: what parameters depend on. Two
    /// sources with the same interface have the same parameters.
    std::string interface;
};

/// To whom a directive belongs: the one before it on its line, else the next one; null where it is
/// not of this list. Where lists stand within lists the innermost is to be asked first.
const ScannedParameter* owner_of(const ScannedDirective& comment, const ScannedList& list);

/// Never fails: what is not understood is left out.
LATHE_API SourceScan scan_source(std::string_view source);

} // namespace lathe
