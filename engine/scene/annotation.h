// SPDX-License-Identifier: MIT
// What explains a picture: axes with ticks, colour bars, a legend, a scale bar.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/box.h"

#include <glm/vec4.hpp>

#include <array>
#include <optional>
#include <string>

namespace lathe {

/// Of lines and letters.
constexpr glm::vec4 kAnnotationInk{0.72f, 0.75f, 0.80f, 1};

/// In space a box whose far sides have a grid; in the plane along the tile's or the picture's left
/// and lower side. A picture's ticks count its elements.
struct AxesStyle {
    std::array<std::string, 3> labels{"x", "y", "z"}; ///< with their units; empty: none
    /// Of space. None: around what is drawn, up to whole ticks.
    std::optional<Box> box{};
    bool grid = true;
    float size = 13; ///< of letters, pixels
    glm::vec4 color = kAnnotationInk;
};

/// The colours of a thing's values, at the tile's right side; several stand side by side.
struct ColorbarStyle {
    std::string label{};
    float size = 13;
    glm::vec4 color = kAnnotationInk;
};

/// The names of things with their colours, in the upper left corner.
struct LegendStyle {
    float size = 13;
    glm::vec4 color = kAnnotationInk;
};

/// A length of the plane, or of space as far away as the orbit camera's target, in the lower left
/// corner.
struct ScaleBarStyle {
    std::string unit{};
    double per_unit = 1; ///< so many units are one of the plane's or space's, or an element
    float size = 13;
    glm::vec4 color = kAnnotationInk;
};

/// What annotations take of a tile's sides from a picture, pixels.
struct Room {
    float left = 0, top = 0, right = 0, bottom = 0;
};

} // namespace lathe
