// SPDX-License-Identifier: MIT
#include "engine/live/parameter_bindings.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/parameter_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe {

namespace {

/// Other numbers for each name, the same in each run.
std::uint64_t seed_of(std::string_view name) {
    std::uint64_t seed = 0;
    for (const char c : name) seed = seed * 1099511628211u + static_cast<unsigned char>(c);
    return seed << 20; // far from the numbers that other names have
}

} // namespace

ParameterPlace ParameterBindings::place_of(std::string_view target) const {
    if (Parameter* const p = parameters_.find(target)) return {p, -1};
    const auto dot = target.rfind('.');
    if (dot == target.npos || dot + 2 != target.size()) return {};
    Parameter* const p = parameters_.find(target.substr(0, dot));
    const auto component = std::string_view{"xyzw"}.find(target[dot + 1]);
    if (!p || p->kind != ParameterKind::vector || int(component) >= p->components) return {};
    return {p, int(component)};
}

ParameterBinding* ParameterBindings::entry(std::string_view target) {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const ParameterBinding& b) { return b.target == target; });
    return found == all_.end() ? nullptr : &*found;
}

const ParameterBinding* ParameterBindings::find(std::string_view target) const {
    return const_cast<ParameterBindings*>(this)->entry(target);
}

bool ParameterBindings::is_following(const Parameter& p) const {
    if (all_.empty()) return false;
    const auto names = names_of_places(p);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        const ParameterBinding* const b = find(name);
        return b && b->is_active;
    });
}

std::string ParameterBindings::problem_of(std::string_view target, const Follow& follow) const {
    const ParameterPlace place = place_of(target);
    return place.parameter ? motion_problem(place, target, follow) : parameters_.unknown(target);
}

void ParameterBindings::bind(std::string_view target, const Follow& follow, BoundBy by) {
    if (const std::string why = problem_of(target, follow); !why.empty()) throw Error{why};
    ParameterBinding* b = entry(target);
    if (!b) b = &all_.emplace_back(ParameterBinding{std::string{target}, follow});
    b->by = by;
    start(*b, follow, true);
}

bool ParameterBindings::unbind(std::string_view target) {
    const ParameterPlace place = place_of(target);
    ParameterBinding* const b = entry(target);
    if (!b && !place.parameter) throw Error{parameters_.unknown(target)};
    if (!b) return false;
    const bool was_active = b->is_active;
    if (was_active && place.parameter) parameters_.changed(*place.parameter);
    if (b->by == BoundBy::source) b->is_active = false;
    else all_.erase(all_.begin() + (b - all_.data()));
    return was_active;
}

void ParameterBindings::resume(std::string_view target) {
    ParameterBinding* const b = entry(target);
    if (!b) return;
    if (problem_of(target, b->follow).empty()) start(*b, Follow{b->follow}, true);
}

void ParameterBindings::suspend(std::string_view target) {
    ParameterBinding* const b = entry(target);
    const ParameterPlace place = place_of(target);
    if (!b || !b->is_active || !place.parameter) return;
    b->is_active = false;
    parameters_.changed(*place.parameter);
}

void ParameterBindings::forget_programs() {
    std::erase_if(all_, [](const ParameterBinding& b) { return b.by == BoundBy::program; });
}

/// A reset takes back what a hand has bound.
void ParameterBindings::take_resets() {
    std::erase_if(all_, [&](const ParameterBinding& b) {
        const Parameter* const p = place_of(b.target).parameter;
        return b.by == BoundBy::hand && p && !p->touched && b.changes != p->changes;
    });
}

void ParameterBindings::take_declarations() {
    take_resets();
    if (!remembered_.empty()) take_remembered();
    for (Parameter* p : parameters_.all()) take_declaration(*p);
}

void ParameterBindings::take_remembered() {
    std::erase_if(remembered_, [&](const auto& kept) {
        const auto& [target, follow] = kept;
        if (!place_of(target).parameter) return false;
        const ParameterBinding* const b = entry(target);
        const bool is_programs = b && b->by == BoundBy::program;
        if (!is_programs && problem_of(target, follow).empty()) bind(target, follow, BoundBy::hand);
        return true;
    });
}

std::map<std::string, Follow, std::less<>> ParameterBindings::bound_by_hand() const {
    auto all = remembered_;
    for (const ParameterBinding& b : all_)
        if (b.by == BoundBy::hand && b.is_active) all[b.target] = b.follow;
    return all;
}

