// SPDX-License-Identifier: MIT
// What lies under a place of a view.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/launch_notes.h"

#include <glm/vec3.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct Picked {
    std::string item; ///< name of the thing
    std::string_view kind;
    /// Of the point, of a segment's first point, which of several lines has two numbers, of the
    /// arrow, of the triangle, or of the instance; of a picture and a height field: row and column;
    /// of a volume: layer, row and column.
    std::vector<std::int64_t> index;
    /// What the colormap gets, or a picture's channels. In a triangle those of its corners are
    /// blended; of a texture on a mesh it is the element there. Empty where the thing has no
    /// values, and of textures.
    std::vector<double> value;
    /// Of the point; where the ray meets what has a surface, or comes nearest to a line, or
    /// where the volume's picture is. Of a picture in the plane: column and row with their
    /// fractions, and 0.
    glm::dvec3 position;
    /// Where a point or an arrow itself is, as its array has it.
    std::optional<glm::dvec3> element{};
    /// The thread to which the element of an array belongs, as gpu::thread_of() finds it: of the
    /// positions, triangles, heights, voxels or the picture; where that is not known, of the
    /// values, then of colours and other arrays. Nothing of what no noted launch has written.
    std::optional<gpu::ThreadOfKernel> thread{};
};

/// What a pixel sees: from a place on the near plane, along a direction of length 1.
struct SightLine {
    glm::dvec3 origin, direction;
};

} // namespace lathe
