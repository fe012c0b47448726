// SPDX-License-Identifier: MIT
#include "engine/scene/volume.h"

#include "engine/scene/color_scale.h"
#include "engine/scene/scene_kernel.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <glm/common.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace lathe {

namespace {

constexpr int kBrick = 8; // cells along an axis
constexpr int kSeed = 4;  // rays of `march` from ray to ray of `seed`
constexpr gpu::Dim3 kBlock{8, 16};
/// Pixels. From the first on, rays two pixels apart miss no voxel. From the second on, single
/// voxels are looked at, and each pixel has a ray of its own.
constexpr double kSmallCells[2]{2, 8};

/// struct Volume of kernels/volume.cu.
struct Launch {
    glm::vec3 place[3], direction[3];
    glm::vec4 clip_z, clip_w;
    glm::vec3 normal[3];
    glm::vec3 side;
    glm::vec4 color;
    float low, high, opacity, density, level;
    float lowest = -0.5f;
    glm::ivec3 cells, bricks;
    glm::ivec2 corner, size, tile;
    glm::vec3 slices;        ///< where they lie, in cells; outside: none
    int apart = 1;           ///< pixels from ray to ray of `march`
    glm::ivec2 known{0, 0};  ///< rays of `march`
    glm::ivec2 seeds{0, 0};  ///< rays of `seed`; 0: none
    float bend = 0;          ///< of depths that `fill` may blend
    KernelClipPlanes clip{}; ///< in cells
};
static_assert(std::is_trivially_copyable_v<Launch>);

struct Rectangle {
    glm::ivec2 corner{0, 0}, size{0, 0};
};

/// Cells, as the kernel counts them, in the world.
glm::dmat4 to_world(const DrawnVolume& drawn) {
    const glm::dvec3 side = drawn.box.size() / glm::dvec3{drawn.cells};
    const glm::dmat4 moved = glm::translate(glm::dmat4{1}, drawn.box.low + side);
    return glm::scale(moved, side);
}

/// Pixels of the tile that may show the box, whose corners are those of the cells -1 and n - 1.
Rectangle rectangle_of(const glm::dmat4& to_clip, const glm::ivec3& cells, const glm::ivec2& tile) {
    glm::dvec2 low{1}, high{-1};
    for (int i = 0; i < 8; ++i) {
        const glm::dvec3 part{i & 1, i >> 1 & 1, i >> 2};
        const glm::dvec4 clip = to_clip * glm::dvec4{part * glm::dvec3{cells} - 1.0, 1};
        if (clip.z <= -clip.w || clip.w <= 0) return {{0, 0}, tile}; // before the near plane
        low = glm::min(low, glm::dvec2{clip} / clip.w);
        high = glm::max(high, glm::dvec2{clip} / clip.w);
    }
    const auto pixel = [&](const glm::dvec2& clip) {
        return (glm::clamp(clip, -1.0, 1.0) + 1.0) / 2.0 * glm::dvec2{tile};
    };
    const glm::ivec2 first{glm::floor(pixel(low))}, last{glm::ceil(pixel(high))};
    return {first, glm::max(last - first, 0)};
}

/// Rays as sums of three vectors, with the weights 1, x and y in clip coordinates. They lie where
/// (row x - x row w) and (row y - y row w) of the matrix are 0, so that their directions are the
/// cross products; they begin in the plane through the middle.
void set_rays(Launch& to, const glm::dmat4& to_clip, double step) {
    const glm::dmat4 rows = glm::transpose(to_clip);
    const glm::dvec3 x{rows[0]}, y{rows[1]}, z{rows[2]}, w{rows[3]};
    const bool is_perspective = w != glm::dvec3{0};
    glm::dvec3 direction[3]{glm::cross(x, y), glm::cross(y, w), glm::cross(w, x)};
    if (glm::dot(direction[0], is_perspective ? w : z) < 0)
        for (glm::dvec3& each : direction) each = -each;
    const glm::dvec3 normal = is_perspective ? w : direction[0];
    const glm::dvec3 middle = glm::dvec3{to.cells} / 2.0 - 1.0;
    const glm::dmat3 place = glm::inverse(glm::transpose(glm::dmat3{x, y, normal}));
    const double middle_w = glm::dot(w, middle) + rows[3].w;
    to.place[0] = place * glm::dvec3{-rows[0].w, -rows[1].w, glm::dot(normal, middle)};
    to.place[1] = middle_w * place[0];
    to.place[2] = middle_w * place[1];
    double longest = 0; // of the corners' rays
    for (const double a : {-1.0, 1.0})
        for (const double b : {-1.0, 1.0})
            longest = std::max(longest,
                               glm::length(glm::dvec3{to.side} *
                                           (direction[0] + a * direction[1] + b * direction[2])));
    for (int i = 0; i < 3; ++i) to.direction[i] = step / longest * direction[i];
    to.clip_z = rows[2];
    to.clip_w = rows[3];
}

/// How far apart such steps of the middle ray are in the depth buffer, about the volume's middle.
float depths_of_steps(const Launch& of, const glm::dmat4& to_clip, double steps) {
    const glm::dvec3 middle = glm::dvec3{of.cells} / 2.0 - 1.0, ahead{of.direction[0]};
    const auto depth = [&](const glm::dvec3& at) {
        const glm::dvec4 clip = to_clip * glm::dvec4{at, 1};
        return clip.z / clip.w / 2;
    };
    return float(std::abs(depth(middle + steps * ahead) - depth(middle)));
}

/// The least width of a cell in the picture, in pixels.
double pixels_a_cell(const Launch& of, const glm::dmat4& to_clip, const glm::dmat4& projection) {
    double farthest = 0; // w
    for (int i = 0; i < 8; ++i) {
        const glm::dvec3 part{i & 1, i >> 1 & 1, i >> 2};
        farthest = std::max(farthest, (to_clip * glm::dvec4{part * glm::dvec3{of.cells}, 1}).w);
    }
    const double side = std::min({of.side.x, of.side.y, of.side.z});
    return farthest > 0 ? side * projection[1][1] * of.tile.y / 2 / farthest : 0;
}

std::string prelude_of(const DrawnVolume& drawn, bool has_seeds = false) {
    return fmt::format("{}typedef {} Voxel;\n#define MODE {}\n#define BRICK {}\n#define WIDE {}\n"
                       "#define SEED {}\n#define SEEDED {}\n",
                       drawn.dtype == DType::float16 ? "#include <lathe_half.hpp>\n" : "",
                       gpu::kernel_type(drawn.dtype), int(drawn.style.mode), kBrick,
                       int(drawn.cells.x > 1), kSeed, int(has_seeds));
}

/// One more on each side, for places beyond the outer voxels.
glm::ivec3 bricks_of(const glm::ivec3& cells) {
    return glm::max((cells - 1 + kBrick - 1) / kBrick, 1) + 2;
}

} // namespace

