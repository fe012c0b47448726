// SPDX-License-Identifier: MIT
// Straight strokes that the host makes, each with a colour and width of its own: axes, ticks,
// frames, swatches.
#pragma once

#include "engine/core/api.h"
#include "gl/buffer.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <optional>
#include <span>

namespace lathe {

/// As strokes.vert reads it.
struct Stroke {
    glm::vec3 begin;
    float width; ///< pixels; edges are soft
    glm::vec3 end;
    float unused;
    glm::vec4 color;
};

class LATHE_API StrokeRenderer {
public:
    /// Draws over what is there; with a depth test behind what stands before.
    void draw(std::span<const Stroke> strokes, const glm::mat4& to_clip, glm::vec2 framebuffer_size,
              bool depth_test);

private:
    gl::Buffer buffer_;
    gl::Program program_;
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
