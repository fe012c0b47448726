// SPDX-License-Identifier: MIT
#include "engine/render/boxes.h"

#include "engine/core/error.h"
#include "engine/render/draw_state.h"
#include "engine/render/look.h"

#include <glad/gl.h>

#include <fmt/core.h>
#include <glm/matrix.hpp>

#include <limits>

namespace lathe {

void draw_boxes(gl::Program& program, const BoxesView& from, std::size_t count) {
    constexpr int kCorners = 14; // of a strip that goes over all sides
    if (count > std::size_t(std::numeric_limits<GLsizei>::max()))
        throw Error{fmt::format("{} things were to be drawn, one draw call takes {}", count,
                                std::numeric_limits<GLsizei>::max())};
    program.set_matrix("view", &from.view[0][0]);
    program.set_matrix("projection", &from.projection[0][0]);
    program.set("pixels_a_unit",
                Look{from.projection * from.view}.scale * from.framebuffer_size.y / 2);
    program.set("least_pixels", from.least_radius);
    if (from.clip.count > 0)
        set_clip_planes(from.clip, glm::inverse(glm::dmat4{from.view}), program);
    const DrawState state{Mix::none, true};
    program.use();
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT); // the eye may be inside
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, kCorners, GLsizei(count));
    glCullFace(GL_BACK); // GL's own state
    glDisable(GL_CULL_FACE);
}

} // namespace lathe
