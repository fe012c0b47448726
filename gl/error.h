// SPDX-License-Identifier: MIT
// What GL reports becomes a log line (debug output) and, where check() asks, an exception.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"
#include "engine/core/error.h"

#include <string_view>
#include <vector>

namespace lathe::gl {

/// A failure of GL, of making a context, or of a shader; then diagnostics() names file and line.
class LATHE_API Error : public lathe::Error {
public:
    explicit Error(const std::string& message, std::vector<Diagnostic> diagnostics = {},
                   std::source_location where = std::source_location::current())
        : lathe::Error{message, where}, diagnostics_{std::move(diagnostics)} {}

    const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }

private:
    std::vector<Diagnostic> diagnostics_;
};

/// Throws gl::Error "<what> failed: <GL's words>" where GL reported an error in the current
/// context since the last check; waits for nothing.
LATHE_API void check(std::string_view what);

/// Forgets errors reported so far (a test that made one on purpose).
LATHE_API void clear_errors() noexcept;

/// Routes KHR_debug messages of the current context to lathe::log and to check(): within the call
/// that they are about if LATHE_GL_DEBUG is set, else perhaps later and on another thread. Called
/// once a context by Context.
LATHE_API void install_debug_output();

} // namespace lathe::gl
