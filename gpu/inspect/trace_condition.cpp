// SPDX-License-Identifier: MIT
#include "gpu/inspect/trace_condition.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace lathe::gpu {

namespace {

using NumberKind = ptx::ParameterType::Kind;

/// A whole number, a float or a double.
struct ConditionNumber {
    enum Kind { whole, single, twofold } kind = whole;
    std::int64_t number = 0;
    double real = 0;

    double as_real() const { return kind == whole ? double(number) : real; }
    bool is_true() const { return kind == whole ? number != 0 : real != 0; }
    static ConditionNumber of(std::int64_t n) { return {whole, n, 0}; }
    static ConditionNumber of(Kind kind, double r) {
        return {kind, 0, kind == single ? double(float(r)) : r};
    }
};
using ConditionAnswer = std::optional<ConditionNumber>;

/// A part of a variable.
struct ConditionPart {
    const ptx::ParameterType* type = nullptr;
    std::span<const std::byte> bytes;
};

ConditionAnswer number_in(const ConditionPart& part) {
    const ptx::ParameterType& type = *part.type;
    if (type.bytes == 0 || type.bytes > 8 || type.bytes > part.bytes.size()) return {};
    const auto read = [&](auto value) {
        std::memcpy(&value, part.bytes.data(), std::min<std::size_t>(type.bytes, sizeof value));
        return value;
    };
    switch (type.kind) {
    case NumberKind::floating:
        if (type.bytes == 4) return ConditionNumber::of(ConditionNumber::single, read(float{}));
        if (type.bytes == 8) return ConditionNumber::of(ConditionNumber::twofold, read(double{}));
        return {};
    case NumberKind::boolean:
    case NumberKind::unsigned_integer:
    case NumberKind::pointer: return ConditionNumber::of(read(std::int64_t{}));
    case NumberKind::signed_integer:
    case NumberKind::enumeration: {
        const unsigned shift = 64 - 8 * type.bytes;
        const auto bits = read(std::uint64_t{}) << shift;
        return ConditionNumber::of(static_cast<std::int64_t>(bits) >> shift);
    }
    default: return {};
    }
}

ConditionAnswer computed(std::string_view op, const ConditionNumber& a, const ConditionNumber& b) {
    using Number = ConditionNumber;
    if (a.kind == Number::whole && b.kind == Number::whole) {
        const auto bits = [](std::uint64_t n) { return Number::of(static_cast<std::int64_t>(n)); };
        const auto x = std::uint64_t(a.number), y = std::uint64_t(b.number);
        if (op == "+") return bits(x + y);
        if (op == "-") return bits(x - y);
        if (op == "*") return bits(x * y);
        if ((op == "/" || op == "%") && (b.number == 0 || b.number == -1))
            return b.number == 0 ? ConditionAnswer{} : op == "/" ? bits(0 - x) : Number::of(0);
        if (op == "/") return Number::of(a.number / b.number);
        if (op == "%") return Number::of(a.number % b.number);
        if (op == "&") return bits(x & y);
        if (op == "|") return bits(x | y);
        if (op == "^") return bits(x ^ y);
        if (op == "<<") return y < 64 ? ConditionAnswer{bits(x << y)} : ConditionAnswer{};
        if (op == ">>")
            return y < 64 ? ConditionAnswer{Number::of(a.number >> y)} : ConditionAnswer{};
        if (op == "==") return Number::of(x == y);
        if (op == "!=") return Number::of(x != y);
        if (op == "<") return Number::of(a.number < b.number);
        if (op == "<=") return Number::of(a.number <= b.number);
        if (op == ">") return Number::of(a.number > b.number);
        if (op == ">=") return Number::of(a.number >= b.number);
        return {};
    }
    const auto kind =
        a.kind == Number::twofold || b.kind == Number::twofold ? Number::twofold : Number::single;
    const double x = Number::of(kind, a.as_real()).real, y = Number::of(kind, b.as_real()).real;
    if (op == "+") return Number::of(kind, x + y);
    if (op == "-") return Number::of(kind, x - y);
    if (op == "*") return Number::of(kind, x * y);
    if (op == "/") return Number::of(kind, x / y);
    if (op == "==") return Number::of(x == y);
    if (op == "!=") return Number::of(x != y);
    if (op == "<") return Number::of(x < y);
    if (op == "<=") return Number::of(x <= y);
    if (op == ">") return Number::of(x > y);
    if (op == ">=") return Number::of(x >= y);
    return {};
}

struct ConditionFunction {
    std::string_view name;
    std::size_t arguments;
    ConditionAnswer (*call)(const ConditionNumber&, const ConditionNumber&);
};

template <double (*Function)(double)> ConditionAnswer rounded(const ConditionNumber& a) {
    const auto kind = a.kind == ConditionNumber::whole ? ConditionNumber::twofold : a.kind;
    return ConditionNumber::of(kind, Function(a.as_real()));
}
constexpr ConditionFunction kFunctions[]{
    {"isnan", 1,
     [](const ConditionNumber& a, const ConditionNumber&) -> ConditionAnswer {
         return ConditionNumber::of(std::isnan(a.as_real()));
     }},
    {"isinf", 1,
     [](const ConditionNumber& a, const ConditionNumber&) -> ConditionAnswer {
         return ConditionNumber::of(std::isinf(a.as_real()));
     }},
    {"isfinite", 1,
     [](const ConditionNumber& a, const ConditionNumber&) -> ConditionAnswer {
         return ConditionNumber::of(std::isfinite(a.as_real()));
     }},
    {"abs", 1,
     [](const ConditionNumber& a, const ConditionNumber&) -> ConditionAnswer {
         if (a.kind == ConditionNumber::whole)
             return ConditionNumber::of(a.number < 0 ? -a.number : a.number);
         return ConditionNumber::of(a.kind, std::fabs(a.real));
     }},
    {"fabs", 1,
     [](const ConditionNumber& a, const ConditionNumber&) { return rounded<std::fabs>(a); }},
    {"floor", 1,
     [](const ConditionNumber& a, const ConditionNumber&) { return rounded<std::floor>(a); }},
    {"ceil", 1,
     [](const ConditionNumber& a, const ConditionNumber&) { return rounded<std::ceil>(a); }},
    {"sqrt", 1,
     [](const ConditionNumber& a, const ConditionNumber&) { return rounded<std::sqrt>(a); }},
    {"min", 2,
     [](const ConditionNumber& a, const ConditionNumber& b) -> ConditionAnswer {
         return computed("<", b, a)->is_true() ? b : a;
     }},
    {"max", 2,
     [](const ConditionNumber& a, const ConditionNumber& b) -> ConditionAnswer {
         return computed("<", a, b)->is_true() ? b : a;
     }},
};

/// fabsf and fmin are as fabs and min.
const ConditionFunction* function_named(std::string_view name) {
    for (const ConditionFunction& f : kFunctions) {
        if (name == f.name) return &f;
        const bool is_with_f = name.ends_with('f') && name.substr(0, name.size() - 1) == f.name;
        const std::string_view plain = name.starts_with('f') ? name.substr(1) : std::string_view{};
        const bool is_of_two =
            f.arguments == 2 && (plain == f.name || plain == std::string{f.name} + 'f');
        if (is_with_f || is_of_two) return &f;
    }
    return nullptr;
}

} // namespace

