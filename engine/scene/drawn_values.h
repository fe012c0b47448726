// SPDX-License-Identifier: MIT
// The numbers that colours come from, on the device; private to engine/scene.
#pragma once

#include "engine/scene/drawn.h"
#include "engine/scene/thing.h"
#include "gpu/array/array.h"

#include <optional>

namespace lathe {

struct DrawnValues {
    gpu::Array numbers; ///< one-dimensional, where they lie
    int channels = 1;   ///< of an element, side by side
};

/// Of points, lines, meshes and their instances those that go through the colormap; the elements of
/// pictures and volumes. Nothing where a thing has none.
std::optional<DrawnValues> values_of(const Drawn& drawn);

/// Waits for the device.
NotFinite count_not_finite(const DrawnValues& values);

} // namespace lathe
