// SPDX-License-Identifier: MIT
// Mouse and keys move a camera.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"

namespace lathe {

class InputState;

struct Steered {
    Steering by = Steering::orbit;
    double seconds = 0; ///< since the frame before, for keys; more than 0.1 count as that
};

/// The keys that fly are down, without a modifier, and no panel has them: W and S ahead and back,
/// A and D to the sides, E and Q up and down.
LATHE_API bool is_flying(const InputState& input);

/// Applies a frame's mouse where it began in the viewport and no panel has it, and its keys where
/// the mouse is in the viewport. True where the camera moved. A camera that flies goes a distance
/// (OrbitCamera) a second; the wheel changes that, and the eye stays.
class LATHE_API CameraDrag {
public:
    bool move(OrbitCamera& camera, const InputState& input, const Viewport& viewport,
              const Steered& steered = {});
    bool move(PanZoomCamera& camera, const InputState& input, const Viewport& viewport);
    bool is_dragging() const { return dragging_; }

private:
    bool dragging_ = false; ///< since a button went down in the viewport
};

} // namespace lathe
