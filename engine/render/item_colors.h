// SPDX-License-Identifier: MIT
// Where numbered items have their colours from.
#pragma once

#include <cstddef>

namespace lathe {

namespace gl {
class Buffer;
}

/// Buffers are borrowed until the draw call returns.
struct ItemColors {
    const gl::Buffer* values = nullptr; ///< a float32 an item, through the colormap
    std::size_t value_offset = 0;
    const gl::Buffer* range = nullptr; ///< two floats instead of the style's; null: those

    const gl::Buffer* colors = nullptr; ///< RGBA an item; wins over `values`
    bool colors_are_bytes = true;       ///< 4 × uint8, else 4 × float32
    std::size_t color_offset = 0;
};

} // namespace lathe
