// SPDX-License-Identifier: MIT
// Draws the things of a view with OpenGL; private to engine/scene.
#pragma once

#include "engine/render/image.h"
#include "engine/render/lines.h"
#include "engine/render/points.h"
#include "engine/render/text.h"
#include "engine/scene/drawn.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

#include <string_view>
#include <vector>

namespace lathe {

class View;

/// Of all views of a Scene.
struct Renderers {
    PointsRenderer points;
    LinesRenderer lines;
    ImageRenderer images;
    TextRenderer texts;
};

/// As long as one tile is drawn, within an InTile.
class Painter {
public:
    Painter(View& view, Renderers& renderers);

    /// Things of space are seen in their order of depth, the rest in the order of the list. What
    /// is solid comes first among neighbours in space, since what is blended must find it.
    void draw(const std::vector<const Drawn*>& things);
    void draw(const Drawn& thing);
    /// The letters of all texts, in front.
    void draw_letters();

private:
    void paint(const DrawnImage& drawn);
    void paint(const DrawnTexture& drawn);
    void paint(const DrawnPoints& drawn);
    void paint(const DrawnLines& drawn);
    void paint(const DrawnText& drawn);

    View& view_;
    Renderers& renderers_;
    glm::vec2 pixels_;
    glm::mat4 to_clip_;
};

} // namespace lathe
