// SPDX-License-Identifier: MIT
// Annotations as elements of an SVG document (SVG 1.1: 8 paths, 10 text, 13.2 gradients).
#pragma once

#include "engine/render/image.h"

#include <glm/vec2.hpp>
#include <glm/vec4.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lathe {

/// "#4080ff": red, green and blue of 0 to 1.
std::string svg_color(const glm::vec4& color);

/// Where a line of text lies about its place.
enum class TextSide { start, middle, end };

class SvgElements {
public:
    /// Names of gradients begin with `prefix`, since they must differ within a document.
    explicit SvgElements(std::string prefix) : prefix_{std::move(prefix)} {}

    // Places and widths in the units of the document, from its top left; colours are red, green,
    // blue and alpha of 0 to 1.

    void stroke(glm::vec2 begin, glm::vec2 end, const glm::vec4& color, float width);
    void polyline(std::span<const glm::vec2> points, const glm::vec4& color, float width);
    void rectangle(glm::vec2 corner, glm::vec2 size, const glm::vec4& color);
    void dot(glm::vec2 middle, const glm::vec4& color, float radius);
    /// All colours of a map, the first at the bottom or the left.
    void ramp(const ImagePlacement& place, std::string_view colormap, bool upright);
    /// Words of the interface's font, or of another without serifs; `place` is on the base line.
    /// What is no UTF-8, or no character of XML, becomes U+FFFD.
    void line_of_text(std::string_view text, glm::vec2 place, TextSide side, float size,
                      const glm::vec4& color, const glm::vec4& edge);

    /// Letters are in front.
    std::string text() const { return shapes_ + letters_; }

private:
    std::string prefix_;
    std::string shapes_, letters_;
    std::map<std::pair<std::string, bool>, std::string> gradients_; ///< their names, by map
};

} // namespace lathe
