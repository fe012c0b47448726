// SPDX-License-Identifier: MIT
// Two ways to look: around a point in space, and onto a plane. Both are plain values that scripts,
// tests and the mouse (engine/app/camera_drag.h) change; positions on the screen are framebuffer
// pixels from the top left.
#pragma once

#include "engine/core/api.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace lathe {

/// Where on the screen a scene is drawn, in framebuffer pixels from the top left corner.
struct LATHE_API Viewport {
    glm::vec2 origin{0, 0};
    glm::vec2 size{1, 1};
    float aspect() const { return size.y > 0 ? size.x / size.y : 1.0f; }
    bool contains(glm::vec2 p) const {
        return p.x >= origin.x && p.y >= origin.y && p.x < origin.x + size.x &&
               p.y < origin.y + size.y;
    }
};

enum class UpAxis { y, z };
enum class Camera { orbit, pan_zoom };

/// Looks at `target` from `distance`. Left drag turns, right or middle drag (or shift + left)
/// pans in the picture's plane, the wheel zooms.
class LATHE_API OrbitCamera {
public:
    glm::vec3 target{0, 0, 0};
    float distance = 3;
    float yaw = 0.6f;           ///< radians about the up axis
    float pitch = 0.4f;         ///< radians above the ground, kept within ±89.9°
    float field_of_view = 0.8f; ///< radians, vertical
    UpAxis up = UpAxis::y;
    /// The view may place it where it sees all, once, unless target or distance have changed.
    bool may_be_placed = true;

    glm::vec3 eye() const;
    /// World to eye space: right-handed, looking along -z.
    glm::mat4 view() const;
    /// Eye to clip space, depth −1…1; the clip planes follow `distance`.
    glm::mat4 projection(float aspect) const;
    glm::mat4 view_projection(float aspect) const { return projection(aspect) * view(); }

    /// Turns by pixels dragged; a whole viewport height is half a turn.
    void turn(glm::vec2 pixels, const Viewport& viewport);
    /// Moves the target so that what lies in its plane follows the mouse.
    void pan(glm::vec2 pixels, const Viewport& viewport);
    /// Positive notches come nearer, 10 % each.
    void zoom(float notches);
    /// All of a ball is seen, as large as fits; the direction stays.
    void fit(const glm::vec3& middle, float radius, float aspect);
};

/// Looks straight onto a plane, x right and y up. Left or middle drag pans, the wheel zooms about
/// the cursor; the right button is left to scripts.
class LATHE_API PanZoomCamera {
public:
    glm::vec2 center{0, 0}; ///< the plane's point in the viewport's middle
    float height = 2;       ///< plane units from the viewport's bottom to its top

    /// Plane to eye space, and eye to clip space; what lies up to 100 heights before or behind the
    /// plane is seen.
    glm::mat4 view() const;
    glm::mat4 projection(float aspect) const;
    glm::mat4 view_projection(float aspect) const { return projection(aspect) * view(); }
    /// The plane's point under a screen position.
    glm::vec2 to_plane(glm::vec2 screen, const Viewport& viewport) const;

    void pan(glm::vec2 pixels, const Viewport& viewport);
    /// Positive notches magnify, 10 % each; the plane's point under `screen` stays there.
    void zoom(float notches, glm::vec2 screen, const Viewport& viewport);
    /// All of a rectangle is seen, as large as fits.
    void fit(glm::vec2 middle, glm::vec2 size, float aspect);
};

} // namespace lathe
