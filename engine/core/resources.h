// SPDX-License-Identifier: MIT
// Where shaders, assets and apps lie, and where the user's cache and autosaves go.
#pragma once

#include "engine/core/api.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace lathe {

/// The folder that holds shaders/, assets/ and apps/: LATHE_ROOT, else what set_resource_root
/// named (the Python package does), else the source tree; of an installed library share/lathe
/// beside its folder.
LATHE_API std::filesystem::path resource_root();
LATHE_API void set_resource_root(std::filesystem::path root);

/// A file below resource_root(). Throws lathe::Error where it is missing.
LATHE_API std::filesystem::path resource(std::string_view relative);

/// A whole file. Throws lathe::Error where it cannot be read.
LATHE_API std::string read_text(const std::filesystem::path& file);

/// LATHE_CACHE_DIR, else XDG_CACHE_HOME/lathe, else ~/.cache/lathe; not created here.
LATHE_API std::filesystem::path cache_directory();

} // namespace lathe