/// A new word of the source counts whatever the slider was set to. A wave that was there from the
/// start yields to `--set` and to what a hand left in the last run, until a reset.
void ParameterBindings::take_declaration(Parameter& p) {
    const auto [known, is_first] = declared_.try_emplace(p.name, p.follow);
    const bool is_new = !is_first && known->second != p.follow;
    known->second = p.follow;
    if (!p.follow && !is_new) return;
    for (const std::string& target : names_of_places(p)) {
        ParameterBinding* const b = entry(target);
        if (b && b->by != BoundBy::source) continue;
        if (!p.follow) {
            if (b) all_.erase(all_.begin() + (b - all_.data()));
        } else if (const std::string why = problem_of(target, *p.follow); !why.empty()) {
            if (is_first || is_new) log::warning("//@ {}: {}", to_text(*p.follow), why);
        } else if (!b || is_new || (!p.touched && (!b->is_active || b->changes != p.changes))) {
            if (!b) all_.push_back({target, *p.follow, BoundBy::source});
            if (is_new) p.touched = false;
            const bool is_wave = std::holds_alternative<Oscillation>(p.follow->source);
            start(*entry(target), *p.follow, is_new || !p.touched || !is_wave);
        }
    }
}

void ParameterBindings::start(ParameterBinding& b, const Follow& follow, bool is_active) {
    const ParameterPlace place = place_of(b.target);
    b.follow = follow;
    b.is_active = is_active;
    b.changes = place.parameter->changes;
    b.value = number_at(place);
}

/// False also where somebody has set it since, which ends the binding.
bool ParameterBindings::is_followed(ParameterBinding& b, const ParameterPlace& place) {
    if (!b.is_active || !place.parameter) return false;
    const Parameter& p = *place.parameter;
    if (b.changes != p.changes) {
        const bool is_of_another_component =
            place.component >= 0 && p.touched && number_at(place) == b.value;
        if (!is_of_another_component) b.is_active = false;
        b.changes = p.changes;
    }
    return b.is_active && problem_of(b.target, b.follow).empty();
}

void ParameterBindings::move(ParameterBinding& b, const ParameterPlace& place, double value,
                             bool is_touch) {
    Parameter& p = *place.parameter;
    const auto fitting = convert(p, with_number(place, value));
    if (!fitting) return;
    const bool is_other = *fitting != p.value;
    p.value = *fitting;
    b.value = number_at(place);
    if (!is_other) return;
    if (is_touch) p.touched = p.by_hand = true;
    parameters_.moved(p);
}

void ParameterBindings::follow_time(double time) {
    take_declarations();
    for (ParameterBinding& b : all_) {
        const ParameterPlace place = place_of(b.target);
        const auto* wave = std::get_if<Oscillation>(&b.follow.source);
        if (!wave || !is_followed(b, place)) continue;
        const double part = wave_at(*wave, time, seed_of(b.target));
        move(b, place, number_at_part(*place.parameter, b.follow, part), false);
    }
}

void ParameterBindings::follow_input(const FollowInput& input) {
    take_declarations();
    for (ParameterBinding& b : all_) {
        const ParameterPlace place = place_of(b.target);
        if (std::holds_alternative<Oscillation>(b.follow.source) || !is_followed(b, place))
            continue;
        if (std::holds_alternative<MouseAxis>(b.follow.source)) follow_mouse(b, place, input);
        else follow_keys(b, place, input);
    }
}

void ParameterBindings::follow_mouse(ParameterBinding& b, const ParameterPlace& place,
                                     const FollowInput& input) {
    if (!input.mouse) return;
    const bool is_x = std::get<MouseAxis>(b.follow.source) == MouseAxis::x;
    const double part = is_x ? input.mouse->first : input.mouse->second;
    move(b, place, number_at_part(*place.parameter, b.follow, part), true);
}

void ParameterBindings::follow_keys(ParameterBinding& b, const ParameterPlace& place,
                                    const FollowInput& input) {
    if (const auto* key = std::get_if<SwitchKey>(&b.follow.source)) {
        const bool turns = input.presses(key->key) % 2 != 0;
        const bool is_on =
            key->is_held ? input.is_down(key->key) : turns != (number_at(place) != 0);
        return move(b, place, is_on, true);
    }
    const auto& keys = std::get<StepKeys>(b.follow.source);
    const int steps = input.presses(keys.up) - input.presses(keys.down);
    if (steps != 0) move(b, place, number_after_steps(place, keys.step, steps), true);
}

} // namespace lathe
