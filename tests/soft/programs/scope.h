// SPDX-License-Identifier: MIT
// What a random program can name at one place: types, variables, fields and elements, functions.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lathe::test::programs {

/// A scalar type of prelude.cuh.
struct Scalar {
    const char* name;
    enum class Kind : std::uint8_t { boolean, integer, real } kind;
    unsigned bits;
    bool is_signed;
    const char* wraps; ///< unsigned type that sums are made in; empty for others than integers

    bool is_integer() const { return kind == Kind::integer; }
    bool is_real() const { return kind == Kind::real; }
};
using Type = const Scalar*;

inline constexpr Scalar kScalars[] = {
    {"bool", Scalar::Kind::boolean, 8, false, ""},
    {"i8", Scalar::Kind::integer, 8, true, "u32"},
    {"u8", Scalar::Kind::integer, 8, false, "u32"},
    {"i16", Scalar::Kind::integer, 16, true, "u32"},
    {"u16", Scalar::Kind::integer, 16, false, "u32"},
    {"i32", Scalar::Kind::integer, 32, true, "u32"},
    {"u32", Scalar::Kind::integer, 32, false, "u32"},
    {"i64", Scalar::Kind::integer, 64, true, "u64"},
    {"u64", Scalar::Kind::integer, 64, false, "u64"},
    {"i128", Scalar::Kind::integer, 128, true, "u128"},
    {"u128", Scalar::Kind::integer, 128, false, "u128"},
    {"f32", Scalar::Kind::real, 32, true, ""},
    {"f64", Scalar::Kind::real, 64, true, ""},
};
Type scalar(const char* name);

/// Something that can be read, and assigned to where it is no constant. Its text has a place "@N"
/// where an index below N (a power of two) goes: "s.weights[@4]".
struct Place {
    std::string text;
    Type type;
    bool is_constant = false;
    bool has_address = true; ///< no bit field
};

struct Structure {
    std::string name;
    std::vector<Place> fields; ///< texts from the dot on
};

struct Function {
    struct Parameter {
        Type type = nullptr;                  ///< a scalar, else
        const Structure* structure = nullptr; ///< by value or by reference, else
        unsigned elements = 0;                ///< a pointer to so many of `type`
        bool by_reference = false;
    };
    std::string name;
    Type result = nullptr;
    std::vector<Parameter> parameters;
    bool is_pure = true;    ///< takes no pointers and references
    std::uint32_t cost = 1; ///< about how many statements it runs
};

/// A variable of a structure's type.
struct Record {
    std::string name;
    const Structure* structure;
};

class Random {
public:
    explicit Random(std::uint32_t seed) : engine_{seed} {}
    std::uint32_t below(std::size_t n) {
        return static_cast<std::uint32_t>(engine_() % static_cast<std::uint32_t>(n));
    }
    bool one_in(std::size_t n) { return below(n) == 0; }
    std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()); }
    template <class T> const T& of(const std::vector<T>& list) { return list[below(list.size())]; }

private:
    std::mt19937 engine_;
};

/// What is known at one place; copied when a block begins.
struct Scope {
    std::vector<Place> places;
    std::vector<Record> records;
    std::uint32_t weight = 1; ///< how often this place is run, about
    bool in_loop = false;
    bool in_function = false; ///< one that returns a value of `result`
    Type result = nullptr;
};

} // namespace lathe::test::programs
