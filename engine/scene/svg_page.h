// SPDX-License-Identifier: MIT
// An SVG document of pictures with elements over them.
#pragma once

#include "engine/render/screenshot.h"

#include <glm/vec2.hpp>

#include <array>
#include <string>
#include <string_view>

namespace lathe {

/// The document's units, from its top left.
struct SvgPlace {
    glm::vec2 corner, size;
};

class SvgPage {
public:
    SvgPage(int width, int height);

    /// Red, green and blue of 0 to 1.
    void fill(const std::array<float, 4>& color);
    void add_picture(const SvgPlace& place, const ImageData& picture);
    /// Cut at the place's sides. `unit`: of the elements, in those of the document.
    void add_elements(const SvgPlace& place, float unit, std::string_view elements);

    std::string finish() const { return text_ + "</svg>\n"; }

private:
    std::string text_;
};

} // namespace lathe
