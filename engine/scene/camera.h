// SPDX-License-Identifier: MIT
// Two ways to look: around a point in space, and onto a plane. Both are plain values that scripts,
// tests and the mouse (engine/app/camera_drag.h) change; positions on the screen are framebuffer
// pixels from the top left.
#pragma once

#include "engine/core/api.h"

#include <glm/mat3x3.hpp>
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
    bool operator==(const Viewport& other) const = default;
};

enum class UpAxis { y, z };
enum class Camera { orbit, pan_zoom };
/// How mouse and keys move the camera of space.
enum class Steering {
    orbit,     ///< about the target, the up axis stays upright
    trackball, ///< about the target, freely
    fly,       ///< the eye moves by keys and turns by the mouse
};

/// Looks at `target` from `distance`. Left drag turns, right or middle drag (or shift + left)
/// pans in the picture's plane, the wheel zooms.
class LATHE_API OrbitCamera {
public:
    glm::dvec3 target{0, 0, 0};
    float distance = 3;
    float yaw = 0.6f;   ///< radians about the up axis
    float pitch = 0.4f; ///< radians above the ground, within ±90°
    /// Radians about the line of sight: so far the picture is turned clockwise.
    float roll = 0;
    float field_of_view = 0.8f; ///< radians, vertical
    /// Parallel rays, without a vanishing point; height() is seen at any depth.
    bool orthographic = false;
    UpAxis up = UpAxis::y;
    /// The view may place it where it sees all, once, unless target or distance have changed.
    bool may_be_placed = true;

    glm::dvec3 eye() const;
    /// Where right, above and the way from the target to the eye are in the world; columns of
    /// length 1.
    glm::mat3 axes() const;
    /// Yaw, pitch and roll that have such axes. They are a rotation's.
    void set_axes(const glm::mat3& axes);
    /// Units from the bottom to the top of the picture, as far away as the target.
    float height() const;
    /// World to eye space: right-handed, looking along -z. Far from the origin it has few digits:
    /// DrawView::from() has them.
    glm::mat4 view() const;
    /// Eye to clip space, depth −1…1; the clip planes follow `distance`. Orthographic: what lies up
    /// to 100 distances before or behind the target is seen.
    glm::mat4 projection(float aspect) const;
    glm::mat4 view_projection(float aspect) const { return projection(aspect) * view(); }

    /// Turns by pixels dragged; a whole viewport height is half a turn. The pitch stays within
    /// ±89.9°.
    void turn(glm::vec2 pixels, const Viewport& viewport);
    /// The same about the picture's own axes, over the poles, too.
    void turn_freely(glm::vec2 pixels, const Viewport& viewport);
    /// The same as turn(), about the eye, which stays.
    void look_around(glm::vec2 pixels, const Viewport& viewport);
    /// Moves eye and target by so many distances to the right, above and ahead.
    void fly(const glm::vec3& way);
    /// Moves the target so that what lies in its plane follows the mouse.
    void pan(glm::vec2 pixels, const Viewport& viewport);
    /// Positive notches come nearer, 10 % each.
    void zoom(float notches);
    /// All of a ball is seen, as large as fits; the direction stays.
    void fit(const glm::dvec3& middle, float radius, float aspect);

    bool operator==(const OrbitCamera&) const = default;
};

/// Looks straight onto a plane, x right and y up. Left or middle drag pans, the wheel zooms about
/// the cursor; the right button is left to scripts.
class LATHE_API PanZoomCamera {
public:
    glm::dvec2 center{0, 0}; ///< the plane's point in the viewport's middle
    float height = 2;        ///< plane units from the viewport's bottom to its top

    /// Plane to eye space, and eye to clip space; what lies up to 100 heights before or behind the
    /// plane is seen.
    glm::mat4 view() const;
    glm::mat4 projection(float aspect) const;
    glm::mat4 view_projection(float aspect) const { return projection(aspect) * view(); }
    /// The plane's point under a screen position.
    glm::dvec2 to_plane(glm::vec2 screen, const Viewport& viewport) const;

    void pan(glm::vec2 pixels, const Viewport& viewport);
    /// Positive notches magnify, 10 % each; the plane's point under `screen` stays there.
    void zoom(float notches, glm::vec2 screen, const Viewport& viewport);
    /// All of a rectangle is seen, as large as fits.
    void fit(glm::dvec2 middle, glm::vec2 size, float aspect);

    bool operator==(const PanZoomCamera&) const = default;
};

} // namespace lathe
