// SPDX-License-Identifier: MIT
#pragma once

#include "engine/ui/studio.h"

#include <pybind11/pybind11.h>

#include <memory>

namespace lathe::bind {

/// Adds what draws to the class behind an App.
void bind_drawing(pybind11::class_<Studio, std::shared_ptr<Studio>>& c);

} // namespace lathe::bind
