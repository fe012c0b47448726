// SPDX-License-Identifier: MIT
#include "engine/live/literal_number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace lathe {

namespace {

/// A real number's digits beyond these are left out once it moves: no double has more.
constexpr std::uint64_t kMostMagnitude = 100'000'000'000'000'000;

struct WholeRange {
    std::uint64_t least_negative, least, most; ///< magnitudes
};

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    return out;
}

/// The digits without separators; their distance where they are evenly placed. Nothing where
/// separators stand at an end or beside each other.
struct Plain {
    std::string digits;
    int group = 0;
};
std::optional<Plain> without_separators(std::string_view text, bool behind_point) {
    Plain plain;
    int run = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\'') {
            plain.digits += text[i];
            ++run;
            continue;
        }
        if (run == 0 || i + 1 == text.size()) return {};
        if (behind_point && plain.group == 0) plain.group = run;
        run = 0;
        if (!behind_point) plain.group = int(text.size() - i - 1); // the last one's stays
    }
    return plain;
}

/// A separator after each `group` digits, counted from the point.
std::string grouped(const std::string& digits, int group, bool behind_point) {
    if (group <= 0) return digits;
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::size_t from_point = behind_point ? i : digits.size() - i;
        if (i > 0 && from_point % std::size_t(group) == 0) out += '\'';
        out += digits[i];
    }
    return out;
}

template <class T> std::vector<std::byte> bytes_of(T value) {
    std::vector<std::byte> out(sizeof(T));
    std::memcpy(out.data(), &value, sizeof(T));
    return out;
}

/// The text of a real number without separators and suffix, as from_chars reads it.
template <class T> T real_of(std::string_view text, bool is_hex, bool is_negative) {
    T value{};
    const auto format = is_hex ? std::chars_format::hex : std::chars_format::general;
    const std::errc error =
        std::from_chars(text.data(), text.data() + text.size(), value, format).ec;
    // Out of range says nothing about the direction; the power does.
    if (error == std::errc::result_out_of_range)
        value = text.find('-') != text.npos ? T{0} : std::numeric_limits<T>::infinity();
    return is_negative ? -value : value;
}

WholeRange range_of(LiteralType type, bool is_decimal, bool has_u) {
    constexpr std::uint64_t kInt = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint64_t kUnsigned = std::numeric_limits<std::uint32_t>::max();
    constexpr std::uint64_t kLong = std::numeric_limits<std::int64_t>::max();
    constexpr std::uint64_t kUnsignedLong = std::numeric_limits<std::uint64_t>::max();
    const bool may_be_negative = is_decimal && !has_u;
    switch (type) {
    case LiteralType::int_: return {may_be_negative ? kInt : 0, 0, kInt};
    case LiteralType::unsigned_int: return {0, has_u ? 0 : kInt + 1, kUnsigned};
    case LiteralType::unsigned_long:
    case LiteralType::unsigned_long_long: return {0, 0, kUnsignedLong};
    default: return {may_be_negative ? kLong : 0, 0, kLong};
    }
}

} // namespace

std::string_view name_of(LiteralType type) {
    switch (type) {
    case LiteralType::int_: return "int";
    case LiteralType::unsigned_int: return "unsigned int";
    case LiteralType::long_: return "long";
    case LiteralType::unsigned_long: return "unsigned long";
    case LiteralType::long_long: return "long long";
    case LiteralType::unsigned_long_long: return "unsigned long long";
    case LiteralType::float_: return "float";
    case LiteralType::double_: return "double";
    }
    return "";
}

