// SPDX-License-Identifier: MIT
// Planes that cut off what is drawn, as renderers and kernels take them.
#pragma once

#include "engine/core/api.h"

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <array>
#include <cstddef>

namespace lathe {

namespace gl {
class Program;
}

/// What stays lies on no plane's negative side: n · p + d >= 0 with a plane (n, d) of the world,
/// whose n has length 1.
struct ClipPlanes {
    static constexpr int kMost = 8;
    std::array<glm::dvec4, kMost> planes{}; ///< the first `count`; the others are 0
    int count = 0;

    /// Whether a place of the world is cut off.
    LATHE_API bool clips(const glm::dvec3& place) const;
    /// The same planes for places that count from `origin`, with the digits that float32 has.
    LATHE_API ClipPlanes from(const glm::dvec3& origin) const;
    bool operator==(const ClipPlanes&) const = default;
};

/// As kernels read it.
struct KernelClipPlanes {
    std::array<glm::vec4, ClipPlanes::kMost> planes{};
    int count = 0;

    KernelClipPlanes() = default;
    KernelClipPlanes(const ClipPlanes& of) : count{of.count} {
        for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = of.planes[i];
    }
};

/// For clip.glsl, whose shader counts places in a space from which `to_world` leads to the world.
void set_clip_planes(const ClipPlanes& clip, const glm::dmat4& to_world, gl::Program& program);
/// From gl_FragCoord to the world, in the viewport that is set.
glm::dmat4 from_window_to_world(const glm::mat4& to_clip);

} // namespace lathe
