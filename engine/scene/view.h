// SPDX-License-Identifier: MIT
// A part of the picture: what is drawn there, and the cameras that look at it.
#pragma once

#include "engine/core/api.h"
#include "engine/render/arrows.h"
#include "engine/render/image.h"
#include "engine/render/lines.h"
#include "engine/render/mesh.h"
#include "engine/render/points.h"
#include "engine/render/text.h"
#include "engine/render/tubes.h"
#include "engine/scene/bounds.h"
#include "engine/scene/camera.h"
#include "engine/scene/camera_path.h"
#include "engine/scene/clipping.h"
#include "engine/scene/draw_list.h"
#include "engine/scene/grip.h"
#include "engine/scene/height_field.h"
#include "engine/scene/lighting.h"
#include "engine/scene/picking.h"
#include "engine/scene/probe.h"
#include "engine/scene/renderer.h"
#include "engine/scene/selection.h"
#include "engine/scene/thing.h"
#include "engine/scene/volume_style.h"
#include "gpu/array/array.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lathe {

namespace gl {
class Framebuffer;
}

class Scene;
class SvgElements;
class Texture;
struct Region;
struct ShownThing;

/// For each point; null: not given.
struct PerPoint {
    const gpu::Array* values = nullptr; ///< (n,) real numbers, through the colormap
    const gpu::Array* colors = nullptr; ///< (n, 4) floats or uint8; win over values
    /// (n,) real numbers instead of the style's radius, of points and tubes. A point is drawn where
    /// its own is above 0, a segment where one end's is and the other's is not negative.
    const gpu::Array* radii = nullptr;
};

/// For each vertex of a mesh, or for each triangle; null: not given. Where there are as many
/// vertices as triangles, values and colours are the vertices'.
struct PerVertex {
    /// Real numbers, through the colormap: (n,) one a vertex, (m,) one a triangle.
    const gpu::Array* values = nullptr;
    /// (n, 4) or (m, 4) floats or uint8; win over values. Alpha counts where MeshStyle::opacity is
    /// below 1.
    const gpu::Array* colors = nullptr;
    /// (n, 3) real numbers, of any length: the mesh is smooth by these.
    const gpu::Array* normals = nullptr;
    /// Of a mesh: a picture on it, (height, width) or (height, width, 1 to 4) real numbers. One
    /// channel goes through the colormap by the style's range; a fourth is alpha. Wins over values
    /// and colours.
    const gpu::Array* texture = nullptr;
    /// (n, 2) real numbers, with a texture: (0, 0) is its lower left corner, (1, 1) its upper right
    /// one.
    const gpu::Array* texcoords = nullptr;
};

/// For each instance of a mesh, but for the normals; null: not given.
struct PerInstance {
    const gpu::Array* values = nullptr;  ///< (n,) real numbers, through the colormap
    const gpu::Array* colors = nullptr;  ///< (n, 4) floats or uint8; win over values
    const gpu::Array* normals = nullptr; ///< of the mesh's vertices, as PerVertex has them
    /// (n, 4) quaternions x, y, z, w of any length; or (n, 3) directions that the mesh's z axis
    /// turns to, while its y axis stays as near to the orbit camera's up as it can.
    const gpu::Array* turns = nullptr;
    const gpu::Array* scales = nullptr; ///< (n,), or (n, 3) along the mesh's axes
};

/// Made by a Scene, whose end it must not outlive.
class LATHE_API View {
public:
    explicit View(Scene& scene) : scene_{scene} {}
    ~View() { unlink(); }
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    // -- drawing -----------------------------------------------------------------------------
    // A list that a step fills and the frame's end draws; frames without a step draw it again.
    // C-ordered arrays of this App are read where they lie, others are copied at the call: numbers
    // of 8 bytes as float32, complex128 as complex64, and what places, values and colours are as
    // float32. Positions of float64 become float32 from an origin near what the camera sees, so
    // that they have their digits wherever they lie. Throw gpu::ShapeError for other shapes and
    // gpu::TypeError for other numbers, before anything is copied. `name`: of the thing; see
    // things().

