// SPDX-License-Identifier: MIT
#include "tests/soft/programs/expressions.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>

namespace lathe::test::programs {

Type scalar(const char* name) {
    for (const Scalar& one : kScalars)
        if (std::strcmp(one.name, name) == 0) return &one;
    return nullptr;
}

Type Expressions::any_type() {
    static constexpr const char* kOften[] = {"u32", "i32", "u64", "i64", "u128", "i128",
                                             "f32", "f64", "f32", "f64", "i128"};
    if (random_.one_in(2)) return scalar(kOften[random_.below(std::size(kOften))]);
    return &kScalars[random_.below(std::size(kScalars))];
}

std::string Expressions::converted(const std::string& text, Type from, Type to) {
    if (from == to) return text;
    if (to->kind == Scalar::Kind::boolean) return fmt::format("({} != ({})0)", text, from->name);
    if (from->is_real() && to->is_integer())
        return fmt::format("{}to_<{}>({})", to->bits == 128 ? "far_" : "", to->name, text);
    return fmt::format("({})({})", to->name, text);
}

std::string Expressions::index_below(int count, const Scope& scope, int depth) {
    if (scope.places.empty() || random_.one_in(3))
        return std::to_string(random_.below(static_cast<unsigned>(count)));
    if (depth > 1 && random_.one_in(3))
        return fmt::format("({} & {})", of(scalar("u32"), scope, depth - 1), count - 1);
    for (int k = 0; k < 4; ++k) { // a variable, of which the index has no index
        const Place& place = random_.of(scope.places);
        if (place.type->is_integer() && place.text.find('@') == std::string::npos)
            return fmt::format("((u32){} & {})", place.text, count - 1);
    }
    return fmt::format("(tid & {})", count - 1);
}

std::string Expressions::indexed(const std::string& text, const Scope& scope, int depth) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '@') {
            result += text[at++];
            continue;
        }
        std::size_t digits = 0;
        const int count = std::stoi(text.substr(at + 1), &digits);
        at += 1 + digits;
        result += index_below(count, scope, depth);
    }
    return result;
}

std::string Expressions::constant(Type type) {
    if (type->kind == Scalar::Kind::boolean) return random_.one_in(2) ? "true" : "false";
    if (type->is_real()) {
        static constexpr const char* kReals[] = {"0.0",   "1.0",  "-1.0",    "0.5",  "1.5",
                                                 "-2.25", "3.0",  "1e-3",    "1e10", "-7e20",
                                                 "0.1",   "1e30", "1.3e-38", "100.0"};
        const std::string text = kReals[random_.below(std::size(kReals))];
        return type->bits == 32 ? text + "f" : text;
    }
    const std::string name = type->name, wraps = type->wraps;
    const unsigned bits = type->bits;
    switch (random_.below(8)) {
    case 0: return fmt::format("({})0", name);
    case 1: return fmt::format("({})-1", name);
    case 2: return fmt::format("({})(({})1 << {})", name, wraps, bits - 1);
    case 3: return fmt::format("({})((({})1 << {}) - 1)", name, wraps, bits - 1);
    case 4: return fmt::format("({})(({})1 << {})", name, wraps, random_.below(bits));
    case 5: {
        const std::uint32_t low = random_.bits(), high = random_.bits(), up = random_.below(97);
        if (bits < 128) return fmt::format("({}){:#x}u", name, low);
        return fmt::format("({})(({}){:#x}u << {} | {:#x}u)", name, wraps, high, up, low);
    }
    default: return fmt::format("({}){}", name, random_.below(20));
    }
}

std::string Expressions::leaf(Type type, const Scope& scope) {
    if (scope.places.empty() || random_.one_in(6)) return constant(type);
    if (random_.one_in(2)) { // one of this type, where a few tries find it
        for (int k = 0; k < 6; ++k)
            if (const Place& place = random_.of(scope.places); place.type == type)
                return indexed(place.text, scope);
    }
    const Place& place = random_.of(scope.places);
    return converted(indexed(place.text, scope), place.type, type);
}

std::string Expressions::condition(const Scope& scope, int depth) {
    static constexpr const char* kCompare[] = {"<", ">", "==", "!=", "<=", ">="};
    if (depth <= 0) return leaf(scalar("bool"), scope);
    switch (random_.below(8)) {
    case 0: {
        const std::string x = condition(scope, depth - 1), y = condition(scope, depth - 1);
        return fmt::format("({} {} {})", x, random_.one_in(2) ? "&&" : "||", y);
    }
    case 1: return fmt::format("(!{})", condition(scope, depth - 1));
    case 2: {
        const Type type = scalar("u32");
        const std::string x = of(type, scope, depth - 1);
        return fmt::format("(({} & 3) == {})", x, random_.below(4));
    }
    default: {
        const Type type = any_type();
        const std::string x = of(type, scope, depth - 1), y = of(type, scope, depth - 1);
        return fmt::format("({} {} {})", x, kCompare[random_.below(6)], y);
    }
    }
}

std::string Expressions::call(const Function& function, const Scope& scope, int depth) {
    std::string arguments;
    for (const Function::Parameter& parameter : function.parameters) {
        if (!arguments.empty()) arguments += ", ";
        arguments += of(parameter.type, scope, depth - 1);
    }
    return fmt::format("{}({})", function.name, arguments);
}

