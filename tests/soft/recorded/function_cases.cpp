// SPDX-License-Identifier: MIT
// Approximate functions over their ranges. The bounds are those of the PTX ISA ("Floating Point
// Instructions"); two devices that keep one may differ by twice as much.
#include "tests/soft/recorded/op_case.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

namespace lathe::recorded {
namespace {

using soft::test::Inputs;
constexpr int kPoints = 1000;

std::uint64_t bits(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

std::vector<Inputs> evenly(double low, double high) {
    std::vector<Inputs> rows;
    for (int k = 0; k < kPoints; ++k) rows.push_back({bits(low + (high - low) * k / kPoints)});
    return rows;
}

/// Positive floats, their bits evenly spaced: as many of each exponent.
std::vector<Inputs> exponents(double low, double high) {
    std::vector<Inputs> rows;
    const std::uint64_t first = bits(low), last = bits(high);
    for (std::uint64_t k = 0; k < kPoints; ++k)
        rows.push_back({first + (last - first) * k / kPoints + k * k % 7});
    return rows;
}

/// Zeroes, infinities, NaN, subnormals, ones: where functions are exact.
std::vector<Inputs> specials() {
    std::vector<Inputs> rows;
    for (const std::uint64_t b :
         {0x00000000u, 0x3f800000u, 0x40000000u, 0x3f000000u, 0x7f800000u, 0x7fc00000u, 0x7f800001u,
          0x00000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0x42fe0000u, 0x43000000u, 0x43160000u,
          0x3f800001u, 0x3f7fffffu, 0x7e800000u, 0x7e800001u, 0x7f000000u, 0x00400000u})
        for (const std::uint64_t sign : {0x00000000u, 0x80000000u}) rows.push_back({b | sign});
    return rows;
}

/// All of 16 bits, one in 64, and the ends.
std::vector<Inputs> halves(bool packed) {
    std::vector<Inputs> rows;
    for (std::uint64_t b = 0; b < 0x10000; b += 65)
        rows.push_back({packed ? b | ((b * 7 & 0xffff) << 16) : b});
    for (const std::uint64_t b : {0x8000u, 0x7c00u, 0xfc00u, 0x7bffu, 0x7f80u, 0xff80u, 0x3f80u})
        rows.push_back({packed ? b | b << 16 : b});
    return rows;
}

/// Numerators and denominators over all exponents.
std::vector<Inputs> quotients(double most) {
    std::vector<Inputs> rows;
    const auto a = exponents(1.0 / most, most), b = exponents(1.0 / most, most);
    for (std::size_t k = 0; k < a.size(); ++k)
        rows.push_back({a[k * 387 % a.size()][0], b[k][0] | (k % 2 << 31)});
    return rows;
}

} // namespace

Tolerance tolerance_of(std::string_view text) {
    const auto begins = [&](std::string_view with) { return text.starts_with(with); };
    if (begins("sin.approx") || begins("cos.approx")) return {2 * std::exp2(-20.5)};
    if (begins("lg2.approx")) return {2 * std::exp2(-22.6), 2 * std::exp2(-22)};
    if (begins("ex2.approx.f16")) return {0x1p-24, 2 * std::exp2(-9.9)};
    if (begins("ex2.approx.ftz.bf16")) return {0, 2 * std::exp2(-7)};
    if (begins("ex2.approx")) return {0, 0, 4};
    if (begins("tanh.approx.f16")) return {2 * std::exp2(-10.987)};
    if (begins("tanh.approx.bf16")) return {2 * std::exp2(-8)};
    if (begins("tanh.approx")) return {0, 2 * std::exp2(-11)};
    if (begins("rcp.approx.ftz.f64") || begins("rsqrt.approx.ftz.f64"))
        return {0, std::exp2(-18)}; // a rough start for Newton's method
    if (begins("rsqrt.approx.f64")) return {0, 0, 8};
    if (begins("rcp.approx")) return {0, 0, 2};
    if (begins("rsqrt.approx")) return {0, 2 * std::exp2(-22.9)};
    if (begins("sqrt.approx")) return {0, 2 * std::exp2(-23)};
    if (begins("div.approx") || begins("div.full")) return {0, 0, 4};
    return {};
}

void add_function_cases(std::vector<Case>& cases) {
    const auto add = [&](const std::string& instruction, const std::string& range,
                         std::vector<Inputs> rows, Tolerance tolerance,
                         const std::string& type = "f32") {
        const std::size_t operands = rows[0].size();
        soft::test::Op op{instruction + (operands == 1 ? " %d, %a;" : " %d, %a, %b;"),
                          operands == 1 ? type + " " + type : fmt::format("{0} {0} {0}", type),
                          {}};
        op.rows = std::move(rows);
        const std::string name = fmt::format("functions/{}/{}", instruction, range);
        cases.push_back({name, [name, op, tolerance](Session& session) {
                             return run_op(session, name, op, tolerance);
                         }});
    };
    const auto add_with_bound = [&](const std::string& instruction, const std::string& range,
                                    std::vector<Inputs> rows) {
        add(instruction, range, std::move(rows), tolerance_of(instruction));
    };
    constexpr double kTurn = 2 * std::numbers::pi;
    for (const std::string name : {"sin.approx", "cos.approx"}) {
        add_with_bound(name + ".f32", "one_turn", evenly(-kTurn, kTurn));
        add(name + ".f32", "50_turns", evenly(-50 * kTurn, 50 * kTurn), {2 * std::exp2(-14.7)});
        // No bound is stated from there on.
        add(name + ".f32", "large", exponents(100 * kTurn, 1e9), {2});
        add_with_bound(name + ".f32", "small", exponents(1e-40, 1));
        add_with_bound(name + ".ftz.f32", "small", exponents(1e-40, 1));
        add_with_bound(name + ".f32", "specials", specials());
    }
    add_with_bound("ex2.approx.f32", "numbers", evenly(-126, 127.99));
    add_with_bound("ex2.approx.f32", "around_0", evenly(-1, 1));
    add_with_bound("ex2.approx.f32", "subnormal", evenly(-151, -126));
    add_with_bound("ex2.approx.ftz.f32", "numbers", evenly(-130, 127.99));
    add_with_bound("lg2.approx.f32", "around_1", evenly(0.5, 2));
    add_with_bound("lg2.approx.f32", "numbers", exponents(1e-44, 3e38));
    add_with_bound("lg2.approx.ftz.f32", "numbers", exponents(1e-44, 3e38));
    add_with_bound("tanh.approx.f32", "numbers", evenly(-10, 10));
    add_with_bound("tanh.approx.f32", "exponents", exponents(1e-44, 3e38));
    for (const std::string name : {"rcp.approx", "sqrt.approx", "rsqrt.approx"})
        for (const std::string form : {".f32", ".ftz.f32"})
            add_with_bound(name + form, "exponents", exponents(1e-44, 3.4e38));
    for (const std::string name :
         {"ex2.approx.f32", "ex2.approx.ftz.f32", "lg2.approx.f32", "lg2.approx.ftz.f32",
          "tanh.approx.f32", "rcp.approx.f32", "rcp.approx.ftz.f32", "sqrt.approx.f32",
          "sqrt.approx.ftz.f32", "rsqrt.approx.f32", "rsqrt.approx.ftz.f32"})
        add_with_bound(name, "specials", specials());
    for (const std::string form : {".f32", ".ftz.f32"}) {
        add_with_bound("div.approx" + form, "numbers", quotients(1e18));
        add_with_bound("div.full" + form, "numbers", quotients(1e18));
        add_with_bound("div.full" + form, "exponents", quotients(3e37));
    }
    for (const std::string type : {"f16", "bf16"}) {
        const std::string ex2 = type == "f16" ? "ex2.approx.f16" : "ex2.approx.ftz.bf16";
        add(ex2, "all", halves(false), tolerance_of(ex2), type);
        add("tanh.approx." + type, "all", halves(false), tolerance_of("tanh.approx." + type), type);
    }
}

} // namespace lathe::recorded
