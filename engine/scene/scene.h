// SPDX-License-Identifier: MIT
// The views of a program and what they share: renderers, and the memory of copies.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/drawn_copies.h"
#include "engine/scene/view.h"
#include "gl/framebuffer.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

struct Renderers;
class SvgElements;

/// What a Scene asks of its program.
struct SceneServices {
    std::function<std::shared_ptr<FrameMap>()> map;
    std::function<void()> wait; ///< until the device has computed what is drawn
};

/// Drawing goes to a view's tile while this lives. The target is bound.
class LATHE_API InTile {
public:
    /// Gives the view its size in pixels, of which `scale` are one of those of styles.
    InTile(View& view, const gl::Framebuffer& target, float scale = 1);

    /// Nothing where the tile is all of the target.
    void clear(const std::array<float, 4>& color) const;

private:
    std::optional<gl::FramebufferPart> part_;
};

/// Pixels from ray to ray through volumes, in each direction.
struct RaysApart {
    int still = 1;
    int moving = 1; ///< in frames whose camera is elsewhere than in the last drawing
};

/// A view as a part of an SVG document. Pixels of the framebuffer, from its top left.
struct SvgTile {
    glm::ivec2 picture_corner, picture_size; ///< what OpenGL drew: all but annotations
    glm::ivec2 corner, size;
    float scale;          ///< pixels for each unit of the elements
    std::string elements; ///< annotations
};

class LATHE_API Scene {
public:
    explicit Scene(SceneServices services);
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    ~Scene();

    /// The first view, which is always there.
    View& view() { return *views_.front(); }
    const std::vector<std::shared_ptr<View>>& views() const { return views_; }
    /// Tiles of one size, row by row. Views that are there stay; others are made, or are shown no
    /// more. Throws std::invalid_argument for less than 1 and more than 64 rows or columns.
    const std::vector<std::shared_ptr<View>>& set_views(int rows, int columns);
    /// Tiles by letters, as mosaic_tiles() reads them; otherwise as set_views().
    std::vector<std::pair<char, std::shared_ptr<View>>> set_mosaic(std::string_view mosaic);
    /// One more view, on the part `within` of the tile of `on`, until the tiles are set again.
    /// Throws std::invalid_argument unless that lies within (0, 0) and (1, 1) and is not empty.
    std::shared_ptr<View> add_inset(const View& on, const Viewport& within);

    void begin_step();
    void drop_step();
    /// Lets go of what is drawn, and of all copies.
    void clear();

    void begin_frame();
    void end_frame(bool was_drawn);
    /// Ends the step. True where something is to be drawn.
    bool end_step();
    /// What kernels do for a drawing into `target`, before the arrays go to OpenGL.
    void compute(const gl::Framebuffer& target, float scale = 1, const RaysApart& rays = {});
    /// What all views show, into a framebuffer that is bound and cleared. One pixel of styles is
    /// `scale` pixels. What throws empties the lists.
    void draw(const gl::Framebuffer& target, float scale = 1);
    /// Both for a picture beside the frames, which do not notice; `unmap` is called in between.
    /// Clears it, too. Where `take` is given, it is called for each view as soon as that is drawn,
    /// and annotations are not drawn.
    void draw_beside(const gl::Framebuffer& target, float scale, bool transparent,
                     const std::function<void()>& unmap,
                     const std::function<void(SvgTile)>& take = {});
    void set_background(std::array<float, 4> rgba) { background_ = rgba; }
    const std::array<float, 4>& background() const { return background_; }
    /// What the framebuffer is cleared with: the background, or what is between tiles.
    std::array<float, 4> clear_color() const;

    DrawnCopies& copies() { return copies_; }

private:
    friend class View;
    struct Kept;

    struct Tile {
        Viewport place;
        std::string script_name;
    };
    void set_tiles(const std::vector<Tile>& tiles);
    void draw(View& view, const gl::Framebuffer& target, float scale, SvgElements* svg = nullptr);
    void look_for_values_outside(const gpu::Array& array);
    void look_for_indices_outside(const gpu::Array& triangles, std::int64_t vertices);

    SceneServices services_;
    std::vector<std::shared_ptr<View>> views_;
    std::array<float, 4> background_{0.035f, 0.04f, 0.05f, 1};
    DrawnCopies copies_;
    std::unique_ptr<Renderers> renderers_;
    bool told_outside_ = false;  ///< of values outside of a picture's range
    std::uint64_t pictures_ = 0; ///< that may have such values
    bool told_indices_ = false;  ///< of triangles with vertices that are not there
    std::uint64_t meshes_ = 0;
};

} // namespace lathe
