// SPDX-License-Identifier: MIT
// Things of a view. Its cameras are in view_cameras.cpp, its drawing calls in view_calls.cpp, its
// part of a frame in view_frame.cpp.
#include "engine/scene/view.h"

#include "engine/interop/frame_map.h"
#include "engine/scene/drawn_values.h"
#include "engine/scene/painter.h"
#include "engine/scene/picker.h"
#include "engine/scene/scene.h"
#include "engine/scene/selector.h"
#include "engine/scene/volume.h"
#include "gpu/context.h"

#include <fmt/format.h>
#include <glm/common.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace lathe {

void View::begin_frame() {
    go_on_the_way();
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

void View::set_lighting(const Lighting& lighting) {
    const auto check = [](const char* what, float value) {
        if (!(value >= 0 && std::isfinite(value)))
            throw std::invalid_argument{fmt::format("{} is 0 or more, got {:g}", what, value)};
    };
    check("occlusion", lighting.occlusion);
    check("the radius of the occlusion", lighting.occlusion_radius);
    check("ground", lighting.ground);
    lighting_ = lighting;
}

NotFinite View::not_finite(std::string_view name) const {
    const gpu::CurrentContext here{scene_.services_.map()->cuda()};
    scene_.services_.wait();
    const std::vector<ListItem>& items = list_.shown();
    const std::vector<Thing> things = things_of(items);
    NotFinite sum;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (things[i].name != name) continue;
        const auto values = values_of(items[i].drawn);
        if (!values) continue;
        const NotFinite found = count_not_finite(*values);
        sum.nan += found.nan;
        sum.infinite += found.infinite;
    }
    return sum;
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
        bool is_clipped = true;
        std::string name = with_names ? std::move(things[i].name) : std::string{};
        if (const auto found = settings_.find(name); found != settings_.end()) {
            if (!found->second.is_shown) continue;
            is_clipped = found->second.is_clipped;
            if (!(found->second == ThingSettings{}))
                drawn = &changed.emplace_back(restyled(*drawn, found->second));
        }
        if (state_.last.scale != 1)
            drawn = &changed.emplace_back(enlarged(*drawn, state_.last.scale));
        shown.push_back(shown_thing(items[i], *drawn, std::move(name), is_clipped));
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
            volume->marcher->march(*volume, each.seen_by(*state_.last.look), map,
                                   state_.last.coarse);
    const glm::vec2 place = pixels * state_.last.scale;
    return lathe::pick(things,
                       {*state_.last.look, place, element_in_picture(place), state_.last.scale});
}

std::optional<SightLine> View::sight_line(glm::vec2 pixels) const {
    if (!state_.last.look) return {};
    const glm::dvec3 eye = state_.last.look->eye; // near it, places have all digits
    SightLine line =
        lathe::sight_line({state_.last.look->from(eye), pixels * state_.last.scale, {}});
    line.origin += eye;
    return line;
}

std::optional<Grip> View::grip(std::string_view name) {
    if (!wants_grip(name)) grips_.emplace(name);
    return grip_ && grip_->item == name ? grip_ : std::nullopt;
}

std::vector<Selected> View::select(glm::vec2 corner, glm::vec2 other) const {
    if (!state_.last.look) return {};
    const glm::vec2 size{state_.last.pixels};
    const auto inside = [&](glm::vec2 pixels) {
        return glm::clamp(pixels * state_.last.scale, glm::vec2{0}, size);
    };
    const glm::vec2 low = inside(glm::min(corner, other)), high = inside(glm::max(corner, other));
    const gpu::CurrentContext here{scene_.services_.map()->cuda()};
    scene_.services_.wait();
    std::list<Drawn> changed;
    return lathe::select(
        shown_things(changed, true),
        {*state_.last.look, low, high, element_in_picture(low), element_in_picture(high)});
}

std::shared_ptr<Probe> View::probe(std::string_view item, std::int64_t index) {
    if (index < 0)
        throw std::invalid_argument{fmt::format("a probe's index is 0 or more, got {}", index)};
    for (const auto& each : probes())
        if (each->item() == item && each->index() == index) return each;
    auto made = std::make_shared<Probe>(std::string{item}, index);
    std::erase_if(probes_, [](const auto& each) { return each.expired(); });
    probes_.push_back(made);
    return made;
}

std::vector<std::shared_ptr<Probe>> View::probes() const {
    std::vector<std::shared_ptr<Probe>> kept;
    for (const auto& each : probes_)
        if (auto probe = each.lock()) kept.push_back(std::move(probe));
    return kept;
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
