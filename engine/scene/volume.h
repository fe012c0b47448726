// SPDX-License-Identifier: MIT
// Marches rays through a volume, by a kernel; private to engine/scene. A kernel, and no shader:
// it reads the array as it lies, of any type, with no texture made of it, on GPUs that are made for
// kernels and on the software device, whose code is faster than that of a software OpenGL.
#pragma once

#include "engine/interop/frame_map.h"
#include "engine/scene/drawn.h"
#include "engine/scene/kernel_layer.h"
#include "engine/scene/renderer.h"
#include "gpu/array/array.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace lathe {

/// Keeps the picture of one volume in one view.
class VolumeMarcher {
public:
    VolumeMarcher() = default;
    VolumeMarcher(const VolumeMarcher&) = delete;
    VolumeMarcher& operator=(const VolumeMarcher&) = delete;

    /// In the order of the legacy default stream, while the arrays are CUDA's. Rays stand `coarse`
    /// pixels apart. Nothing where call, style, colours, camera and tile are those of the last
    /// march. Throws gpu::Error.
    void march(const DrawnVolume& drawn, const DrawView& from, const std::shared_ptr<FrameMap>& map,
               int coarse);
    /// Of the last march, while the arrays are OpenGL's. Without size where the volume was not in
    /// the picture.
    const LayerData& picture() const { return layer_.data(); }
    /// At a pixel of the tile from its bottom left, -1 to 1 as clip coordinates have it. Nothing
    /// where the volume is not seen. Blocks.
    std::optional<float> depth_at(const glm::ivec2& pixel) const;

private:
    struct Key {
        std::uint64_t call = 0;
        VolumeStyle style{};
        DrawView from{};
        bool operator==(const Key& other) const = default;
    };
    /// Of every other ray of every other row.
    struct Known {
        gpu::Array colors, depths, bends;
        gpu::Array bent;         ///< how many pixels between them want a ray, and which
        gpu::Array seeds, steps; ///< where rays see their greatest value
        void keep_room(const glm::ivec2& size, const glm::ivec2& of_seeds);
    };
    void find_bricks(const DrawnVolume& drawn);
    void launch_march(const DrawnVolume& drawn, const DrawView& from, const glm::dmat4& to_clip);

    Key key_;
    std::uint64_t bricks_of_ = 0; ///< call
    gpu::Array bricks_, slopes_;
    Known known_;
    DeviceColors colors_;
    KernelLayer layer_;
};

} // namespace lathe
