// SPDX-License-Identifier: MIT
#include "engine/live/directive.h"

#include "engine/live/directive_words.h"
#include "engine/live/source_scan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace lathe {

namespace {

bool read_initial(std::string_view text, Directive& d) {
    std::vector<double> values;
    if (const auto inside = words::call_of(text, "")) {
        for (const auto part : words::split(*inside, ',')) {
            const auto value = words::number(part);
            if (!value) return false;
            values.push_back(*value);
        }
    } else if (const auto value = words::number(text)) {
        values.push_back(*value);
    }
    if (values.empty()) return false;
    d.initial = std::move(values);
    return true;
}

bool is_outside(const Directive& d) {
    for (const double x : d.initial)
        if ((d.min && x < *d.min) || (d.max && x > *d.max)) return true;
    return false;
}

bool read_range(std::string_view word, Directive& d) {
    const auto range = words::range(word);
    if (!range) return false;
    d.min = range->first;
    d.max = range->second;
    return true;
}

bool read_word(std::string_view word, Directive& d) {
    if (word == "log") return d.log = true;
    if (word == "color" || word == "colour") return d.color = true;
    if (word == "hidden") return d.hidden = true;
    if (word == "drag") return d.drag = true;
    if (word == "slider") return d.slider = true;
    if (const auto inside = words::call_of(word, "enum")) {
        for (const auto name : words::split(*inside, ',')) {
            if (name.empty()) return false;
            d.choices.emplace_back(name);
        }
        return true;
    }
    if (word.starts_with("step=")) return (d.step = words::number(word.substr(5))) && *d.step > 0;
    if (word.starts_with('=')) return read_initial(words::trim(word.substr(1)), d);
    return read_range(word, d);
}

std::string why_not_understood(std::string_view word) {
    const std::string why = words::range_problem(word);
    if (!why.empty()) return why;
    return fmt::format("directive word '{}' is not understood; expected min..max, =value, "
                       "step=value, log, color, enum(a,b), drag, slider, hidden, or what it "
                       "follows: sine 4s, mouse.x, keys(z,x), key(b)",
                       word);
}

const Directive* find_in(const std::vector<ParameterDirective>& all, std::string_view list,
                         std::string_view name) {
    for (const auto& p : all)
        if (p.kernel == list && p.parameter == name) return &p.directive;
    return nullptr;
}

} // namespace

Directive parse_directive(std::string_view text, int line, int column,
                          std::vector<Diagnostic>& problems) {
    Directive d;
    FollowWords follow;
    const auto complain = [&](std::size_t at, std::string why) {
        problems.push_back(
            {{}, line, column + int(at), Diagnostic::Severity::warning, std::move(why)});
    };
    for (std::size_t i = words::begin_of_word(text, 0); i < text.size();) {
        const std::size_t end = words::end_of_word(text, i);
        const auto word = text.substr(i, end - i);
        const bool had_problem = !follow.problem().empty();
        if (follow.take(word)) {
            if (!had_problem && !follow.problem().empty()) complain(i, follow.problem());
        } else if (!read_word(word, d)) {
            complain(i, why_not_understood(word));
        }
        i = words::begin_of_word(text, end);
    }
    const bool had_problem = !follow.problem().empty();
    d.follow = follow.finish();
    if (!had_problem && !follow.problem().empty()) complain(0, follow.problem());
    if (is_outside(d)) {
        complain(0, fmt::format("the value {} is outside of the range {:g}..{:g}; not taken",
                                fmt::join(d.initial, ", "), *d.min, *d.max));
        d.initial.clear();
    }
    if (d.log && !(d.min && *d.min > 0)) {
        complain(0, "log needs a range above zero, as in 0.001..1; shown linear");
        d.log = false;
    }
    return d;
}

const Directive* SourceDirectives::find(std::string_view kernel, std::string_view name) const {
    return find_in(parameters, kernel, name);
}

const Directive* SourceDirectives::find_member(std::string_view structure,
                                               std::string_view member) const {
    return find_in(members, structure, member);
}

SourceDirectives find_directives(std::string_view source) {
    SourceDirectives found;
    const SourceScan scan = scan_source(source);
    std::vector<bool> taken(scan.directives.size());
    const auto take = [&](const ScannedList& list, std::vector<ParameterDirective>& to) {
        for (std::size_t i = 0; i < scan.directives.size(); ++i) {
            const auto& comment = scan.directives[i];
            const ScannedParameter* const owner = taken[i] ? nullptr : owner_of(comment, list);
            if (!owner) continue;
            taken[i] = true;
            to.push_back(
                {list.name, owner->name, comment.line,
                 parse_directive(comment.text, comment.line, comment.column, found.problems)});
        }
    };
    for (const auto& kernel : scan.kernels) take(kernel, found.parameters);
    // Those within others first: what stands there is theirs.
    for (auto s = scan.structures.rbegin(); s != scan.structures.rend(); ++s)
        take(*s, found.members);
    for (std::size_t i = 0; i < scan.directives.size(); ++i)
        if (!taken[i])
            found.others.push_back(
                {scan.directives[i].line, std::string{words::trim(scan.directives[i].text)}});
    return found;
}

} // namespace lathe
