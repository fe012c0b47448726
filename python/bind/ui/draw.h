// SPDX-License-Identifier: MIT
#pragma once

#include "python/bind/ui/engine.h"

#include <pybind11/pybind11.h>

#include <memory>

namespace lathe::bind {

/// Adds what draws to the class behind an App.
void bind_drawing(pybind11::class_<Engine, std::shared_ptr<Engine>>& c);

} // namespace lathe::bind
