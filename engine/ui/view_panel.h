// SPDX-License-Identifier: MIT
// The picture: shows the scene's framebuffer as large as fits, tells which part of the window it
// covers (cameras take the mouse there), and wears a thin red edge while an older kernel runs.
#pragma once

#include "engine/scene/camera.h"

#include <string>

namespace lathe {

namespace gl {
class Framebuffer;
}

class ViewPanel {
public:
    /// Inside the panel's window, which has no padding.
    void draw(const gl::Framebuffer& scene, bool red_edge, const std::string& message);

    /// Where the picture lies in the window, framebuffer pixels; of the last frame.
    const Viewport& viewport() const { return viewport_; }
    /// Pixels that the panel offers to a picture; of the last frame.
    glm::ivec2 size() const { return size_; }
    /// The mouse is over the picture and nothing covers it, or a drag that began there goes on.
    bool has_mouse() const { return has_mouse_; }
    /// It has not moved for a while, and no button is down.
    bool has_resting_mouse() const { return mouse_rests_; }

private:
    Viewport viewport_;
    glm::ivec2 size_{0, 0};
    bool has_mouse_ = false, mouse_rests_ = false;
};

} // namespace lathe
