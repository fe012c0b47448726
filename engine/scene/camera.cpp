// SPDX-License-Identifier: MIT
#include "engine/scene/camera.h"

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>

namespace lathe {
namespace {

constexpr float kPi = 3.14159265358979f;
constexpr float kSteepest = 89.9f / 180.0f * kPi;
constexpr float kNotch = 1.1f; // one wheel notch
constexpr float kFitMargin = 1.05f;

/// Screen y goes down, clip y goes up.
glm::vec2 to_clip(glm::vec2 screen, const Viewport& v) {
    const glm::vec2 t = (screen - v.origin) / v.size;
    return {2 * t.x - 1, 1 - 2 * t.y};
}

} // namespace

glm::vec3 OrbitCamera::eye() const {
    const float p = std::clamp(pitch, -kSteepest, kSteepest);
    const float ground = std::cos(p), height = std::sin(p);
    const glm::vec3 outward =
        up == UpAxis::y ? glm::vec3{ground * std::sin(yaw), height, ground * std::cos(yaw)}
                        : glm::vec3{ground * std::cos(yaw), ground * std::sin(yaw), height};
    return target + distance * outward;
}

glm::mat4 OrbitCamera::view() const {
    const glm::vec3 upward = up == UpAxis::y ? glm::vec3{0, 1, 0} : glm::vec3{0, 0, 1};
    return glm::lookAtRH(eye(), target, upward);
}

glm::mat4 OrbitCamera::projection(float aspect) const {
    return glm::perspectiveRH_NO(field_of_view, aspect, distance * 1e-3f, distance * 1e3f);
}

void OrbitCamera::turn(glm::vec2 pixels, const Viewport& viewport) {
    const float radians = kPi / viewport.size.y;
    yaw -= pixels.x * radians;
    pitch = std::clamp(pitch + pixels.y * radians, -kSteepest, kSteepest);
}

void OrbitCamera::pan(glm::vec2 pixels, const Viewport& viewport) {
    const glm::mat4 v = view();
    const glm::vec3 right{v[0][0], v[1][0], v[2][0]};
    const glm::vec3 above{v[0][1], v[1][1], v[2][1]};
    const float unit = 2 * distance * std::tan(field_of_view / 2) / viewport.size.y;
    target += unit * (pixels.y * above - pixels.x * right);
}

void OrbitCamera::zoom(float notches) {
    distance = std::clamp(distance * std::pow(kNotch, -notches), 1e-6f, 1e9f);
}

void OrbitCamera::fit(const glm::vec3& middle, float radius, float aspect) {
    const float across = 2 * std::atan(aspect * std::tan(field_of_view / 2));
    target = middle;
    distance = kFitMargin * radius / std::sin(std::min(field_of_view, across) / 2);
}

glm::mat4 PanZoomCamera::view() const {
    return glm::translate(glm::mat4{1}, glm::vec3{-center, 0});
}

glm::mat4 PanZoomCamera::projection(float aspect) const {
    const glm::vec2 half{height * aspect / 2, height / 2};
    const float deep = 100 * height; // whatever the magnification, as OrbitCamera's follow distance
    return glm::orthoRH_NO(-half.x, half.x, -half.y, half.y, -deep, deep);
}

glm::vec2 PanZoomCamera::to_plane(glm::vec2 screen, const Viewport& viewport) const {
    return center + to_clip(screen, viewport) * glm::vec2{viewport.aspect(), 1} * (height / 2);
}

void PanZoomCamera::pan(glm::vec2 pixels, const Viewport& viewport) {
    center += glm::vec2{-pixels.x, pixels.y} * (height / viewport.size.y);
}

void PanZoomCamera::zoom(float notches, glm::vec2 screen, const Viewport& viewport) {
    const glm::vec2 before = to_plane(screen, viewport);
    height = std::clamp(height * std::pow(kNotch, -notches), 1e-9f, 1e12f);
    center += before - to_plane(screen, viewport);
}

void PanZoomCamera::fit(glm::vec2 middle, glm::vec2 size, float aspect) {
    center = middle;
    height = kFitMargin * std::max(size.y, size.x / aspect);
}

} // namespace lathe
