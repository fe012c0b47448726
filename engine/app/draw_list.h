// SPDX-License-Identifier: MIT
// What a step draws, kept as a list: drawn when CUDA has handed the arrays back to OpenGL, and
// drawn again in frames without a step.
#pragma once

#include "engine/core/api.h"
#include "engine/interop/frame_map.h"
#include "engine/interop/shared_array.h"
#include "engine/interop/texture.h"
#include "engine/render/image.h"
#include "engine/render/lines.h"
#include "engine/render/points.h"
#include "gpu/array/array.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace lathe {

/// The copies that are drawn where an array cannot be drawn as it lies. A step's first copy goes to
/// the memory of the last step's first one, and so on, so that a loop allocates nothing.
class LATHE_API DrawnCopies {
public:
    void begin_step();
    /// Memory that OpenGL draws from, contents undefined, for a copy of this step.
    gpu::Array& memory(const std::shared_ptr<FrameMap>& map, DType dtype,
                       const gpu::Extents& shape);
    /// The array itself where OpenGL can draw it, else a copy in the order of the legacy default
    /// stream: as floats of 32 bits what it has no form for, of complex numbers the magnitudes.
    /// Throws gpu::TypeError for structures.
    gpu::Array of(const std::shared_ptr<FrameMap>& map, const gpu::Array& array);
    void clear();

private:
    std::vector<gpu::Array> copies_;
    std::size_t used_ = 0;
};

struct DrawnImage {
    gpu::Array array;
    ImageStyle style;
};
struct DrawnTexture {
    Texture texture;
    ImageStyle style;
};
struct DrawnPoints {
    gpu::Array positions;
    std::optional<gpu::Array> values, colors;
    PointsStyle style;
};
struct DrawnLines {
    gpu::Array positions;
    bool segments, closed;
    LinesStyle style;
};
using Drawn = std::variant<DrawnImage, DrawnTexture, DrawnPoints, DrawnLines>;

class LATHE_API DrawList {
public:
    /// What is added from now on takes the place of the list once the step ends.
    void begin_step();
    void end_step();
    /// The step failed: the list stays as it was before it.
    void drop_step();
    void clear();
    void add(Drawn drawn);
    const std::vector<Drawn>& shown() const noexcept { return shown_; }

private:
    std::vector<Drawn> shown_;
    std::optional<std::vector<Drawn>> begun_;
};

} // namespace lathe
