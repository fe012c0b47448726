// SPDX-License-Identifier: MIT
// What an App does with its further windows, frame by frame; private to engine/app.
#pragma once

#include "engine/app/sampled_picture.h"
#include "engine/app/scene_hands.h"
#include "engine/app/window.h"
#include "engine/scene/scene.h"

#include <string>
#include <utility>

namespace lathe {

/// The context of the first window is current in all calls.
struct SideWindowParts {
    SideWindowParts(std::string t, Window w, SceneServices services, SceneHands::Services hand)
        : title{std::move(t)}, window{std::move(w)}, scene{std::move(services)},
          hands{scene, std::move(hand)} {}

    std::string title;
    Window window;
    bool is_open = true;
    Scene scene;
    SceneHands hands;
    SampledPicture picture;
    bool drew = false; ///< in this frame

    /// Takes input; closes what the user has closed.
    void begin_frame(double seconds);
    /// What kernels do for the drawing. True where something is to be drawn.
    bool compute(const RaysApart& rays);
    void draw();
    /// Shows the frame.
    void end_frame();
    /// Input that has not been taken, without waiting.
    bool has_input();
    Viewport whole() const;
    void close();
};

} // namespace lathe
