// SPDX-License-Identifier: MIT
#include "engine/live/parameter.h"

#include "engine/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lathe {

namespace {

double clamp_to(const Parameter& p, double v) {
    if (p.min) v = std::max(v, *p.min);
    if (p.max) v = std::min(v, *p.max);
    return v;
}

/// Where a directive gives no initial value: the middle of the range.
double middle(const Directive& d) {
    if (!d.min || !d.max) return 0;
    return d.log ? std::sqrt(*d.min * *d.max) : (*d.min + *d.max) / 2;
}

ParameterValue initial_of(const Parameter& p, const Directive& d) {
    const double first = d.initial.empty() ? clamp_to(p, middle(d)) : d.initial.front();
    switch (p.kind) {
    case ParameterKind::boolean: return first != 0;
    case ParameterKind::integer: return std::int64_t(std::llround(first));
    case ParameterKind::choice: {
        const auto index = d.initial.empty() ? 0 : std::llround(first);
        return std::int64_t(p.choice_values.empty() || !d.initial.empty() ? index
                                                                          : p.choice_values[0]);
    }
    case ParameterKind::real: return first;
    case ParameterKind::vector: break;
    }
    std::vector<double> v(std::size_t(p.components), d.color && d.initial.empty() ? 1.0 : first);
    if (d.initial.size() == v.size()) v = d.initial;
    if (d.color && d.initial.size() == 3 && v.size() == 4) {
        v = d.initial;
        v.push_back(1.0);
    }
    return v;
}

ParameterWidget widget_of(const Parameter& p, const Directive& d) {
    if (d.hidden) return ParameterWidget::hidden;
    if (p.kind == ParameterKind::boolean) return ParameterWidget::checkbox;
    if (p.kind == ParameterKind::choice) return ParameterWidget::combo;
    if (p.kind == ParameterKind::vector && d.color && p.components >= 3)
        return ParameterWidget::color;
    if (d.drag) return ParameterWidget::drag;
    return d.min && d.max ? ParameterWidget::slider : ParameterWidget::drag;
}

std::optional<double> number_of(const ParameterValue& value) {
    if (const auto* d = std::get_if<double>(&value)) return *d;
    if (const auto* i = std::get_if<std::int64_t>(&value)) return double(*i);
    return {};
}

std::string number_text(const Parameter& p, double v) {
    return p.type_name.find("double") != std::string::npos ? fmt::format("{}", v)
                                                           : fmt::format("{}", float(v));
}

std::string expected(const Parameter& p) {
    switch (p.kind) {
    case ParameterKind::boolean: return "true or false";
    case ParameterKind::integer: return "an integer";
    case ParameterKind::real: return "a number";
    case ParameterKind::vector: return fmt::format("{} numbers as (1, 0.5, 0)", p.components);
    case ParameterKind::choice: return fmt::format("one of {}", fmt::join(p.choices, ", "));
    }
    return {};
}

std::string_view trim_blanks(std::string_view s) {
    const auto first = s.find_first_not_of(" \t");
    return first == s.npos ? s.substr(s.size())
                           : s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

template <class T> std::optional<T> read(std::string_view s) {
    T value{};
    s = trim_blanks(s);
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    return error == std::errc{} && end == s.data() + s.size() ? std::optional{value} : std::nullopt;
}

std::optional<ParameterValue> read_value(const Parameter& p, std::string_view text) {
    text = trim_blanks(text);
    switch (p.kind) {
    case ParameterKind::boolean:
        if (text == "true" || text == "1" || text == "on") return true;
        if (text == "false" || text == "0" || text == "off") return false;
        return {};
    case ParameterKind::choice:
        for (std::size_t i = 0; i < p.choices.size(); ++i)
            if (p.choices[i] == text)
                return p.choice_values.empty() ? std::int64_t(i) : p.choice_values[i];
        [[fallthrough]];
    case ParameterKind::integer:
        if (const auto i = read<std::int64_t>(text)) return *i;
        return {};
    case ParameterKind::real:
        if (const auto d = read<double>(text)) return *d;
        return {};
    case ParameterKind::vector: break;
    }
    if (text.size() > 1 && (text.front() == '(' || text.front() == '['))
        text = text.substr(1, text.size() - 2);
    std::vector<double> v;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        const auto d = read<double>(text.substr(begin, end - begin));
        if (!d) return {};
        v.push_back(*d);
        begin = end + 1;
    }
    return v;
}

} // namespace

