// SPDX-License-Identifier: MIT
// Asks kernels what lies in a rectangle of the screen; private to engine/scene.
#pragma once

#include "engine/scene/painter.h"
#include "engine/scene/renderer.h"
#include "engine/scene/selection.h"

#include <glm/vec2.hpp>

#include <optional>
#include <span>
#include <vector>

namespace lathe {

struct SelectPlace {
    DrawView look;
    glm::vec2 low, high; ///< pixels from the tile's top left
    /// Column and row of the picture drawn last, with fractions, at two opposite corners.
    std::optional<glm::vec2> element, other_element;
};

/// The parts of each thing whose middle lies there, covered by others or not; things without such
/// are left out. In the order of the legacy default stream; waits for it.
std::vector<Selected> select(std::span<const ShownThing> things, const SelectPlace& place);

} // namespace lathe
