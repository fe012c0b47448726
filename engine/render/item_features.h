// SPDX-License-Identifier: MIT
// What programs with item_colors.glsl need; private to engine/render.
#pragma once

#include "engine/render/colormap.h"
#include "engine/render/item_colors.h"

#include <glm/vec4.hpp>

#include <cstddef>
#include <string>

namespace lathe {

namespace gl {
class Program;
}

/// What a style says of colours.
struct ColorsOf {
    const glm::vec4& color; ///< where there are no values or colours
    const std::string& colormap;
    const ValueRange& range;
};

/// The first bits of a program's key, and what item_colors.glsl, common.glsl and clip.glsl call
/// them.
enum ItemColorFeature : unsigned {
    kItemValues = 1,
    kItemColors = 2,
    kItemRange = 4,
    kItemClipped = 8
};
constexpr const char* kItemColorNames[] = {"VALUES", "COLORS", "FOUND_RANGE", "CLIPPED"};

unsigned features_of(const ItemColors& items);
/// For item_colors.glsl. Throws lathe::Error where a buffer is too small for `count` items, an
/// offset does not fit their type, or this GL reads fewer numbers.
void set_item_colors(const ItemColors& items, std::size_t count, const ColorsOf& style,
                     gl::Program& program);

} // namespace lathe
