// SPDX-License-Identifier: MIT
// Draws many solid points by kernels; private to engine/scene. The nearest point of each pixel is
// the least of 64-bit keys, then each pixel gets its colour. A software OpenGL takes a third of a
// microsecond for a point, and GPUs for data centres have few processors for vertices.
#pragma once

#include "engine/interop/frame_map.h"
#include "engine/scene/drawn.h"
#include "engine/scene/kernel_layer.h"
#include "engine/scene/renderer.h"
#include "gpu/array/array.h"

#include <cstdint>
#include <memory>

namespace lathe {

/// Keeps the picture of one cloud of points in one view.
class Splatter {
public:
    Splatter() = default;
    Splatter(const Splatter&) = delete;
    Splatter& operator=(const Splatter&) = delete;

    /// So many points, drawn so, are drawn faster by kernels.
    static bool is_for(std::size_t count, const PointsStyle& style);

    /// In the order of the legacy default stream, while the arrays are CUDA's. Nothing where call,
    /// style, colours, camera and tile are those of the last time. Throws gpu::Error.
    void splat(const DrawnPoints& drawn, const DrawView& from,
               const std::shared_ptr<FrameMap>& map);
    const LayerData& picture() const { return layer_.data(); }

private:
    struct Key {
        std::uint64_t call = 0;
        PointsStyle style{};
        DrawView from{};
        bool has_values = false, has_colors = false, has_range = false;
        bool operator==(const Key& other) const = default;
    };

    Key key_;
    DeviceColors colors_;
    KernelLayer layer_;
    gpu::Array nearest_; ///< a key a pixel
};

} // namespace lathe
