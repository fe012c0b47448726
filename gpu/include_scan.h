// SPDX-License-Identifier: MIT
// The files that a source includes from the user's own folders: what a cache key must know of
// besides the source. Folders of the toolkit are not scanned; NVRTC's version stands for them.
#pragma once

#include "engine/core/api.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

struct IncludedFile {
    std::filesystem::path path;
    std::string text;
};

struct IncludeScan {
    std::vector<IncludedFile> files;
    /// Where a file that was not found in the user's folders would be; most are the toolkit's.
    std::vector<std::filesystem::path> absent;
};

/// Names in lines `#include "name"` and `#include <name>`, as they stand there.
LATHE_API std::vector<std::string_view> included_names(std::string_view source);

/// Whether a line `#include NAME` is among them, whose file nobody here knows.
LATHE_API bool has_computed_include(std::string_view source);

/// Follows #include "x" and <x> through `folders` and the including file's own folder, each file
/// once. Lines in comments or inactive #if branches count, too: more than needed is harmless.
LATHE_API IncludeScan scan_includes(std::string_view source,
                                    std::span<const std::filesystem::path> folders);

} // namespace lathe::gpu