void VolumeMarcher::march(const DrawnVolume& drawn, const DrawView& fine,
                          const std::shared_ptr<FrameMap>& map, int coarse) {
    DrawView from = fine;
    from.size = (from.size + coarse - 1) / coarse;
    layer_.set_side(coarse);
    Key key{drawn.call, drawn.style, from};
    if (key == key_ && colors_.has(drawn.style.colormap)) return;
    key_ = {}; // unless all goes well
    const glm::dmat4 world = to_world(drawn);
    const glm::dmat4 to_clip = glm::dmat4{from.projection} * glm::dmat4{from.view} * world;
    const Rectangle seen = rectangle_of(to_clip, drawn.cells, from.size);
    layer_.set_part(seen.corner, seen.size);
    if (seen.size.x > 0 && seen.size.y > 0) {
        layer_.keep_room(from.size, map);
        colors_.keep(drawn.style.colormap);
        find_bricks(drawn);
        launch_march(drawn, from, to_clip);
    }
    key_ = std::move(key);
}

void VolumeMarcher::launch_march(const DrawnVolume& drawn, const DrawView& from,
                                 const glm::dmat4& to_clip) {
    const VolumeStyle& style = drawn.style;
    const ValueRange range = style.range.value_or(usual_range(drawn.dtype));
    Launch of{.place = {},
              .direction = {},
              .clip_z = {},
              .clip_w = {},
              .normal = {},
              .side = glm::vec3{drawn.box.size()} / glm::vec3{drawn.cells},
              .color = style.color,
              .low = range.low,
              .high = range.high,
              .opacity = style.opacity,
              .density = style.density,
              .level = style.level,
              .cells = drawn.cells,
              .bricks = bricks_of(drawn.cells),
              .corner = layer_.data().corner,
              .size = layer_.data().size,
              .tile = from.size,
              .slices = style.slices * glm::vec3{drawn.cells} - 1.0f,
              .known = layer_.data().size,
              .clip = from.clip};
    for (std::size_t i = 0; i < of.clip.planes.size(); ++i)
        of.clip.planes[i] = glm::vec4{from.clip.planes[i] * to_world(drawn)};
    // Steps are counted in floats, which know whole numbers up to 2^24.
    const float least = float(glm::length(drawn.box.size())) / (1 << 22);
    set_rays(of, to_clip, std::max(std::min({of.side.x, of.side.y, of.side.z}) / 2, least));
    const glm::mat3 to_eye = glm::transpose(glm::mat3{from.view});
    for (int row = 0; row < 3; ++row) of.normal[row] = to_eye[row] / of.side;
    const bool is_mip = style.mode == VolumeMode::mip;
    const bool is_smooth = is_mip || style.mode == VolumeMode::emission;
    const double cell = pixels_a_cell(of, to_clip, from.projection);
    const bool is_every_ray = !is_smooth || cell < kSmallCells[0] || cell >= kSmallCells[1];
    const bool has_seeds = is_mip && !is_every_ray;
    const std::string prelude = prelude_of(drawn, has_seeds);
    const auto over = [&](const char* entry, const gpu::Dim3& grid, const gpu::Dim3& block,
                          const auto&... arguments) {
        const gpu::ArrayKernel& kernel =
            scene_kernel("volume.cu", entry, kBlock.x * kBlock.y, prelude);
        launch(kernel.kernel, {grid, block}, arguments..., of);
    };
    const auto of_field = [&](const char* entry, const gpu::Dim3& grid, const gpu::Dim3& block,
                              const auto&... pictures) {
        over(entry, grid, block, drawn.voxels.address(), bricks_.address(), slopes_.address(),
             colors_.address(), drawn.range.address(), pictures...);
    };
    const auto blocks = [](const glm::ivec2& size) {
        return gpu::blocks_for({unsigned(size.x), unsigned(size.y)}, kBlock);
    };
    if (is_every_ray)
        return of_field("march", blocks(of.known), kBlock, CUdeviceptr{0}, layer_.colors(),
                        layer_.depths(), CUdeviceptr{0});
    of.apart = 2;
    of.known = (of.size + 1) / 2 + 3; // one more on the left and below, two on the right and above
    of.bend = depths_of_steps(of, to_clip, 4);
    of.seeds = has_seeds ? (of.known - 1 + kSeed / 2) / kSeed + 1 : glm::ivec2{0};
    known_.keep_room(of.known, of.seeds);
    const gpu::Array &colors = known_.colors, &depths = known_.depths;
    if (has_seeds) of_field("seed", blocks(of.seeds), kBlock, known_.seeds.address());
    of_field("march", blocks(of.known), kBlock, known_.seeds.address(), colors.address(),
             depths.address(), known_.steps.address());
    over("mark", blocks(of.known), kBlock, colors.address(), depths.address(),
         known_.bends.address(), known_.bent.address());
    gpu::Dim3 quads = blocks((of.size + 1) / 2);
    quads.z = 3;
    over("fill", quads, kBlock, colors.address(), depths.address(), known_.bends.address(),
         known_.bent.address(), layer_.colors(), layer_.depths());
    const unsigned most = unsigned(of.size.x) * unsigned(of.size.y), threads = kBlock.x * kBlock.y;
    of_field("follow", {(most + threads - 1) / threads}, {threads}, known_.steps.address(),
             known_.bent.address(), layer_.colors(), layer_.depths());
}

