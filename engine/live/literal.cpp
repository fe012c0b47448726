// SPDX-License-Identifier: MIT
#include "engine/live/literal.h"

#include "engine/live/source_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Walks over a source as the preprocessor does and keeps the numbers.
class LiteralScan {
public:
    explicit LiteralScan(std::string_view source) : s_{source} {}

    std::vector<Literal> run() {
        while (i_ < s_.size()) step();
        return std::move(found_);
    }

private:
    /// What stands before a token, which decides what a minus is.
    enum class Before { start, value, other };

    char at(std::size_t i) const { return i < s_.size() ? s_[i] : '\0'; }
    bool starts(std::string_view with) const { return s_.substr(i_).starts_with(with); }

    void step() {
        const char c = s_[i_];
        if (c == '\\' && (at(i_ + 1) == '\n' || (at(i_ + 1) == '\r' && at(i_ + 2) == '\n'))) {
            i_ += at(i_ + 1) == '\n' ? 1 : 2;
            next_line();
        } else if (c == '\n') {
            next_line();
            place_ = LiteralPlace::code;
            is_ignored_ = is_include_ = false;
            is_line_start_ = true;
        } else if (is_space(c)) {
            ++i_;
        } else if (starts("//")) {
            while (i_ < s_.size() && s_[i_] != '\n') {
                if (s_[i_] == '\\' && at(i_ + 1) == '\n') {
                    ++i_;
                    next_line();
                } else {
                    ++i_;
                }
            }
        } else if (starts("/*")) {
            skip_over("*/", i_ + 2);
        } else if (is_line_start_ && c == '#') {
            directive();
        } else {
            is_line_start_ = false;
            token();
        }
    }

    void next_line() {
        ++line_;
        line_begin_ = ++i_;
    }

    void skip_over(std::string_view end, std::size_t from) {
        const auto found = s_.find(end, from);
        const std::size_t stop = found == s_.npos ? s_.size() : found + end.size();
        for (; i_ < stop; ++i_)
            if (s_[i_] == '\n') {
                ++line_;
                line_begin_ = i_ + 1;
            }
    }

    void blanks() {
        while (at(i_) == ' ' || at(i_) == '\t') ++i_;
    }
    std::string_view name() {
        const std::size_t begin = i_;
        while (is_word_character(at(i_))) ++i_;
        return s_.substr(begin, i_ - begin);
    }

    /// From the # to where the numbers of the line can begin.
    void directive() {
        is_line_start_ = false;
        ++i_;
        blanks();
        const std::string_view which = name();
        place_ = LiteralPlace::directive;
        is_include_ = which == "include";
        is_ignored_ = which == "error" || which == "warning" || which == "line" || is_include_;
        before_ = Before::start;
        if (which != "define") return;
        place_ = LiteralPlace::macro;
        blanks();
        name();
        if (at(i_) == '(') // its parameters
            while (i_ < s_.size() && s_[i_] != ')' && s_[i_] != '\n') ++i_;
        if (at(i_) == ')') ++i_;
    }

    void token() {
        const char c = s_[i_];
        if (is_include_ && c == '<') {
            while (i_ < s_.size() && s_[i_] != '\n') ++i_;
        } else if (c == '"' || c == '\'') {
            quoted(c);
            before_ = Before::value;
        } else if (is_digit(c) || (c == '.' && is_digit(at(i_ + 1)))) {
            number(i_);
        } else if (is_word_character(c)) {
            word();
        } else {
            const bool may_sign = c == '-' && before_ != Before::value;
            if (may_sign && (is_digit(at(i_ + 1)) || (at(i_ + 1) == '.' && is_digit(at(i_ + 2)))))
                return number(i_++);
            is_difference_ = c == '-' && before_ == Before::value;
            before_ = c == ')' || c == ']' || c == '}' ? Before::value : Before::other;
            // `v<int>-1` may be a difference, `a > -1` is a number
            if (c == '>' && at(i_ + 1) == '-') before_ = Before::value;
            ++i_;
        }
    }

    void word() {
        const std::string_view text = name();
        constexpr std::array in_front_of_values{"return", "case", "else", "sizeof", "do",
                                                "and",    "or",   "not",  "throw"};
        const bool is_operator =
            std::ranges::find(in_front_of_values, text) != in_front_of_values.end();
        before_ = is_operator ? Before::other : Before::value;
        if (at(i_) != '"' && at(i_) != '\'') return;
        if (text.ends_with('R') && at(i_) == '"') {
            const auto open = s_.find('(', i_);
            if (open == s_.npos) {
                i_ = s_.size();
                return;
            }
            const std::string_view mark = s_.substr(i_ + 1, open - i_ - 1);
            skip_over(fmt::format("){}\"", mark), open);
        } else {
            quoted(at(i_));
        }
    }

