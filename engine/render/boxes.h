// SPDX-License-Identifier: MIT
// Round things as boxes, in whose fragments a shader finds their surface (box.glsl, round.glsl);
// private to engine/render.
#pragma once

#include "engine/render/clip_planes.h"
#include "gl/program.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

#include <cstddef>

namespace lathe {

/// How they are looked at.
struct BoxesView {
    const glm::mat4& view; ///< without scale
    const glm::mat4& projection;
    glm::vec2 framebuffer_size;
    float least_radius; ///< of what is round, in pixels
    const ClipPlanes& clip;
};

/// Draws `count` boxes, solid, with the program whose other uniforms are set. A vertex array is
/// bound. Throws lathe::Error where a draw call takes fewer.
void draw_boxes(gl::Program& program, const BoxesView& from, std::size_t count);

} // namespace lathe
