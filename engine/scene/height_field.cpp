// SPDX-License-Identifier: MIT
#include "engine/scene/height_field.h"

#include <algorithm>

namespace lathe {

Grid grid_of(const HeightField& field, int rows, int columns, UpAxis up) {
    const glm::vec2 steps{std::max(columns - 1, 1), std::max(rows - 1, 1)};
    const glm::vec2 half = steps / std::max(steps.x, steps.y);
    const HeightField::Ground ground = field.ground.value_or(HeightField::Ground{-half, half});
    const glm::vec2 step = glm::vec2{ground.high - ground.low} / steps, low{ground.low};
    if (up == UpAxis::y)
        return {rows,           columns,        {low.x, 0, low.y},
                {step.x, 0, 0}, {0, 0, step.y}, {0, field.scale, 0}};
    return {rows, columns, {low.x, low.y, 0}, {step.x, 0, 0}, {0, step.y, 0}, {0, 0, field.scale}};
}

} // namespace lathe
