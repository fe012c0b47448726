// SPDX-License-Identifier: MIT
// The box around what is drawn.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/box.h"
#include "engine/scene/drawn.h"

#include <optional>
#include <span>

namespace lathe {

struct ShownThing;

/// Around points with the one radius of spheres, lines, meshes, volumes and texts in space or the
/// plane; positions that are not finite lie nowhere. Nothing where nothing has a place. Kernels
/// look at the arrays, in the order of the legacy default stream; waits for them.
std::optional<Box> bounds_of(std::span<const ShownThing> things);

/// No vertex lies farther from the mesh's origin; 0 where none is finite. Likewise.
float reach_of(const DrawnMesh& drawn);

} // namespace lathe
