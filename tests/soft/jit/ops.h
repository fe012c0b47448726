// SPDX-License-Identifier: MIT
// One-instruction tests: an instruction, the types of its registers, a host function that says what
// it must give. Each is run on a crossing of edge values and random bits: by test_ops.cpp, and on
// real GPUs by tests/soft/recorded.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lathe::soft::test {

using Bits = std::uint64_t;
using Inputs = std::vector<Bits>;

struct Op {
    /// "add.s32 %d, %a, %b;": %d is the result, %a .. %d the operands; %p, %q, %r and %s are
    /// scratch: predicates (p, q), 32 bits (r) and 64 bits (s). May be several instructions.
    std::string text;
    /// Types of %d, %a, %b, %c, %e: "u32 u32 u32". s and f types choose signed and float edges.
    std::string types;
    std::function<Bits(const Inputs&)> expected;
    /// Allowed distance in units of the last place (floats).
    Bits ulps = 0;
    /// Allowed absolute error (floats), for results near zero; used where positive.
    double absolute = 0;
    /// Values to use instead of the edges.
    std::vector<Inputs> rows = {};
};

struct OpGroup {
    const char* name; ///< "float/rounding_modes"
    std::vector<Op> ops;
};
std::vector<OpGroup> carry_ops();
std::vector<OpGroup> convert_ops();
std::vector<OpGroup> float_ops();
std::vector<OpGroup> integer_ops();

/// Of Op::types.
std::vector<std::string> types_of(const Op& op);
/// Op::rows, else crossed edges (of two operands) and 600 rows of edges and random bits.
std::vector<Inputs> rows_of(const Op& op);
/// PTX of `op(in, out)`: each thread of the grid runs the instruction on one row of 64-bit words.
std::string kernel_of(const Op& op);

inline float f32(Bits b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b)); }
inline double f64(Bits b) { return std::bit_cast<double>(b); }
inline Bits bits(float v) { return std::bit_cast<std::uint32_t>(v); }
inline Bits bits(double v) { return std::bit_cast<std::uint64_t>(v); }
inline std::int32_t s32(Bits b) { return static_cast<std::int32_t>(b); }
inline std::uint32_t u32(Bits b) { return static_cast<std::uint32_t>(b); }
inline std::int64_t s64(Bits b) { return static_cast<std::int64_t>(b); }
inline std::int16_t s16(Bits b) { return static_cast<std::int16_t>(b); }
inline std::uint16_t u16(Bits b) { return static_cast<std::uint16_t>(b); }

/// Runs `operation` in a rounding mode of <cfenv>; its operands must be volatile.
double in_rounding(int mode, const std::function<double()>& operation);
float in_rounding_f(int mode, const std::function<float()>& operation);

/// Half precision worked out by hand: value of 16 bits, and nearest-even rounding of a double.
double half_value(Bits b);
Bits half_bits(double v);
double bf16_value(Bits b);
Bits bf16_bits(double v);

} // namespace lathe::soft::test
