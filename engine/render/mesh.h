// SPDX-License-Identifier: MIT
// Triangles that share their vertices, straight from GL buffers: lit surfaces, flat or smooth, with
// the edges over them where wanted; one of them, or many instances.
#pragma once

#include "engine/core/api.h"
#include "engine/render/clip_planes.h"
#include "engine/render/colormap.h"
#include "engine/render/image.h"
#include "engine/render/peeler.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec4.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace lathe {

namespace gl {
class Buffer;
}

struct MeshStyle {
    glm::vec4 color{0.72f, 0.75f, 0.80f, 1}; ///< where no values or colours are given
    /// Below 1 the faces are blended over what is there, by a Peeler in the right order. Without
    /// one first those whose vertices are clockwise on the screen, then the others, both in the
    /// order of the array. That is from back to front for what is convex with vertices
    /// counter-clockwise from outside, and may be wrong elsewhere.
    float opacity = 1;
    std::string colormap = "viridis";
    ValueRange range{}; ///< of the values
    /// Instead of `range`, so much of the mesh's own values.
    std::optional<Percentiles> percentiles{};
    bool smooth = false;    ///< light by normals of the vertices; false: each face has its own
    bool lit = true;        ///< false: colours as they are
    bool wireframe = false; ///< edges over the faces
    glm::vec4 edge_color{0.05f, 0.05f, 0.06f, 1};
    float edge_width = 1; ///< pixels
    /// Lines where MeshData::levels are a multiple of this; 0: none.
    float contours = 0;
    glm::vec4 contour_color{0.02f, 0.02f, 0.03f, 0.9f};
    float contour_width = 1.3f; ///< pixels
    float scale = 1;            ///< of instances
    /// Of a texture: between its elements values are interpolated, and averaged where several fall
    /// into a pixel; else sharp squares.
    bool texture_is_linear = true;
    bool texture_repeats = true; ///< beyond its edges; else the outermost elements go on
};

/// Places of one mesh, borrowed as all else. What is not given does not turn, or has size 1.
struct MeshInstances {
    const gl::Buffer* positions = nullptr; ///< three float32 each: where the mesh's origin goes
    std::size_t count = 0;
    std::size_t offset = 0;

    /// Four float32 each: the quaternion x, y, z, w, of any length. Or three: a direction that the
    /// mesh's z axis turns to, while its y axis stays as near to the `up_axis` as it can.
    const gl::Buffer* turns = nullptr;
    bool turns_are_directions = false;
    int up_axis = 1; ///< of the world: 1 is y, 2 is z
    std::size_t turn_offset = 0;

    /// One float32 each, or three, along the mesh's axes. What is not above 0 is not drawn.
    const gl::Buffer* scales = nullptr;
    bool scales_are_of_axes = false;
    std::size_t scale_offset = 0;
};

/// Whose values or colours they are.
enum class MeshPart { vertices, triangles, instances };

/// What to draw. Buffers are borrowed until the draw call returns.
struct MeshData {
    const gl::Buffer* vertices = nullptr; ///< three float32 each
    std::size_t vertex_count = 0;
    std::size_t vertex_offset = 0; ///< bytes to the first

    /// Three uint32 each, numbers of vertices. A triangle with another number is not drawn.
    const gl::Buffer* triangles = nullptr;
    std::size_t triangle_count = 0;
    std::size_t triangle_offset = 0;

    const gl::Buffer* values = nullptr; ///< a float32 each, through the colormap
    std::size_t value_offset = 0;
    MeshPart values_of = MeshPart::vertices;
    const gl::Buffer* range = nullptr; ///< two floats instead of MeshStyle's; null: those

    const gl::Buffer* colors = nullptr; ///< RGBA each; wins over `values`
    std::size_t color_offset = 0;
    MeshPart colors_of = MeshPart::vertices;
    bool colors_are_bytes = true; ///< 4 × uint8, else 4 × float32

    /// A picture on the mesh, real numbers, instead of values and colours: of one channel through
    /// the colormap by the style's range, otherwise colours; a fourth channel is alpha.
    std::optional<ImageBuffer> texture{};
    /// Two float32 a vertex: (0, 0) is the picture's lower left corner, (1, 1) its upper right one.
    const gl::Buffer* texcoords = nullptr;
    std::size_t texcoord_offset = 0;

    const gl::Buffer* levels = nullptr; ///< a float32 a vertex, for MeshStyle::contours
    std::size_t level_offset = 0;

    /// Three float32 a vertex, of any length; MeshStyle::smooth needs them. The light does not
    /// mind which side they point to.
    const gl::Buffer* normals = nullptr;
    std::size_t normal_offset = 0;

    std::optional<MeshInstances> instances{}; ///< nothing: the mesh itself
};

/// Whether it hides what lies behind it; otherwise it is blended over that.
LATHE_API bool is_solid(const MeshData& data, const MeshStyle& style);

class LATHE_API MeshRenderer {
public:
    MeshRenderer() = default;

    /// Draws into the bound framebuffer, whose size is `framebuffer_size`, what stands before what
    /// is there; programs are compiled on first use. `view` has no scale. Throws lathe::Error where
    /// a buffer is too small, an offset does not fit the numbers, or a draw call takes fewer
    /// triangles; with edges, and with values of faces, where this GL reads fewer numbers. `peel`:
    /// for a Peeler, of what is_solid() is not.
    void draw(const MeshData& data, const MeshStyle& style, const glm::mat4& view,
              const glm::mat4& projection, glm::vec2 framebuffer_size, const ClipPlanes& clip = {},
              const PeelPass* peel = nullptr);

private:
    gl::Program& program(unsigned features, const ImageSource* texture);
    gl::VertexArray& array(const MeshData& data, unsigned features);
    std::map<unsigned, gl::Program> programs_;
    std::map<unsigned, gl::VertexArray> arrays_;
};

} // namespace lathe
