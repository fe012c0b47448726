// SPDX-License-Identifier: MIT
#include "engine/live/parameter_bindings.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/parameter_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

constexpr std::string_view kAxes = "xyzw";

double number_at(const Parameter& p, int component) {
    if (component >= 0) return std::get<std::vector<double>>(p.value)[std::size_t(component)];
    if (const auto* i = std::get_if<std::int64_t>(&p.value)) return double(*i);
    if (const auto* b = std::get_if<bool>(&p.value)) return *b;
    return std::get<double>(p.value);
}

/// The parameter's value with that number in its place.
ParameterValue with_number(const Parameter& p, int component, double number) {
    if (component >= 0) {
        auto v = std::get<std::vector<double>>(p.value);
        v[std::size_t(component)] = number;
        return v;
    }
    if (p.kind == ParameterKind::boolean) return number != 0;
    if (p.kind == ParameterKind::real) return number;
    return std::int64_t(std::llround(number));
}

std::string components_of(const Parameter& p) {
    std::string text;
    for (int i = 0; i < p.components; ++i)
        text += fmt::format("{}{}.{}",
                            i == 0                  ? ""
                            : i + 1 == p.components ? " or "
                                                    : ", ",
                            p.name, kAxes[std::size_t(i)]);
    return text;
}

/// Other numbers for each name, the same in each run.
std::uint64_t seed_of(std::string_view name) {
    std::uint64_t seed = 0;
    for (const char c : name) seed = seed * 1099511628211u + static_cast<unsigned char>(c);
    return seed << 20; // far from the numbers that other names have
}

double low_of(const Parameter& p, const Follow& f) { return f.low.value_or(p.min.value_or(0)); }
double high_of(const Parameter& p, const Follow& f) { return f.high.value_or(p.max.value_or(1)); }

bool goes_through_a_range(const Follow& f) {
    return std::holds_alternative<Oscillation>(f.source) ||
           std::holds_alternative<MouseAxis>(f.source);
}

std::string range_problem_of(const Parameter& p, std::string_view target, const Follow& f) {
    const bool is_color = p.widget == ParameterWidget::color; // 0 to 1 by itself
    if (!is_color && ((!f.low && !p.min) || (!f.high && !p.max)))
        return fmt::format("{} has no range to go through: give low and high", target);
    const double low = low_of(p, f), high = high_of(p, f);
    if (!(low < high))
        return fmt::format("{} goes from {} to {}: the first must be below the second", target, low,
                           high);
    for (const double end : {low, high})
        if ((p.min && end < *p.min) || (p.max && end > *p.max))
            return fmt::format("{} goes to {}, which is outside of the slider's {}..{}", target,
                               end, p.min.value_or(-HUGE_VAL), p.max.value_or(HUGE_VAL));
    return {};
}

/// A place among the choices, `steps` further; it stops at both ends.
double choice_after(const Parameter& p, int steps) {
    const auto value = std::get<std::int64_t>(p.value);
    std::int64_t at = value;
    const auto& values = p.choice_values;
    if (!values.empty()) at = std::find(values.begin(), values.end(), value) - values.begin();
    at = std::clamp<std::int64_t>(at + steps, 0, std::int64_t(p.choices.size()) - 1);
    return double(values.empty() ? at : values[std::size_t(at)]);
}

double number_after(const Parameter& p, double now, double step, int steps) {
    if (step <= 0) step = p.step;
    const bool has_range = p.min && p.max;
    if (step <= 0 && p.log && has_range) return now * std::pow(*p.max / *p.min, steps / 50.0);
    if (step <= 0) step = has_range ? (*p.max - *p.min) / 50 : std::max(std::abs(now) * 0.05, 0.01);
    if (p.kind == ParameterKind::integer) step = std::max(std::round(step), 1.0);
    return now + steps * step;
}

} // namespace

ParameterBindings::Place ParameterBindings::place_of(std::string_view target) const {
    if (Parameter* const p = parameters_.find(target)) return {p, -1};
    const auto dot = target.rfind('.');
    if (dot == target.npos || dot + 2 != target.size()) return {};
    Parameter* const p = parameters_.find(target.substr(0, dot));
    const auto component = kAxes.find(target[dot + 1]);
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
    const ParameterBinding* const b = find(p.name);
    return b && b->is_active;
}

std::string ParameterBindings::problem_of(std::string_view target, const Follow& follow) const {
    const auto [p, component] = place_of(target);
    if (!p) return parameters_.unknown(target);
    if (p->kind == ParameterKind::vector && component < 0)
        return fmt::format("{} is a vector: bind {}", target, components_of(*p));
    const bool is_switch = std::holds_alternative<SwitchKey>(follow.source);
    if (is_switch && p->kind != ParameterKind::boolean)
        return fmt::format("{} is not true or false: one key cannot switch it", target);
    if (!is_switch && p->kind == ParameterKind::boolean)
        return fmt::format("{} is true or false: it can only follow a key, as in key(b)", target);
    if (!goes_through_a_range(follow)) return {};
    if (p->kind == ParameterKind::choice)
        return fmt::format("{} is a choice: it can only follow keys, as in keys(z,x)", target);
    return range_problem_of(*p, target, follow);
}

void ParameterBindings::bind(std::string_view target, const Follow& follow, BoundBy by) {
    if (const std::string why = problem_of(target, follow); !why.empty()) throw Error{why};
    ParameterBinding* b = entry(target);
    if (!b) b = &all_.emplace_back(ParameterBinding{std::string{target}, follow});
    b->by = by;
    start(*b, follow, true);
}

