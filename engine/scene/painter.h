// SPDX-License-Identifier: MIT
// Draws the things of a view with OpenGL; private to engine/scene.
#pragma once

#include "engine/scene/canvas.h"
#include "engine/scene/color_scale.h"
#include "engine/scene/draw_list.h"
#include "engine/scene/drawn.h"
#include "engine/scene/renderer.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

struct GroundLook;
struct Renderers;
class SvgElements;
class View;

struct ShownThing {
    const Drawn* drawn;
    std::string name; ///< empty where nobody needs it
    bool is_clipped = true;
    std::span<const gpu::ArrayPlace> arrays{}; ///< of its ListItem
    glm::dvec3 origin{0, 0, 0};                ///< likewise
    const gpu::Array* float64 = nullptr;       ///< the positions that are drawn as float32

    /// How it is looked at: from its origin, without planes that do not cut it.
    DrawView seen_by(const DrawView& look) const {
        DrawView own = look.from(origin);
        if (!is_clipped) own.clip = {};
        return own;
    }
};

inline ShownThing shown_thing(const ListItem& item, const Drawn& drawn, std::string name,
                              bool is_clipped) {
    const ItemOrigin& origin = item.origin;
    return {&drawn,      std::move(name), is_clipped,
            item.arrays, origin.place,    origin.of_float64() ? &origin.positions : nullptr};
}

/// As long as one tile is drawn, within an InTile.
class Painter {
public:
    /// `svg` takes annotations: Canvas.
    Painter(View& view, Renderers& renderers, SvgElements* svg = nullptr);

    /// Things of space are seen in their order of depth, the rest in the order of the list. Among
    /// neighbours in space axes come first, then what is solid, since what is blended must find
    /// both. Blended meshes are in the right order pixel by pixel; other blended things follow, and
    /// volumes that are not solid come last, since they hide nothing that is drawn later. `depth`:
    /// of the framebuffer.
    void draw(const std::vector<ShownThing>& things, const ListContents& contents,
              const gl::Texture& depth);
    void draw(const ShownThing& thing);

private:
    void paint(const DrawnImage& drawn);
    void paint(const DrawnTexture& drawn);
    void paint(const DrawnPoints& drawn);
    void paint(const DrawnLines& drawn);
    void paint(const DrawnTubes& drawn);
    void paint(const DrawnArrows& drawn);
    void paint(const DrawnMesh& drawn, const PeelPass* pass = nullptr);
    void paint(const DrawnText& drawn);
    void paint(const DrawnVolume& drawn);
    void paint(const DrawnAxes& drawn);
    void paint(const DrawnColorbar& drawn);
    void paint(const DrawnLegend& drawn);
    void paint(const DrawnScaleBar& drawn);
    glm::vec2 size() const { return canvas_.look().size; }
    /// In front of all else, after it.
    bool is_on_screen(const Drawn& thing) const;
    /// Once what is solid is there: View::set_lighting().
    void add_light(const std::vector<const ShownThing*>& solids, const gl::Texture& depth);
    /// What throws a shadow, as it is seen from below.
    void paint_below(const ShownThing& thing, const GroundLook& from);
    /// Of View::set_outline().
    void draw_outline();
    static void sort_in_space(std::vector<const ShownThing*>& things);
    /// What annotations leave of the tile to the pictures.
    void make_room();
    /// Calls with colormap and range of the thing of that name, if it has them.
    template <class Call> void for_scale(const std::string& name, const Call& call) const;
    ValueRange range_of(const ShownThing& thing, const ColorScale& scale) const;
    const std::vector<ShownThing>* all_ = nullptr; ///< while they are drawn

    View& view_;
    Renderers& renderers_;
    const DrawView world_;
    Canvas canvas_;
    DrawView look_; ///< at the thing that is drawn
};

} // namespace lathe