std::optional<LiteralNumber> LiteralNumber::parse(std::string_view text) {
    LiteralNumber n;
    n.text_ = text;
    std::string_view body = text;
    if (body.starts_with('-')) {
        n.is_negative_ = true;
        body.remove_prefix(1);
    }
    if (body.empty() || (digit_of(body[0]) > 9 && body[0] != '.')) return {};
    const std::string start = lower(body.substr(0, 2));
    if (start == "0x" || start == "0b") {
        n.base_ = start == "0x" ? 16 : 2;
        n.prefix_ = body.substr(0, 2);
        body.remove_prefix(2);
    }
    const auto real_marks = n.base_ == 16 ? ".pP" : ".eE";
    const bool is_real = n.base_ != 2 && body.find_first_of(real_marks) != body.npos;
    if (!(is_real ? n.read_real(body) : n.read_whole(body))) return {};
    if (n.is_negative_ && !n.is_real() &&
        (n.base_ != 10 || n.type_ == LiteralType::unsigned_int ||
         n.type_ == LiteralType::unsigned_long || n.type_ == LiteralType::unsigned_long_long))
        return {};
    return n;
}

bool LiteralNumber::take_suffix(std::string_view& body) {
    std::size_t end = body.size();
    const std::string_view letters = base_ == 16 && power_.empty() ? "uUlL" : "uUlLfF";
    while (end > 0 && letters.find(body[end - 1]) != letters.npos) --end;
    suffix_ = body.substr(end);
    body = body.substr(0, end);
    return !body.empty();
}

bool LiteralNumber::read_digits(std::string_view text, bool behind_point) {
    const auto plain = without_separators(text, behind_point);
    if (!plain) return false;
    (behind_point ? group_behind_ : group_) = plain->group;
    for (const char c : plain->digits) {
        const int digit = digit_of(c);
        if (digit >= base_) return false;
        if (digit > 9) is_upper_ = c < 'a';
        if (behind_point && magnitude_ >= kMostMagnitude) continue;
        const auto base = std::uint64_t(base_);
        if (magnitude_ > (std::numeric_limits<std::uint64_t>::max() - std::uint64_t(digit)) / base)
            return false;
        magnitude_ = magnitude_ * base + std::uint64_t(digit);
        if (behind_point) ++places_;
    }
    return true;
}

bool LiteralNumber::read_whole(std::string_view body) {
    if (!take_suffix(body)) return false;
    if (base_ == 10 && body.size() > 1 && body[0] == '0') {
        base_ = 8;
        prefix_ = "0";
        body.remove_prefix(body[1] == '\'' ? 2 : 1);
    }
    if (!read_digits(body, false)) return false;
    if (base_ != 10) least_digits_ = int(body.size() - std::size_t(std::ranges::count(body, '\'')));
    const auto type = whole_type();
    if (type) type_ = *type;
    return type.has_value();
}

std::optional<LiteralType> LiteralNumber::whole_type() const {
    using enum LiteralType;
    const std::string suffix = lower(suffix_);
    if (suffix_.find("lL") != suffix_.npos || suffix_.find("Ll") != suffix_.npos) return {};
    const bool has_u = suffix.find('u') != suffix.npos;
    if (!is_one_of(suffix, {"", "u", "l", "ul", "lu", "ll", "ull", "llu"})) return {};
    const bool is_long_long = suffix.find("ll") != suffix.npos;
    const bool is_long = suffix.find('l') != suffix.npos;
    const bool is_decimal = base_ == 10;
    const bool is_beyond_long = magnitude_ > std::uint64_t(std::numeric_limits<long>::max());
    if (is_beyond_long && !has_u && is_decimal) return {};
    const bool is_unsigned = has_u || is_beyond_long;
    if (is_long_long) return is_unsigned ? unsigned_long_long : long_long;
    if (is_long) return is_unsigned ? unsigned_long : long_;
    if (magnitude_ > std::numeric_limits<std::uint32_t>::max())
        return is_unsigned ? unsigned_long : long_;
    if (magnitude_ <= std::uint64_t(std::numeric_limits<int>::max()))
        return has_u ? unsigned_int : int_;
    return has_u || !is_decimal ? unsigned_int : long_;
}