std::string Expressions::of(Type type, const Scope& scope, int depth) {
    if (depth <= 0) return leaf(type, scope);
    switch (random_.below(12)) {
    case 0: return leaf(type, scope);
    case 1: {
        const Type other = any_type();
        return converted(of(other, scope, depth - 1), other, type);
    }
    case 2: {
        const std::string c = condition(scope, depth - 1), x = of(type, scope, depth - 1),
                          y = of(type, scope, depth - 1);
        return fmt::format("({} ? {} : {})", c, x, y);
    }
    case 3:
        for (int k = 0; k < 3 && !functions_.empty(); ++k) {
            const Function& f = random_.of(functions_);
            bool scalars = f.is_pure && f.cost * scope.weight < kMostCost;
            for (const Function::Parameter& p : f.parameters) scalars &= !p.structure;
            if (scalars) return converted(call(f, scope, depth), f.result, type);
        }
        break;
    default: break;
    }
    if (type->kind == Scalar::Kind::boolean) return condition(scope, depth);
    return type->is_real() ? real(type, scope, depth) : integer(type, scope, depth);
}

std::string Expressions::integer(Type type, const Scope& scope, int depth) {
    const std::string t = type->name, w = type->wraps;
    const bool least = random_.one_in(2);
    const std::string x = of(type, scope, depth - 1);
    const auto other = [&] { return of(type, scope, depth - 1); };
    const char* const far = type->bits == 128 && !least ? "far_" : "";
    const auto shift = [&] { return of(scalar("u32"), scope, depth - 2); };
    switch (random_.below(18)) {
    case 0:
    case 1: return fmt::format("({0})(({1}){2} + ({1}){3})", t, w, x, other());
    case 2:
    case 3: return fmt::format("({0})(({1}){2} - ({1}){3})", t, w, x, other());
    case 4:
    case 5: return fmt::format("({0})(({1}){2} * ({1}){3})", t, w, x, other());
    case 6: return fmt::format("{}div_<{}, {}>({}, {})", far, t, w, x, other());
    case 7: return fmt::format("{}rem_<{}, {}>({}, {})", far, t, w, x, other());
    case 8: return fmt::format("({})({} & {})", t, x, other());
    case 9: return fmt::format("({})({} | {})", t, x, other());
    case 10: return fmt::format("({})({} ^ {})", t, x, other());
    case 11: return fmt::format("({})(~{})", t, x);
    case 12: return fmt::format("neg_<{}, {}>({})", t, w, x);
    case 13: return fmt::format("shl_<{}, {}>({}, {})", t, w, x, shift());
    case 14: return fmt::format("shr_<{}>({}, {})", t, x, shift());
    case 15: return fmt::format("{}_<{}>({}, {})", least ? "min" : "max", t, x, other());
    case 16:
        if (type->is_signed) return fmt::format("abs_<{}, {}>({})", t, w, x);
        return fmt::format("rotl_<{}>({}, {})", t, x, shift());
    default: return instruction(type, scope, depth);
    }
}

std::string Expressions::instruction(Type type, const Scope& scope, int depth) {
    // The operands' type first: 32 or 64 bits, of this type's sign.
    const bool wide = type->bits >= 64;
    const Type word = scalar(wide ? "u64" : "u32");
    const Type same =
        scalar(wide ? (type->is_signed ? "i64" : "u64") : (type->is_signed ? "i32" : "u32"));
    const auto operand = [&](Type of_type) { return of(of_type, scope, depth - 1); };
    const auto made = [&](const char* name, Type result, Type operands, int count) {
        std::string text;
        for (int k = 0; k < count; ++k) text += (k ? ", " : "") + operand(operands);
        return converted(fmt::format("{}({})", name, text), result, type);
    };
    const Type u32 = scalar("u32");
    switch (random_.below(wide ? 6 : 12)) {
    case 0: return made("popc_", u32, word, 1);
    case 1: return made("clz_", u32, word, 1);
    case 2: return made("ffs_", u32, word, 1);
    case 3: return made("brev_", word, word, 1);
    case 4:
    case 5: return made("mulhi_", same, same, 2);
    case 6: return made("bytes_", u32, u32, 3);
    case 7: return made("funnel_", u32, u32, 3);
    case 8: return made("funnel_right_", u32, u32, 3);
    case 9: {
        const std::string x = operand(same), y = operand(same), z = operand(u32);
        return converted(fmt::format("distance_({}, {}, {})", x, y, z), u32, type);
    }
    case 10: return made("middle_", same, same, 2);
    default: return made("dot_", same, same, 3);
    }
}

std::string Expressions::real(Type type, const Scope& scope, int depth) {
    const bool least = random_.one_in(2);
    const std::string x = of(type, scope, depth - 1);
    const auto other = [&] { return of(type, scope, depth - 1); };
    switch (random_.below(15)) {
    case 0:
    case 1: return fmt::format("({} + {})", x, other());
    case 2:
    case 3: return fmt::format("({} - {})", x, other());
    case 4:
    case 5: return fmt::format("({} * {})", x, other());
    case 6: return fmt::format("({} / {})", x, other());
    case 7: return fmt::format("root_({})", x);
    case 8: {
        const std::string y = other();
        return fmt::format("fused_({}, {}, {})", x, y, other());
    }
    case 9: return fmt::format("(- {})", x);
    case 10: return fmt::format("round_({}, {})", x, random_.below(4));
    case 11: return fmt::format("sign_({}, {})", x, other());
    case 12: return fmt::format("{}mod_({}, {})", least ? "" : "far_", x, other());
    case 13: return fmt::format("{}_<{}>({}, {})", least ? "min" : "max", type->name, x, other());
    default: // bits that may be any float, NaNs apart
        return fmt::format("number_(bits_<{}>({}))", type->name,
                           of(scalar(type->bits == 32 ? "u32" : "u64"), scope, depth - 1));
    }
}

} // namespace lathe::test::programs
