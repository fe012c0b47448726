// SPDX-License-Identifier: MIT
// Pictures of tiles that kernels make: colours and depths that OpenGL draws, and the colours of a
// colormap; private to engine/scene.
#pragma once

#include "engine/interop/frame_map.h"
#include "engine/render/colormap.h"
#include "engine/render/layer.h"
#include "gpu/array/array.h"

#include <glm/vec2.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace lathe {

/// Room for the pixels of a tile.
class KernelLayer {
public:
    void keep_room(const glm::ivec2& tile, const std::shared_ptr<FrameMap>& map);
    /// Mapped where they are not.
    CUdeviceptr colors() const { return colors_.address(); }
    CUdeviceptr depths() const { return depths_.address(); }
    const LayerData& data() const { return data_; }
    /// Which part of the tile is drawn, from its bottom left.
    void set_part(const glm::ivec2& corner, const glm::ivec2& size);
    /// One of its pixels is so many wide and high.
    void set_side(int pixels) { data_.side = pixels; }

private:
    gpu::Array colors_, depths_;
    LayerData data_;
};

/// A colormap's 256 colours on the device, four floats each.
class DeviceColors {
public:
    using Table = std::array<Rgb8, 256>;
    /// Whether the colours of that map are there.
    bool has(const std::string& colormap) const;
    void keep(const std::string& colormap);
    CUdeviceptr address() const { return colors_.address(); }

private:
    std::optional<Table> table_;
    gpu::Array colors_;
};

} // namespace lathe
