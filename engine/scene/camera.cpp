// SPDX-License-Identifier: MIT
#include "engine/scene/camera.h"

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

#include <algorithm>
#include <cmath>

namespace lathe {
namespace {

constexpr float kPi = 3.14159265358979f;
constexpr double kHalfPi = 1.57079632679489662;
constexpr float kSteepest = 89.9f / 180.0f * kPi;
constexpr float kNotch = 1.1f; // one wheel notch
constexpr float kFitMargin = 1.05f;

/// As OrbitCamera::axes(), without roll.
glm::dmat3 level_axes(double yaw, double pitch, UpAxis up) {
    const double sy = std::sin(yaw), cy = std::cos(yaw), sp = std::sin(pitch), cp = std::cos(pitch);
    if (up == UpAxis::y) return {{cy, 0, -sy}, {-sp * sy, cp, -sp * cy}, {cp * sy, sp, cp * cy}};
    return {{-sy, cy, 0}, {-sp * cy, -sp * sy, cp}, {cp * cy, cp * sy, sp}};
}

/// Screen y goes down, clip y goes up.
glm::vec2 to_clip(glm::vec2 screen, const Viewport& v) {
    const glm::vec2 t = (screen - v.origin) / v.size;
    return {2 * t.x - 1, 1 - 2 * t.y};
}

} // namespace

glm::dvec3 OrbitCamera::eye() const { return target + glm::dvec3{distance * axes()[2]}; }

glm::mat3 OrbitCamera::axes() const {
    const double p = std::clamp(double(pitch), -kHalfPi, kHalfPi), y{yaw}, r{roll};
    const glm::dmat3 level = level_axes(y, p, up);
    const glm::dvec3 right = std::cos(r) * level[0] + std::sin(r) * level[1];
    return glm::mat3{glm::dmat3{right, glm::cross(level[2], right), level[2]}};
}

void OrbitCamera::set_axes(const glm::mat3& axes) {
    const glm::dvec3 right{axes[0]}, outward{axes[2]};
    const glm::dvec2 ground =
        up == UpAxis::y ? glm::dvec2{outward.z, outward.x} : glm::dvec2{outward.x, outward.y};
    const double height = up == UpAxis::y ? outward.y : outward.z;
    pitch = float(std::atan2(height, glm::length(ground)));
    if (glm::length(ground) > 1e-6) yaw = float(std::atan2(ground.y, ground.x)); // else any will do
    const glm::dmat3 level = level_axes(double(yaw), double(pitch), up);
    roll = float(std::atan2(glm::dot(right, level[1]), glm::dot(right, level[0])));
}

float OrbitCamera::height() const { return 2 * distance * std::tan(field_of_view / 2); }

glm::mat4 OrbitCamera::view() const {
    const glm::mat3 to_eye = glm::transpose(axes());
    return glm::translate(glm::mat4{to_eye}, -glm::vec3{eye()});
}

glm::mat4 OrbitCamera::projection(float aspect) const {
    if (!orthographic)
        return glm::perspectiveRH_NO(field_of_view, aspect, distance * 1e-3f, distance * 1e3f);
    const float half = height() / 2;
    return glm::orthoRH_NO(-half * aspect, half * aspect, -half, half, -99 * distance,
                           101 * distance);
}

void OrbitCamera::turn(glm::vec2 pixels, const Viewport& viewport) {
    const float radians = kPi / viewport.size.y, c = std::cos(roll), s = std::sin(roll);
    yaw -= (c * pixels.x + s * pixels.y) * radians;
    pitch = std::clamp(pitch + (c * pixels.y - s * pixels.x) * radians, -kSteepest, kSteepest);
}

void OrbitCamera::turn_freely(glm::vec2 pixels, const Viewport& viewport) {
    const glm::vec3 about = -glm::vec3{pixels.y, pixels.x, 0} * (kPi / viewport.size.y);
    const float angle = glm::length(about);
    if (angle > 0) set_axes(axes() * glm::mat3_cast(glm::angleAxis(angle, about / angle)));
}

void OrbitCamera::look_around(glm::vec2 pixels, const Viewport& viewport) {
    const glm::dvec3 before = eye();
    turn(pixels, viewport);
    target += before - eye();
}

void OrbitCamera::fly(const glm::vec3& way) {
    target += glm::dvec3{distance * (axes() * glm::vec3{way.x, way.y, -way.z})};
}

void OrbitCamera::pan(glm::vec2 pixels, const Viewport& viewport) {
    const glm::vec2 way = glm::vec2{-pixels.x, pixels.y} * (height() / viewport.size.y);
    target += glm::dvec3{axes() * glm::vec3{way, 0}};
}

void OrbitCamera::zoom(float notches) {
    distance = std::clamp(distance * std::pow(kNotch, -notches), 1e-6f, 1e9f);
}

void OrbitCamera::fit(const glm::dvec3& middle, float radius, float aspect) {
    const float slope = std::tan(field_of_view / 2) * std::min(aspect, 1.0f);
    target = middle;
    distance = kFitMargin * radius / (orthographic ? slope : std::sin(std::atan(slope)));
}

glm::mat4 PanZoomCamera::view() const {
    return glm::translate(glm::mat4{1}, glm::vec3{-glm::vec2{center}, 0});
}

glm::mat4 PanZoomCamera::projection(float aspect) const {
    const glm::vec2 half{height * aspect / 2, height / 2};
    const float deep = 100 * height; // whatever the magnification, as OrbitCamera's follow distance
    return glm::orthoRH_NO(-half.x, half.x, -half.y, half.y, -deep, deep);
}

glm::dvec2 PanZoomCamera::to_plane(glm::vec2 screen, const Viewport& viewport) const {
    const glm::vec2 way =
        to_clip(screen, viewport) * glm::vec2{viewport.aspect(), 1} * (height / 2);
    return center + glm::dvec2{way};
}

void PanZoomCamera::pan(glm::vec2 pixels, const Viewport& viewport) {
    center += glm::dvec2{glm::vec2{-pixels.x, pixels.y} * (height / viewport.size.y)};
}

void PanZoomCamera::zoom(float notches, glm::vec2 screen, const Viewport& viewport) {
    const glm::dvec2 before = to_plane(screen, viewport);
    height = std::clamp(height * std::pow(kNotch, -notches), 1e-9f, 1e12f);
    center += before - to_plane(screen, viewport);
}

void PanZoomCamera::fit(glm::dvec2 middle, glm::vec2 size, float aspect) {
    center = middle;
    height = kFitMargin * std::max(size.y, size.x / aspect);
}

} // namespace lathe
