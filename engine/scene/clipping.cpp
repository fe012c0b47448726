// SPDX-License-Identifier: MIT
#include "engine/scene/clipping.h"

#include <fmt/format.h>
#include <glm/geometric.hpp>

#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace lathe {

namespace {

std::string text_of(const glm::dvec3& v) {
    return fmt::format("({:g}, {:g}, {:g})", v.x, v.y, v.z);
}

bool is_finite(const glm::dvec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

} // namespace

void Clipping::set(std::string_view name, const ClipPlane& plane) {
    if (!is_finite(plane.origin))
        throw std::invalid_argument{fmt::format(
            "the origin of a clip plane is three numbers, got {}", text_of(plane.origin))};
    if (!is_finite(plane.normal) || plane.normal == glm::vec3{0})
        throw std::invalid_argument{
            fmt::format("the normal of a clip plane is three numbers of which one is not 0, got {}",
                        text_of(plane.normal))};
    if (const auto found = planes_.find(name); found != planes_.end()) {
        found->second = plane;
        return;
    }
    if (planes_.size() >= std::size_t(ClipPlanes::kMost))
        throw std::invalid_argument{fmt::format("a view has at most {} clip planes, \"{}\" is one "
                                                "more",
                                                ClipPlanes::kMost, name)};
    planes_.emplace(name, plane);
}

bool Clipping::remove(std::string_view name) {
    const auto found = planes_.find(name);
    if (found == planes_.end()) return false;
    planes_.erase(found);
    return true;
}

const ClipPlane* Clipping::find(std::string_view name) const {
    const auto found = planes_.find(name);
    return found == planes_.end() ? nullptr : &found->second;
}

ClipPlanes Clipping::active() const {
    ClipPlanes all;
    for (const auto& [name, plane] : planes_) {
        if (!plane.is_active) continue;
        const glm::dvec3 normal = glm::normalize(glm::dvec3{plane.normal});
        all.planes[std::size_t(all.count++)] = glm::dvec4{normal, -glm::dot(normal, plane.origin)};
    }
    return all;
}

} // namespace lathe