    /// (height, width) through the colormap, or (height, width, 1 to 4). Of complex numbers as
    /// ImageStyle says.
    void image(const gpu::Array& array, const ImageStyle& style = {}, std::string_view name = {});
    void image(const Texture& texture, const ImageStyle& style = {}, std::string_view name = {});
    /// (n, 2 to 4) real numbers.
    void points(const gpu::Array& positions, const PointsStyle& style = {}, const PerPoint& of = {},
                std::string_view name = {});
    /// Behind what stands before it, in the space of the orbit camera.
    void image(const gpu::Array& array, const ImagePlane& plane, const ImageStyle& style = {},
               std::string_view name = {});
    /// (n, 2 to 4) real numbers, or (lines, n, 2 to 4); values are (n,) or (lines, n), colours
    /// likewise.
    void lines(const gpu::Array& positions, const LinesStyle& style = {}, const PerPoint& of = {},
               std::string_view name = {});
    /// As lines, but round, lit and thick in world units.
    void tubes(const gpu::Array& positions, const TubesStyle& style = {}, const PerPoint& of = {},
               std::string_view name = {});
    /// Both (n, 2 to 4) real numbers; vectors of length 0 and NaN are not drawn.
    void arrows(const gpu::Array& positions, const gpu::Array& vectors,
                const ArrowsStyle& style = {}, const PerPoint& of = {}, std::string_view name = {});
    /// (n, 3) real numbers and (m, 3) integers from 0 to n - 1, three vertices a triangle, in
    /// space. A triangle with another number is not drawn; the console says so once. Both sides are
    /// lit.
    void mesh(const gpu::Array& vertices, const gpu::Array& triangles, const MeshStyle& style = {},
              const PerVertex& of = {}, std::string_view name = {});
    /// The mesh at each of (n, 3) positions.
    void instances(const gpu::Array& vertices, const gpu::Array& triangles,
                   const gpu::Array& positions, const MeshStyle& style = {},
                   const PerInstance& of = {}, std::string_view name = {});
    /// (rows, columns) real numbers as a smooth surface over the ground. Values are (rows,
    /// columns), colours (rows, columns, 4); normals are the surface's own. NaN leaves a hole.
    void height_field(const gpu::Array& heights, const HeightField& field = {},
                      const MeshStyle& style = {}, const PerVertex& of = {},
                      std::string_view name = {});
    /// (depth, height, width) real numbers: x counts the last axis, z the first. Throws
    /// std::invalid_argument as check(style) does.
    void volume(const gpu::Array& array, const VolumeStyle& style = {}, std::string_view name = {});
    /// UTF-8, in front of all else: at a point of the plane, or of space.
    void text(std::string_view text, glm::dvec2 position, const TextStyle& style = {});
    void text(std::string_view text, glm::dvec3 position, const TextStyle& style = {});
    /// In the middle of the tile's top; style.anchor does not matter.
    void title(std::string_view text, const TextStyle& style = {.size = 20});

    // -- annotations -------------------------------------------------------------------------
    // In front of all else, but for axes in space, which have depth. They are things, too.

    void axes(const AxesStyle& style = {});
    /// Of the values of a thing, which the step draws, too. Where the device finds the range, the
    /// frame waits for it.
    void colorbar(std::string_view thing, const ColorbarStyle& style = {});
    /// Of all things that have colours of their own.
    void legend(const LegendStyle& style = {});
    void scale_bar(const ScaleBarStyle& style = {});

    // -- things ------------------------------------------------------------------------------
    /// What the last step drew, in the order of the calls, and what this one has added. Things may
    /// have equal names; they share their settings.
    std::vector<Thing> things() const;
    /// How the thing of that name is shown, from the next frame on; also one that is drawn later.
    ThingSettings& settings(std::string_view name);

    /// How many of the numbers that give things of that name their colours, or of the elements of
    /// a picture or volume, are none or infinite. Elements with a NaN are magenta, infinite ones
    /// cyan, but in volumes.
    /// Waits for the device.
    NotFinite not_finite(std::string_view name) const;

    // -- clipping ----------------------------------------------------------------------------
    /// Cuts things in space, from the next frame on: what stays is where the normal points to.
    /// Another call with that name moves the plane. Spheres, tubes and arrows show a flat cut,
    /// surfaces their other side; points of a size in pixels are there or not, by their middle.
    /// What is cut off is neither picked nor selected. Texts, annotations and what lies in the
    /// plane stay, and things whose settings say so. Throws as Clipping::set().
    void clip(const glm::dvec3& origin, const glm::vec3& normal, std::string_view name = "clip") {
        clipping_.set(name, {origin, normal});
    }
    Clipping& clipping() { return clipping_; }
    const Clipping& clipping() const { return clipping_; }

    // -- light -------------------------------------------------------------------------------
    /// Shadows in corners and on a ground, from the next frame on. Of what OpenGL draws: volumes
    /// get and throw none on the ground. With a ground, steps that draw wait for the device, which
    /// finds the box around all. Throws std::invalid_argument for what is negative or no number.
    void set_lighting(const Lighting& lighting);
    const Lighting& lighting() const { return lighting_; }

