// SPDX-License-Identifier: MIT
// Floating-point instructions against host arithmetic in the same rounding.
#include "tests/soft/jit/ops.h"

#include <cfenv>
#include <cmath>
#include <limits>

namespace lathe::soft::test {
namespace {

using I = const Inputs&;

Bits flush32(Bits b) { return (b & 0x7f800000) == 0 ? b & 0x80000000 : b; }
float ftz(Bits b) { return f32(flush32(b)); }

/// Whether a value rounded to 24 bits, whatever its exponent, is below the normal numbers.
bool is_tiny(double v) { return std::abs(static_cast<float>(v * 0x1p64)) < 0x1p-62f; }

/// Rounded, or zero.
Bits flush_exact(double v) {
    const float rounded = static_cast<float>(v);
    return bits(is_tiny(v) ? std::copysign(0.0f, rounded) : rounded);
}

/// Rows of `count` floats around the smallest normal number, whose products and quotients round up
/// to it, and others.
std::vector<Inputs> around_smallest(std::size_t count) {
    std::vector<Inputs> rows;
    constexpr Bits kValues[] = {0x00800000, 0x00800001, 0x3f800000, 0x3f800001, 0x3f7fffff,
                                0x00ffffff, 0x3f000000, 0x7e800000, 0x7e800001, 0x00000000,
                                0x007fffff, 0x40490fdb, 0x1fffffff, 0x20000000, 0x60000000};
    constexpr std::size_t kAll = 2 * std::size(kValues);
    for (std::size_t k = 0; k < kAll * kAll; ++k) {
        Inputs row;
        for (const std::size_t at : {k % kAll, k / kAll, k * 7 % kAll})
            row.push_back(kValues[at / 2] | at % 2 << 31);
        row.resize(count);
        rows.push_back(std::move(row));
    }
    return rows;
}
Bits sat32(float v) { return bits(v > 0 ? (v < 1 ? v : 1.0f) : 0.0f); }

struct Mode {
    const char* name;
    int code;
};
constexpr Mode kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

std::vector<Op> rounding_modes() {
    std::vector<Op> ops;
    for (const Mode& m : kModes) {
        const std::string n = m.name;
        const int code = m.code;
        ops.push_back({"add." + n + ".f32 %d, %a, %b;", "f32 f32 f32", [=](I v) {
                           volatile float a = f32(v[0]), b = f32(v[1]);
                           return bits(in_rounding_f(code, [&] { return a + b; }));
                       }});
        ops.push_back({"sub." + n + ".f32 %d, %a, %b;", "f32 f32 f32", [=](I v) {
                           volatile float a = f32(v[0]), b = f32(v[1]);
                           return bits(in_rounding_f(code, [&] { return a - b; }));
                       }});
        ops.push_back({"mul." + n + ".f32 %d, %a, %b;", "f32 f32 f32", [=](I v) {
                           volatile float a = f32(v[0]), b = f32(v[1]);
                           return bits(in_rounding_f(code, [&] { return a * b; }));
                       }});
        ops.push_back({"fma." + n + ".f32 %d, %a, %b, %c;", "f32 f32 f32 f32", [=](I v) {
                           volatile float a = f32(v[0]), b = f32(v[1]), c = f32(v[2]);
                           return bits(in_rounding_f(code, [&] { return std::fma(a, b, c); }));
                       }});
        ops.push_back({"div." + n + ".f32 %d, %a, %b;", "f32 f32 f32", [=](I v) {
                           volatile float a = f32(v[0]), b = f32(v[1]);
                           return bits(in_rounding_f(code, [&] { return a / b; }));
                       }});
        ops.push_back({"rcp." + n + ".f32 %d, %a;", "f32 f32", [=](I v) {
                           volatile float a = f32(v[0]);
                           return bits(in_rounding_f(code, [&] { return 1.0f / a; }));
                       }});
        ops.push_back({"sqrt." + n + ".f32 %d, %a;", "f32 f32", [=](I v) {
                           volatile float a = f32(v[0]);
                           return bits(in_rounding_f(code, [&] { return std::sqrt(a); }));
                       }});
        ops.push_back({"add." + n + ".f64 %d, %a, %b;", "f64 f64 f64", [=](I v) {
                           volatile double a = f64(v[0]), b = f64(v[1]);
                           return bits(in_rounding(code, [&] { return a + b; }));
                       }});
        ops.push_back({"mul." + n + ".f64 %d, %a, %b;", "f64 f64 f64", [=](I v) {
                           volatile double a = f64(v[0]), b = f64(v[1]);
                           return bits(in_rounding(code, [&] { return a * b; }));
                       }});
        ops.push_back({"fma." + n + ".f64 %d, %a, %b, %c;", "f64 f64 f64 f64", [=](I v) {
                           volatile double a = f64(v[0]), b = f64(v[1]), c = f64(v[2]);
                           return bits(in_rounding(code, [&] { return std::fma(a, b, c); }));
                       }});
        ops.push_back({"div." + n + ".f64 %d, %a, %b;", "f64 f64 f64", [=](I v) {
                           volatile double a = f64(v[0]), b = f64(v[1]);
                           return bits(in_rounding(code, [&] { return a / b; }));
                       }});
        ops.push_back({"sqrt." + n + ".f64 %d, %a;", "f64 f64", [=](I v) {
                           volatile double a = f64(v[0]);
                           return bits(in_rounding(code, [&] { return std::sqrt(a); }));
                       }});
    }
    return ops;
}

std::vector<Op> flush_and_saturate() {
    return {
        {"add.ftz.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return flush32(bits(ftz(v[0]) + ftz(v[1]))); }},
        {"mul.ftz.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return flush_exact(double{ftz(v[0])} * ftz(v[1])); }},
        {"fma.rn.ftz.f32 %d, %a, %b, %c;", "f32 f32 f32 f32",
         [](I v) {
             const double exact = double{ftz(v[0])} * ftz(v[1]) + ftz(v[2]);
             return is_tiny(exact) ? flush_exact(exact)
                                   : bits(std::fma(ftz(v[0]), ftz(v[1]), ftz(v[2])));
         }},
        // Sums in global memory flush, those in shared memory do not.
        {"red.global.add.f32 [%in], %b; ld.volatile.global.b32 %d, [%in];", "f32 f32 f32",
         [](I v) { return flush32(bits(ftz(v[0]) + ftz(v[1]))); }},
        {"{ .shared .align 4 .b32 sums[128]; mov.u32 %r, %tid.x; and.b32 %r, %r, 127; "
         "shl.b32 %r, %r, 2; mov.u32 %r9, sums; add.u32 %r, %r, %r9; st.shared.f32 [%r], %a; "
         "red.shared.add.f32 [%r], %b; ld.volatile.shared.f32 %d, [%r]; }",
         "f32 f32 f32", [](I v) { return bits(f32(v[0]) + f32(v[1])); }},
        {"mul.rn.ftz.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return flush_exact(double{ftz(v[0])} * ftz(v[1])); }, 0, 0, around_smallest(2)},
        {"fma.rn.ftz.f32 %d, %b, %c, %a;", "f32 f32 f32 f32",
         [](I v) {
             const double exact = double{ftz(v[1])} * ftz(v[2]) + ftz(v[0]);
             return is_tiny(exact) ? flush_exact(exact)
                                   : bits(std::fma(ftz(v[1]), ftz(v[2]), ftz(v[0])));
         },
         0, 0, around_smallest(3)},
        {"div.rn.ftz.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) {
             const double quotient = double{ftz(v[0])} / ftz(v[1]); // to 53 bits: the same side
             return is_tiny(quotient) ? flush_exact(quotient) : bits(ftz(v[0]) / ftz(v[1]));
         },
         0, 0, around_smallest(2)},
        {"rcp.rn.ftz.f32 %d, %a;", "f32 f32", [](I v) { return flush_exact(1.0 / ftz(v[0])); }, 0,
         0, around_smallest(1)},
        {"add.sat.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return sat32(f32(v[0]) + f32(v[1])); }},
        {"fma.rn.sat.f32 %d, %a, %b, %c;", "f32 f32 f32 f32",
         [](I v) { return sat32(std::fma(f32(v[0]), f32(v[1]), f32(v[2]))); }},
        {"mad.rn.f32 %d, %a, %b, %c;", "f32 f32 f32 f32",
         [](I v) { return bits(std::fma(f32(v[0]), f32(v[1]), f32(v[2]))); }},
        {"abs.f32 %d, %a;", "f32 f32", [](I v) { return v[0] & 0x7fffffff; }},
        {"abs.ftz.f32 %d, %a;", "f32 f32", [](I v) { return flush32(v[0]) & 0x7fffffff; }},
        {"neg.f32 %d, %a;", "f32 f32", [](I v) { return v[0] ^ 0x80000000; }},
        {"neg.f64 %d, %a;", "f64 f64", [](I v) { return v[0] ^ (Bits{1} << 63); }},
        {"copysign.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return bits(std::copysign(f32(v[1]), f32(v[0]))); }},
        {"copysign.f64 %d, %a, %b;", "f64 f64 f64",
         [](I v) { return bits(std::copysign(f64(v[1]), f64(v[0]))); }},
        {"div.full.f32 %d, %a, %b;", "f32 f32 f32", [](I v) { return bits(f32(v[0]) / f32(v[1])); },
         2},
        {"sqrt.rn.ftz.f32 %d, %a;", "f32 f32",
         [](I v) { return flush32(bits(std::sqrt(ftz(v[0])))); }},
    };
}

float minimum(float a, float b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == 0 && b == 0) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

std::vector<Op> min_max() {
    auto any_nan = [](I v) { return std::isnan(f32(v[0])) || std::isnan(f32(v[1])); };
    return {
        {"min.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return bits(minimum(f32(v[0]), f32(v[1]))); }},
        {"max.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return bits(-minimum(-f32(v[0]), -f32(v[1]))); }},
        {"min.NaN.f32 %d, %a, %b;", "f32 f32 f32",
         [=](I v) { return any_nan(v) ? Bits{0x7fffffff} : bits(minimum(f32(v[0]), f32(v[1]))); }},
        {"max.ftz.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) { return bits(-minimum(-ftz(v[0]), -ftz(v[1]))); }},
        {"min.xorsign.abs.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) {
             const Bits m = bits(minimum(std::fabs(f32(v[0])), std::fabs(f32(v[1]))));
             return (m & 0x7fffffff) | ((v[0] ^ v[1]) & 0x80000000);
         }},
        {"max.f64 %d, %a, %b;", "f64 f64 f64",
         [](I v) {
             const double a = f64(v[0]), b = f64(v[1]);
             if (std::isnan(a)) return v[1];
             if (std::isnan(b)) return v[0];
             if (a == 0 && b == 0) return std::signbit(a) ? v[1] : v[0];
             return a > b ? v[0] : v[1];
         }},
    };
}

std::vector<Op> compare() {
    struct Row {
        const char* name;
        bool (*test)(float, float);
    };
    static const Row rows[] = {
        {"eq", [](float a, float b) { return a == b; }},
        {"ne", [](float a, float b) { return a < b || a > b; }},
        {"lt", [](float a, float b) { return a < b; }},
        {"le", [](float a, float b) { return a <= b; }},
        {"gt", [](float a, float b) { return a > b; }},
        {"ge", [](float a, float b) { return a >= b; }},
        {"equ", [](float a, float b) { return !(a < b || a > b); }},
        {"neu", [](float a, float b) { return a != b; }},
        {"ltu", [](float a, float b) { return !(a >= b); }},
        {"leu", [](float a, float b) { return !(a > b); }},
        {"gtu", [](float a, float b) { return !(a <= b); }},
        {"geu", [](float a, float b) { return !(a < b); }},
        {"num", [](float a, float b) { return !std::isnan(a) && !std::isnan(b); }},
        {"nan", [](float a, float b) { return std::isnan(a) || std::isnan(b); }},
    };
    std::vector<Op> ops;
    for (const Row& row : rows) {
        const auto test = row.test;
        ops.push_back({std::string{"setp."} + row.name + ".f32 %d, %a, %b;", "pred f32 f32",
                       [test](I v) -> Bits { return test(f32(v[0]), f32(v[1])); }});
    }
    ops.push_back({"setp.lt.ftz.f32 %d, %a, %b;", "pred f32 f32",
                   [](I v) -> Bits { return ftz(v[0]) < ftz(v[1]); }});
    ops.push_back({"setp.gtu.f64 %d, %a, %b;", "pred f64 f64",
                   [](I v) -> Bits { return !(f64(v[0]) <= f64(v[1])); }});
    ops.push_back({"set.eq.f32.f32 %d, %a, %b;", "f32 f32 f32",
                   [](I v) { return bits(f32(v[0]) == f32(v[1]) ? 1.0f : 0.0f); }});
    struct Property {
        const char* name;
        bool (*test)(float);
    };
    static const Property tests[] = {
        {"finite", [](float a) { return std::isfinite(a); }},
        {"infinite", [](float a) { return std::isinf(a); }},
        {"number", [](float a) { return !std::isnan(a); }},
        {"notanumber", [](float a) { return std::isnan(a); }},
        {"normal", [](float a) { return std::isnormal(a) || a == 0; }},
        {"subnormal", [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; }},
    };
    for (const Property& t : tests) {
        const auto test = t.test;
        ops.push_back({std::string{"testp."} + t.name + ".f32 %d, %a;", "pred f32",
                       [test](I v) -> Bits { return test(f32(v[0])); }});
    }
    return ops;
}

std::vector<Op> approximate() {
    return {
        {"rcp.approx.f32 %d, %a;", "f32 f32", [](I v) { return bits(1.0f / f32(v[0])); }, 1},
        {"rcp.approx.ftz.f32 %d, %a;", "f32 f32",
         [](I v) { return flush32(bits(1.0f / ftz(v[0]))); }, 1},
        {"rsqrt.approx.f32 %d, %a;", "f32 f32",
         [](I v) { return bits(static_cast<float>(1.0 / std::sqrt(double{f32(v[0])}))); }, 2},
        {"sqrt.approx.f32 %d, %a;", "f32 f32", [](I v) { return bits(std::sqrt(f32(v[0]))); }, 1},
        {"div.approx.f32 %d, %a, %b;", "f32 f32 f32",
         [](I v) {
             if (std::abs(f32(v[1])) > 0x1p126f)
                 return bits(f32(v[0]) * std::copysign(0.0f, f32(v[1])));
             return bits(f32(v[0]) / f32(v[1]));
         },
         2},
        {"ex2.approx.f32 %d, %a;", "f32 f32",
         [](I v) { return bits(static_cast<float>(std::exp2(double{f32(v[0])}))); }, 2},
        {"ex2.approx.ftz.f32 %d, %a;", "f32 f32",
         [](I v) { return flush32(bits(static_cast<float>(std::exp2(double{ftz(v[0])})))); }, 2},
        {"lg2.approx.f32 %d, %a;", "f32 f32",
         [](I v) { return bits(static_cast<float>(std::log2(double{f32(v[0])}))); }, 2, 1e-7},
        {"tanh.approx.f32 %d, %a;", "f32 f32",
         [](I v) { return bits(static_cast<float>(std::tanh(double{f32(v[0])}))); }, 4},
        {"rcp.approx.ftz.f64 %d, %a;", "f64 f64",
         [](I v) {
             const Bits in = (v[0] >> 52 & 0x7ff) == 0 ? v[0] & (Bits{1} << 63) : v[0];
             const double y = 1.0 / f64(in);
             if (std::fpclassify(y) == FP_SUBNORMAL) return bits(std::copysign(0.0, y)) & ~Bits{0};
             return bits(y) & ~Bits{0xffffffff};
         }},
        {"rsqrt.approx.f64 %d, %a;", "f64 f64",
         [](I v) { return bits(1.0 / std::sqrt(f64(v[0]))); }, 2},
    };
}

/// Applies a function of halves to both halves of packed operands.
template <class F> std::function<Bits(I)> both(F one) {
    return [one](I v) {
        Inputs low, high;
        for (Bits b : v) {
            low.push_back(b & 0xffff);
            high.push_back(b >> 16 & 0xffff);
        }
        return one(low) | one(high) << 16;
    };
}

std::vector<Op> half() {
    auto add = [](I v) { return half_bits(half_value(v[0]) + half_value(v[1])); };
    auto mul = [](I v) { return half_bits(half_value(v[0]) * half_value(v[1])); };
    // A double holds the product, and long double the sum to 64 bits: exact where it matters.
    auto fma = [](I v) {
        return half_bits(std::fma(half_value(v[0]), half_value(v[1]), half_value(v[2])));
    };
    auto bfma = [](I v) -> Bits {
        const double a = bf16_value(v[0]), b = bf16_value(v[1]), c = bf16_value(v[2]);
        volatile double p = a * b; // exact: 16 bits
        volatile double s = p + c, t = s - p;
        volatile double e = (p - (s - t)) + (c - t); // exact rest of the sum
        double odd = s;
        if (std::isfinite(s) && e != 0) { // round to odd, so that the second rounding is harmless
            Bits k = bits(odd);
            if ((e < 0) != (s < 0)) --k;
            odd = f64(k | 1);
        }
        return bf16_bits(odd);
    };
    return {
        {"add.f16 %d, %a, %b;", "f16 f16 f16", add},
        {"sub.f16 %d, %a, %b;", "f16 f16 f16",
         [](I v) { return half_bits(half_value(v[0]) - half_value(v[1])); }},
        {"mul.f16 %d, %a, %b;", "f16 f16 f16", mul},
        {"fma.rn.f16 %d, %a, %b, %c;", "f16 f16 f16 f16", fma},
        {"add.sat.f16 %d, %a, %b;", "f16 f16 f16",
         [](I v) {
             const double s = half_value(v[0]) + half_value(v[1]);
             return half_bits(s > 0 ? std::min(s, 1.0) : 0.0);
         }},
        {"neg.f16 %d, %a;", "f16 f16", [](I v) { return v[0] ^ 0x8000; }},
        {"abs.f16 %d, %a;", "f16 f16", [](I v) { return v[0] & 0x7fff; }},
        {"min.f16 %d, %a, %b;", "f16 f16 f16",
         [](I v) {
             const double a = half_value(v[0]), b = half_value(v[1]);
             if (std::isnan(a)) return v[1];
             if (std::isnan(b)) return v[0];
             if (a == 0 && b == 0) return std::signbit(a) ? v[0] : v[1];
             return a < b ? v[0] : v[1];
         }},
        {"max.NaN.f16 %d, %a, %b;", "f16 f16 f16",
         [](I v) {
             const double a = half_value(v[0]), b = half_value(v[1]);
             if (std::isnan(a) || std::isnan(b)) return Bits{0x7fff};
             if (a == 0 && b == 0) return std::signbit(a) ? v[1] : v[0];
             return a > b ? v[0] : v[1];
         }},
        {"setp.lt.f16 %d, %a, %b;", "pred f16 f16",
         [](I v) -> Bits { return half_value(v[0]) < half_value(v[1]); }},
        {"set.gt.f16.f16 %d, %a, %b;", "f16 f16 f16",
         [](I v) -> Bits { return half_value(v[0]) > half_value(v[1]) ? 0x3c00 : 0; }},
        {"ex2.approx.f16 %d, %a;", "f16 f16",
         [](I v) { return half_bits(std::exp2(half_value(v[0]))); }, 1},
        {"tanh.approx.f16 %d, %a;", "f16 f16",
         [](I v) { return half_bits(std::tanh(half_value(v[0]))); }, 1},
        {"add.f16x2 %d, %a, %b;",
         "b32 b32 b32",
         both(add),
         0,
         0,
         {{0x3c003c00, 0x40003c01}, {0x7bff0001, 0x7bff8001}, {0x00010400, 0x03ff83ff}}},
        {"mul.f16x2 %d, %a, %b;",
         "b32 b32 b32",
         both(mul),
         0,
         0,
         {{0x3c003c00, 0x40003c01}, {0x7bff0001, 0x7bff3800}, {0x00010400, 0x3c003400}}},
        {"fma.rn.f16x2 %d, %a, %b, %c;",
         "b32 b32 b32 b32",
         both(fma),
         0,
         0,
         {{0x3c003c00, 0x40003c01, 0x12348765}, {0x7bff0001, 0x3c013800, 0x00010001}}},
        {"set.gt.f16x2.f16x2 %d, %a, %b;", "b32 b32 b32",
         both([](I v) -> Bits { return half_value(v[0]) > half_value(v[1]) ? 0x3c00 : 0; })},
        {"fma.rn.relu.f16 %d, %a, %b, %c;", "f16 f16 f16 f16",
         [=](I v) {
             const Bits r = fma(v);
             return (r & 0x7fff) > 0x7c00 ? Bits{0x7fff} : r & 0x8000 ? Bits{0} : r;
         }},
        {"fma.rn.bf16 %d, %a, %b, %c;",
         "u16 u16 u16 u16",
         bfma,
         0,
         0,
         {{0x3f80, 0x3f81, 0x3f80},
          {0x4049, 0xc2f7, 0x3f01},
          {0x7f7f, 0x4000, 0xff7f},
          {0x0080, 0x3f00, 0x0001},
          {0x4049, 0x4049, 0x3b80},
          {0x3f81, 0x3f81, 0x3380}}},
        {"add.rn.bf16 %d, %a, %b;",
         "u16 u16 u16",
         [](I v) { return bf16_bits(bf16_value(v[0]) + bf16_value(v[1])); },
         0,
         0,
         {{0x3f80, 0x3b80},
          {0x3f80, 0x3c00},
          {0x4049, 0xc2f7},
          {0x7f7f, 0x7f7f},
          {0x3f81, 0x3b80}}},
        {"fma.rn.bf16x2 %d, %a, %b, %c;",
         "b32 b32 b32 b32",
         both(bfma),
         0,
         0,
         {{0x3f803f81, 0x40494049, 0x3f013b80}, {0x00803f80, 0x3f004000, 0x00013f80}}},
    };
}

} // namespace

std::vector<OpGroup> float_ops() {
    return {
        {"float/rounding_modes", rounding_modes()},
        {"float/flush_and_saturate", flush_and_saturate()},
        {"float/min_max", min_max()},
        {"float/compare", compare()},
        {"float/approximate", approximate()},
        {"float/half", half()},
    };
}

} // namespace lathe::soft::test
