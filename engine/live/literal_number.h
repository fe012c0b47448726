// SPDX-License-Identifier: MIT
// The text of a number in C++, taken apart so that it can be moved by steps and written again as
// its author wrote it: base, suffix, separators and the places behind the point stay.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lathe {

/// The type that C++ gives a number in a 64-bit Linux program.
enum class LiteralType {
    int_,
    unsigned_int,
    long_,
    unsigned_long,
    long_long,
    unsigned_long_long,
    float_,
    double_,
};
/// As CUDA C++ spells it: "unsigned int".
LATHE_API std::string_view name_of(LiteralType type);

class LATHE_API LiteralNumber {
public:
    /// Of "0.037f", "-3", "0x1Fu", "1'000", "0x1.8p3"; a minus belongs to decimal numbers without
    /// `u` alone. Nothing where C++ has no such number, and where its type is none of the above.
    static std::optional<LiteralNumber> parse(std::string_view text);

    LiteralType type() const { return type_; }
    bool is_real() const { return type_ == LiteralType::float_ || type_ == LiteralType::double_; }
    /// Its author's spelling where nothing was moved.
    const std::string& text() const { return text_; }
    /// The bytes that the text compiles to, 4 or 8 of them.
    std::vector<std::byte> bytes() const;
    std::variant<std::int64_t, std::uint64_t, double> value() const;

    /// The place that a step changes, as a power of the base: -3 for 0.037, 0 for whole numbers.
    /// Not finer than the fourth digit, nor coarser than the second of a real number.
    int step_place() const;
    /// `steps` units of `place` on, of a whole number at least ones. Ends at the type's range.
    LiteralNumber moved(std::int64_t steps, int place) const;
    /// The same spelling for another value: as few digits as name it. Nothing where the type has no
    /// such value (0.5 for an int, -1 for an unsigned one, infinity).
    std::optional<LiteralNumber> with_value(double value) const;
    std::optional<LiteralNumber> with_value(std::int64_t value) const;

private:
    bool read_whole(std::string_view body);
    bool read_real(std::string_view body);
    bool read_digits(std::string_view digits, bool behind_point);
    bool take_suffix(std::string_view& body);
    std::optional<LiteralType> whole_type() const;
    bool fits(bool negative, std::uint64_t magnitude) const;
    LiteralNumber written(bool negative, std::uint64_t magnitude, int places) const;
    std::string digits_of(std::uint64_t magnitude) const;
    std::string spelling() const;

    std::string text_;
    LiteralType type_ = LiteralType::int_;
    bool is_negative_ = false;
    std::uint64_t magnitude_ = 0; ///< all digits as a whole number
    int base_ = 10;
    int places_ = 0;       ///< digits behind the point
    std::string prefix_;   ///< "0x", "0B", "0"
    std::string power_;    ///< "e-3", "P+2"
    std::string suffix_;   ///< "f", "uLL"
    int least_digits_ = 1; ///< of a whole number, with its leading zeros; of a real one before
                           ///< the point, where it may be 0
    bool has_point_ = false;
    bool is_upper_ = false; ///< digits beyond 9
    int group_ = 0;         ///< digits between separators before the point; 0: no separators
    int group_behind_ = 0;  ///< and behind it
};

} // namespace lathe
