// SPDX-License-Identifier: MIT
// Own GL drawing in an App's picture: a renderer of the program's, or a function.
#pragma once

#include "engine/core/api.h"
#include "engine/render/clip_planes.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace lathe {

/// How the App looks at the scene.
struct DrawView {
    glm::mat4 view{1};       ///< world to eye space; exact near the origin only, see from()
    glm::mat4 projection{1}; ///< eye to clip space, depth -1 to 1
    /// Of what is drawn into, pixels. With several samples a pixel (AppConfig::samples) these are
    /// more than the picture's.
    glm::ivec2 size{1, 1};
    ClipPlanes clip{};       ///< what cuts things in space; the view's own ones are cut by it
    glm::dvec3 eye{0, 0, 0}; ///< where eye space has its origin, in the world

    /// How it looks at places that count from `origin`: their matrices have the digits of float32
    /// wherever in the world that is.
    LATHE_API DrawView from(const glm::dvec3& origin) const;
    glm::mat4 to_clip() const { return projection * view; }

    bool operator==(const DrawView&) const = default;
};

/// Draws with GL of its own. Its objects are made and destroyed while the App's context is current:
/// in draw(), or between the App's making and its end.
class LATHE_API Renderer {
public:
    Renderer() = default;
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;
    virtual ~Renderer() = default;

    /// Called in each frame, above what the App's own list draws. The picture is bound, with its
    /// depth; arrays are OpenGL's; whatever state this sets is put back.
    virtual void draw(const DrawView& view) = 0;
};

} // namespace lathe
