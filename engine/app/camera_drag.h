// SPDX-License-Identifier: MIT
// The mouse moves a camera.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"

namespace lathe {

class InputState;

/// Applies a frame's mouse where it began in the viewport and no panel has it. True where the
/// camera moved.
class LATHE_API CameraDrag {
public:
    bool move(OrbitCamera& camera, const InputState& input, const Viewport& viewport);
    bool move(PanZoomCamera& camera, const InputState& input, const Viewport& viewport);

private:
    bool dragging_ = false; ///< since a button went down in the viewport
};

} // namespace lathe
