// SPDX-License-Identifier: MIT
// Where the elements of a height field lie in space.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include <optional>

namespace lathe {

/// How heights become a surface over the ground.
struct HeightField {
    float scale = 1; ///< world units of a height of 1
    struct Ground {
        glm::dvec2 low, high;
    };
    /// Where the first and the last column, and the lowest and the highest of the first and last
    /// row lie. None: the longer side goes from -1 to 1, the elements are square.
    std::optional<Ground> ground{};
    bool by_height = true; ///< without values or colours: the heights go through the colormap
};

/// Element (row, column) of height h lies at origin + column * right + row * down + h * up.
struct Grid {
    int rows, columns;
    glm::vec3 origin, right, down, up;
};

/// Where y points up, rows go towards the viewer, along z; where z does, along y.
LATHE_API Grid grid_of(const HeightField& field, int rows, int columns, UpAxis up);

} // namespace lathe
