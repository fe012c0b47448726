// SPDX-License-Identifier: MIT
// Divides a picture by letters, as matplotlib's subplot_mosaic() does.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

/// The rows of "aab; ccb": they end at a semicolon or a new line, blanks do not count. Throws
/// std::invalid_argument for none, for rows that differ in length, and for more than 64 rows or
/// columns.
LATHE_API std::vector<std::string> mosaic_rows(std::string_view mosaic);

/// Each letter with the rectangle that it fills, in parts of the picture, from the top left; in the
/// order in which they are met, row by row. A point leaves its place empty. Throws
/// std::invalid_argument for no letter and for a letter that fills no rectangle.
LATHE_API std::vector<std::pair<char, Viewport>> mosaic_tiles(const std::vector<std::string>& rows);

} // namespace lathe
