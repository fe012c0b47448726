// SPDX-License-Identifier: MIT
// How the arrays of one drawing call get to OpenGL; private to engine/scene.
#pragma once

#include "engine/interop/frame_map.h"
#include "engine/interop/shared_array.h"
#include "engine/scene/draw_list.h"
#include "engine/scene/drawn.h"
#include "engine/scene/drawn_copies.h"
#include "gpu/array/array.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace lathe {

/// Where OpenGL finds an array, which `memory` keeps. Throws lathe::Error.
PlaceInGl find_in_gl(const gpu::Array& array, const FrameMap& map, DrawnMemory& memory);

/// An array that check_picture() lets through, where it lies.
ImageBuffer picture_of(const gpu::Array& array, const PlaceInGl& place);

struct Taken {
    DrawnCopies& copies;
    const std::shared_ptr<FrameMap>& map;
    ItemOrigin origin{}; ///< of positions; takes note of them

    void find(const gpu::Array& array, DrawnMemory& memory, const gl::Buffer*& buffer,
              std::size_t& offset) const;
    /// As float32, where `data` and `memory` say.
    const gpu::Array& floats(const gpu::Array& array, DrawnMemory& memory,
                             const gl::Buffer*& buffer, std::size_t& offset) const;
    /// Positions from the origin, likewise.
    const gpu::Array& places(const gpu::Array& positions, DrawnMemory& memory,
                             const gl::Buffer*& buffer, std::size_t& offset);

    /// Numbers for the colormap, and their range where the device has to find it. `drawn` keeps
    /// what `data` has.
    template <class Memory, class Data>
    void values(const gpu::Array& array, const std::optional<Percentiles>& percentiles,
                Memory& drawn, Data& data) const {
        const gpu::Array& levels = floats(array, drawn.values, data.values, data.value_offset);
        if (!percentiles) return;
        const gpu::Array& range = copies.range(map, levels, *percentiles);
        data.range = find_in_gl(range, *map, drawn.range).buffer;
    }
    template <class Memory, class Data>
    void colors(const gpu::Array& array, Memory& drawn, Data& data) const {
        data.colors_are_bytes = array.type().dtype == DType::uint8;
        const DType dtype = data.colors_are_bytes ? DType::uint8 : DType::float32;
        find(copies.of(map, array, dtype), drawn.colors, data.colors, data.color_offset);
    }
};

} // namespace lathe
