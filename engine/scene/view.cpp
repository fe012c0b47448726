// SPDX-License-Identifier: MIT
// Cameras and things of a view. Its drawing calls are in view_calls.cpp, its part of a frame in
// view_frame.cpp.
#include "engine/scene/view.h"

#include "engine/interop/frame_map.h"
#include "engine/scene/painter.h"
#include "engine/scene/picker.h"
#include "engine/scene/scene.h"
#include "engine/scene/selector.h"
#include "engine/scene/volume.h"
#include "gpu/context.h"

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

namespace lathe {

namespace {

/// Compared with how far it is from the origin.
bool is_a_point(const Box& box) {
    return glm::length(box.size()) <= 1e-6f * glm::length(box.middle());
}

} // namespace

Camera View::camera() const {
    return wanted_camera_.value_or(state_.draws_space ? Camera::orbit : Camera::pan_zoom);
}

OrbitCamera& View::orbit_camera() {
    share_cameras();
    return state_.orbit;
}

PanZoomCamera& View::pan_zoom_camera() {
    share_cameras();
    return state_.pan_zoom;
}

std::variant<OrbitCamera, PanZoomCamera> View::used_camera() {
    if (camera() == Camera::orbit) return orbit_camera();
    return pan_zoom_camera();
}

void View::set_camera(const std::variant<OrbitCamera, PanZoomCamera>& camera) {
    if (const auto* orbit = std::get_if<OrbitCamera>(&camera)) {
        orbit_camera() = *orbit;
        state_.orbit.may_be_placed = false;
        wanted_camera_ = Camera::orbit;
    } else {
        pan_zoom_camera() = std::get<PanZoomCamera>(camera);
        wanted_camera_ = Camera::pan_zoom;
    }
}

void View::link(View& other) {
    if (&other == this) return;
    unlink();
    other.share_cameras();
    if (!other.link_) {
        other.state_.shared = {other.state_.orbit, other.state_.pan_zoom};
        other.link_ = std::make_shared<Link>(Link{other.state_.shared, {&other}});
    }
    link_ = other.link_;
    link_->views.push_back(this);
    state_.shared = {state_.orbit, state_.pan_zoom};
    share_cameras();
}

void View::unlink() {
    share_cameras();
    if (link_) std::erase(link_->views, this);
    link_.reset();
}

void View::share_cameras() {
    if (!link_) return;
    for (const View* each : link_->views) {
        const Cameras own{each->state_.orbit, each->state_.pan_zoom};
        if (own != each->state_.shared) link_->cameras = own;
    }
    for (View* each : link_->views) {
        each->state_.orbit = link_->cameras.orbit;
        each->state_.pan_zoom = link_->cameras.pan_zoom;
        each->state_.shared = link_->cameras;
    }
}

std::optional<Box> View::bounds() const {
    std::list<Drawn> changed;
    std::vector<const Drawn*> all;
    for (const ShownThing& each : shown_things(changed, needs_names())) all.push_back(each.drawn);
    const gpu::CurrentContext here{scene_.services_.map()->cuda()};
    scene_.services_.wait();
    return bounds_of(all);
}

std::optional<Box> View::bounds(std::string_view name) const {
    const std::vector<ListItem>& items = list_.shown();
    const std::vector<Thing> things = things_of(items);
    const gpu::CurrentContext here{scene_.services_.map()->cuda()};
    scene_.services_.wait();
    for (std::size_t i = 0; i < items.size(); ++i)
        if (things[i].name == name) return bounds_of(std::array{&items[i].drawn});
    return {};
}

bool View::fit() {
    std::optional<Box> box = bounds();
    if (box && state_.axes_box) {
        const Box& axes = *state_.axes_box;
        const glm::vec3 letters = 0.03f * axes.size(); // beside the box
        box = Box{glm::min(box->low, axes.low - letters), glm::max(box->high, axes.high + letters)};
    }
    return fit(box);
}

bool View::fit(std::string_view name) { return fit(bounds(name)); }

bool View::fit(const std::optional<Box>& box) {
    if (!box) return false;
    const glm::vec3 size = box->size(), middle = box->middle();
    OrbitCamera& orbit = state_.orbit;
    if (camera() == Camera::orbit) {
        orbit.may_be_placed = orbit.may_be_placed && is_a_point(*box); // more may come
        if (is_a_point(*box)) orbit.target = middle;
        else orbit.fit(middle, glm::length(size) / 2, aspect());
    } else if (is_a_point(*box)) state_.pan_zoom.center = middle;
    else state_.pan_zoom.fit(middle, size, aspect());
    return true;
}

DrawView View::look() const {
    const float aspect = float(state_.last.pixels.x) / float(state_.last.pixels.y);
    if (camera() == Camera::orbit)
        return {state_.orbit.view(), state_.orbit.projection(aspect), state_.last.pixels};
    return {state_.pan_zoom.view(), state_.pan_zoom.projection(aspect), state_.last.pixels};
}

void View::begin_frame() {
    share_cameras();
    state_.space_in_frame = false;
    state_.is_placed = false;
}

void View::end_frame(bool was_drawn) {
    if (!was_drawn) return;
    state_.draws_space = state_.space_in_frame;
    if (!state_.is_placed) state_.last.placement.reset();
}

std::vector<Thing> View::things() const {
    std::vector<Thing> things = things_of(list_.shown());
    if (!list_.begun()) return things;
    std::vector<Thing> added = things_of(*list_.begun());
    std::erase_if(things, [&](const Thing& old) {
        return std::any_of(added.begin(), added.end(),
                           [&](const Thing& each) { return each.name == old.name; });
    });
    things.insert(things.end(), std::move_iterator{added.begin()}, std::move_iterator{added.end()});
    return things;
}

ThingSettings& View::settings(std::string_view name) {
    const auto found = settings_.find(name);
    return found != settings_.end() ? found->second : settings_[std::string{name}];
}

void View::hide() {
    is_shown_ = false;
    list_.clear();
}

void View::note_space(bool is_in_space) {
    state_.space_in_frame = state_.space_in_frame || is_in_space;
    state_.draws_space = state_.draws_space || state_.space_in_frame;
}

std::vector<ShownThing> View::shown_things(std::list<Drawn>& changed, bool with_names) const {
    const std::vector<ListItem>& items = list_.shown();
    std::vector<Thing> things;
    if (with_names) things = things_of(items);
    std::vector<ShownThing> shown;
    shown.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Drawn* drawn = &items[i].drawn;
        std::string name = with_names ? std::move(things[i].name) : std::string{};
        if (const auto found = settings_.find(name); found != settings_.end()) {
            if (!found->second.is_shown) continue;
            if (!(found->second == ThingSettings{}))
                drawn = &changed.emplace_back(restyled(*drawn, found->second));
        }
        if (state_.last.scale != 1)
            drawn = &changed.emplace_back(enlarged(*drawn, state_.last.scale));
        shown.push_back({drawn, std::move(name)});
    }
    return shown;
}

