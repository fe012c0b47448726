// SPDX-License-Identifier: MIT
#include "engine/render/item_features.h"

#include "engine/render/numbers.h"
#include "gl/buffer.h"
#include "gl/program.h"
#include "gl/texture.h"

#include <glad/gl.h>

namespace lathe {

namespace {

constexpr unsigned kRangeTexels = 2, kItemTexels = 3, kMapUnit = 1;

} // namespace

unsigned features_of(const ItemColors& items) {
    if (items.colors) return kItemColors;
    if (!items.values) return 0;
    return kItemValues | (items.range ? unsigned(kItemRange) : 0u);
}

void set_item_colors(const ItemColors& items, std::size_t count, const ColorsOf& style,
                     gl::Program& program) {
    if (items.colors) {
        const bool bytes = items.colors_are_bytes;
        const Numbers numbers{*items.colors, items.color_offset, 4 * count, bytes ? 1u : 4u};
        numbers.bind(kItemTexels, bytes ? GL_R8 : GL_R32F, "colours");
        program.set("first_of_items", numbers.first());
        return;
    }
    if (!items.values) {
        program.set("tint", style.color.r, style.color.g, style.color.b, style.color.a);
        return;
    }
    const Numbers numbers{*items.values, items.value_offset, count};
    numbers.bind(kItemTexels, GL_R32F, "values");
    program.set("first_of_items", numbers.first());
    if (items.range) items.range->bind_texels(kRangeTexels, GL_R32F, 2);
    else program.set("value_range", style.range.low, style.range.per_unit());
    Colormap::named(style.colormap).texture().bind(kMapUnit);
}

} // namespace lathe
