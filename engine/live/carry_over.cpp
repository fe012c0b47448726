// SPDX-License-Identifier: MIT
#include "engine/live/carry_over.h"

#include "engine/live/line_map.h"

namespace lathe {

std::vector<Diagnostic> carry_over(const std::vector<Diagnostic>& diagnostics,
                                   std::string_view before, std::string_view after) {
    if (diagnostics.empty()) return {};
    const LineMap moved{before, after};
    std::vector<Diagnostic> kept;
    for (Diagnostic d : diagnostics) {
        const auto line = moved(d.line); // of no line: the next compile says it again
        if (!line) continue;
        d.line = *line;
        kept.push_back(std::move(d));
    }
    return kept;
}

} // namespace lathe