std::optional<Picked> View::pick(glm::vec2 pixels) const {
    if (!state_.last.look) return {};
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::CurrentContext here{map->cuda()};
    scene_.services_.wait();
    std::list<Drawn> changed;
    const std::vector<ShownThing> things = shown_things(changed, true);
    for (const ShownThing& each : things) // whose picture may be another's by now
        if (const auto* volume = std::get_if<DrawnVolume>(each.drawn))
            volume->marcher->march(*volume, *state_.last.look, map, state_.last.coarse);
    const glm::vec2 place = pixels * state_.last.scale;
    return lathe::pick(things,
                       {*state_.last.look, place, element_in_picture(place), state_.last.scale});
}

std::vector<Selected> View::select(glm::vec2 corner, glm::vec2 other) const {
    if (!state_.last.look) return {};
    const glm::vec2 size{state_.last.pixels};
    const glm::vec2 low = glm::clamp(glm::min(corner, other), glm::vec2{0}, size),
                    high = glm::clamp(glm::max(corner, other), glm::vec2{0}, size);
    const gpu::CurrentContext here{scene_.services_.map()->cuda()};
    scene_.services_.wait();
    std::list<Drawn> changed;
    return lathe::select(
        shown_things(changed, true),
        {*state_.last.look, low, high, element_in_picture(low), element_in_picture(high)});
}

std::optional<glm::vec2> View::element_in_picture(glm::vec2 pixels) const {
    const LastDrawing& last = state_.last;
    if (!last.placement) return {};
    glm::vec2 element = last.placement->element_at(pixels, last.picture);
    if (last.y_up) element.y = last.picture.y - element.y;
    return element;
}

std::optional<std::array<int, 2>> View::element_at(glm::vec2 place) const {
    const auto element = element_in_picture(place * glm::vec2{state_.last.pixels});
    const glm::vec2 size = state_.last.picture;
    if (!element || element->x < 0 || element->y < 0 || element->x >= size.x ||
        element->y >= size.y)
        return {};
    return std::array{int(std::floor(element->x)), int(std::floor(element->y))};
}

} // namespace lathe
