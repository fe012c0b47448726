// SPDX-License-Identifier: MIT
#include "engine/scene/draw_list.h"

#include "engine/scene/far_places.h"

#include <atomic>
#include <utility>
#include <variant>

namespace lathe {

std::uint64_t next_call() {
    static std::atomic<std::uint64_t> calls = 0;
    return ++calls;
}

void DrawList::begin_step() {
    end_step();
    begun_.emplace().reserve(shown_.size());
    begun_contents_ = {};
}

void DrawList::end_step() {
    if (!begun_) return;
    shown_ = std::move(*std::exchange(begun_, std::nullopt));
    contents_ = begun_contents_;
    ++revision_;
}

void DrawList::drop_step() { begun_.reset(); }

void DrawList::clear() {
    shown_.clear();
    begun_.reset();
    contents_ = {};
    ++revision_;
}

void DrawList::move_origin(std::size_t item, const glm::dvec3& place) {
    ListItem& moved = shown_[item];
    subtract_origin(moved.origin.positions, place, moved.origin.taken);
    moved.origin.place = place;
    if (auto* points = std::get_if<DrawnPoints>(&moved.drawn)) points->call = next_call();
}

void DrawList::add(ListItem&& item) {
    ListContents& contents = begun_ ? begun_contents_ : contents_;
    contents.space = contents.space || is_in_space(item.drawn);
    contents.kernels = contents.kernels || is_made_by_kernels(item.drawn);
    contents.float64 = contents.float64 || item.origin.of_float64();
    contents.annotations = contents.annotations || is_annotation(item.drawn);
    if (!begun_) ++revision_;
    (begun_ ? *begun_ : shown_).push_back(std::move(item));
}

} // namespace lathe
