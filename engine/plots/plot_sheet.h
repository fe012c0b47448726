// SPDX-License-Identifier: MIT
// A plot on a sheet of white paper: axes with ticks, curves, bars, cells, a legend. A pen draws it,
// with OpenGL or as elements of a document.
#pragma once

#include "engine/core/api.h"
#include "engine/plots/plot_shape.h"
#include "engine/render/screenshot.h"
#include "engine/scene/svg_elements.h"

#include <glm/vec2.hpp>
#include <glm/vec4.hpp>

#include <filesystem>
#include <span>
#include <string_view>

namespace lathe {

/// Places and widths in pixels from the top left; colours are red, green, blue and alpha of 0 to 1.
class PlotPen {
public:
    virtual ~PlotPen() = default;

    virtual void line(std::span<const glm::vec2> points, const glm::vec4& color, float width) = 0;
    virtual void fill(glm::vec2 corner, glm::vec2 size, const glm::vec4& color) = 0;
    virtual void dots(std::span<const glm::vec2> middles, const glm::vec4& color, float size) = 0;
    virtual void picture(const ImageData& image, glm::vec2 corner, glm::vec2 size) = 0;
    /// `place` is on the base line.
    virtual void text(std::string_view text, glm::vec2 place, TextSide side, float size,
                      const glm::vec4& color) = 0;
};

void draw_on_sheet(const PlotShape& shape, glm::vec2 size, PlotPen& pen);

/// Colours of cells as they are seen, red, green, blue and alpha; a NaN is magenta. Where they are
/// few, a cell has several texels in each direction, so that blending leaves its edges sharp.
LATHE_API ImageData picture_of(const PlotCells& cells);

/// An SVG document of that many units.
void save_plot_as_svg(const PlotShape& shape, int width, int height,
                      const std::filesystem::path& file);
/// Needs a current context of OpenGL. Pixels as screenshot() has them.
ImageData picture_of(const PlotShape& shape, int width, int height);
/// A header line, and a line for each row; a NaN is "nan".
void save_as_csv(const PlotTable& table, const std::filesystem::path& file);

} // namespace lathe
