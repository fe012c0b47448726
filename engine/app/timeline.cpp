// SPDX-License-Identifier: MIT
#include "engine/app/timeline.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lathe {

void Timeline::begin(std::uint64_t step) {
    Branch made{.number = next_number_++, .fork = step};
    current_ = made.number;
    branches_.emplace(current_, std::move(made));
    std::erase_if(branches_, [this](const auto& each) {
        const Branch& branch = each.second;
        return branch.number != current_ && branch.moments.empty() &&
               std::ranges::none_of(branches_, [&](const auto& other) {
                   return other.second.parent == branch.number;
               });
    });
}

void Timeline::fork(std::uint64_t step, std::uint64_t reached) {
    Branch made{.number = next_number_++, .parent = owner(step, false).number, .fork = step};
    for (std::uint64_t old = step; old < reached; ++old)
        made.lengths.push_back(length_of(old).value_or(0));
    current_ = made.number;
    branches_.emplace(current_, std::move(made));
}

void Timeline::choose(int branch) { current_ = branches_.at(branch).number; }

void Timeline::note_step(std::uint64_t step, double dt) {
    if (step >= current().end()) branches_.at(current_).lengths.push_back(dt);
}

std::optional<double> Timeline::length_of(std::uint64_t step) const {
    const Branch& branch = owner(step, false);
    if (step >= branch.end()) return {};
    return branch.lengths[step - branch.fork];
}

void Timeline::add(std::uint64_t step, std::size_t bytes, std::shared_ptr<const StateCopy> state) {
    Branch::Moment& moment = branches_.at(current_).moments[step];
    if (moment.state) bytes_ -= moment.bytes;
    else ++count_;
    moment = {bytes, std::move(state), ++made_};
    bytes_ += bytes;
}

const Branch& Timeline::root() const {
    const Branch* branch = &current();
    while (branch->parent) branch = &branches_.at(*branch->parent);
    return *branch;
}

const Branch& Timeline::owner(std::uint64_t step, bool of_moment) const {
    const Branch* branch = &current();
    while (branch->parent && (step < branch->fork || (of_moment && step == branch->fork)))
        branch = &branches_.at(*branch->parent);
    return *branch;
}

std::optional<Timeline::Place> Timeline::place_until(std::uint64_t step) const {
    for (const Branch* branch = &owner(step, true);; branch = &branches_.at(*branch->parent)) {
        const auto after = branch->moments.upper_bound(step);
        if (after != branch->moments.begin()) return Place{branch->number, std::prev(after)->first};
        if (!branch->parent) return {};
        step = std::min(step, branch->fork);
    }
}

const StateCopy* Timeline::newest_until(std::uint64_t step) const {
    const auto place = place_until(step);
    return place ? branches_.at(place->branch).moments.at(place->step).state.get() : nullptr;
}

const StateCopy* Timeline::at(std::uint64_t step) const {
    const auto& moments = owner(step, true).moments;
    const auto found = moments.find(step);
    return found == moments.end() ? nullptr : found->second.state.get();
}

std::vector<std::uint64_t> Timeline::steps() const {
    std::vector<std::uint64_t> found;
    auto place = place_until(current().end());
    while (place) {
        found.push_back(place->step);
        if (place->step == 0) break;
        place = place_until(place->step - 1);
    }
    std::ranges::reverse(found);
    return found;
}

/// That which is missed least: few steps lie between its neighbours, and it is old.
std::optional<Timeline::Place> Timeline::dearest() const {
    std::optional<Place> found;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [number, branch] : branches_) {
        const bool is_root = &branch == &root();
        for (auto each = branch.moments.begin(); each != branch.moments.end(); ++each) {
            const bool is_first = each == branch.moments.begin();
            if (each->second.made == made_ || (is_first && is_root)) continue;
            const std::uint64_t before = is_first ? branch.fork : std::prev(each)->first;
            const auto next = std::next(each);
            const std::uint64_t after = next == branch.moments.end() ? branch.end() : next->first;
            const double gap = double(after) - double(before) + 1;
            const double missed = gap / double(made_ - each->second.made);
            if (missed < least) {
                least = missed;
                found = Place{number, each->first};
            }
        }
    }
    return found;
}

void Timeline::drop(Place place) {
    Branch& branch = branches_.at(place.branch);
    const auto found = branch.moments.find(place.step);
    bytes_ -= found->second.bytes;
    --count_;
    branch.moments.erase(found);
    const auto has_children = [this](int number) {
        return std::ranges::any_of(branches_,
                                   [&](const auto& each) { return each.second.parent == number; });
    };
    for (int number = place.branch; number != current_;) {
        const Branch& empty = branches_.at(number);
        if (!empty.moments.empty() || has_children(number)) return;
        const std::optional<int> parent = empty.parent;
        branches_.erase(number);
        if (!parent) return;
        number = *parent;
    }
}

void Timeline::fit(std::size_t bytes) {
    while (bytes_ > bytes || count_ > kMostMoments) {
        const auto place = dearest();
        if (!place) return;
        drop(*place);
    }
}

void Timeline::clear() {
    branches_.clear();
    bytes_ = count_ = 0;
    begin();
}

} // namespace lathe
