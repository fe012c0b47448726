// SPDX-License-Identifier: MIT
#include "tests/soft/programs/statements.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::test::programs {

void add_fields(std::vector<Place>& places, const std::string& name, const Structure& structure) {
    for (Place field : structure.fields) {
        field.text = name + field.text;
        places.push_back(std::move(field));
    }
}

std::string Statements::several(Scope& scope, int count, int depth) {
    std::string text;
    for (int k = 0; k < count; ++k) text += statement(scope, depth);
    return text;
}

std::string Statements::block(const Scope& scope, int depth, std::uint32_t rounds) {
    Scope inner = scope;
    inner.weight *= rounds;
    const int count = 1 + static_cast<int>(random_.below(2));
    return "{\n" + several(inner, count, depth + 1) + "}\n";
}

std::string Statements::statement(Scope& scope, int depth) {
    cost += scope.weight;
    switch (random_.below(depth > 2 ? 8 : 13)) {
    case 0:
    case 1: return declaration(scope);
    case 2:
    case 3:
    case 4: return assignment(scope);
    case 5: return copy(scope);
    case 6: return call(scope);
    case 7: return leave(scope);
    case 8:
    case 9: return branch(scope, depth);
    case 10: return cases(scope, depth);
    default: return loop(scope, depth);
    }
}

std::string Statements::declaration(Scope& scope) {
    switch (random_.below(6)) {
    case 0: return array(scope);
    case 1: return record(scope);
    case 2: return pointer(scope);
    default: {
        const Type type = expressions_.any_type();
        const std::string value = expressions_.of(type, scope), made = name("v");
        const bool is_volatile = random_.one_in(12);
        scope.places.push_back({made, type, false, !is_volatile});
        return fmt::format("{}{} {} = {};\n", is_volatile ? "volatile " : "", type->name, made,
                           value);
    }
    }
}

std::string Statements::array(Scope& scope) {
    const Type type = expressions_.any_type();
    const unsigned count = 2u << random_.below(3);
    const std::string made = name("a"), index = name("e");
    std::string text;
    if (random_.one_in(2)) {
        const std::string value = expressions_.of(type, scope, 2);
        text = fmt::format("{} {}[{}];\nUNROLL_NO\nfor (u32 {} = 0; {} < {}; ++{}) {}[{}] = ",
                           type->name, made, count, index, index, count, index, made, index);
        text += random_.one_in(2) ? value + ";\n"
                                  : Expressions::converted(index, scalar("u32"), type) + ";\n";
    } else {
        text = fmt::format("{} {}[{}] = {{", type->name, made, count);
        for (unsigned k = 0; k < count; ++k)
            text += (k ? ", " : "") + expressions_.of(type, scope, 1);
        text += "};\n";
    }
    scope.places.push_back({fmt::format("{}[@{}]", made, count), type});
    return text;
}

std::string Statements::record(Scope& scope) {
    if (structures_.empty()) return assignment(scope);
    const Structure& structure = random_.of(structures_);
    const std::string made = name("s");
    std::string text;
    if (random_.one_in(3)) {
        const unsigned count = 2u << random_.below(2);
        text = fmt::format("{} {}[{}] = {{}};\n", structure.name, made, count);
        add_fields(scope.places, fmt::format("{}[@{}]", made, count), structure);
        scope.records.push_back({fmt::format("{}[@{}]", made, count), &structure});
    } else {
        text = fmt::format("{} {} = {{}};\n", structure.name, made);
        add_fields(scope.places, made, structure);
        scope.records.push_back({made, &structure});
    }
    return text + assignment(scope);
}

std::string Statements::pointer(Scope& scope) {
    std::vector<const Place*> targets;
    for (const Place& place : scope.places)
        if (!place.is_constant && place.has_address) targets.push_back(&place);
    if (targets.empty()) return assignment(scope);
    const Place& one = *random_.of(targets);
    std::string to = "&" + expressions_.indexed(one.text, scope, 2);
    for (const Place* other : targets)
        if (other != &one && other->type == one.type && random_.one_in(2)) {
            const std::string condition = expressions_.condition(scope);
            to = fmt::format("{} ? {} : &{}", condition, to,
                             expressions_.indexed(other->text, scope));
            break;
        }
    const std::string made = name("p");
    const Type type = one.type;
    scope.places.push_back({fmt::format("(*{})", made), type});
    return fmt::format("{}* {} = {};\n", type->name, made, to);
}

std::string Statements::assignment(const Scope& scope) {
    std::vector<const Place*> targets;
    for (const Place& place : scope.places)
        if (!place.is_constant) targets.push_back(&place);
    if (targets.empty()) return ";\n";
    // The latest come often, so that what is worked out is used.
    const std::size_t recent =
        random_.one_in(2) ? std::min<std::size_t>(targets.size(), 8) : targets.size();
    const Place& place = *targets[targets.size() - 1 - random_.below(recent)];
    const std::string to = expressions_.indexed(place.text, scope, 2);
    const std::string value = expressions_.of(place.type, scope);
    static constexpr const char* kWords[] = {"=", "=", "=", "^=", "|=", "&="};
    const char* const word = kWords[place.type->is_integer() ? random_.below(6) : 0];
    return fmt::format("{} {} {};\n", to, word, value);
}

