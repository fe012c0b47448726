// SPDX-License-Identifier: MIT
#include "engine/live/parameter_set.h"

#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

/// Setting it changes something, as far as is known.
bool has_effect(const Parameter& p) {
    return p.read || (!p.passed && p.widget != ParameterWidget::hidden);
}

/// `name` itself, or a member of it: "light.x", "weights[0]".
bool is_part_of(std::string_view part, std::string_view name) {
    return part.starts_with(name) &&
           (part.size() == name.size() || part[name.size()] == '.' || part[name.size()] == '[');
}

/// The value of a text whatever the range.
ParameterValue parse_without_range(Parameter p, std::string_view text) {
    p.min.reset();
    p.max.reset();
    return parse_value(p, text);
}

std::string range_of(const Parameter& p) {
    if (p.min && p.max) return fmt::format("{:g}..{:g}", *p.min, *p.max);
    return p.min ? fmt::format("{:g} and more", *p.min) : fmt::format("{:g} and less", *p.max);
}

/// The declaration has become what the value is: somebody has written it there.
bool says_now(const Parameter& next, const Parameter& before) {
    const std::string initial = format_value(next, next.initial);
    return format_value(next) == initial && format_value(next, before.initial) != initial;
}

/// A value that was touched, for a parameter whose declaration changed.
std::optional<ParameterValue> carried(const Parameter& declared, const ParameterValue& value) {
    if (const auto* d = std::get_if<double>(&value))
        if (declared.kind == ParameterKind::integer)
            return convert(declared, std::int64_t(std::llround(*d)));
    return convert(declared, value);
}

} // namespace

ParameterSet::Owner& ParameterSet::owner(const std::string& name) {
    for (Owner& o : owners_)
        if (o.name == name) return o;
    return owners_.emplace_back(Owner{name, {}});
}

void ParameterSet::declare(const std::string& name, std::vector<Parameter> parameters) {
    owner(name).declared = std::move(parameters);
    rebuild();
}

Parameter& ParameterSet::declare_one(const std::string& name, Parameter parameter) {
    auto& declared = owner(name).declared;
    const std::string key = parameter.name;
    const auto same = std::find_if(declared.begin(), declared.end(),
                                   [&](const Parameter& p) { return p.name == key; });
    if (same == declared.end()) declared.push_back(std::move(parameter));
    else *same = std::move(parameter);
    rebuild();
    return require(key);
}

void ParameterSet::rebuild() {
    shown_.clear();
    for (const Owner& o : owners_)
        for (const Parameter& p : o.declared)
            if (!find(p.name)) merge(shown_form(p));
    ++version_;
}

/// What a kernel hides, or says nothing of, is another's to show: mostly the script's, which passes
/// it.
const Parameter& ParameterSet::shown_form(const Parameter& declared) const {
    const auto yields = [](const Parameter& p) {
        return p.implied || p.widget == ParameterWidget::hidden;
    };
    if (yields(declared))
        for (const Owner& o : owners_)
            for (const Parameter& p : o.declared)
                if (p.name == declared.name && !yields(p)) return p;
    return declared;
}

void ParameterSet::merge(const Parameter& declared) {
    auto& slot = known_[declared.name];
    const bool is_new = !slot;
    if (is_new) slot = std::make_unique<Parameter>(declared);
    Parameter next = declared;
    next.value = next.initial;
    next.touched = next.by_hand = false;
    next.read = !is_new && slot->read;
    next.passed = !is_new && slot->passed;
    next.changes = is_new ? 0 : slot->changes;
    if (!is_new && slot->touched)
        if (const auto value = carried(next, slot->value)) {
            next.value = *value;
            next.touched = next.follow || !says_now(next, *slot);
            next.by_hand = next.touched && slot->by_hand;
        }
    *slot = std::move(next);
    shown_.push_back(slot.get());
    apply_remembered(*slot);
    apply_waiting(*slot);
}

void ParameterSet::apply_remembered(Parameter& p) {
    const auto found = remembered_.find(p.name);
    const bool is_assigned = waiting_.contains(p.name) || assigned_.contains(p.name);
    if (found == remembered_.end() || is_assigned) return;
    try {
        p.value = parse_value(p, found->second);
        p.touched = p.by_hand = true;
    } catch (const Error& e) { log::debug("the last run's value: {}", e.what()); }
    remembered_.erase(found);
}

ParameterSet::Values ParameterSet::values_by_hand() const {
    Values values = remembered_;
    for (const auto& [name, p] : known_)
        if (p->by_hand) values[name] = exact_value(*p, p->value);
    return values;
}

