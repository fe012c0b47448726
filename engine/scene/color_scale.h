// SPDX-License-Identifier: MIT
// How a thing gets its colours; private to engine/scene.
#pragma once

#include "engine/render/colormap.h"
#include "engine/scene/drawn.h"

#include <glm/vec4.hpp>

#include <optional>
#include <string>

namespace lathe {

/// From values to colours.
struct ColorScale {
    std::string colormap;
    ValueRange range;
    const DrawnMemory* found; ///< two floats instead of `range`; null: not
};

/// Unless one is given: 0 to 255 for uint8, else 0 to 1.
ValueRange usual_range(DType dtype);
/// Nothing where no values have colours.
std::optional<ColorScale> scale_of(const Drawn& drawn);
/// Of what has one colour; nothing otherwise.
std::optional<glm::vec4> color_of(const Drawn& drawn);

} // namespace lathe
