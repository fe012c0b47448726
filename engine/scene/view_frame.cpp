// SPDX-License-Identifier: MIT
// What a view does in a frame: kernels first, then OpenGL.
#include "engine/core/zone.h"
#include "engine/interop/frame_map.h"
#include "engine/scene/axes.h"
#include "engine/scene/color_scale.h"
#include "engine/scene/painter.h"
#include "engine/scene/scene.h"
#include "engine/scene/splatter.h"
#include "engine/scene/view.h"
#include "engine/scene/volume.h"
#include "gl/framebuffer.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <list>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lathe {

/// The picture as large as fits beside annotations, moved and magnified by the pan-zoom camera, in
/// whose plane it lies with its middle at the origin.
ImagePlacement View::place(glm::vec2 size, bool y_up) {
    const Room& room = state_.last.room;
    const glm::vec2 corner{room.left, room.top}, other{room.right, room.bottom};
    const glm::vec2 extent = glm::vec2{state_.last.pixels} - state_.last.scale * (corner + other);
    ImagePlacement placed = ImagePlacement::fit(size, extent, 2 / state_.pan_zoom.height);
    const float pixels = extent.y / state_.pan_zoom.height;
    placed.origin += state_.last.scale * corner +
                     glm::vec2{-state_.pan_zoom.center.x, state_.pan_zoom.center.y} * pixels;
    state_.last.placement = placed;
    state_.last.picture = size;
    state_.last.y_up = y_up;
    state_.is_placed = true;
    return placed;
}

/// Probes see each step, also one that is not shown.
void View::end_step() {
    if (!list_.begun()) return;
    list_.end_step();
    const auto probes = this->probes();
    if (probes.empty()) return;
    const gpu::CurrentContext here{scene_.services_.map()->cuda()};
    const std::vector<ListItem>& items = list_.shown();
    const std::vector<Thing> things = things_of(items);
    try {
        for (const auto& probe : probes) {
            const auto found = std::ranges::find(things, probe->item(), &Thing::name);
            const bool is_drawn = found != things.end();
            probe->record(is_drawn ? &items[std::size_t(found - things.begin())].drawn : nullptr);
        }
    } catch (const gpu::Error&) {} // of a kernel before: the frame waits for that and tells
}

void View::compute() {
    share_cameras();
    const ListContents& has = list_.contents();
    note_space(has.space);
    const bool is_in_space = camera() == Camera::orbit;
    if (!has.kernels && !has.annotations && !is_in_space && !has.float64) return;
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::CurrentContext here{map->cuda()};
    compute_annotations();
    if (is_in_space && lighting_.ground > 0) compute_ground();
    if (is_in_space) place_camera();
    share_cameras();
    if (has.float64) move_origins();
    if (!has.kernels) return;
    std::list<Drawn> changed;
    for (const ShownThing& each : shown_things(changed, needs_names())) {
        if (const auto* volume = std::get_if<DrawnVolume>(each.drawn))
            volume->marcher->march(*volume, each.seen_by(look()), map, state_.last.coarse);
        const auto* points = std::get_if<DrawnPoints>(each.drawn);
        if (points && points->splatter) points->splatter->splat(*points, each.seen_by(look()), map);
    }
}

/// Where nobody has placed it; once more where the tile has another shape since.
void View::place_camera() {
    OrbitCamera& orbit = state_.orbit;
    OwnPlace& own = state_.own_place;
    const bool is_where_it_was = orbit.target == own.target && orbit.distance == own.distance;
    if (!is_where_it_was && !link_) orbit.may_be_placed = false; // else another may have placed it
    const bool has_other_shape = own.aspect != 0 && own.aspect != aspect();
    if (!is_where_it_was || (!orbit.may_be_placed && !has_other_shape)) return;
    if (fit()) own = {orbit.target, orbit.distance, aspect()};
}

/// Of what colour bars leave free.
float View::aspect() const {
    constexpr float kBar = 60; // pixels, about
    float free = float(state_.last.pixels.x);
    for (const ListItem& item : list_.shown())
        if (std::holds_alternative<DrawnColorbar>(item.drawn)) free -= 2 * kBar * state_.last.scale;
    return std::max(free, 0.75f * float(state_.last.pixels.x)) / float(state_.last.pixels.y);
}

/// Once for each list: what kernels find of it.
void View::compute_annotations() {
    const std::vector<ListItem>& items = list_.shown();
    const AxesStyle* axes = nullptr;
    for (const ListItem& item : items)
        if (const auto* drawn = std::get_if<DrawnAxes>(&item.drawn)) axes = &drawn->style;
    const bool has_box = axes && camera() == Camera::orbit;
    if (!has_box) state_.axes_box.reset();
    if (state_.annotated == list_.revision() && has_box == state_.axes_box.has_value()) return;
    state_.annotated = list_.revision();
    if (has_box && axes->box) state_.axes_box = axes->box;
    else if (has_box)
        if (const auto around = bounds()) state_.axes_box = axes_box(*around, state_.axes_box);
    find_ranges();
}

/// Once for each list, too.
void View::compute_ground() {
    if (state_.grounded == list_.revision() && state_.ground_box) return;
    state_.grounded = list_.revision();
    state_.ground_box = bounds();
}

/// Of things with colour bars.
void View::find_ranges() {
    const std::vector<ListItem>& items = list_.shown();
    std::vector<std::string_view> wanted;
    for (const ListItem& item : items)
        if (const auto* bar = std::get_if<DrawnColorbar>(&item.drawn))
            wanted.emplace_back(bar->thing);
    if (wanted.empty()) return;
    const std::vector<Thing> things = things_of(items);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (std::find(wanted.begin(), wanted.end(), things[i].name) == wanted.end()) continue;
        const auto scale = scale_of(items[i].drawn);
        if (!scale || !scale->found) continue;
        scene_.services_.wait();
        std::array<float, 2> ends{};
        gpu::copy_to_host(ends.data(), scale->found->address(), sizeof ends);
        state_.found_ranges[things[i].name] = {ends[0], ends[1]};
    }
}

void View::draw_now(const Drawn& drawn) {
    note_space(is_in_space(drawn));
    Painter painter{*this, *scene_.renderers_};
    if (state_.last.scale == 1) return painter.draw({&drawn, {}});
    const Drawn larger = enlarged(drawn, state_.last.scale);
    painter.draw({&larger, {}});
}

void View::show(const gl::Framebuffer& target, SvgElements* svg) {
    state_.last.look = look();
    std::list<Drawn> changed;
    Painter painter{*this, *scene_.renderers_, svg};
    painter.draw(shown_things(changed, needs_names() || ZoneSink::current()), list_.contents(),
                 target.depth());
}

} // namespace lathe
