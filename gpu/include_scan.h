// SPDX-License-Identifier: MIT
// The files that a source includes from the user's own folders: what a cache key must know of
// besides the source. Folders of the toolkit are not scanned; NVRTC's version stands for them.
#pragma once

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

/// Follows #include "x" and <x> through `folders` and the including file's own folder, each file
/// once. Lines in comments or inactive #if branches count, too: more than needed is harmless.
std::vector<IncludedFile> included_files(std::string_view source,
                                         std::span<const std::filesystem::path> folders);

} // namespace lathe::gpu