bool LiteralNumber::read_real(std::string_view body) {
    const auto mark = body.find_first_of(base_ == 16 ? "pP" : "eE");
    if (base_ == 16 && mark == body.npos) return false;
    std::string_view digits = body, power;
    if (mark != body.npos) {
        std::size_t end = mark + 1;
        if (end < body.size() && (body[end] == '+' || body[end] == '-')) ++end;
        const std::size_t first = end;
        while (end < body.size() && digit_of(body[end]) <= 9) ++end;
        if (end == first) return false;
        power = body.substr(mark, end - mark);
        suffix_ = body.substr(end);
        digits = body.substr(0, mark);
        power_ = power;
    } else if (!take_suffix(digits)) {
        return false;
    }
    if (!is_one_of(suffix_, {"", "f", "F"})) return false;
    const auto point = digits.find('.');
    has_point_ = point != digits.npos;
    const std::string_view before = digits.substr(0, point);
    if (!read_digits(before, false)) return false;
    least_digits_ = before.empty() ? 0 : 1;
    const std::string_view behind = has_point_ ? digits.substr(point + 1) : std::string_view{};
    if (!read_digits(behind, true)) return false;
    if (before.empty() && behind.empty()) return false;
    if (magnitude_ > 16 * kMostMagnitude) return false;
    type_ = suffix_.empty() ? LiteralType::double_ : LiteralType::float_;
    return std::isfinite(std::get<double>(value()));
}

/// As many as the spelling has at least.
std::string LiteralNumber::digits_of(std::uint64_t magnitude) const {
    std::string digits(70, '0');
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), magnitude, base_).ptr;
    digits.resize(std::size_t(end - digits.data()));
    if (is_upper_)
        for (char& c : digits)
            if (c >= 'a') c = char(c - 'a' + 'A');
    const auto least = std::size_t(is_real() ? places_ + least_digits_ : least_digits_);
    if (digits == "0" && least == std::size_t(places_) && is_real()) digits.clear();
    if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
    return digits;
}

std::string LiteralNumber::spelling() const {
    const std::string digits = digits_of(magnitude_);
    const std::size_t before = digits.size() - std::size_t(places_);
    std::string out = is_negative_ ? "-" : "";
    out += prefix_;
    out += grouped(digits.substr(0, before), group_, false);
    if (has_point_) out += '.';
    out += grouped(digits.substr(before), group_behind_, true);
    return out + power_ + suffix_;
}

std::variant<std::int64_t, std::uint64_t, double> LiteralNumber::value() const {
    if (!is_real()) {
        if (is_negative_) return -std::int64_t(magnitude_);
        if (magnitude_ > std::uint64_t(std::numeric_limits<std::int64_t>::max())) return magnitude_;
        return std::int64_t(magnitude_);
    }
    std::string plain = text_;
    plain.resize(plain.size() - suffix_.size());
    plain.erase(0, prefix_.size() + (is_negative_ ? 1 : 0));
    std::erase(plain, '\'');
    std::erase(plain, '+');
    if (type_ == LiteralType::float_) return real_of<float>(plain, base_ == 16, is_negative_);
    return real_of<double>(plain, base_ == 16, is_negative_);
}

std::vector<std::byte> LiteralNumber::bytes() const {
    const auto whole = is_negative_ ? ~magnitude_ + 1 : magnitude_;
    switch (type_) {
    case LiteralType::float_: return bytes_of(float(std::get<double>(value())));
    case LiteralType::double_: return bytes_of(std::get<double>(value()));
    case LiteralType::int_:
    case LiteralType::unsigned_int: return bytes_of(std::uint32_t(whole));
    default: return bytes_of(whole);
    }
}

int LiteralNumber::step_place() const {
    if (!is_real()) return 0;
    int digits = 0;
    for (std::uint64_t rest = magnitude_; rest > 0; rest /= std::uint64_t(base_)) ++digits;
    constexpr int kFinest = 4, kCoarsest = 2;
    if (digits < kCoarsest) return -places_ - 1;
    return -places_ + std::max(0, digits - kFinest);
}