/// A literal, a name, or what is made of other nodes: an operator, a function, "?", ".", "[".
struct ConditionNode {
    enum Kind { literal, name, member, element, unary, binary, choice, call } kind = literal;
    ConditionNumber value;
    std::string text;
    const ConditionFunction* function = nullptr;
    std::vector<ConditionNode> parts;
};

namespace {

// -- reading -------------------------------------------------------------------------------------

class ConditionReader {
public:
    explicit ConditionReader(std::string_view text) : text_{text} {}

    ConditionNode run() {
        ConditionNode node = choice();
        skip_space();
        if (at_ < text_.size()) fail();
        return node;
    }

private:
    [[noreturn]] void fail() const {
        const std::string_view rest = text_.substr(std::min(at_, text_.size()));
        throw lathe::Error{rest.empty() ? fmt::format("'{}' ends too early", text_)
                                        : fmt::format("'{}': '{}' is not understood", text_, rest)};
    }
    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool take(std::string_view what) {
        skip_space();
        if (!text_.substr(at_).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    void expect(std::string_view what) {
        if (!take(what)) fail();
    }
    static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
    std::string word() {
        skip_space();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
        if (begin == at_) fail();
        return std::string{text_.substr(begin, at_ - begin)};
    }

    ConditionNode choice() {
        const Depth depth{*this};
        ConditionNode node = operation(0);
        if (!take("?")) return node;
        ConditionNode made{ConditionNode::choice, {}, "?", nullptr, {std::move(node)}};
        made.parts.push_back(choice());
        expect(":");
        made.parts.push_back(choice());
        return made;
    }

    /// The operators of a level, each before those that it begins with.
    static constexpr std::array<std::array<std::string_view, 4>, 10> kLevels{{
        {"||"},
        {"&&"},
        {"|"},
        {"^"},
        {"&"},
        {"==", "!="},
        {"<=", ">=", "<", ">"},
        {"<<", ">>"},
        {"+", "-"},
        {"*", "/", "%"},
    }};
    std::string_view operator_at(std::size_t level) {
        skip_space();
        const std::string_view rest = text_.substr(at_);
        for (const std::string_view op : kLevels[level]) {
            if (op.empty() || !rest.starts_with(op)) continue;
            const bool is_longer = op.size() == 1 && rest.size() > 1 &&
                                   ((rest[1] == op[0] && std::string_view{"|&<>"}.find(op[0]) !=
                                                             std::string_view::npos) ||
                                    (rest[1] == '=' && op != "=="));
            if (is_longer && op.size() == 1) return {};
            return op;
        }
        return {};
    }
    ConditionNode operation(std::size_t level) {
        if (level == kLevels.size()) return sign();
        ConditionNode left = operation(level + 1);
        for (std::string_view op = operator_at(level); !op.empty(); op = operator_at(level)) {
            at_ += op.size();
            ConditionNode right = operation(level + 1);
            left = ConditionNode{ConditionNode::binary,
                                 {},
                                 std::string{op},
                                 nullptr,
                                 {std::move(left), std::move(right)}};
        }
        return left;
    }

    ConditionNode sign() {
        const Depth depth{*this};
        for (const std::string_view op : {"-", "+", "!", "~"})
            if (take(op)) return {ConditionNode::unary, {}, std::string{op}, nullptr, {sign()}};
        ConditionNode node = primary();
        while (true) {
            if (take("->") || take(".")) {
                node = ConditionNode{ConditionNode::member, {}, word(), nullptr, {std::move(node)}};
            } else if (take("[")) {
                ConditionNode index = choice();
                expect("]");
                node = ConditionNode{
                    ConditionNode::element, {}, {}, nullptr, {std::move(node), std::move(index)}};
            } else {
                return node;
            }
        }
    }

    ConditionNode primary() {
        if (take("(")) {
            ConditionNode node = choice();
            expect(")");
            return node;
        }
        skip_space();
        const char c = at_ < text_.size() ? text_[at_] : ' ';
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number();
        const std::size_t begin = at_;
        std::string name = word();
        if (name == "true" || name == "false")
            return {ConditionNode::literal, ConditionNumber::of(name == "true"), {}, nullptr, {}};
        if (!take("(")) return {ConditionNode::name, {}, std::move(name), nullptr, {}};
        ConditionNode node{ConditionNode::call, {}, name, function_named(name), {}};
        if (!node.function)
            throw lathe::Error{fmt::format("'{}': there is no function '{}' here", text_, name)};
        do node.parts.push_back(choice());
        while (take(","));
        expect(")");
        if (node.parts.size() != node.function->arguments) at_ = begin, fail();
        return node;
    }

    ConditionNode number() {
        const char* const begin = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        double real = 0;
        std::int64_t whole = 0;
        const bool is_hex = text_.substr(at_).starts_with("0x");
        auto [whole_end, whole_error] =
            std::from_chars(begin + (is_hex ? 2 : 0), end, whole, is_hex ? 16 : 10);
        auto [real_end, real_error] = std::from_chars(begin, end, real);
        ConditionNode node;
        if (whole_error == std::errc{} && (is_hex || whole_end >= real_end)) {
            node.value = ConditionNumber::of(whole);
            at_ += std::size_t(whole_end - begin);
            while (at_ < text_.size() &&
                   std::string_view{"uUlL"}.find(text_[at_]) != std::string_view::npos)
                ++at_;
        } else {
            if (real_error != std::errc{}) fail();
            at_ += std::size_t(real_end - begin);
            const bool is_single = at_ < text_.size() && (text_[at_] == 'f' || text_[at_] == 'F');
            if (is_single) ++at_;
            node.value = ConditionNumber::of(
                is_single ? ConditionNumber::single : ConditionNumber::twofold, real);
        }
        if (at_ < text_.size() && is_word(text_[at_])) fail();
        return node;
    }

    /// Deep nests are not worth a stack.
    struct Depth {
        explicit Depth(ConditionReader& of) : reader{of} {
            if (++reader.depth_ > 200) throw lathe::Error{"the condition is nested too deep"};
        }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        ~Depth() { --reader.depth_; }
        ConditionReader& reader;
    };

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

// -- computing -----------------------------------------------------------------------------------

ConditionAnswer answer_of(const ConditionNode& node, const TraceLine& line);

std::optional<ConditionPart> part_of(const ConditionNode& node, const TraceLine& line) {
    if (node.kind == ConditionNode::name) {
        const TracedValue* const value = line.value_after(node.text);
        if (!value) return {};
        return ConditionPart{value->type.get(), value->bytes};
    }
    if (node.kind != ConditionNode::member && node.kind != ConditionNode::element) return {};
    const auto whole = part_of(node.parts[0], line);
    if (!whole) return {};
    const auto& members = whole->type->members;
    if (node.kind == ConditionNode::member) {
        if (whole->type->kind != NumberKind::structure) return {};
        const auto found = std::ranges::find(members, node.text, &ptx::ParameterType::name);
        if (found == members.end() || found->offset > whole->bytes.size()) return {};
        return ConditionPart{&*found, whole->bytes.subspan(found->offset)};
    }
    const ConditionAnswer index = answer_of(node.parts[1], line);
    if (!index || index->kind != ConditionNumber::whole || members.empty() ||
        whole->type->kind != NumberKind::array || index->number < 0)
        return {};
    const std::size_t at = std::size_t(index->number) * members.front().bytes;
    if (at >= whole->bytes.size()) return {};
    return ConditionPart{&members.front(), whole->bytes.subspan(at)};
}

ConditionAnswer enumerator(const std::string& name, const TraceLine& line) {
    for (const auto* values : {&line.changes, &line.values})
        for (const TracedValue& value : *values)
            for (const auto& each : value.type->enumerators)
                if (each.name == name) return ConditionNumber::of(each.value);
    return {};
}

ConditionAnswer answer_of(const ConditionNode& node, const TraceLine& line) {
    const auto part = [&](std::size_t k) { return answer_of(node.parts[k], line); };
    switch (node.kind) {
    case ConditionNode::literal: return node.value;
    case ConditionNode::name:
    case ConditionNode::member:
    case ConditionNode::element:
        if (const auto found = part_of(node, line)) return number_in(*found);
        return node.kind == ConditionNode::name ? enumerator(node.text, line) : ConditionAnswer{};
    case ConditionNode::unary: {
        const ConditionAnswer a = part(0);
        if (!a || node.text == "+") return a;
        if (node.text == "!") return ConditionNumber::of(!a->is_true());
        if (node.text == "~")
            return a->kind == ConditionNumber::whole
                       ? ConditionAnswer{ConditionNumber::of(~a->number)}
                       : ConditionAnswer{};
        if (a->kind != ConditionNumber::whole) return ConditionNumber::of(a->kind, -a->real);
        return computed("-", ConditionNumber::of(0), *a);
    }
    case ConditionNode::binary: {
        const ConditionAnswer a = part(0);
        if (!a) return {};
        const bool is_and = node.text == "&&";
        if (!is_and && node.text != "||") {
            const ConditionAnswer b = part(1);
            return b ? computed(node.text, *a, *b) : ConditionAnswer{};
        }
        if (a->is_true() != is_and) return ConditionNumber::of(!is_and);
        const ConditionAnswer b = part(1);
        return b ? ConditionAnswer{ConditionNumber::of(b->is_true())} : ConditionAnswer{};
    }
    case ConditionNode::choice: {
        const ConditionAnswer which = part(0);
        return which ? part(which->is_true() ? 1 : 2) : ConditionAnswer{};
    }
    case ConditionNode::call: {
        const ConditionAnswer a = part(0), b = node.parts.size() > 1 ? part(1) : a;
        return a && b ? node.function->call(*a, *b) : ConditionAnswer{};
    }
    }
    return {};
}

void collect_names(const ConditionNode& node, std::vector<std::string>& names) {
    if (node.kind == ConditionNode::name) names.push_back(node.text);
    for (const ConditionNode& part : node.parts) collect_names(part, names);
}

} // namespace

TraceCondition::TraceCondition(std::string text) : text_{std::move(text)} {
    if (text_.find_first_not_of(" \t") == text_.npos) return;
    root_ = std::make_shared<const ConditionNode>(ConditionReader{text_}.run());
}

bool TraceCondition::is_met(const TraceLine& line) const {
    if (!root_) return true;
    const ConditionAnswer answer = answer_of(*root_, line);
    return answer && answer->is_true();
}

void TraceCondition::check_names(const std::vector<TraceLine>& lines) const {
    if (!root_ || lines.empty()) return;
    std::vector<std::string> names;
    collect_names(*root_, names);
    for (const std::string& name : names) {
        const auto knows = [&](const TraceLine& line) {
            return line.value_after(name) || enumerator(name, line);
        };
        if (std::ranges::none_of(lines, knows))
            throw lathe::Error{fmt::format("'{}': no line knows a variable '{}'", text_, name)};
    }
}

std::vector<std::size_t> lines_that_meet(const std::vector<TraceLine>& lines, int line,
                                         const std::string& file, const TraceCondition& condition) {
    namespace fs = std::filesystem;
    const fs::path name = fs::path{file}.filename();
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (line && lines[k].line != line) continue;
        if (!file.empty() && fs::path{lines[k].file}.filename() != name) continue;
        if (condition.is_met(lines[k])) found.push_back(k);
    }
    return found;
}

} // namespace lathe::gpu
