// SPDX-License-Identifier: MIT
// One message about one place in a source text: what a compiler, a run-time fault or a script
// error becomes before the editor marks it.
#pragma once

#include "engine/core/api.h"

#include <string>

namespace lathe {

struct Diagnostic {
    enum class Severity { note, warning, error };

    std::string file; ///< as given to the compiler; empty where unknown
    int line = 0;     ///< from 1; 0 where unknown
    int column = 0;   ///< from 1; 0 where unknown
    Severity severity = Severity::error;
    std::string text;

    bool operator==(const Diagnostic&) const = default;
};

/// "file:12:5: error: text", leaving out what is unknown.
LATHE_API std::string to_string(const Diagnostic& d);

} // namespace lathe
