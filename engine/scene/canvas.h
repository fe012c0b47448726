// SPDX-License-Identifier: MIT
// Where the annotations of a view are drawn; private to engine/scene. Strokes of space are drawn at
// flush(), behind what stands before them; those of the screen, ramps of colours and letters at
// finish(), in front of all else, or they become elements of an SVG document.
#pragma once

#include "engine/render/image.h"
#include "engine/render/strokes.h"
#include "engine/render/text.h"
#include "engine/scene/renderer.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

struct Renderers;
class SvgElements;

class Canvas {
public:
    /// Its pixels are those of styles, of which each is `scale` pixels of the tile. It looks at
    /// places from `origin`, near what is seen. Where there are elements, what finish() would draw
    /// is added to them, in the same pixels.
    Canvas(const DrawView& world, const glm::dvec3& origin, float scale, Renderers& renderers,
           SvgElements* svg = nullptr);

    /// Of the tile.
    glm::vec2 pixels() const { return pixels_; }
    const glm::dvec3& origin() const { return origin_; }
    /// From there.
    const DrawView& look() const { return look_; }
    /// Pixels from the top left; nothing where it is not before the eye.
    std::optional<glm::vec2> project(const glm::dvec3& place) const;
    glm::vec2 extent(std::string_view text, float size);

    void space_stroke(const glm::dvec3& begin, const glm::dvec3& end, const glm::vec4& color,
                      float width = 1) {
        in_space_.push_back({begin - origin_, width * scale_, end - origin_, 0, color});
    }
    void screen_stroke(glm::vec2 begin, glm::vec2 end, const glm::vec4& color, float width = 1) {
        on_screen_.push_back({{begin, 0}, width * scale_, {end, 0}, 0, color});
    }
    /// All colours of a map, the first at the bottom or the left.
    void ramp(const ImagePlacement& place, std::string colormap, bool upright);
    /// `place`: pixels from the top left, of the point that the style's anchor tells.
    void text(std::string_view text, glm::vec2 place, const TextStyle& style);

    void flush();
    void finish();

    // Pixels at the tile's sides where something stands already.
    float taken_right = 0, taken_left = 0, taken_top = 0, taken_bottom = 0;

private:
    struct Ramp {
        ImagePlacement place;
        std::string colormap;
        bool upright;
    };

    void text_to_svg(std::string_view text, glm::vec2 place, const TextStyle& style);
    void finish_svg();

    glm::dvec3 origin_;
    DrawView look_;
    float scale_;
    glm::vec2 pixels_;
    glm::mat4 to_clip_;
    Renderers& renderers_;
    SvgElements* svg_;
    std::vector<Stroke> in_space_, on_screen_;
    std::vector<Ramp> ramps_;
};

} // namespace lathe
