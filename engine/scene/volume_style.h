// SPDX-License-Identifier: MIT
// How a volume is shown, and where it lies.
#pragma once

#include "engine/core/api.h"
#include "engine/render/colormap.h"
#include "engine/scene/box.h"

#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <optional>
#include <string>

namespace lathe {

enum class VolumeMode {
    mip,      ///< the greatest value behind each pixel, through the colormap
    emission, ///< glowing fog: each value absorbs, and has the colormap's colour
    surface,  ///< where the values cross a level, lit
    slices,   ///< three planes through a place, one along each pair of axes
};

/// NaN counts as a value below the range; it has no surface.
struct VolumeStyle {
    VolumeMode mode = VolumeMode::mip;
    std::string colormap = "viridis";
    /// None: 0 to 255 for uint8, 0 to 1 for others. What is at or below its low end is not seen.
    std::optional<ValueRange> range{};
    /// Instead of `range`, so much of the volume's own values.
    std::optional<Percentiles> percentiles{};
    float opacity = 1;
    float density = 4;                     ///< of fog: absorption per world unit at the range's top
    float level = 0.5f;                    ///< of a surface
    glm::vec4 color{0.9f, 0.86f, 0.8f, 1}; ///< of a surface
    /// Where its faces lie. None: the longest side goes from -1 to 1, the middle is the origin.
    std::optional<Box> box{};
    glm::vec3 spacing{1, 1, 1}; ///< sizes of a cell, relative to each other; without `box`
    /// Where slices meet, in parts of the box from its lowest corner. Outside of 0 to 1 there is
    /// none across that axis.
    glm::vec3 slices{0.5f, 0.5f, 0.5f};

    bool operator==(const VolumeStyle&) const = default;
};

/// A surface or slices that nothing shines through.
LATHE_API bool is_solid(const VolumeStyle& style);
/// Throws std::invalid_argument for numbers that are none, a negative density, sides and spacings
/// that are not above 0.
LATHE_API void check(const VolumeStyle& style);
/// Of so many cells along x, y and z.
LATHE_API Box box_of(const VolumeStyle& style, const glm::ivec3& cells);

} // namespace lathe
