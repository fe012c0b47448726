// SPDX-License-Identifier: MIT
// Where a program that was built and not installed finds its files. Installed libraries and wheels
// find them by their own place: nobody owns these paths there, so they are not in them.
#pragma once

#include "engine/core/api.h"

#include <filesystem>

namespace lathe {

/// The source tree; empty in installed libraries.
LATHE_API std::filesystem::path source_folder();
/// The build folder; empty in installed libraries.
LATHE_API std::filesystem::path build_folder();

} // namespace lathe
