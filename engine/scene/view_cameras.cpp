// SPDX-License-Identifier: MIT
// Cameras of a view: its own, or those of a link; and what makes them see all.
#include "engine/interop/frame_map.h"
#include "engine/scene/far_places.h"
#include "engine/scene/painter.h"
#include "engine/scene/scene.h"
#include "engine/scene/view.h"
#include "gpu/context.h"

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <list>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

namespace lathe {

namespace {

/// Compared with how far it is from the world's origin, in so many digits.
bool is_a_point(const Box& box, double digits) {
    return glm::length(box.size()) <= digits * glm::length(box.middle());
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
    const std::vector<ShownThing> all = shown_things(changed, needs_names());
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
        if (things[i].name == name)
            return bounds_of(std::array{shown_thing(items[i], items[i].drawn, {}, true)});
    return {};
}

bool View::fit() {
    std::optional<Box> box = bounds();
    if (box && state_.axes_box) {
        const Box& axes = *state_.axes_box;
        const glm::dvec3 letters = 0.03 * axes.size(); // beside the box
        box = Box{glm::min(box->low, axes.low - letters), glm::max(box->high, axes.high + letters)};
    }
    return box ? fit(*box) : fit_picture({});
}

bool View::fit(std::string_view name) {
    const std::optional<Box> box = bounds(name);
    return box ? fit(*box) : fit_picture(name);
}

/// A picture without a place fills the view as the plane's camera is made. False where there is
/// none, or none of that name.
bool View::fit_picture(std::string_view name) {
    const std::vector<Thing> all = things();
    const bool is_there = std::any_of(all.begin(), all.end(), [&](const Thing& thing) {
        return thing.kind == "image" && (name.empty() || thing.name == name);
    });
    if (!is_there || camera() != Camera::pan_zoom) return false;
    state_.pan_zoom = {};
    return true;
}

bool View::fit(const Box& box) {
    const glm::dvec3 size = box.size(), middle = box.middle();
    const bool is_point = is_a_point(box, list_.contents().float64 ? 1e-14 : 1e-6);
    OrbitCamera& orbit = state_.orbit;
    if (camera() == Camera::orbit) {
        orbit.may_be_placed = orbit.may_be_placed && is_point; // more may come
        if (is_point) orbit.target = middle;
        else orbit.fit(middle, float(glm::length(size)) / 2, aspect());
    } else if (is_point) state_.pan_zoom.center = middle;
    else state_.pan_zoom.fit(middle, glm::vec2{size}, aspect());
    return true;
}

void View::fly_to(const OrbitCamera& camera, double seconds) {
    if (!(seconds >= 0) || !std::isfinite(seconds))
        throw std::invalid_argument{
            fmt::format("a flight takes 0 seconds or more, got {}", seconds)};
    OrbitCamera& orbit = orbit_camera();
    OrbitCamera to = camera;
    to.may_be_placed = orbit.may_be_placed = false;
    way_ = Way{CameraPath{{{0, orbit}, {std::max(seconds, 1e-6), to}}},
               std::chrono::steady_clock::now(), orbit};
}

void View::go_on_the_way() {
    if (!way_) return;
    OrbitCamera& orbit = orbit_camera();
    if (orbit != way_->last) return way_.reset();
    const double all = way_->path.end(),
                 t = std::chrono::duration<double>{std::chrono::steady_clock::now() - way_->begin}
                         .count() /
                     all;
    orbit = way_->last = way_->path.at(t < 1 ? t * t * (3 - 2 * t) * all : all);
    if (t >= 1) way_.reset();
}

Region View::region(Camera camera) const {
    if (camera == Camera::pan_zoom)
        return {{state_.pan_zoom.center, 0}, double(state_.pan_zoom.height)};
    return {state_.orbit.target, double(state_.orbit.distance)};
}

Region View::region_of(bool is_in_space) const {
    return region(wanted_camera_.value_or(is_in_space ? Camera::orbit : Camera::pan_zoom));
}

ItemOrigin View::origin_of(const gpu::Array& positions) const {
    if (positions.type().dtype != DType::float64 || positions.size() == 0) return {};
    glm::dvec3 before{0, 0, 0};
    if (const std::vector<ListItem>* begun = list_.begun()) {
        const auto is_one = [](const ListItem& each) { return each.origin.of_float64(); };
        auto number = std::ranges::count_if(*begun, is_one);
        for (const ListItem& each : list_.shown())
            if (is_one(each) && number-- == 0) before = each.origin.place;
    }
    return {origin_near(region_of(positions.shape().back() > 2), before), positions, {}};
}

void View::move_origins() {
    const std::vector<ListItem>& items = list_.shown();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].origin.of_float64()) continue;
        const glm::dvec3 place =
            origin_near(region_of(is_in_space(items[i].drawn)), items[i].origin.place);
        if (place != items[i].origin.place) list_.move_origin(i, place);
    }
}

DrawView View::look() const {
    const float aspect = float(state_.last.pixels.x) / float(state_.last.pixels.y);
    if (camera() == Camera::orbit)
        return {state_.orbit.view(), state_.orbit.projection(aspect), state_.last.pixels,
                clipping_.active(), state_.orbit.eye()};
    return {state_.pan_zoom.view(),
            state_.pan_zoom.projection(aspect),
            state_.last.pixels,
            {},
            {state_.pan_zoom.center, 0}};
}

} // namespace lathe
