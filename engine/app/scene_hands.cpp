// SPDX-License-Identifier: MIT
#include "engine/app/scene_hands.h"

#include "engine/app/input.h"
#include "engine/scene/camera_line.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>

namespace lathe {
namespace {

bool has_double_click(const InputState& input) {
    return std::ranges::any_of(input.program_events(), [](const InputEvent& event) {
        const auto* press = std::get_if<ButtonEvent>(&event);
        return press && press->down && press->button == MouseButton::left && press->clicks == 2;
    });
}

} // namespace

Viewport SceneHands::place_of(const View& view, const Viewport& whole) {
    return {whole.origin + view.tile().origin * whole.size, view.tile().size * whole.size};
}

View* SceneHands::view_at(glm::vec2 pixel, const Viewport& whole) const {
    for (const auto& view : scene_.views() | std::views::reverse) // insets are the last ones
        if (place_of(*view, whole).contains(pixel)) return view.get();
    return nullptr;
}

std::optional<Picked> SceneHands::pick(glm::vec2 pixel, const Viewport& whole) const {
    const View* const view = view_at(pixel, whole);
    if (!view) return {};
    const Viewport place = place_of(*view, whole);
    return view->pick((pixel - place.origin) / place.size * view->pixels());
}

void SceneHands::update(const InputState& input, const Viewport& whole, double seconds) {
    const auto views = scene_.views(); // a wait may let the program change them
    drags_.resize(views.size());
    selection_drags_.resize(views.size());
    grip_drags_.resize(views.size());
    moves_.resize(views.size());
    const bool clicked_twice = has_double_click(input);
    const View* const uppermost =
        view_at(input.any_button_pressed() ? input.drag_start() : input.mouse(), whole);
    for (std::size_t i = 0; i < views.size(); ++i) {
        View& view = *views[i];
        const Viewport place = place_of(view, whole);
        say_camera(i, false, seconds);
        if (&view != uppermost && !drags_[i].is_dragging() && !selection_drags_[i].is_drawing() &&
            !grip_drags_[i].is_holding())
            continue;
        if (grip_drags_[i].follow(view, input, place, services_.ask_device)) continue;
        if (update_selection(view, selection_drags_[i], input, place)) continue;
        const bool is_moved =
            view.camera() == Camera::orbit
                ? drags_[i].move(view.orbit_camera(), input, place, {view.steering(), seconds})
                : drags_[i].move(view.pan_zoom_camera(), input, place);
        say_camera(i, is_moved, 0);
        if (has_press(Key::home, input, place)) fit(view, "");
        if (clicked_twice && !input.mouse_captured && place.contains(input.drag_start()))
            fit_picked(view, input.drag_start(), place);
        if (has_press(Key::c, input, place) && input.modifiers() == 0)
            services_.copy(camera_line(view)); // of Python
    }
}

bool SceneHands::has_press(Key key, const InputState& input, const Viewport& place) const {
    const KeyEvent press{.key = key, .modifiers = input.modifiers()};
    return !input.keyboard_captured && input.pressed(key) && place.contains(input.mouse()) &&
           !services_.claims(press);
}

void SceneHands::say_camera(std::size_t view, bool is_moved, double seconds) {
    constexpr double kRest = 0.5;
    CameraMove& move = moves_[view];
    if (is_moved) move = {true, 0};
    else if (move.is_unsaid && !drags_[view].is_dragging() && (move.rests += seconds) >= kRest) {
        move = {};
        services_.say(camera_line(*scene_.views()[view]));
    }
}

/// The whole scene, or an item of it.
void SceneHands::fit(View& view, const std::string& item) {
    services_.ask_device([&] {
        if (item.empty() ? view.fit() : view.fit(item)) services_.say(fit_line(view, item));
    });
}

/// The camera shows all of the thing that was clicked on.
void SceneHands::fit_picked(View& view, glm::vec2 pixel, const Viewport& place) {
    const glm::vec2 part = (pixel - place.origin) / place.size;
    services_.ask_device([&] {
        if (const auto picked = view.pick(part * view.pixels())) fit(view, picked->item);
    });
}

/// True where the mouse draws a rectangle, which then moves no camera.
bool SceneHands::update_selection(View& view, SelectionDrag& drag, const InputState& input,
                                  const Viewport& place) {
    const SelectionDrag::State state = drag.follow(input, place);
    if (state == SelectionDrag::State::none) return false;
    const auto part = [&](glm::vec2 pixel) { return (pixel - place.origin) / place.size; };
    const glm::vec2 begin = part(drag.begin()), end = part(drag.end()), size{view.pixels()};
    if (state == SelectionDrag::State::drawing) view.set_outline(std::array{begin, end});
    else {
        view.set_outline({});
        services_.ask_device([&] { selected_ = view.select(begin * size, end * size); });
    }
    return true;
}

} // namespace lathe
