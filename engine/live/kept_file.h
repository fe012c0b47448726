// SPDX-License-Identifier: MIT
// A small file of a session.
#pragma once

#include "engine/core/api.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace lathe {

/// Gives the file this text, whole or not at all; folders are made. Empty, or why it failed.
LATHE_API std::string replace_file(const std::filesystem::path& file, std::string_view text);

} // namespace lathe
