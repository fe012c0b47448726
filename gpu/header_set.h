// SPDX-License-Identifier: MIT
// The headers that a source begins with, as far as they are worth to be compiled once for many
// sources. What makes and keeps the result is precompiled_headers.h.
#pragma once

#include "gpu/compile_options.h"
#include "gpu/compiler.h"

#include <string>
#include <vector>

namespace lathe::gpu {

struct HeaderSet {
    /// The source up to the last include, before its first declaration and outside of #if, that
    /// brings headers of the toolkit. Empty if there is none.
    std::string prefix;
    /// The same for all compiles that can share precompiled headers: options, the prefix's
    /// directives without the comments between them, and the contents of all headers that are not
    /// the toolkit's.
    std::string key;
};

/// `words` and `types` are what NVRTC gets with the source. Options of the user's own about
/// precompiled headers make an empty set.
HeaderSet header_set_of(const CompileRequest& request, const CompileOptions& settled,
                        const std::vector<std::string>& words, const std::string& types);

} // namespace lathe::gpu
