// SPDX-License-Identifier: MIT
#include "engine/scene/volume_style.h"

#include <glm/common.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lathe {

namespace {

bool is_positive(const glm::vec3& v) {
    const auto is = [](float x) { return x > 0 && std::isfinite(x); };
    return is(v.x) && is(v.y) && is(v.z);
}

} // namespace

bool is_solid(const VolumeStyle& style) {
    if (style.opacity < 1) return false;
    return style.mode == VolumeMode::slices ||
           (style.mode == VolumeMode::surface && style.color.a >= 1);
}

void check(const VolumeStyle& style) {
    if (!(style.density >= 0) || !std::isfinite(style.density))
        throw std::invalid_argument{
            fmt::format("a volume's density is a number from 0 on, got {}", style.density)};
    for (const float number :
         {style.level, style.opacity, style.slices.x, style.slices.y, style.slices.z})
        if (!std::isfinite(number))
            throw std::invalid_argument{fmt::format(
                "a volume's level, opacity and slices are finite numbers, got {}", number)};
    if (!is_positive(style.spacing))
        throw std::invalid_argument{
            fmt::format("a volume's spacing is three numbers above 0, got {}, {} and {}",
                        style.spacing.x, style.spacing.y, style.spacing.z)};
    if (style.box && !is_positive(glm::vec3{style.box->size()}))
        throw std::invalid_argument{
            fmt::format("a volume's bounds go up along each axis, got sides of {}, {} and {}",
                        style.box->size().x, style.box->size().y, style.box->size().z)};
}

Box box_of(const VolumeStyle& style, const glm::ivec3& cells) {
    if (style.box) return *style.box;
    const glm::vec3 sides = glm::vec3{cells} * style.spacing;
    const glm::vec3 half = sides / std::max({sides.x, sides.y, sides.z});
    return {-half, half};
}

} // namespace lathe
