// SPDX-License-Identifier: MIT
// Pictures in host memory: read from a framebuffer, saved and loaded as files.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace lathe {

namespace gl {
class Framebuffer;
}

/// 8-bit texels, rows packed, top left first: NumPy's (height, width, channels) uint8.
struct LATHE_API ImageData {
    int width = 0;
    int height = 0;
    int channels = 0; ///< 1, 3 or 4
    std::vector<std::byte> bytes;

    bool operator==(const ImageData&) const = default;
    /// One texel's first byte.
    const std::byte* at(int x, int y) const {
        return bytes.data() +
               (std::size_t(y) * std::size_t(width) + std::size_t(x)) * std::size_t(channels);
    }
};

/// Of a supersampled picture: the mean of factor × factor texels, premultiplied by their alpha. Its
/// sizes are multiples of `factor`.
LATHE_API ImageData averaged(const ImageData& image, int factor);

/// The framebuffer's picture, 3 or 4 channels; waits for GL.
LATHE_API ImageData read_image(const gl::Framebuffer& framebuffer, int channels = 4);

/// A picture without alpha from 8-bit RGBA texels as OpenGL reads them back, the bottom row first.
LATHE_API ImageData upright_rgb(const std::byte* rgba, int width, int height);

/// The bytes of a PNG file. Throws lathe::Error where sizes and bytes do not fit each other.
LATHE_API std::string png_of(const ImageData& image);

/// Throws lathe::Error where the file cannot be written; missing folders are made.
LATHE_API void save_png(const std::filesystem::path& file, const ImageData& image);

/// Loads PNG, JPEG, BMP, … `channels` 0 keeps the file's own number (grey + alpha becomes 4).
/// Throws lathe::Error where the file cannot be read.
LATHE_API ImageData load_image(const std::filesystem::path& file, int channels = 0);

} // namespace lathe