void VolumeMarcher::Known::keep_room(const glm::ivec2& size, const glm::ivec2& of_seeds) {
    const auto keep = [](gpu::Array& array, DType dtype, const gpu::Extents& shape) {
        if (array.shape() != shape) array = gpu::Array::empty(dtype, shape);
    };
    const gpu::Extents shape{size.y, size.x}, none{0};
    keep(colors, DType::uint32, shape);
    keep(depths, DType::float32, shape);
    keep(bends, DType::uint8, shape);
    keep(bent, DType::uint32, {1 + 3 * std::int64_t(size.x) * size.y});
    const bool has_seeds = of_seeds.x > 0;
    keep(seeds, DType::float32, has_seeds ? gpu::Extents{of_seeds.y, of_seeds.x} : none);
    keep(steps, DType::float32, has_seeds ? shape : none);
}

/// Arrays may change from call to call.
void VolumeMarcher::find_bricks(const DrawnVolume& drawn) {
    if (bricks_of_ == drawn.call) return;
    const glm::ivec3 size = bricks_of(drawn.cells);
    const gpu::Extents shape{size.z, size.y, size.x, 2};
    if (bricks_.shape() != shape) {
        bricks_ = gpu::Array::empty(DType::float32, shape);
        slopes_ = gpu::Array::empty(DType::float32, {size.z, size.y, size.x, 4});
    }
    const gpu::ArrayKernel& kernel =
        scene_kernel("volume.cu", "find_bricks", 128, prelude_of(drawn));
    const glm::ivec3 inner = size - 2;
    const auto count = std::uint64_t(inner.x) * std::uint64_t(inner.y) * std::uint64_t(inner.z);
    launch(kernel.kernel, {{kernel.blocks_for(count)}, {kernel.threads}}, drawn.voxels.address(),
           bricks_.address(), slopes_.address(), drawn.cells.x, drawn.cells.y, drawn.cells.z,
           inner.x, inner.y, inner.z);
    bricks_of_ = drawn.call;
}

std::optional<float> VolumeMarcher::depth_at(const glm::ivec2& pixel) const {
    const LayerData& layer = layer_.data();
    const glm::ivec2 at = pixel / layer.side - layer.corner, size = layer.size;
    if (at.x < 0 || at.y < 0 || at.x >= size.x || at.y >= size.y) return {};
    float depth = 1;
    const std::size_t index = std::size_t(at.y) * std::size_t(size.x) + std::size_t(at.x);
    gpu::copy_to_host(&depth, layer_.depths() + index * sizeof depth, sizeof depth);
    if (depth >= 1) return {};
    return 2 * depth - 1;
}

} // namespace lathe
