// SPDX-License-Identifier: MIT
#include "gpu/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace lathe::ptx {
namespace {

enum : std::uint8_t { kSpace = 1, kWordStart = 2, kWordPart = 4, kDigit = 8, kMark = 16 };

constexpr auto kClasses = [] {
    std::array<std::uint8_t, 256> classes{};
    for (const char c : {' ', '\t', '\r', '\v', '\f'})
        classes[static_cast<unsigned char>(c)] = kSpace;
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kWordStart | kWordPart;
    for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kWordPart;
    classes['_'] = classes['$'] = kWordStart | kWordPart;
    for (const char c : std::string_view{",;{}[]()<>:=+-*/%&|^~!?@"})
        classes[static_cast<unsigned char>(c)] = kMark;
    classes['%'] = kWordStart | kMark;
    return classes;
}();

bool in(char c, std::uint8_t set) { return kClasses[static_cast<unsigned char>(c)] & set; }

const char* end_of_word(const char* at, const char* end) {
    while (at != end && in(*at, kWordPart)) ++at;
    return at;
}

/// Plain decimal numbers, which are nearly all: up to 18 digits and no leading zero.
std::optional<Immediate> short_decimal(std::string_view text) {
    if (text.size() > 18 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
    std::uint64_t bits = 0;
    for (const char c : text) {
        if (!in(c, kDigit)) return std::nullopt;
        bits = bits * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return Immediate{Type::s64, bits};
}

std::optional<Immediate> integer_value(std::string_view text) {
    const bool is_unsigned = text.ends_with('U');
    if (is_unsigned) text.remove_suffix(1);
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.starts_with("0b") || text.starts_with("0B")) {
        base = 2;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0') {
        base = 8;
        text.remove_prefix(1);
    }
    std::uint64_t bits = 0;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), bits, base);
    if (error != std::errc{} || last != text.data() + text.size()) return std::nullopt;
    const bool needs_sign_bit = bits >> 63;
    return Immediate{is_unsigned || needs_sign_bit ? Type::u64 : Type::s64, bits};
}

std::optional<Immediate> float_bits(std::string_view text, Type type) {
    const std::size_t digits = type == Type::f32 ? 8 : 16;
    std::uint64_t bits = 0;
    if (text.size() != digits) return std::nullopt;
    const auto [last, error] = std::from_chars(text.data(), text.data() + digits, bits, 16);
    if (error != std::errc{} || last != text.data() + digits) return std::nullopt;
    return Immediate{type, bits};
}

} // namespace

Token Lexer::make(Token::Kind kind, const char* first, const char* last) const {
    return {kind,
            0,
            {first, static_cast<std::size_t>(last - first)},
            line_,
            static_cast<std::uint32_t>(first - line_start_) + 1};
}

bool Lexer::skip_space() {
    while (at_ != end_) {
        if (*at_ == '\n') {
            line_start_ = ++at_;
            ++line_;
        } else if (in(*at_, kSpace)) {
            ++at_;
        } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '/') {
            while (at_ != end_ && *at_ != '\n') ++at_;
        } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '*') {
            for (at_ += 2;; ++at_) {
                if (end_ - at_ < 2) return false;
                if (at_[0] == '*' && at_[1] == '/') break;
                if (*at_ == '\n') {
                    line_start_ = at_ + 1;
                    ++line_;
                }
            }
            at_ += 2;
        } else {
            return true;
        }
    }
    return true;
}

/// Digits, letters of a prefix or suffix, a fraction and a signed decimal exponent.
const char* Lexer::end_of_number() const {
    const char* at = end_of_word(at_, end_);
    const bool prefixed = at - at_ > 1 && at_[0] == '0' && !in(at_[1], kDigit) && at_[1] != 'e';
    if (prefixed) return at;
    if (at != end_ && *at == '.' && end_ - at > 1 && in(at[1], kDigit))
        at = end_of_word(at + 1, end_);
    const bool exponent =
        at != end_ && (*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E');
    return exponent ? end_of_word(at + 1, end_) : at;
}

Token Lexer::next() {
    if (!skip_space()) {
        at_ = end_;
        return make(Token::Kind::invalid, end_, end_);
    }
    if (at_ == end_) return make(Token::Kind::end, end_, end_);

    const char* const first = at_;
    Token token;
    if (in(*first, kWordStart) &&
        (*first != '%' || (end_ - first > 1 && in(first[1], kWordPart)))) {
        at_ = end_of_word(first + 1, end_);
        return make(Token::Kind::word, first, at_);
    }
    if (in(*first, kDigit)) {
        at_ = end_of_number();
        return make(Token::Kind::number, first, at_);
    }
    if (*first == '.' && end_ - first > 1 && in(first[1], kWordPart)) {
        at_ = end_of_word(first + 1, end_);
        while (end_ - at_ > 2 && at_[0] == ':' && at_[1] == ':' && in(at_[2], kWordPart))
            at_ = end_of_word(at_ + 2, end_);
        return make(Token::Kind::dotted, first, at_);
    }
    if (*first == '"') {
        const char* last = first + 1;
        while (last != end_ && *last != '"' && *last != '\n')
            last += (*last == '\\' && end_ - last > 1 && last[1] != '\n') ? 2 : 1;
        if (last == end_ || *last != '"') {
            at_ = last;
            return make(Token::Kind::invalid, first, last);
        }
        token = make(Token::Kind::string, first + 1, last);
        at_ = last + 1;
        return token;
    }
    at_ = first + 1;
    token = make(in(*first, kMark) ? Token::Kind::mark : Token::Kind::invalid, first, at_);
    token.mark = *first;
    return token;
}

std::optional<Immediate> number_value(std::string_view text) {
    if (text.empty()) return std::nullopt;
    if (const auto value = short_decimal(text)) return value;
    if (text.size() > 1 && text[0] == '0') {
        if (text[1] == 'f' || text[1] == 'F') return float_bits(text.substr(2), Type::f32);
        if (text[1] == 'd' || text[1] == 'D') return float_bits(text.substr(2), Type::f64);
    }
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex || text.find_first_of(".eE") == std::string_view::npos) return integer_value(text);
    double value = 0;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || last != text.data() + text.size()) return std::nullopt;
    return Immediate{Type::f64, std::bit_cast<std::uint64_t>(value)};
}

} // namespace lathe::ptx
