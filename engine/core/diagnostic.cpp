// SPDX-License-Identifier: MIT
#include "engine/core/diagnostic.h"

#include <fmt/core.h>

namespace lathe {

std::string to_string(const Diagnostic& d) {
    std::string place = d.file;
    if (d.line > 0) place += fmt::format(":{}", d.line);
    if (d.line > 0 && d.column > 0) place += fmt::format(":{}", d.column);
    const char* severity = d.severity == Diagnostic::Severity::error     ? "error"
                           : d.severity == Diagnostic::Severity::warning ? "warning"
                                                                         : "note";
    return place.empty() ? fmt::format("{}: {}", severity, d.text)
                         : fmt::format("{}: {}: {}", place, severity, d.text);
}

} // namespace lathe
