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
    /// Once the frame of Dear ImGui has begun: the picture has the mouse that is at `place`.
    /// Nothing covers the picture there, and no panel is at work with the mouse.
    bool has_mouse(glm::vec2 place) const;
    /// It has not moved for a while, and no button is down.
    bool has_resting_mouse() const { return mouse_rests_; }

private:
    Viewport viewport_;
    glm::ivec2 size_{0, 0};
    bool had_mouse_ = false; ///< in the last frame, whose mouse was here:
    glm::vec2 mouse_{0, 0};
    unsigned id_ = 0;        ///< of the picture; 0: not drawn yet
    unsigned window_id_ = 0; ///< of the window that it is in
    bool mouse_rests_ = false;
};

} // namespace lathe
