// SPDX-License-Identifier: MIT
#include "engine/live/parameter_code.h"

#include "engine/live/directive_text.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe {

namespace {

bool is_for(const ParameterBinding& b, const Parameter& p) {
    return b.is_active && b.by != BoundBy::source &&
           (b.target == p.name || b.target.substr(0, b.target.rfind('.')) == p.name);
}

/// As a directive's `=` takes it.
std::string directive_value(const Parameter& p) {
    if (const auto* choice = std::get_if<std::int64_t>(&p.value)) return fmt::format("{}", *choice);
    return format_value(p);
}

/// What shares its directive with `p`, itself included, has one value.
bool is_of_one_value(const Parameter& p, const std::vector<Parameter>& parameters,
                     std::span<const Parameter* const> values) {
    const auto value_of = [&](const Parameter& declared) {
        const auto set = std::find_if(values.begin(), values.end(),
                                      [&](const Parameter* v) { return v->name == declared.name; });
        return set == values.end() ? format_value(declared, declared.initial) : format_value(**set);
    };
    return std::all_of(parameters.begin(), parameters.end(), [&](const Parameter& other) {
        return other.declared_in != p.declared_in || value_of(other) == format_value(p);
    });
}

} // namespace

std::string python_value(std::string_view text) {
    if (text == "true") return "True";
    if (text == "false") return "False";
    const bool is_number = text.find_first_of("0123456789(") == 0 || text.starts_with('-');
    return is_number ? std::string{text} : fmt::format("\"{}\"", text);
}

std::string set_line(const Parameter& p) {
    return fmt::format("app.set(\"{}\", {})", p.name, python_value(format_value(p)));
}

std::vector<const Parameter*> set_parameters(const ParameterSet& parameters,
                                             const ParameterBindings* bindings) {
    std::vector<const Parameter*> set;
    for (const Parameter* p : parameters.all()) {
        const bool is_moved =
            bindings && p->kind != ParameterKind::vector && bindings->is_following(*p);
        if (p->touched && !is_moved) set.push_back(p);
    }
    return set;
}

std::string as_python(const ParameterSet& parameters, const ParameterBindings* bindings) {
    std::string code;
    for (const Parameter* p : set_parameters(parameters, bindings)) code += set_line(*p) + "\n";
    for (const Parameter* p : parameters.all())
        for (std::size_t i = 0; bindings && i < bindings->all().size(); ++i)
            if (const ParameterBinding& b = bindings->all()[i]; is_for(b, *p))
                code += fmt::format("app.bind(\"{}\", \"{}\")\n", b.target, to_text(b.follow));
    return code;
}

std::string as_options(const ParameterSet& parameters, const ParameterBindings* bindings) {
    std::string options;
    for (const Parameter* p : set_parameters(parameters, bindings)) {
        const std::string assignment = parameters.assignment(p->name);
        const bool is_plain = assignment.find_first_of(" ()[]") == assignment.npos;
        options += fmt::format("{}--set {}", options.empty() ? "" : " ",
                               is_plain ? assignment : fmt::format("\"{}\"", assignment));
    }
    return options;
}

WrittenValues with_values(std::string source, const std::vector<Parameter>& parameters,
                          std::span<const Parameter* const> values) {
    WrittenValues result;
    for (const Parameter* p : values) {
        const auto declared =
            std::find_if(parameters.begin(), parameters.end(),
                         [&](const Parameter& each) { return each.name == p->name; });
        if (declared == parameters.end()) continue;
        Parameter now = *declared;
        now.value = p->value;
        const auto text = is_of_one_value(now, parameters, values)
                              ? with_initial_value(source, now.declared_in, directive_value(now))
                              : std::nullopt;
        if (text) source = *text;
        (text ? result.written : result.left).push_back(p->name);
    }
    result.source = std::move(source);
    return result;
}

} // namespace lathe
