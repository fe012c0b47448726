// SPDX-License-Identifier: MIT
// Mouse and keys on the views of a scene: they move cameras, take hold of elements, draw rectangles
// that select, fit what is clicked on twice; private to engine/app.
#pragma once

#include "engine/app/camera_drag.h"
#include "engine/app/grip_drag.h"
#include "engine/app/selection_drag.h"
#include "engine/scene/scene.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class InputState;
enum class Key : int;
struct KeyEvent;

class SceneHands {
public:
    struct Services {
        /// Calls what asks the device, and reports its faults.
        std::function<void(const std::function<void()>&)> ask_device;
        std::function<void(const std::string&)> copy; ///< to the clipboard, and tells
        std::function<void(const std::string&)> say;  ///< what the hands did, in Python
        std::function<bool(const KeyEvent&)> claims;  ///< the key has a function of the program's
    };
    SceneHands(Scene& scene, Services services) : scene_{scene}, services_{std::move(services)} {}

    /// Takes a frame's input. `whole`: where the scene is shown, in pixels as those of the input;
    /// `seconds` since the frame before.
    void update(const InputState& input, const Viewport& whole, double seconds);

    /// The uppermost view at a pixel, or null.
    View* view_at(glm::vec2 pixel, const Viewport& whole) const;
    /// Where a view is shown.
    static Viewport place_of(const View& view, const Viewport& whole);
    std::optional<Picked> pick(glm::vec2 pixel, const Viewport& whole) const;
    /// What the last rectangle selected.
    const std::vector<Selected>& selected() const { return selected_; }
    void forget_selection() { selected_.clear(); }

private:
    /// The camera was moved: once it rests, its line is said.
    struct CameraMove {
        bool is_unsaid = false;
        double rests = 0; ///< seconds
    };
    void say_camera(std::size_t view, bool is_moved, double seconds);
    void fit(View& view, const std::string& item);
    void fit_picked(View& view, glm::vec2 pixel, const Viewport& place);
    bool has_press(Key key, const InputState& input, const Viewport& place) const;
    bool update_selection(View& view, SelectionDrag& drag, const InputState& input,
                          const Viewport& place);

    Scene& scene_;
    Services services_;
    std::vector<CameraDrag> drags_; ///< of the views
    std::vector<SelectionDrag> selection_drags_;
    std::vector<GripDrag> grip_drags_;
    std::vector<CameraMove> moves_;
    std::vector<Selected> selected_;
};

} // namespace lathe