Parameter make_parameter(std::string name, ParameterKind kind, int components, const Directive& d) {
    Parameter p;
    p.name = std::move(name);
    p.kind = kind;
    p.components = kind == ParameterKind::vector ? components : 1;
    if (kind == ParameterKind::integer && !d.choices.empty()) p.kind = ParameterKind::choice;
    if (p.kind == ParameterKind::choice) p.choices = d.choices;
    if (p.kind != ParameterKind::boolean && p.kind != ParameterKind::choice) {
        p.min = d.min;
        p.max = d.max;
        p.step = d.step.value_or(0);
        p.log = d.log;
    }
    p.widget = widget_of(p, d);
    p.follow = d.follow;
    p.initial = p.value = initial_of(p, d);
    return p;
}

std::optional<ParameterValue> convert(const Parameter& p, const ParameterValue& value) {
    const auto number = number_of(value);
    switch (p.kind) {
    case ParameterKind::boolean:
        if (std::holds_alternative<bool>(value)) return value;
        if (number && (*number == 0 || *number == 1)) return *number != 0;
        return {};
    case ParameterKind::integer:
        if (!number || *number != std::floor(*number)) return {};
        if (const auto* i = std::get_if<std::int64_t>(&value); i && !p.min && !p.max) return *i;
        return std::int64_t(clamp_to(p, *number));
    case ParameterKind::choice: {
        if (!number || *number != std::floor(*number)) return {};
        const auto i = std::int64_t(*number);
        const auto& values = p.choice_values;
        const bool known = values.empty()
                               ? i >= 0 && (p.choices.empty() || i < std::int64_t(p.choices.size()))
                               : std::find(values.begin(), values.end(), i) != values.end();
        return known ? std::optional<ParameterValue>{i} : std::nullopt;
    }
    case ParameterKind::real:
        if (!number || std::isnan(*number)) return {};
        return clamp_to(p, *number);
    case ParameterKind::vector: {
        const auto* v = std::get_if<std::vector<double>>(&value);
        if (!v || v->size() != std::size_t(p.components)) return {};
        auto result = *v;
        for (double& x : result) x = clamp_to(p, p.whole ? std::round(x) : x);
        return result;
    }
    }
    return {};
}

ParameterValue parse_value(const Parameter& p, std::string_view text) {
    if (const auto raw = read_value(p, text))
        if (const auto value = convert(p, *raw)) return *value;
    throw Error{fmt::format("parameter {} is '{}', expected {}", p.name, text, expected(p))};
}

std::string format_value(const Parameter& p, const ParameterValue& value) {
    if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
    if (const auto* d = std::get_if<double>(&value)) return number_text(p, *d);
    if (const auto* i = std::get_if<std::int64_t>(&value)) {
        if (p.kind == ParameterKind::choice)
            for (std::size_t k = 0; k < p.choices.size(); ++k)
                if (*i == (p.choice_values.empty() ? std::int64_t(k) : p.choice_values[k]))
                    return p.choices[k];
        return fmt::format("{}", *i);
    }
    std::string text = "(";
    for (const double x : std::get<std::vector<double>>(value))
        text += (text.size() > 1 ? ", " : "") + number_text(p, x);
    return text + ")";
}

std::string exact_value(const Parameter& p, const ParameterValue& value) {
    if (p.kind == ParameterKind::choice) return format_value(p, value);
    if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
    if (const auto* i = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *i);
    if (const auto* d = std::get_if<double>(&value)) return fmt::format("{}", *d);
    return fmt::format("({})", fmt::join(std::get<std::vector<double>>(value), ", "));
}

} // namespace lathe
