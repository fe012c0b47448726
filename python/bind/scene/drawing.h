// SPDX-License-Identifier: MIT
#pragma once

#include "engine/ui/studio.h"

#include <pybind11/pybind11.h>

#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <array>
#include <memory>

namespace lathe::bind {

using StudioClass = pybind11::class_<Studio, std::shared_ptr<Studio>>;

/// Each adds to the class behind an App: what draws, with styles and views.
void bind_drawing(StudioClass& c);
void bind_styles(StudioClass& c);
void bind_views(StudioClass& c);

glm::dvec3 point_from(const std::array<double, 3>& c);
glm::vec4 vec4_from(const std::array<float, 4>& c);

} // namespace lathe::bind
