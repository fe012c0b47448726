// SPDX-License-Identifier: MIT
#include "engine/render/clip_planes.h"

#include "gl/program.h"

#include <glad/gl.h>

#include <fmt/core.h>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include <cstddef>

namespace lathe {

bool ClipPlanes::clips(const glm::dvec3& place) const {
    for (int i = 0; i < count; ++i)
        if (glm::dot(planes[std::size_t(i)], glm::dvec4{place, 1}) < 0) return true;
    return false;
}

ClipPlanes ClipPlanes::from(const glm::dvec3& origin) const {
    ClipPlanes moved = *this;
    for (glm::dvec4& plane : moved.planes) {
        plane.w += glm::dot(glm::dvec3{plane}, origin);
        plane = glm::dvec4{glm::vec4{plane}};
    }
    return moved;
}

void set_clip_planes(const ClipPlanes& clip, const glm::dmat4& to_world, gl::Program& program) {
    program.set("clip_count", clip.count);
    for (int i = 0; i < clip.count; ++i) {
        const glm::vec4 plane{glm::dvec4{clip.planes[std::size_t(i)]} * to_world};
        program.set(fmt::format("clip_planes[{}]", i), plane.x, plane.y, plane.z, plane.w);
    }
}

glm::dmat4 from_window_to_world(const glm::mat4& to_clip) {
    std::array<GLint, 4> viewport{};
    glGetIntegerv(GL_VIEWPORT, viewport.data());
    const auto [x, y, width, height] = viewport;
    glm::dmat4 to_ndc{1};
    to_ndc[0][0] = 2.0 / width;
    to_ndc[1][1] = 2.0 / height;
    to_ndc[2][2] = 2;
    to_ndc[3] = {-2.0 * x / width - 1, -2.0 * y / height - 1, -1, 1};
    return glm::inverse(glm::dmat4{to_clip}) * to_ndc;
}

} // namespace lathe