bool LiteralNumber::fits(bool negative, std::uint64_t magnitude) const {
    const WholeRange range =
        range_of(type_, base_ == 10, suffix_.find_first_of("uU") != suffix_.npos);
    if (negative) return magnitude <= range.least_negative;
    return magnitude >= range.least && magnitude <= range.most;
}

LiteralNumber LiteralNumber::written(bool negative, std::uint64_t magnitude, int places) const {
    LiteralNumber n = *this;
    n.is_negative_ = negative && magnitude > 0;
    n.magnitude_ = magnitude;
    n.places_ = places;
    n.has_point_ = n.has_point_ || places > 0;
    n.text_ = n.spelling();
    return n;
}

LiteralNumber LiteralNumber::moved(std::int64_t steps, int place) const {
    if (!is_real()) place = std::max(place, 0);
    if (steps == 0) return *this;
    // Signed sums of magnitudes: a whole number may use all 64 bits.
    std::uint64_t magnitude = magnitude_, unit = 1;
    int places = places_;
    const auto most = std::uint64_t(std::numeric_limits<std::int64_t>::max());
    for (; is_real() && places < -place; ++places) {
        if (magnitude > most / std::uint64_t(base_) / 2) return *this;
        magnitude *= std::uint64_t(base_);
    }
    for (int p = is_real() ? -places : 0; p < place; ++p) {
        if (unit > most / std::uint64_t(base_)) return *this;
        unit *= std::uint64_t(base_);
    }
    const std::uint64_t count = steps < 0 ? ~std::uint64_t(steps) + 1 : std::uint64_t(steps);
    const std::uint64_t change = count > most / unit ? most : count * unit;
    const bool down = steps < 0;
    bool negative = is_negative_;
    if (down == negative) {
        magnitude = magnitude + change < magnitude ? std::numeric_limits<std::uint64_t>::max()
                                                   : magnitude + change;
    } else if (change <= magnitude) {
        magnitude -= change;
    } else {
        magnitude = change - magnitude;
        negative = down;
    }
    if (is_real()) {
        if (magnitude > most / 2) return *this;
        LiteralNumber n = written(negative, magnitude, places);
        return std::isfinite(std::get<double>(n.value())) ? n : *this;
    }
    const WholeRange range =
        range_of(type_, base_ == 10, suffix_.find_first_of("uU") != suffix_.npos);
    if (negative && magnitude > range.least_negative) {
        magnitude = range.least_negative;
        if (magnitude == 0) { // no number below zero
            magnitude = range.least;
            negative = false;
        }
    }
    if (!negative) magnitude = std::clamp(magnitude, range.least, range.most);
    return written(negative, magnitude, 0);
}

std::optional<LiteralNumber> LiteralNumber::with_value(std::int64_t value) const {
    if (is_real()) return with_value(double(value));
    const bool negative = value < 0;
    const std::uint64_t magnitude =
        negative ? ~std::uint64_t(value) + 1 : static_cast<std::uint64_t>(value);
    if (!fits(negative, magnitude)) return {};
    return written(negative, magnitude, 0);
}

std::optional<LiteralNumber> LiteralNumber::with_value(double value) const {
    if (!std::isfinite(value)) return {};
    if (!is_real()) {
        if (value != std::floor(value) || std::abs(value) >= 0x1p63) return {};
        return with_value(std::int64_t(value));
    }
    const bool is_float = type_ == LiteralType::float_;
    if (is_float && !std::isfinite(float(value))) return {};
    char digits[64];
    const double size = std::abs(value);
    const auto end = is_float ? std::to_chars(digits, digits + sizeof digits, float(size))
                              : std::to_chars(digits, digits + sizeof digits, size);
    std::string text = std::signbit(value) && value != 0 ? "-" : "";
    text.append(digits, end.ptr);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return parse(text + suffix_);
}

} // namespace lathe
