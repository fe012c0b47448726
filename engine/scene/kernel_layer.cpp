// SPDX-License-Identifier: MIT
#include "engine/scene/kernel_layer.h"

#include "engine/interop/shared_array.h"
#include "gpu/memory.h"

#include <glm/vec4.hpp>

#include <cstddef>
#include <utility>

namespace lathe {

void KernelLayer::keep_room(const glm::ivec2& tile, const std::shared_ptr<FrameMap>& map) {
    const gpu::Extents shape{tile.y, tile.x};
    if (colors_.shape() == shape) return;
    gpu::Array colors = make_shared_array(map, DType::uint32, shape);
    depths_ = make_shared_array(map, DType::float32, shape);
    colors_ = std::move(colors);
    data_.colors = place_in_gl(colors_, *map)->buffer;
    data_.depths = place_in_gl(depths_, *map)->buffer;
}

void KernelLayer::set_part(const glm::ivec2& corner, const glm::ivec2& size) {
    data_.corner = corner;
    data_.size = size;
}

bool DeviceColors::has(const std::string& colormap) const {
    return table_ == Colormap::named(colormap).table();
}

void DeviceColors::keep(const std::string& colormap) {
    if (has(colormap)) return;
    const Table& table = Colormap::named(colormap).table();
    std::array<glm::vec4, 256> colors;
    for (std::size_t i = 0; i < colors.size(); ++i)
        colors[i] = glm::vec4{table[i].r, table[i].g, table[i].b, 255} / 255.0f;
    if (colors_.size() == 0) colors_ = gpu::Array::empty(DType::float32, {256, 4});
    gpu::copy_to_device(colors_.address(), colors.data(), sizeof colors);
    table_ = table;
}

} // namespace lathe
