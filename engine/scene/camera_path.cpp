// SPDX-License-Identifier: MIT
#include "engine/scene/camera_path.h"

#include <glm/gtc/quaternion.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace lathe {

namespace {

/// Of a monotone cubic between two parts of a curve, with their lengths and slopes.
double slope_between(double h, double before, double k, double after) {
    if (before * after <= 0) return 0;
    const double first = 2 * k + h, second = k + 2 * h;
    return (first + second) / (first / before + second / after);
}

/// At an end, whose part has length h and slope d; the next part has k and e.
double slope_at_end(double h, double d, double k, double e) {
    const double slope = ((2 * h + k) * d - h * e) / (h + k);
    if (slope * d <= 0) return 0;
    return d * e <= 0 && std::abs(slope) > 3 * std::abs(d) ? 3 * d : slope;
}

/// Between two values with slopes, a part t of the way of length h.
double cubic(double from, double to, double slope, double end_slope, double h, double t) {
    const double r = 1 - t;
    return r * r * ((1 + 2 * t) * from + t * h * slope) +
           t * t * ((1 + 2 * r) * to - r * h * end_slope);
}

} // namespace

CameraPath::CameraPath(std::vector<CameraKey> keys) : keys_{std::move(keys)} {
    if (keys_.empty()) throw std::invalid_argument{"a camera path has one key frame or more"};
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        const auto& [seconds, camera] = keys_[i];
        if (!std::isfinite(seconds) || (i > 0 && !(seconds > keys_[i - 1].seconds)))
            throw std::invalid_argument{
                fmt::format("times of key frames rise, got {} for number {}", seconds, i)};
        if (!(camera.distance > 0))
            throw std::invalid_argument{
                fmt::format("the distance of key frame {} is above 0, got {}", i, camera.distance)};
        const glm::dvec3& target = camera.target;
        curves_.push_back({{target.x, target.y, target.z, std::log(double(camera.distance)),
                            double(camera.field_of_view)},
                           {}});
    }
    const std::size_t last = keys_.size() - 1;
    const auto length = [&](std::size_t i) { return keys_[i + 1].seconds - keys_[i].seconds; };
    for (int c = 0; c < kCurves; ++c) {
        const auto slope = [&](std::size_t i) {
            return (curves_[i + 1].value[c] - curves_[i].value[c]) / length(i);
        };
        if (last == 1) curves_[0].slope[c] = curves_[1].slope[c] = slope(0);
        if (last < 2) continue;
        for (std::size_t i = 1; i < last; ++i)
            curves_[i].slope[c] = slope_between(length(i - 1), slope(i - 1), length(i), slope(i));
        curves_[0].slope[c] = slope_at_end(length(0), slope(0), length(1), slope(1));
        curves_[last].slope[c] =
            slope_at_end(length(last - 1), slope(last - 1), length(last - 2), slope(last - 2));
    }
}

CameraPath CameraPath::turntable(const OrbitCamera& camera, double seconds) {
    if (!(seconds > 0) || !std::isfinite(seconds))
        throw std::invalid_argument{
            fmt::format("a turntable takes more than 0 seconds, got {}", seconds)};
    constexpr float kQuarter = 1.57079632679f;
    std::vector<CameraKey> keys;
    for (int i = 0; i <= 4; ++i) {
        keys.push_back({seconds * i / 4, camera});
        keys.back().camera.yaw += float(i) * kQuarter;
    }
    return CameraPath{std::move(keys)};
}

OrbitCamera CameraPath::at(double seconds) const {
    if (!(seconds > begin())) return keys_.front().camera;
    if (seconds >= end()) return keys_.back().camera;
    const auto next = std::ranges::upper_bound(keys_, seconds, {}, &CameraKey::seconds);
    const auto i = std::size_t(next - keys_.begin()) - 1;
    const CameraKey &from = keys_[i], &to = keys_[i + 1];
    const double h = to.seconds - from.seconds, t = (seconds - from.seconds) / h;
    const Values &a = curves_[i], &b = curves_[i + 1];
    double now[kCurves];
    for (int c = 0; c < kCurves; ++c)
        now[c] = cubic(a.value[c], b.value[c], a.slope[c], b.slope[c], h, t);
    OrbitCamera camera = from.camera;
    camera.target = glm::dvec3{now[0], now[1], now[2]};
    camera.distance = float(std::exp(now[3]));
    camera.field_of_view = float(now[4]);
    const glm::dquat begins = glm::quat_cast(glm::dmat3{from.camera.axes()}),
                     ends = glm::quat_cast(glm::dmat3{to.camera.axes()});
    camera.set_axes(glm::mat3{glm::mat3_cast(glm::slerp(begins, ends, t))});
    return camera;
}

} // namespace lathe
