// SPDX-License-Identifier: MIT
// What draws the things of all views of a Scene; private to engine/scene.
#pragma once

#include "engine/render/arrows.h"
#include "engine/render/ground_shadow.h"
#include "engine/render/image.h"
#include "engine/render/layer.h"
#include "engine/render/lines.h"
#include "engine/render/mesh.h"
#include "engine/render/occlusion.h"
#include "engine/render/points.h"
#include "engine/render/strokes.h"
#include "engine/render/text.h"
#include "engine/render/tubes.h"
#include "gl/texture.h"

namespace lathe {

struct Renderers {
    PointsRenderer points;
    LinesRenderer lines;
    TubesRenderer tubes;
    ArrowsRenderer arrows;
    MeshRenderer meshes;
    Peeler peeler;
    OcclusionRenderer occlusion;
    GroundShadow ground;
    ImageRenderer images;
    StrokeRenderer strokes;
    LayerRenderer layers;
    TextRenderer texts;
    gl::Texture ramp, upright_ramp; ///< 0 to 1, for colour bars
};

} // namespace lathe
