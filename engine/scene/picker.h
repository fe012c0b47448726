// SPDX-License-Identifier: MIT
// Asks kernels what lies under a place of the screen; private to engine/scene.
#pragma once

#include "engine/scene/painter.h"
#include "engine/scene/picking.h"
#include "engine/scene/renderer.h"

#include <glm/vec2.hpp>

#include <optional>
#include <span>

namespace lathe {

struct PickPlace {
    DrawView look;
    glm::vec2 pixels; ///< from the tile's top left, as `look` counts them
    /// Column and row of the picture drawn last, with fractions.
    std::optional<glm::vec2> element;
    float scale = 1; ///< such pixels of one that a user sees
};

/// The thing in front, as it was drawn from the memory that it has now; what is nearest within a
/// few pixels where nothing is right there. Kernels look at the arrays, in the order of the legacy
/// default stream; waits for them.
std::optional<Picked> pick(std::span<const ShownThing> things, const PickPlace& place);

/// What is seen there, whatever is drawn; in the places that `place.look` counts.
SightLine sight_line(const PickPlace& place);

} // namespace lathe
