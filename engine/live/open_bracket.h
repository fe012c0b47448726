// SPDX-License-Identifier: MIT
// A compiler that misses a } says so at the end of the file. Here is where the bracket was opened.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"

#include <optional>
#include <string_view>
#include <vector>

namespace lathe {

struct OpenBracket {
    char bracket = '{';
    int line = 0;   ///< from 1
    int column = 0; ///< from 1, characters
    bool operator==(const OpenBracket&) const = default;
};

/// The bracket of a source that nothing closes. Where a } that begins its line stands further left
/// than the line of the { that it closes, the writer forgot one for that {; else it is the
/// innermost one that is open at the end. Comments, texts and branches of #if do not count.
LATHE_API std::optional<OpenBracket> find_open_bracket(std::string_view source);

/// An error at the end of the text, or one that expects a }, goes to the bracket that is not closed
/// and says so, in the first place; what follows from it is gone, the others are as they were.
/// `name` is the text's in them: those of other files do not count.
LATHE_API std::vector<Diagnostic> point_at_open_bracket(std::vector<Diagnostic> diagnostics,
                                                        std::string_view source,
                                                        std::string_view name);

} // namespace lathe