void ParameterSet::apply_waiting(Parameter& p) {
    const auto found = waiting_.find(p.name);
    if (found == waiting_.end()) return;
    try {
        assign(p, found->second);
    } catch (const Error& e) { refused_[p.name] = e.what(); }
    waiting_.erase(found);
}

void ParameterSet::assign(Parameter& p, std::string_view text) {
    p.value = parse_value(p, text);
    p.touched = true;
    p.by_hand = false;
    assigned_[p.name] = text;
    if (parse_without_range(p, text) != p.value)
        log::warning("--set {}={} is outside of {}: {} is {}", p.name, text, range_of(p), p.name,
                     format_value(p));
}

std::string ParameterSet::settable_names() const {
    std::vector<std::string_view> names;
    for (const Parameter* p : shown_)
        if (has_effect(*p)) names.push_back(p->name);
    if (names.empty()) return "there are no parameters";
    return fmt::format("known are {}", fmt::join(names, ", "));
}

Parameter* ParameterSet::find(std::string_view name) const {
    for (Parameter* p : shown_)
        if (p->name == name) return p;
    return nullptr;
}

Parameter& ParameterSet::require(std::string_view name) {
    if (Parameter* p = find(name)) return *p;
    throw Error{unknown(name)};
}

std::string ParameterSet::unknown(std::string_view name) const {
    return fmt::format("no parameter is named '{}'; {}", name, settable_names());
}

const ParameterValue& ParameterSet::get(std::string_view name) {
    Parameter& p = require(name);
    p.read = true;
    return p.value;
}

bool ParameterSet::has(std::string_view name) const {
    return std::any_of(shown_.begin(), shown_.end(),
                       [&](const Parameter* p) { return is_part_of(p->name, name); });
}

void ParameterSet::note_passed(std::string_view name) {
    for (Parameter* p : shown_)
        if (is_part_of(p->name, name)) p->passed = true;
}

void ParameterSet::set(std::string_view name, const ParameterValue& value) {
    Parameter& p = require(name);
    const auto fitting = convert(p, value);
    if (!fitting)
        throw Error{fmt::format("parameter {} is set to {}, which is not its type ({})", p.name,
                                format_value(p, value),
                                p.type_name.empty() ? "the script's own" : p.type_name)};
    p.value = *fitting;
    touch(p, false);
}

void ParameterSet::changed(Parameter& p) { touch(p, true); }

void ParameterSet::touch(Parameter& p, bool by_hand) {
    p.touched = true;
    p.by_hand = by_hand;
    ++p.changes;
    ++version_;
}

void ParameterSet::reset(std::string_view name) {
    Parameter& p = require(name);
    p.value = p.initial;
    p.touched = p.by_hand = false;
    ++p.changes;
    ++version_;
}

void ParameterSet::reset_all() {
    for (Parameter* p : shown_) reset(p->name);
}

std::string ParameterSet::assignment(std::string_view name) const {
    const Parameter* p = find(name);
    return p ? fmt::format("{}={}", p->name, format_value(*p)) : std::string{};
}

ParameterSet::Values ParameterSet::values() const {
    Values all;
    for (const Parameter* p : this->all())
        if (has_effect(*p)) all[p->name] = exact_value(*p, p->value);
    return all;
}

void ParameterSet::restore(const Values& values) {
    for (const auto& [name, text] : values) {
        if (assigned_.contains(name)) continue;
        Parameter* const p = find(name);
        if (!p) {
            remembered_[name] = text;
            continue;
        }
        try {
            p->value = parse_value(*p, text);
            touch(*p, p->by_hand);
        } catch (const Error& error) { log::warning("{}", error.what()); }
    }
}

void ParameterSet::set_from_text(std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == assignment.npos || equals == 0)
        throw Error{fmt::format("--set takes name=value, received '{}'", assignment)};
    const auto name = assignment.substr(0, equals), text = assignment.substr(equals + 1);
    if (Parameter* p = find(name)) {
        assign(*p, text);
        touch(*p, false);
    } else {
        waiting_[std::string{name}] = std::string{text};
    }
}

void ParameterSet::check_assignments() const {
    std::string problems;
    for (const auto& [name, why] : refused_) problems += why + "\n";
    for (const auto& [name, text] : waiting_)
        problems += fmt::format("--set {}={}: {}\n", name, text, unknown(name));
    for (const auto& [name, text] : assigned_)
        if (const Parameter* p = find(name); p && p->passed && !p->read)
            problems +=
                fmt::format("--set {}={} has no effect: the program passes its own {}; {}\n", name,
                            text, name, settable_names());
    if (problems.empty()) return;
    problems.pop_back();
    throw Error{problems};
}

} // namespace lathe
