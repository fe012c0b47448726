// SPDX-License-Identifier: MIT
#include "engine/core/places.h"

#ifndef LATHE_SOURCE_FOLDER // an installed library
#define LATHE_SOURCE_FOLDER ""
#define LATHE_BUILD_FOLDER ""
#endif

namespace lathe {

std::filesystem::path source_folder() { return LATHE_SOURCE_FOLDER; }
std::filesystem::path build_folder() { return LATHE_BUILD_FOLDER; }

} // namespace lathe
