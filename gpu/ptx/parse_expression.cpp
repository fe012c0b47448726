// SPDX-License-Identifier: MIT
// Constant expressions: C's operators on 64-bit integers; a float literal stands alone or negated.
#include "gpu/ptx/parser_state.h"

#include <optional>

namespace lathe::ptx {
namespace {

constexpr int kDeepestExpression = 64;

bool is_integer(const Immediate& value) {
    return value.type == Type::s64 || value.type == Type::u64;
}

struct Operator {
    std::string_view text;
    int level;
};

/// C's levels, loosest first; "?:" is read by expression().
constexpr Operator kOperators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

/// The operator that the two tokens spell; one of two characters only where they touch.
const Operator* operator_at(const Token& first, const Token& second) {
    if (!first.is(Token::Kind::mark)) return nullptr;
    const bool pair = second.is(Token::Kind::mark) && first.touches(second);
    const char spelled[] = {first.mark, second.mark};
    for (const Operator& op : kOperators)
        if (op.text.size() == 2 && pair && op.text == std::string_view{spelled, 2}) return &op;
    for (const Operator& op : kOperators)
        if (op.text.size() == 1 && op.text[0] == first.mark) return &op;
    return nullptr;
}

/// Nothing for a division by zero.
std::optional<std::uint64_t> apply(std::string_view op, std::uint64_t a, std::uint64_t b,
                                   bool is_signed) {
    const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
    const bool less = is_signed ? sa < sb : a < b;
    if (op == "||") return a || b;
    if (op == "&&") return a && b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return less;
    if (op == ">=") return !less;
    if (op == ">") return !less && a != b;
    if (op == "<=") return less || a == b;
    if (op == "<<") return b < 64 ? a << b : 0;
    if (op == ">>") {
        if (is_signed) return static_cast<std::uint64_t>(sa >> (b < 64 ? b : 63));
        return b < 64 ? a >> b : 0;
    }
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (b == 0) return std::nullopt;
    if (!is_signed) return op == "/" ? a / b : a % b;
    if (sb == -1) return op == "/" ? 0 - a : 0; // the smallest integer has no positive twin
    return static_cast<std::uint64_t>(op == "/" ? sa / sb : sa % sb);
}

} // namespace

Immediate Parser::expression(int depth) {
    // Nearly every expression is one literal; tables of 100 KB are read by these lines.
    const bool alone = ahead_.is(',') || ahead_.is('}') || ahead_.is(';') || ahead_.is(']');
    if (alone && token_.is(Token::Kind::number)) return literal();
    const Immediate value = binary(1, depth);
    if (!token_.is('?')) return value;
    take();
    const Immediate yes = expression(depth + 1);
    expect(':');
    const Immediate no = expression(depth + 1);
    return value.bits ? yes : no;
}

Immediate Parser::binary(int lowest, int depth) {
    Immediate left = unary(depth);
    while (const Operator* const op = operator_at(token_, ahead_)) {
        if (op->level < lowest) break;
        const Token at = take();
        if (op->text.size() == 2) take();
        const Immediate right = binary(op->level + 1, depth + 1);
        if (!is_integer(left) || !is_integer(right))
            fail(at, "a constant expression of floating-point numbers");
        const bool both_signed = left.type == Type::s64 && right.type == Type::s64;
        const auto bits = apply(op->text, left.bits, right.bits, both_signed);
        if (!bits) fail(at, "division by zero in a constant expression");
        left = {both_signed ? Type::s64 : Type::u64, *bits};
    }
    return left;
}

Immediate Parser::unary(int depth) {
    if (depth > kDeepestExpression) fail(token_, "a constant expression nested too deeply");
    if (accept('+')) return unary(depth + 1);
    if (accept('-')) {
        Immediate value = unary(depth + 1);
        if (value.type == Type::f32) value.bits ^= 0x80000000u;
        else if (value.type == Type::f64) value.bits ^= std::uint64_t{1} << 63;
        else value.bits = 0 - value.bits;
        return value;
    }
    if (token_.is('~') || token_.is('!')) {
        const Token op = take();
        Immediate value = unary(depth + 1);
        if (!is_integer(value)) fail(op, "an integer operator on a floating-point number");
        value.bits = op.is('~') ? ~value.bits : std::uint64_t{value.bits == 0};
        return value;
    }
    if (accept('(')) {
        if (token_.is(Token::Kind::dotted) && (token_.text == ".s64" || token_.text == ".u64")) {
            const Type type = type_word();
            expect(')');
            return {type, unary(depth + 1).bits};
        }
        const Immediate value = expression(depth + 1);
        expect(')');
        return value;
    }
    if (token_.is(Token::Kind::word) && token_.text == "WARP_SZ") {
        take();
        return {Type::s64, 32};
    }
    return literal();
}

Immediate Parser::literal() {
    if (!token_.is(Token::Kind::number)) fail_expected("a number");
    const auto value = number_value(token_.text);
    if (!value) fail(token_, "'" + std::string{token_.text} + "' is no number of PTX");
    take();
    return *value;
}

std::int64_t Parser::integer_expression(std::string_view what) {
    const Token at = token_;
    const Immediate value = expression();
    if (!is_integer(value)) fail(at, std::string{what} + " must be an integer");
    return static_cast<std::int64_t>(value.bits);
}

} // namespace lathe::ptx