bool ParameterBindings::unbind(std::string_view target) {
    const Place place = place_of(target);
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
    const Place place = place_of(target);
    if (!b || !b->is_active || !place.parameter) return;
    b->is_active = false;
    parameters_.changed(*place.parameter);
}

void ParameterBindings::forget_programs() {
    std::erase_if(all_, [](const ParameterBinding& b) { return b.by == BoundBy::program; });
}

void ParameterBindings::take_declarations() {
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

/// A new word of the source counts whatever the slider was set to; one that was there from the
/// start yields to `--set` and to a hand, until a reset.
void ParameterBindings::take_declaration(Parameter& p) {
    const auto [known, is_first] = declared_.try_emplace(p.name, p.follow);
    const bool is_new = !is_first && known->second != p.follow;
    known->second = p.follow;
    if (!p.follow && !is_new) return;
    std::vector<std::string> targets{p.name};
    if (p.kind == ParameterKind::vector) {
        targets.clear();
        for (int i = 0; i < p.components; ++i)
            targets.push_back(fmt::format("{}.{}", p.name, kAxes[std::size_t(i)]));
    }
    for (const std::string& target : targets) {
        ParameterBinding* const b = entry(target);
        if (b && b->by != BoundBy::source) continue;
        if (!p.follow) {
            if (b) all_.erase(all_.begin() + (b - all_.data()));
        } else if (const std::string why = problem_of(target, *p.follow); !why.empty()) {
            if (is_first || is_new) log::warning("//@ {}: {}", to_text(*p.follow), why);
        } else if (!b || is_new || (!p.touched && (!b->is_active || b->changes != p.changes))) {
            if (!b) all_.push_back({target, *p.follow, BoundBy::source});
            if (is_new) p.touched = false;
            start(*entry(target), *p.follow, is_new || !p.touched);
        }
    }
}

void ParameterBindings::start(ParameterBinding& b, const Follow& follow, bool is_active) {
    const auto [p, component] = place_of(b.target);
    b.follow = follow;
    b.is_active = is_active;
    b.changes = p->changes;
    b.value = number_at(*p, component);
}

/// False also where somebody has set it since, which ends the binding.
bool ParameterBindings::is_followed(ParameterBinding& b, const Place& place) {
    if (!b.is_active || !place.parameter) return false;
    const Parameter& p = *place.parameter;
    if (b.changes != p.changes) {
        const bool is_of_another_component =
            place.component >= 0 && p.touched && number_at(p, place.component) == b.value;
        if (!is_of_another_component) b.is_active = false;
        b.changes = p.changes;
    }
    return b.is_active && problem_of(b.target, b.follow).empty();
}

void ParameterBindings::move(ParameterBinding& b, const Place& place, double value, bool is_touch) {
    Parameter& p = *place.parameter;
    const auto fitting = convert(p, with_number(p, place.component, value));
    if (!fitting) return;
    const bool is_other = *fitting != p.value;
    p.value = *fitting;
    b.value = number_at(p, place.component);
    if (!is_other) return;
    if (is_touch) p.touched = p.by_hand = true;
    parameters_.moved(p);
}

void ParameterBindings::follow_time(double time) {
    take_declarations();
    for (ParameterBinding& b : all_) {
        const Place place = place_of(b.target);
        const auto* wave = std::get_if<Oscillation>(&b.follow.source);
        if (!wave || !is_followed(b, place)) continue;
        const Parameter& p = *place.parameter;
        const double part = wave_at(*wave, time, seed_of(b.target));
        move(b, place, between(low_of(p, b.follow), high_of(p, b.follow), part, p.log), false);
    }
}

void ParameterBindings::follow_input(const FollowInput& input) {
    take_declarations();
    for (ParameterBinding& b : all_) {
        const Place place = place_of(b.target);
        if (std::holds_alternative<Oscillation>(b.follow.source) || !is_followed(b, place))
            continue;
        if (std::holds_alternative<MouseAxis>(b.follow.source)) follow_mouse(b, place, input);
        else follow_keys(b, place, input);
    }
}

void ParameterBindings::follow_mouse(ParameterBinding& b, const Place& place,
                                     const FollowInput& input) {
    if (!input.mouse) return;
    const bool is_x = std::get<MouseAxis>(b.follow.source) == MouseAxis::x;
    const double part = is_x ? input.mouse->first : input.mouse->second;
    const Parameter& p = *place.parameter;
    move(b, place, between(low_of(p, b.follow), high_of(p, b.follow), part, p.log), true);
}

void ParameterBindings::follow_keys(ParameterBinding& b, const Place& place,
                                    const FollowInput& input) {
    const Parameter& p = *place.parameter;
    const double now = number_at(p, place.component);
    if (const auto* key = std::get_if<SwitchKey>(&b.follow.source)) {
        const bool turns = input.presses(key->key) % 2 != 0;
        move(b, place, key->is_held ? input.is_down(key->key) : turns != (now != 0), true);
        return;
    }
    const auto& keys = std::get<StepKeys>(b.follow.source);
    const int steps = input.presses(keys.up) - input.presses(keys.down);
    if (steps == 0) return;
    const double next = p.kind == ParameterKind::choice ? choice_after(p, steps)
                                                        : number_after(p, now, keys.step, steps);
    move(b, place, next, true);
}

} // namespace lathe
