// SPDX-License-Identifier: MIT
// Pictures of floating-point numbers as OpenEXR files: scan lines, ZIP compression.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace lathe {

/// Numbers of a picture, rows packed, top left first: NumPy's (height, width, channels) float32, or
/// float16.
struct FloatImage {
    int width = 0;
    int height = 0;
    int channels = 0; ///< 1: Y; 2 to 4: R, G, B, A
    bool is_half = false;
    std::span<const std::byte> bytes{};
};

/// Each number as it is, NaN and infinite ones, too. Throws lathe::Error where sizes and bytes do
/// not fit each other or the file cannot be written; missing folders are made.
LATHE_API void save_exr(const std::filesystem::path& file, const FloatImage& image);

} // namespace lathe
