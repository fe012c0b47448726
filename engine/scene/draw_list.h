// SPDX-License-Identifier: MIT
// What a step draws, kept as a list: drawn when CUDA has handed the arrays back to OpenGL, and
// drawn again in frames without a step.
#pragma once

#include "engine/core/api.h"
#include "engine/render/image.h"
#include "engine/render/lines.h"
#include "engine/render/points.h"
#include "engine/render/text.h"

#include <glm/vec3.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lathe {

using MemoryOwner = std::shared_ptr<const void>;

// What is drawn, how, and what keeps its buffers alive.
struct DrawnImage {
    ImageBuffer image;
    ImageStyle style;
    std::array<MemoryOwner, 2> memory;
};
struct DrawnTexture {
    const gl::Texture* texture;
    ImageStyle style;
    MemoryOwner memory;
};
struct DrawnPoints {
    PointsData points;
    PointsStyle style;
    std::array<MemoryOwner, 4> memory;
};
struct DrawnLines {
    LinesData lines;
    LinesStyle style;
    MemoryOwner memory;
};
struct DrawnText {
    enum class Place { plane, space, tile };
    std::string text;
    glm::vec3 position; ///< of a tile: from its top left, in parts of its size
    Place place;
    TextStyle style;
};
using Drawn = std::variant<DrawnImage, DrawnTexture, DrawnPoints, DrawnLines, DrawnText>;

class LATHE_API DrawList {
public:
    /// What is added from now on takes the place of the list once the step ends.
    void begin_step();
    void end_step();
    /// The step failed: the list stays as it was before it.
    void drop_step();
    void clear();
    void add(Drawn&& drawn);
    const std::vector<Drawn>& shown() const noexcept { return shown_; }

private:
    std::vector<Drawn> shown_;
    std::optional<std::vector<Drawn>> begun_;
};

} // namespace lathe