std::string Statements::copy(const Scope& scope) {
    if (scope.records.size() < 2) return assignment(scope);
    const Record& to = random_.of(scope.records);
    for (int k = 0; k < 4; ++k) {
        const Record& from = random_.of(scope.records);
        if (from.structure != to.structure) continue;
        const std::string left = expressions_.indexed(to.name, scope);
        return fmt::format("{} = {};\n", left, expressions_.indexed(from.name, scope));
    }
    return assignment(scope);
}

std::string Statements::branch(const Scope& scope, int depth) {
    std::string text = fmt::format("if ({}) ", expressions_.condition(scope));
    text += block(scope, depth);
    if (random_.one_in(3)) {
        text += fmt::format("else if ({}) ", expressions_.condition(scope));
        text += block(scope, depth);
    }
    if (random_.one_in(2)) text += "else " + block(scope, depth);
    return text;
}

std::string Statements::cases(const Scope& scope, int depth) {
    const unsigned count = 2 + random_.below(6), step = random_.one_in(3) ? 5 : 1;
    std::string text = fmt::format("switch ({} % {}) {{\n", expressions_.of(scalar("u32"), scope),
                                   count * step + 1);
    for (unsigned k = 0; k < count; ++k) {
        text += fmt::format("case {}: ", k * step);
        text += block(scope, depth + 1);
        if (!random_.one_in(4)) text += "break;\n";
    }
    if (random_.one_in(2)) text += "default: " + block(scope, depth + 1);
    return text + "}\n";
}

std::string Statements::loop(const Scope& scope, int depth) {
    if (scope.weight > 300) return branch(scope, depth);
    Scope inner = scope;
    inner.in_loop = true;
    const std::string counter = name("n");
    const unsigned most = 2u << random_.below(3);
    const bool fixed = random_.one_in(3);
    const std::string rounds =
        fixed ? fmt::format("{}u", most - 1)
              : fmt::format("({} & {})", expressions_.of(scalar("u32"), scope, 2), most - 1);
    inner.places.push_back({counter, scalar("u32"), true});
    const std::string body = block(inner, depth, most / 2 + 1);
    switch (random_.below(4)) {
    case 0:
        return fmt::format("{{ u32 {0} = {1}; while ({0}-- > 0) {2} }}\n", counter, rounds, body);
    case 1:
        return fmt::format("{{ u32 {0} = {1}; do {2} while ({0}-- > 0); }}\n", counter, rounds,
                           body);
    case 2:
        return fmt::format(
            "{{ u32 {0} = 0; for (;;) {{ if ({0} >= {1}) break;\n++{0};\n{2} }} }}\n", counter,
            rounds, body);
    default: {
        const char* const pragma = random_.one_in(2) ? "UNROLL_NO\n" : "";
        return fmt::format("{3}for (u32 {0} = 0; {0} < {1}; ++{0}) {2}", counter, rounds, body,
                           pragma);
    }
    }
}

std::string Statements::leave(const Scope& scope) {
    const std::string condition = expressions_.condition(scope, 1);
    if (scope.in_loop && random_.one_in(2))
        return fmt::format("if ({}) {};\n", condition, random_.one_in(2) ? "break" : "continue");
    if (scope.in_function && scope.result && random_.one_in(3))
        return fmt::format("if ({}) return {};\n", condition,
                           expressions_.of(scope.result, scope, 2));
    return assignment(scope);
}

std::string Statements::argument(const Function::Parameter& parameter, Scope& scope,
                                 std::string& before) {
    if (parameter.structure) {
        for (int k = 0; k < 6 && !scope.records.empty(); ++k) {
            const Record& record = random_.of(scope.records);
            if (record.structure == parameter.structure)
                return expressions_.indexed(record.name, scope);
        }
        const std::string made = name("s");
        before += fmt::format("{} {} = {{}};\n", parameter.structure->name, made);
        return made;
    }
    if (!parameter.elements) return expressions_.of(parameter.type, scope, 2);
    const std::string made = name("a");
    before += fmt::format("{} {}[{}] = {{", parameter.type->name, made, parameter.elements);
    for (unsigned k = 0; k < parameter.elements; ++k)
        before += (k ? ", " : "") + expressions_.of(parameter.type, scope, 1);
    before += "};\n";
    scope.places.push_back({fmt::format("{}[@{}]", made, parameter.elements), parameter.type});
    return made;
}

/// Its own variable gets the result, which nothing that the call changes can be in the way of.
std::string Statements::call(Scope& scope) {
    if (functions_.empty()) return assignment(scope);
    const Function& function = random_.of(functions_);
    if (function.cost * scope.weight >= Expressions::kMostCost) return assignment(scope);
    cost += function.cost * scope.weight;
    std::string before, arguments;
    for (const Function::Parameter& parameter : function.parameters) {
        if (!arguments.empty()) arguments += ", ";
        arguments += argument(parameter, scope, before);
    }
    const std::string made = name("v");
    scope.places.push_back({made, function.result});
    return before +
           fmt::format("{} {} = {}({});\n", function.result->name, made, function.name, arguments);
}

} // namespace lathe::test::programs
