// SPDX-License-Identifier: MIT
// Launch attributes as Python's keywords give them.
#pragma once

#include "gpu/launch_attributes.h"

#include <pybind11/pybind11.h>

#include <optional>

namespace lathe::bind {

namespace py = pybind11;

/// `window`: None or (memory, num_bytes[, hit_ratio[, hit_prop[, miss_prop]]]). Throws TypeError or
/// ValueError that names the keyword and the value received.
gpu::LaunchAttributes launch_attributes_from(const py::object& priority, bool serialization,
                                             const py::object& domain, const py::object& carveout,
                                             const py::object& window);

} // namespace lathe::bind
