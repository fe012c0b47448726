// SPDX-License-Identifier: MIT
#include "engine/live/parameter_motion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

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

std::vector<std::string> names_of_places(const Parameter& p) {
    if (p.kind != ParameterKind::vector) return {p.name};
    std::vector<std::string> names;
    for (int i = 0; i < p.components; ++i) names.push_back(fmt::format("{}.{}", p.name, "xyzw"[i]));
    return names;
}

double number_at(const ParameterPlace& place) {
    const Parameter& p = *place.parameter;
    if (place.component >= 0)
        return std::get<std::vector<double>>(p.value)[std::size_t(place.component)];
    if (const auto* i = std::get_if<std::int64_t>(&p.value)) return double(*i);
    if (const auto* b = std::get_if<bool>(&p.value)) return *b;
    return std::get<double>(p.value);
}

ParameterValue with_number(const ParameterPlace& place, double number) {
    const Parameter& p = *place.parameter;
    if (place.component >= 0) {
        auto v = std::get<std::vector<double>>(p.value);
        v[std::size_t(place.component)] = number;
        return v;
    }
    if (p.kind == ParameterKind::boolean) return number != 0;
    if (p.kind == ParameterKind::real) return number;
    return std::int64_t(std::llround(number));
}

std::string motion_problem(const ParameterPlace& place, std::string_view target,
                           const Follow& follow) {
    const Parameter* const p = place.parameter;
    if (p->kind == ParameterKind::vector && place.component < 0)
        return fmt::format("{} is a vector: bind one of {}", target,
                           fmt::join(names_of_places(*p), ", "));
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

double number_at_part(const Parameter& p, const Follow& follow, double part) {
    return between(low_of(p, follow), high_of(p, follow), part, p.log);
}

double number_after_steps(const ParameterPlace& place, double step, int steps) {
    const Parameter& p = *place.parameter;
    return p.kind == ParameterKind::choice ? choice_after(p, steps)
                                           : number_after(p, number_at(place), step, steps);
}

} // namespace lathe
