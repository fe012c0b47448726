// SPDX-License-Identifier: MIT
// A ground below a scene, and the shadow on it of a wide light straight above: a picture of the
// scene from below gives the height of what is lowest at each place, and how soft its shadow is.
#pragma once

#include "engine/core/api.h"
#include "gl/framebuffer.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include <functional>
#include <optional>

namespace lathe {

/// Where the ground lies and what stands on it.
struct Ground {
    glm::vec3 low{-1}, high{1}; ///< corners of the box around all that throws shadows
    int up_axis = 1;            ///< 1 is y, 2 is z; the ground is at its low end
    float strength = 1;         ///< of the shadow; 0: no ground
};

/// How things are seen from below: into a picture of `size` pixels.
struct GroundLook {
    glm::mat4 view, projection;
    glm::vec2 size;
};

class LATHE_API GroundShadow {
public:
    /// Half the width of the light, seen from the ground, as a slope: the edge of the shadow of
    /// what is higher by 1 is softer by so much on both sides.
    static constexpr float kSoftness = 0.12f;

    GroundShadow() = default;
    /// Draws over the bound framebuffer, behind what stands before it. `draw` draws what throws
    /// shadows, as it is told. Seen from below there is no ground. Throws gl::Error where pictures
    /// cannot be made, and what `draw` throws.
    void draw(const Ground& ground, const glm::mat4& view, const glm::mat4& projection,
              const std::function<void(const GroundLook&)>& draw);

private:
    std::optional<gl::Program> soften_, show_;
    std::optional<gl::VertexArray> corners_;
    gl::Framebuffer below_, shadow_;
};

} // namespace lathe
