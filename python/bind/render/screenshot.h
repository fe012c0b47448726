// SPDX-License-Identifier: MIT
// Pictures between ImageData and NumPy.
#pragma once

#include "engine/render/screenshot.h"

#include <pybind11/numpy.h>

namespace lathe::bind {

/// (height, width, channels) uint8, a copy.
pybind11::array_t<std::uint8_t> to_numpy(const ImageData& image);

} // namespace lathe::bind
