// SPDX-License-Identifier: MIT
// Numbers and findings of gpu/inspect as lathe/inspection takes them.
#pragma once

#include "gpu/inspect/hazards.h"
#include "gpu/inspect/line_counts.h"

#include <pybind11/pybind11.h>

namespace lathe::bind {

pybind11::dict to_dict(const gpu::LineCounts& line);
pybind11::dict to_dict(const gpu::HazardFinding& finding);

} // namespace lathe::bind
