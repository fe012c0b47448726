// SPDX-License-Identifier: MIT
#include "engine/live/directive.h"

#include "engine/live/source_scan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <charconv>

namespace lathe {

namespace {

std::string_view trim(std::string_view s) {
    const auto first = s.find_first_not_of(" \t\r,");
    if (first == s.npos) return {};
    return s.substr(first, s.find_last_not_of(" \t\r,") - first + 1);
}

std::optional<double> number(std::string_view s) {
    s = trim(s);
    if (s.empty()) return {};
    if (s == "true") return 1.0;
    if (s == "false") return 0.0;
    if (s.size() > 1 && (s.back() == 'f' || s.back() == 'F')) s.remove_suffix(1);
    if (s.front() == '+') s.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc{} || end != s.data() + s.size()) return {};
    return value;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const auto end = s.find(separator, begin);
        parts.push_back(trim(s.substr(begin, end - begin)));
        if (end == s.npos) return parts;
        begin = end + 1;
    }
}

/// The inside of "name(inside)"; nothing where `word` is not of that form.
std::optional<std::string_view> call_of(std::string_view word, std::string_view name) {
    if (!word.starts_with(name) || word.size() < name.size() + 2 || word[name.size()] != '(' ||
        word.back() != ')')
        return {};
    return word.substr(name.size() + 1, word.size() - name.size() - 2);
}

bool read_initial(std::string_view text, Directive& d) {
    std::vector<double> values;
    if (const auto inside = call_of(text, "")) {
        for (const auto part : split(*inside, ',')) {
            const auto value = number(part);
            if (!value) return false;
            values.push_back(*value);
        }
    } else if (const auto value = number(text)) {
        values.push_back(*value);
    }
    if (values.empty()) return false;
    d.initial = std::move(values);
    return true;
}

/// Why a word that looks like a range is none; empty where it does not look like one.
std::string range_problem(std::string_view word) {
    const auto dots = word.find("..");
    if (dots == word.npos) return {};
    const auto low = number(word.substr(0, dots)), high = number(word.substr(dots + 2));
    if (!low || !high) return {};
    return fmt::format("range {}: the first number must be below the second", word);
}

bool is_outside(const Directive& d) {
    for (const double x : d.initial)
        if ((d.min && x < *d.min) || (d.max && x > *d.max)) return true;
    return false;
}

bool read_range(std::string_view word, Directive& d) {
    const auto dots = word.find("..");
    if (dots == word.npos) return false;
    const auto low = number(word.substr(0, dots)), high = number(word.substr(dots + 2));
    if (!low || !high || !(*low < *high)) return false;
    d.min = low;
    d.max = high;
    return true;
}

bool read_word(std::string_view word, Directive& d) {
    if (word == "log") return d.log = true;
    if (word == "color" || word == "colour") return d.color = true;
    if (word == "hidden") return d.hidden = true;
    if (word == "drag") return d.drag = true;
    if (word == "slider") return d.slider = true;
    if (const auto inside = call_of(word, "enum")) {
        for (const auto name : split(*inside, ',')) {
            if (name.empty()) return false;
            d.choices.emplace_back(name);
        }
        return true;
    }
    if (word.starts_with("step=")) return (d.step = number(word.substr(5))) && *d.step > 0;
    if (word.starts_with('=')) return read_initial(trim(word.substr(1)), d);
    return read_range(word, d);
}

/// Words end at blanks and commas outside parentheses; a lone `=` takes the next word along.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
    int depth = 0;
    std::size_t i = begin;
    if (text[i] == '=')
        while (i + 1 < text.size() && text[i + 1] == ' ') ++i, ++begin;
    for (; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')') --depth;
        if (depth <= 0 && i > begin && (text[i] == ' ' || text[i] == '\t' || text[i] == ',')) break;
    }
    return i;
}

} // namespace

Directive parse_directive(std::string_view text, int line, int column,
                          std::vector<Diagnostic>& problems) {
    Directive d;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ' || text[i] == '\t' || text[i] == ',' || text[i] == '\r') {
            ++i;
            continue;
        }
        const std::size_t end = end_of_word(text, i);
        const auto word = text.substr(i, end - i);
        if (!read_word(word, d)) {
            std::string why = range_problem(word);
            if (why.empty())
                why = fmt::format("directive word '{}' is not understood; expected min..max, "
                                  "=value, step=value, log, color, enum(a,b), drag, slider or "
                                  "hidden",
                                  word);
            problems.push_back(
                {{}, line, column + int(i), Diagnostic::Severity::warning, std::move(why)});
        }
        i = end;
    }
    if (is_outside(d)) {
        problems.push_back(
            {{},
             line,
             column,
             Diagnostic::Severity::warning,
             fmt::format("the value {} is outside of the range {:g}..{:g}; not taken",
                         fmt::join(d.initial, ", "), *d.min, *d.max)});
        d.initial.clear();
    }
    if (d.log && !(d.min && *d.min > 0)) {
        problems.push_back({{},
                            line,
                            column,
                            Diagnostic::Severity::warning,
                            "log needs a range above zero, as in 0.001..1; shown linear"});
        d.log = false;
    }
    return d;
}

const Directive* SourceDirectives::find(std::string_view kernel, std::string_view name) const {
    for (const auto& p : parameters)
        if (p.kernel == kernel && p.parameter == name) return &p.directive;
    return nullptr;
}

SourceDirectives find_directives(std::string_view source) {
    SourceDirectives found;
    const SourceScan scan = scan_source(source);
    std::vector<bool> taken(scan.directives.size());
    for (const auto& kernel : scan.kernels) {
        for (std::size_t i = 0; i < scan.directives.size(); ++i) {
            const auto& comment = scan.directives[i];
            if (taken[i] || kernel.parameters.empty() || comment.offset < kernel.begin) continue;
            const auto& last = kernel.parameters.back();
            const bool inside = comment.offset < kernel.end;
            if (!inside && comment.line != last.line) continue;
            const ScannedParameter* owner = nullptr;
            for (const auto& p : kernel.parameters) // the one before it on its line
                if (p.line == comment.line && p.offset < comment.offset) owner = &p;
            for (const auto& p : kernel.parameters) // else the next one
                if (!owner && p.offset > comment.offset) owner = &p;
            if (!owner) continue;
            taken[i] = true;
            found.parameters.push_back(
                {kernel.name, owner->name, comment.line,
                 parse_directive(comment.text, comment.line, comment.column, found.problems)});
        }
    }
    for (std::size_t i = 0; i < scan.directives.size(); ++i)
        if (!taken[i])
            found.others.push_back(
                {scan.directives[i].line, std::string{trim(scan.directives[i].text)}});
    return found;
}

} // namespace lathe