    // -- picking -----------------------------------------------------------------------------
    /// What was drawn last at a place, in pixels from the tile's top left: the thing in front, or
    /// what is nearest within 4 pixels. Kernels look at the arrays as they are now; waits for the
    /// device.
    std::optional<Picked> pick(glm::vec2 pixels) const;
    /// What the camera of the last drawing sees at such a place; nothing before the first one.
    std::optional<SightLine> sight_line(glm::vec2 pixels) const;
    /// Points, segments, triangles and elements of pictures that were drawn last and whose middle
    /// lies between two opposite corners of a rectangle, in pixels from the tile's top left; hidden
    /// by others or not. One for each thing that has such, in their order. Waits for the device.
    std::vector<Selected> select(glm::vec2 corner, glm::vec2 other) const;
    /// Records a value in each step from now on, as long as the program keeps the probe: of a point
    /// or a vertex or a triangle with values, of a picture's first channel at row * width + column,
    /// of a voxel likewise. NaN where nothing of that name is drawn or the element is not there,
    /// and of complex numbers. The same probe for what one records already. Throws
    /// std::invalid_argument for an index below 0.
    std::shared_ptr<Probe> probe(std::string_view item, std::int64_t index);
    /// Those that programs keep.
    std::vector<std::shared_ptr<Probe>> probes() const;
    /// In the next frames a press of the left button on an element of things of that name takes
    /// hold of it, and a drag moves no camera; until a step does not ask. What the mouse holds of
    /// them now, as of the frame's begin.
    std::optional<Grip> grip(std::string_view name);
    bool has_grips() const { return !grips_.empty(); }
    bool wants_grip(std::string_view name) const { return grips_.contains(name); }
    void set_grip(std::optional<Grip> grip) { grip_ = std::move(grip); }
    bool has_grip() const { return grip_.has_value(); }
    /// A rectangle that is drawn in front of all else, from the next drawing on: two opposite
    /// corners, in parts of the tile's size from its top left.
    void set_outline(const std::optional<std::array<glm::vec2, 2>>& corners) { outline_ = corners; }

    // -- cameras -----------------------------------------------------------------------------
    OrbitCamera& orbit_camera();
    PanZoomCamera& pan_zoom_camera();
    /// Takes over the cameras of another view, and leaves the views that it was linked to. From now
    /// on what moves the cameras of one view, mouse or program, moves those of all that are linked:
    /// when a camera is asked for, and in each frame. Of several that were moved the last counts.
    void link(View& other);
    /// Has cameras of its own again, as they are.
    void unlink();
    /// Which camera the mouse moves and points and lines are seen by, and how that of space is
    /// moved; pictures follow pan and zoom.
    /// Unset: orbit once something of three components is drawn, else pan and zoom.
    void use_camera(Camera camera, Steering steering = Steering::orbit) {
        wanted_camera_ = camera;
        steering_ = steering;
    }
    Steering steering() const { return steering_; }
    Camera camera() const;
    /// A copy of that camera.
    std::variant<OrbitCamera, PanZoomCamera> used_camera();
    /// Looks by this camera from now on; how it is steered stays.
    void set_camera(const std::variant<OrbitCamera, PanZoomCamera>& camera);
    /// The box around what the last step drew and is not hidden, or one thing of it. Nothing where
    /// that has no place. Waits for the device.
    std::optional<Box> bounds() const;
    std::optional<Box> bounds(std::string_view name) const;
    /// Moves the camera so that all is seen, or one thing; the direction stays, and the distance,
    /// too, where that is one point. A picture that fills the view does so again. False where
    /// nothing is to be seen. An orbit camera that nobody has placed fits what is first shown in
    /// space by itself. Waits for the device.
    bool fit();
    bool fit(std::string_view name);
    /// Moves the camera of space there within `seconds` of the clock, frame by frame, slowly at
    /// both ends. What moves it otherwise ends that. Throws std::invalid_argument unless the
    /// distance is above 0 and seconds are 0 or more.
    void fly_to(const OrbitCamera& camera, double seconds = 0.5);
    bool is_on_the_way() const { return way_.has_value(); }
    /// How it looks at what is drawn, in the size of its tile when it was drawn last.
    DrawView look() const;

    /// Draws within an InTile, at once. Buffers are read in place.
    void draw_now(const Drawn& drawn);

    // -- place -------------------------------------------------------------------------------
    /// Of the whole picture, whose corners are (0, 0), top left, and (1, 1).
    const Viewport& tile() const { return tile_; }
    /// It lies on other views.
    bool is_inset() const { return is_inset_; }
    /// How a script reaches it: "app.views(1, 2)[1]".
    const std::string& script_name() const { return script_name_; }
    /// The tile's width and height when it was drawn last, in pixels of styles.
    glm::vec2 pixels() const { return glm::vec2{state_.last.pixels} / state_.last.scale; }
    /// Element (column, row) of the picture drawn last at a place of the tile, from its top left,
    /// in parts of its size.
    std::optional<std::array<int, 2>> element_at(glm::vec2 place) const;

private:
    friend class Scene;
    friend class InTile;

    friend class Painter;

