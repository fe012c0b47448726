// SPDX-License-Identifier: MIT
#include "engine/scene/selector.h"

#include "engine/scene/scene_kernel.h"
#include "gl/texture.h"
#include "gpu/array/array.h"
#include "gpu/array/select.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <glm/common.hpp>
#include <glm/mat4x4.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lathe {

namespace {

/// As kernels/select.cu has it.
struct SelectFrame {
    std::array<float, 16> to_clip;
    std::array<float, 2> low, high;
    KernelClipPlanes clip;
};

/// Of things in turn.
class Selector {
public:
    explicit Selector(const SelectPlace& place) : place_{place} {
        const glm::vec2 unit = 2.0f / glm::vec2{place.look.size};
        frame_.low = {place.low.x * unit.x - 1, 1 - place.high.y * unit.y};
        frame_.high = {place.high.x * unit.x - 1, 1 - place.low.y * unit.y};
    }

    /// Places count from the thing's origin now.
    void look_at(const ShownThing& thing) {
        const DrawView look = thing.seen_by(place_.look);
        const glm::mat4 to_clip = look.to_clip();
        for (int i = 0; i < 16; ++i) frame_.to_clip[std::size_t(i)] = to_clip[i / 4][i % 4];
        frame_.clip = look.clip;
    }

    /// Nothing where none lies there.
    std::optional<gpu::Array> operator()(const DrawnPoints& d) {
        return places({d.positions, d.points.count, d.points.components,
                       d.points.radii ? d.radii.address() : 0});
    }
    std::optional<gpu::Array> operator()(const DrawnLines& d) {
        return segments(polylines_of(d.lines, d.style), d.positions, d.lines.components, 0);
    }
    std::optional<gpu::Array> operator()(const DrawnTubes& d) {
        return segments(polylines_of(d.tubes, d.style), d.positions, d.tubes.components,
                        d.tubes.radii ? d.radii.address() : 0);
    }
    std::optional<gpu::Array> operator()(const DrawnArrows& d) {
        return places({d.positions, d.arrows.count, d.arrows.components, d.vectors.address(),
                       d.arrows.components, true});
    }
    std::optional<gpu::Array> operator()(const DrawnMesh& d) {
        if (const auto& many = d.mesh.instances)
            return places({d.places, many->count, 3, many->scales ? d.scales.address() : 0,
                           many->scales_are_of_axes ? 3 : 1});
        if (d.grid) return places({d.vertices, d.mesh.vertex_count, 3});
        const auto faces = std::int64_t(d.mesh.triangle_count);
        return marked("mark_triangles", faces, faces, d.vertices.address(), d.triangles.address(),
                      std::int64_t(d.mesh.vertex_count));
    }
    std::optional<gpu::Array> operator()(const DrawnImage& d) const {
        if (d.plane) return {};
        return in_picture(d.image.height, d.image.width);
    }
    std::optional<gpu::Array> operator()(const DrawnTexture& d) const {
        return in_picture(d.texture->height(), d.texture->width());
    }
    template <class Other> std::optional<gpu::Array> operator()(const Other&) const { return {}; }

private:
    /// Positions, with sizes or vectors that say which are drawn.
    struct Placed {
        const DrawnMemory& positions;
        std::size_t count;
        int components;
        CUdeviceptr sizes = 0;
        int each = 1;
        bool are_vectors = false;
    };
    std::optional<gpu::Array> places(const Placed& of) {
        const auto count = std::int64_t(of.count);
        return marked("mark_points", count, count, of.positions.address(), of.sizes, of.components,
                      of.each, int(of.are_vectors));
    }
    std::optional<gpu::Array> segments(const Polylines& lines, const DrawnMemory& positions,
                                       int components, CUdeviceptr radii) {
        return marked("mark_segments", std::int64_t(lines.segment_count()),
                      std::int64_t(lines.points), positions.address(), radii,
                      segments_of(lines, components));
    }
    /// Indices of the `marks` that the kernel sets for its items.
    template <class... Arguments>
    std::optional<gpu::Array> marked(const char* entry, std::int64_t items, std::int64_t marks,
                                     const Arguments&... arguments) {
        if (items <= 0) return {};
        const gpu::Array mask = gpu::Array::empty(DType::uint8, {marks});
        gpu::fill_units(mask.address(), 0, 1, std::size_t(marks));
        const gpu::ArrayKernel& kernel = scene_kernel("select.cu", entry);
        const unsigned blocks = kernel.blocks_for(std::uint64_t(items), 1, ~0u);
        launch(kernel.kernel, {{blocks}, {kernel.threads}}, mask.address(), items, arguments...,
               frame_);
        gpu::Array indices = gpu::flat_nonzero(mask);
        if (indices.size() == 0) return {};
        return indices;
    }

    /// Elements whose middle lies there.
    std::optional<gpu::Array> in_picture(int height, int width) const {
        if (!place_.element || !place_.other_element) return {};
        const glm::vec2 size{width, height};
        const auto first_middle = [&](const glm::vec2& from) {
            return glm::clamp(glm::ceil(from - 0.5f), glm::vec2{0}, size);
        };
        const glm::ivec2 begin{first_middle(glm::min(*place_.element, *place_.other_element))},
            end{first_middle(glm::max(*place_.element, *place_.other_element))};
        const std::int64_t rows = end.y - begin.y, columns = end.x - begin.x;
        if (rows <= 0 || columns <= 0) return {};
        gpu::Array indices = gpu::Array::empty(DType::int64, {rows * columns});
        const gpu::ArrayKernel& kernel = scene_kernel("select.cu", "list_elements");
        launch(kernel.kernel,
               {{kernel.blocks_for(std::uint64_t(rows * columns), 4)}, {kernel.threads}},
               indices.address(), rows * columns, columns, std::int64_t(begin.x),
               std::int64_t(begin.y), std::int64_t(width));
        return indices;
    }

    const SelectPlace& place_;
    SelectFrame frame_{};
};

} // namespace

std::vector<Selected> select(std::span<const ShownThing> things, const SelectPlace& place) {
    Selector selector{place};
    std::vector<Selected> all;
    for (const ShownThing& each : things) {
        selector.look_at(each);
        if (auto indices = std::visit(selector, *each.drawn))
            all.push_back({each.name, kind_of(*each.drawn), std::move(*indices)});
    }
    return all;
}

} // namespace lathe
