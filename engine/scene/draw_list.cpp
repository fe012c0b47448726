// SPDX-License-Identifier: MIT
#include "engine/scene/draw_list.h"

#include <utility>

namespace lathe {

void DrawList::begin_step() {
    end_step();
    begun_.emplace().reserve(shown_.size());
}

void DrawList::end_step() {
    if (begun_) shown_ = std::move(*std::exchange(begun_, std::nullopt));
}

void DrawList::drop_step() { begun_.reset(); }

void DrawList::clear() {
    shown_.clear();
    begun_.reset();
}

void DrawList::add(ListItem&& item) { (begun_ ? *begun_ : shown_).push_back(std::move(item)); }

} // namespace lathe
