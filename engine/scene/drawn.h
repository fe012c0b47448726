// SPDX-License-Identifier: MIT
// What a drawing call leaves behind: data, style, and a share in the memory that is read. Places
// count from the item's origin (ListItem); a text's place and the box of axes are of the world.
#pragma once

#include "engine/core/api.h"
#include "engine/render/arrows.h"
#include "engine/render/image.h"
#include "engine/render/lines.h"
#include "engine/render/mesh.h"
#include "engine/render/points.h"
#include "engine/render/text.h"
#include "engine/render/tubes.h"
#include "engine/scene/annotation.h"
#include "engine/scene/box.h"
#include "engine/scene/height_field.h"
#include "engine/scene/volume_style.h"
#include "gpu/array/graphics_memory.h"

#include <glm/vec3.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace lathe {

class Splatter;
class VolumeMarcher;

/// Memory of OpenGL's that an array lies in.
struct DrawnMemory {
    std::shared_ptr<const void> owner;
    gpu::GraphicsMemory* memory = nullptr; ///< of `owner`; null: not given
    std::size_t offset_bytes = 0;

    /// For kernels: maps it. May throw gpu::Error.
    CUdeviceptr address() const { return memory ? memory->address() + offset_bytes : 0; }
};

/// Of ItemColors.
struct DrawnColors {
    DrawnMemory values, range, colors;
};

struct DrawnImage {
    ImageBuffer image;
    ImageStyle style;
    DrawnMemory elements, range;
    std::optional<ImagePlane> plane{}; ///< in space
};
struct DrawnTexture {
    const gl::Texture* texture;
    ImageStyle style;
    float unit; ///< what GL reads as 1
    std::shared_ptr<const void> owner;
};
struct DrawnPoints {
    PointsData points;
    PointsStyle style;
    DrawnMemory positions, values, range, colors, radii;
    std::uint64_t call = 0;             ///< a number of its own
    std::shared_ptr<Splatter> splatter; ///< draws them by kernels; null: OpenGL does
};
struct DrawnLines {
    LinesData lines;
    LinesStyle style;
    DrawnMemory positions;
    DrawnColors colors;
};
struct DrawnTubes {
    TubesData tubes;
    TubesStyle style;
    DrawnMemory positions, radii;
    DrawnColors colors;
};
struct DrawnArrows {
    ArrowsData arrows;
    ArrowsStyle style;
    DrawnMemory positions, vectors;
    DrawnColors colors;
};
struct DrawnMesh {
    MeshData mesh{};
    MeshStyle style;
    DrawnMemory vertices{}, triangles{}, values{}, range{}, colors{}, normals{};
    DrawnMemory places{}, turns{}, scales{}; ///< of instances
    DrawnMemory levels{};                    ///< of contours
    DrawnMemory texture{}, texcoords{};
    std::optional<Grid> grid{}; ///< of a height field
};
struct DrawnText {
    enum class Place { plane, space, tile };
    std::string text;
    glm::dvec3 position; ///< of the world; of a tile: from its top left, in parts of its size
    Place place;
    TextStyle style;
};
struct DrawnVolume {
    DrawnMemory voxels, range;
    DType dtype;
    glm::ivec3 cells; ///< along x, y, z
    VolumeStyle style;
    Box box;
    std::uint64_t call;                     ///< a number of its own
    std::shared_ptr<VolumeMarcher> marcher; ///< has its picture
};
struct DrawnAxes {
    AxesStyle style;
};
struct DrawnColorbar {
    std::string thing; ///< whose colours
    ColorbarStyle style;
};
struct DrawnLegend {
    LegendStyle style;
};
struct DrawnScaleBar {
    ScaleBarStyle style;
};
using Drawn = std::variant<DrawnImage, DrawnTexture, DrawnPoints, DrawnLines, DrawnTubes,
                           DrawnArrows, DrawnMesh, DrawnVolume, DrawnText, DrawnAxes, DrawnColorbar,
                           DrawnLegend, DrawnScaleBar>;

/// What its call is named: "image", "points" and so on.
std::string_view kind_of(const Drawn& drawn);
/// Whether it lies in space, not in the plane.
bool is_in_space(const Drawn& drawn);
/// Whether it hides what lies behind it by its depth; the rest is blended over that.
bool is_solid(const Drawn& drawn);
/// Whether a kernel makes its picture.
bool is_made_by_kernels(const Drawn& drawn);
/// Whether it explains other things.
bool is_annotation(const Drawn& drawn);

} // namespace lathe
