// SPDX-License-Identifier: MIT
// What explains colours and lengths on the screen: colour bars, a legend, a scale bar; private to
// engine/scene.
#pragma once

#include "engine/render/colormap.h"
#include "engine/scene/annotation.h"
#include "engine/scene/canvas.h"

#include <glm/vec4.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lathe {

void draw_colorbar(Canvas& canvas, const ColorbarStyle& style, const std::string& colormap,
                   ValueRange range);

/// What it takes of the tile's right side.
float width_of_colorbar(Canvas& canvas, const ColorbarStyle& style, ValueRange range);

struct LegendEntry {
    std::string name;
    std::string colormap; ///< empty: one colour
    glm::vec4 color;
};
void draw_legend(Canvas& canvas, const LegendStyle& style, const std::vector<LegendEntry>& entries);

/// `pixel`: its length.
void draw_scale_bar(Canvas& canvas, const ScaleBarStyle& style, double pixel);

} // namespace lathe
