// SPDX-License-Identifier: MIT
// Arrays as OpenGL draws them: where they lie, or a copy.
#pragma once

#include "engine/core/api.h"
#include "engine/interop/frame_map.h"
#include "engine/interop/shared_array.h"
#include "engine/render/colormap.h"
#include "engine/scene/height_field.h"
#include "gpu/array/array.h"

#include <glm/vec3.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace lathe {

/// Bytes of arrays that were drawn, by the way they took.
struct DrawnBytes {
    std::uint64_t in_place = 0; ///< where they lie
    std::uint64_t copied = 0;   ///< once, on the device
    std::uint64_t uploaded = 0; ///< once, from the host

    DrawnBytes& operator+=(const DrawnBytes& other) {
        in_place += other.in_place;
        copied += other.copied;
        uploaded += other.uploaded;
        return *this;
    }
};

/// (rows * columns, 3) floats and two triangles for each four neighbours.
struct GridMesh {
    const gpu::Array &vertices, &triangles;
};

/// The copies that are drawn where an array cannot be drawn as it lies. What the last step has
/// drawn can still be asked for while a step draws, so two steps have memory of their own. A step's
/// first copy goes to the memory of the first one two steps ago, and so on: a loop allocates
/// nothing.
class LATHE_API DrawnCopies {
public:
    void begin_step();
    /// The array itself where OpenGL can draw it, else a copy in the order of the legacy default
    /// stream: of type `as`, or else in floats of 32 bits what has no form for it. A copy stays as
    /// it is until the step after the next begins. Throws gpu::TypeError for structures.
    const gpu::Array& of(const std::shared_ptr<FrameMap>& map, const gpu::Array& array,
                         std::optional<DType> as = {});
    /// Positions of float64, (…, 2 to 4), as float32 from `origin` on: the differences are rounded,
    /// not the positions. Memory that was drawn with another origin stays as it is.
    const gpu::Array& places(const std::shared_ptr<FrameMap>& map, const gpu::Array& positions,
                             const glm::dvec3& origin);
    void clear();
    /// Memory that OpenGL draws from, contents undefined, for a copy of this step that comes from
    /// the host.
    gpu::Array upload(const std::shared_ptr<FrameMap>& map, DType dtype, const gpu::Extents& shape);
    /// Two floats: so much of the array's values, found in the order of the legacy default stream.
    /// NaN is left out of least and greatest.
    const gpu::Array& range(const std::shared_ptr<FrameMap>& map, const gpu::Array& values,
                            const Percentiles& percentiles);
    /// (n, 3) floats: for each vertex the sum of its triangles' normals, each as long as the
    /// triangle is large, in the order of the legacy default stream. Of what OpenGL draws: (n, 3)
    /// float32 and (m, 3) integers of 4 bytes.
    const gpu::Array& normals(const std::shared_ptr<FrameMap>& map, const gpu::Array& vertices,
                              const gpu::Array& triangles);
    /// Of (rows, columns) floats in C order, in the order of the legacy default stream.
    GridMesh height_field(const std::shared_ptr<FrameMap>& map, const gpu::Array& heights,
                          const Grid& grid);
    const DrawnBytes& bytes() const noexcept { return bytes_; }
    /// Of the copies that are there now.
    std::size_t held_bytes() const noexcept;

private:
    struct OfAStep {
        std::deque<gpu::Array> copies{};             // references stay true while it grows
        std::map<std::size_t, glm::dvec3> origins{}; ///< of the copies that have one
        std::size_t used = 0;
    };
    gpu::Array& memory(const std::shared_ptr<FrameMap>& map, DType dtype,
                       const gpu::Extents& shape);
    OfAStep now_, before_;
    DrawnBytes bytes_;
};

/// On the host: blocks. NaN is left out; nothing where neither is finite.
std::optional<std::array<float, 2>> least_and_greatest(const gpu::Array& values);

} // namespace lathe