    void quoted(char quote) {
        std::size_t end = i_ + 1;
        while (end < s_.size() && s_[end] != quote && s_[end] != '\n')
            end += s_[end] == '\\' && at(end + 1) != '\n' ? 2 : 1;
        i_ = std::min(end + (at(end) == quote ? 1 : 0), s_.size());
    }

    /// `begin` is the sign or the first digit; i_ is at or before the first digit.
    void number(std::size_t begin) {
        const bool is_difference = before_ == Before::other && is_difference_;
        if (s_[i_] == '-') ++i_;
        for (++i_; i_ < s_.size(); ++i_) { // the preprocessor's idea of a number
            const char c = s_[i_];
            const char last = s_[i_ - 1];
            const bool is_power = (c == '+' || c == '-') &&
                                  (last == 'e' || last == 'E' || last == 'p' || last == 'P');
            const bool is_separator = c == '\'' && is_word_character(at(i_ + 1));
            if (!is_word_character(c) && c != '.' && !is_power && !is_separator) break;
        }
        before_ = Before::value;
        if (is_ignored_) return;
        if (!LiteralNumber::parse(s_.substr(begin, i_ - begin))) {
            if (s_[begin] != '-') return;
            ++begin; // -1u, -0x1: the minus is an operator
            if (!LiteralNumber::parse(s_.substr(begin, i_ - begin))) return;
        }
        found_.push_back({begin, i_, line_, int(begin - line_begin_) + 1, place_,
                          begin > 0 && s_[begin - 1] == '-', is_difference});
    }

    std::string_view s_;
    std::vector<Literal> found_;
    std::size_t i_ = 0, line_begin_ = 0;
    int line_ = 1;
    LiteralPlace place_ = LiteralPlace::code;
    bool is_line_start_ = true, is_ignored_ = false, is_include_ = false;
    Before before_ = Before::start;
    bool is_difference_ = false; ///< the token before is a minus between two values
};

/// A compiler makes a sum of `a * b - 2`, which it may fuse with the product; of `a * b - v` it
/// does not. The variable holds the negative number then, so that the compiler finds the same sum.
bool holds_negative(const Literal& literal, LiteralType type) {
    return literal.is_subtracted && (type == LiteralType::float_ || type == LiteralType::double_);
}

} // namespace

std::vector<Literal> find_literals(std::string_view source) { return LiteralScan{source}.run(); }

std::optional<Literal> literal_at(std::string_view source, int line, int column) {
    const std::vector<Literal> all = find_literals(source);
    const auto found = std::ranges::find_if(all, [&](const Literal& l) {
        return l.line == line && column >= l.column && column <= l.column + int(l.end - l.begin);
    });
    if (found == all.end()) return {};
    return *found;
}

std::string in_place(const Literal& literal, const LiteralNumber& number) {
    if (literal.is_behind_minus && number.text().starts_with('-'))
        return fmt::format("({})", number.text());
    return number.text();
}

std::string with_text(std::string_view source, const Literal& literal, std::string_view text) {
    std::string out{source.substr(0, literal.begin)};
    return out.append(text).append(source.substr(literal.end));
}

std::optional<std::string> with_variable(std::string_view source, const Literal& literal) {
    const auto number = LiteralNumber::parse(literal.text(source));
    if (!number || literal.place == LiteralPlace::directive) return {};
    // An element, so that #if refuses it; a sign makes a value of it, as a number is one.
    const char sign = holds_negative(literal, number->type()) ? '-' : '+';
    return fmt::format(
        "extern \"C\" __constant__ {} {}[1];\n#line 1\n{}", name_of(number->type()),
        kLiteralVariable,
        with_text(source, literal, fmt::format("({}{}[0])", sign, kLiteralVariable)));
}

std::vector<std::byte> variable_bytes(const Literal& literal, const LiteralNumber& number) {
    std::vector<std::byte> bytes = number.bytes();
    if (holds_negative(literal, number.type())) bytes.back() ^= std::byte{0x80};
    return bytes;
}

} // namespace lathe
