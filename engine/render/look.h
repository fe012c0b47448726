// SPDX-License-Identifier: MIT
#pragma once

#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

namespace lathe {

/// What shaders and kernels have to know of a view-projection without scale in its view part.
struct Look {
    glm::vec4 eye; ///< its place and 1, or the direction towards it and 0: orthographic
    float scale;   ///< of height: clip units of a world unit where w is 1

    explicit Look(const glm::mat4& m) {
        const glm::mat4 rows = glm::transpose(m);
        const glm::vec3 x{rows[0]}, y{rows[1]}, depth{rows[2]}, w{rows[3]};
        scale = glm::length(y);
        if (w == glm::vec3{0}) {
            const glm::vec3 along = glm::cross(x, y);
            eye = {glm::normalize(glm::dot(along, depth) > 0 ? -along : along), 0};
        } else { // where x, y and w are 0
            const glm::dmat3 planes{glm::transpose(glm::dmat3{x, y, w})};
            eye = {glm::vec3{glm::inverse(planes) * -glm::dvec3{m[3][0], m[3][1], m[3][3]}}, 1};
        }
    }
    bool perspective() const { return eye.w != 0; }
};

/// Clip coordinates to the world, in double.
inline glm::dmat4 from_clip_to_world(const glm::mat4& projection, const glm::mat4& view) {
    return glm::inverse(glm::dmat4{projection} * glm::dmat4{view});
}
inline glm::dvec3 unproject(const glm::dmat4& from_clip, const glm::dvec3& place) {
    const glm::dvec4 p = from_clip * glm::dvec4{place, 1};
    return glm::dvec3{p} / p.w;
}

} // namespace lathe