    /// One camera a frame: that of space where anything of the frame, or of the last one, lies
    /// there.
    void note_space(bool is_in_space);
    void begin_frame();
    void end_frame(bool was_drawn);
    void end_step();
    ImagePlacement place(glm::vec2 size, bool y_up);
    void draw_image(const gpu::Array& array, const ImageStyle& style,
                    const std::optional<ImagePlane>& plane, std::string_view name);
    /// `arrays`: as ListItem has them; null: not given.
    void add(Drawn&& drawn, std::string_view name = {},
             std::initializer_list<const gpu::Array*> arrays = {}, const ItemOrigin& origin = {});
    /// Where positions are to count from: as in the last step, if that is near what is seen.
    ItemOrigin origin_of(const gpu::Array& positions) const;
    /// Of what is shown again, where the camera has gone elsewhere.
    void move_origins();
    /// What a camera looks at, or that by which things are seen.
    Region region(Camera camera) const;
    Region region_of(bool is_in_space) const;
    /// For ever: what is drawn here is checked, and forgotten.
    void hide();
    bool fit(const Box& box);
    bool fit_picture(std::string_view name);
    /// What kernels do for the drawing, while the arrays are theirs.
    void compute();
    void place_camera();
    /// Of the views that are linked: what has moved one moves all.
    void share_cameras();
    void go_on_the_way();
    float aspect() const;
    void compute_annotations();
    void compute_ground();
    bool needs_names() const { return !settings_.empty() || list_.contents().annotations; }
    void find_ranges();
    /// What is not hidden, as the settings and the scale say; `changed` keeps what differs from the
    /// list.
    std::vector<ShownThing> shown_things(std::list<Drawn>& changed, bool with_names) const;
    /// Column and row of the picture with fractions, as it is stored.
    std::optional<glm::vec2> element_in_picture(glm::vec2 pixels) const;
    void show(const gl::Framebuffer& target, SvgElements* svg = nullptr);
    /// Whether it looks from elsewhere than in its last drawing.
    bool has_moved() const {
        const DrawView now = look();
        return state_.last.look &&
               (state_.last.look->view != now.view || state_.last.look->eye != now.eye);
    }

    /// How the tile was drawn last.
    struct LastDrawing {
        glm::ivec2 pixels{1, 1};
        float scale = 1;                         ///< pixels of what styles call a pixel
        int coarse = 1;                          ///< pixels from ray to ray through volumes
        std::optional<DrawView> look;            ///< nothing: not drawn yet
        std::optional<ImagePlacement> placement; ///< of the picture, pixels of the tile
        glm::vec2 picture{0, 0};                 ///< columns and rows
        bool y_up = false;
        Room room; ///< around pictures, in pixels of styles
    };
    /// Where the view has placed the orbit camera by itself; at first where it was made.
    struct OwnPlace {
        glm::dvec3 target = OrbitCamera{}.target;
        float distance = OrbitCamera{}.distance;
        float aspect = 0; ///< of the tile; 0: nothing was seen yet
    };
    struct Cameras {
        OrbitCamera orbit;
        PanZoomCamera pan_zoom;

        bool operator==(const Cameras&) const = default;
    };
    /// To another place.
    struct Way {
        CameraPath path;
        std::chrono::steady_clock::time_point begin;
        OrbitCamera last; ///< as it was set
    };
    struct Link {
        Cameras cameras;
        std::vector<View*> views; ///< that are linked; each leaves when it ends
    };
    /// What frames change.
    struct State {
        LastDrawing last;
        OrbitCamera orbit;
        PanZoomCamera pan_zoom;
        Cameras shared; ///< of the link, as they were when all had the same
        OwnPlace own_place;
        bool space_in_frame = false;
        bool draws_space = false; ///< something of three components was drawn in the last frame
        bool is_placed = false;   ///< a picture, in this frame
        std::optional<Box> axes_box;
        std::map<std::string, ValueRange, std::less<>> found_ranges; ///< of things with colour bars
        std::optional<Box> ground_box;
        std::uint64_t grounded = 0;  ///< revision of the list that it is of
        std::uint64_t annotated = 0; ///< revision of the list that the two are of
    };

    Scene& scene_;
    State state_;
    Viewport tile_{{0, 0}, {1, 1}};
    bool is_inset_ = false;
    std::string script_name_ = "app.view";
    bool is_shown_ = true;
    DrawList list_;
    std::map<std::string, ThingSettings, std::less<>> settings_;
    std::optional<Camera> wanted_camera_;
    std::set<std::string, std::less<>> grips_; ///< names that the step asks for
    std::optional<Grip> grip_;
    Steering steering_ = Steering::orbit;
    Clipping clipping_;
    Lighting lighting_;
    std::vector<std::weak_ptr<Probe>> probes_;
    std::optional<Way> way_;
    std::optional<std::array<glm::vec2, 2>> outline_;
    std::shared_ptr<Link> link_; ///< null: linked to none
};

} // namespace lathe
