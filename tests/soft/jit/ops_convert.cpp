// SPDX-License-Identifier: MIT
// cvt: every pair of kinds, rounding and saturation, against host conversions.
#include "tests/soft/jit/ops.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

namespace lathe::soft::test {
namespace {

using I = const Inputs&;

/// Clamped conversion of an integral double (or infinity, NaN) as PTX does it. A NaN is 0 unless
/// it was a double or becomes 64 bits: the highest bit alone then.
template <class T> Bits to_integer(double v, bool from_double = false) {
    if (std::isnan(v))
        return from_double || sizeof(T) == 8 ? Bits{1} << (8 * sizeof(T) - 1) : Bits{0};
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
    using U = std::make_unsigned_t<T>;
    if (v <= low) return static_cast<U>(std::numeric_limits<T>::min());
    if (v >= high) return static_cast<U>(std::numeric_limits<T>::max());
    return static_cast<U>(static_cast<T>(v));
}

double round_half_even(double v) { return std::nearbyint(v); }

std::vector<Op> float_to_integer() {
    return {
        {"cvt.rzi.s32.f32 %d, %a;", "s32 f32",
         [](I v) { return to_integer<std::int32_t>(std::trunc(f32(v[0]))); }},
        {"cvt.rni.s32.f32 %d, %a;", "s32 f32",
         [](I v) { return to_integer<std::int32_t>(round_half_even(f32(v[0]))); }},
        {"cvt.rmi.s32.f32 %d, %a;", "s32 f32",
         [](I v) { return to_integer<std::int32_t>(std::floor(f32(v[0]))); }},
        {"cvt.rpi.s32.f32 %d, %a;", "s32 f32",
         [](I v) { return to_integer<std::int32_t>(std::ceil(f32(v[0]))); }},
        {"cvt.rzi.u32.f32 %d, %a;", "u32 f32",
         [](I v) { return to_integer<std::uint32_t>(std::trunc(f32(v[0]))); }},
        {"cvt.rzi.s64.f32 %d, %a;", "s64 f32",
         [](I v) { return to_integer<std::int64_t>(std::trunc(f32(v[0]))); }},
        {"cvt.rzi.u64.f64 %d, %a;", "u64 f64",
         [](I v) { return to_integer<std::uint64_t>(std::trunc(f64(v[0])), true); }},
        {"cvt.rni.s64.f64 %d, %a;", "s64 f64",
         [](I v) { return to_integer<std::int64_t>(round_half_even(f64(v[0])), true); }},
        {"cvt.rzi.s32.f64 %d, %a;", "s32 f64",
         [](I v) { return to_integer<std::int32_t>(std::trunc(f64(v[0])), true); }},
        {"cvt.rni.u16.f32 %d, %a;", "u16 f32",
         [](I v) { return to_integer<std::uint16_t>(round_half_even(f32(v[0]))); }},
        {"{ .reg .b32 t; cvt.rzi.s8.f32 t, %a; mov.b32 %d, t; }", "u32 f32",
         [](I v) {
             return u32(static_cast<Bits>(static_cast<std::int64_t>(
                 static_cast<std::int8_t>(to_integer<std::int8_t>(std::trunc(f32(v[0])))))));
         }},
        {"cvt.rpi.ftz.s32.f32 %d, %a;", "s32 f32",
         [](I v) {
             const Bits in = (v[0] & 0x7f800000) == 0 ? v[0] & 0x80000000 : v[0];
             return to_integer<std::int32_t>(std::ceil(f32(in)));
         }},
        {"cvt.rni.s32.f16 %d, %a;", "s32 f16",
         [](I v) { return to_integer<std::int32_t>(round_half_even(half_value(v[0]))); }},
        {"cvt.rzi.u16.f16 %d, %a;", "u16 f16",
         [](I v) { return to_integer<std::uint16_t>(std::trunc(half_value(v[0]))); }},
    };
}

std::vector<Op> integer_to_float() {
    std::vector<Op> ops{
        {"cvt.rn.f32.s32 %d, %a;", "f32 s32",
         [](I v) { return bits(static_cast<float>(s32(v[0]))); }},
        {"cvt.rn.f32.u32 %d, %a;", "f32 u32",
         [](I v) { return bits(static_cast<float>(u32(v[0]))); }},
        {"cvt.rn.f64.u64 %d, %a;", "f64 u64", [](I v) { return bits(static_cast<double>(v[0])); }},
        {"cvt.rn.f64.s32 %d, %a;", "f64 s32",
         [](I v) { return bits(static_cast<double>(s32(v[0]))); }},
        {"cvt.rn.f32.s64 %d, %a;", "f32 s64",
         [](I v) { return bits(static_cast<float>(s64(v[0]))); }},
        {"cvt.rn.f32.u64 %d, %a;", "f32 u64", [](I v) { return bits(static_cast<float>(v[0])); }},
        {"cvt.rn.f32.u16 %d, %a;", "f32 u16", [](I v) { return bits(static_cast<float>(v[0])); }},
        {"cvt.rn.f16.s32 %d, %a;", "f16 s32", [](I v) { return half_bits(s32(v[0])); }},
        {"cvt.rn.f16.u16 %d, %a;", "f16 u16",
         [](I v) { return half_bits(static_cast<double>(v[0])); }},
        {"cvt.rn.bf16.s32 %d, %a;", "u16 s32", [](I v) { return bf16_bits(s32(v[0])); }},
    };
    struct Mode {
        const char* name;
        int code;
    };
    for (const Mode& m :
         {Mode{"rz", FE_TOWARDZERO}, Mode{"rm", FE_DOWNWARD}, Mode{"rp", FE_UPWARD}}) {
        const std::string n = m.name;
        const int code = m.code;
        ops.push_back({"cvt." + n + ".f32.s32 %d, %a;", "f32 s32", [=](I v) {
                           volatile std::int32_t x = s32(v[0]);
                           return bits(in_rounding_f(code, [&] { return static_cast<float>(x); }));
                       }});
        ops.push_back({"cvt." + n + ".f32.s64 %d, %a;", "f32 s64", [=](I v) {
                           volatile std::int64_t x = s64(v[0]);
                           return bits(in_rounding_f(code, [&] { return static_cast<float>(x); }));
                       }});
        ops.push_back({"cvt." + n + ".f64.s64 %d, %a;", "f64 s64", [=](I v) {
                           volatile std::int64_t x = s64(v[0]);
                           return bits(in_rounding(code, [&] { return static_cast<double>(x); }));
                       }});
        ops.push_back({"cvt." + n + ".f64.u64 %d, %a;", "f64 u64", [=](I v) {
                           volatile long double x = static_cast<long double>(v[0]); // exact
                           return bits(in_rounding(code, [&] { return static_cast<double>(x); }));
                       }});
        ops.push_back({"cvt." + n + ".f32.f64 %d, %a;", "f32 f64", [=](I v) {
                           volatile double x = f64(v[0]);
                           return bits(in_rounding_f(code, [&] { return static_cast<float>(x); }));
                       }});
    }
    return ops;
}

std::vector<Op> float_to_float() {
    return {
        {"cvt.f64.f32 %d, %a;", "f64 f32",
         [](I v) { return bits(static_cast<double>(f32(v[0]))); }},
        {"cvt.rn.f32.f64 %d, %a;", "f32 f64",
         [](I v) { return bits(static_cast<float>(f64(v[0]))); }},
        {"cvt.rn.ftz.f32.f64 %d, %a;", "f32 f64",
         [](I v) {
             const Bits r = bits(static_cast<float>(f64(v[0])));
             return (r & 0x7f800000) == 0 ? r & 0x80000000 : r;
         }},
        {"cvt.rni.f32.f32 %d, %a;", "f32 f32", [](I v) { return bits(std::nearbyint(f32(v[0]))); }},
        {"cvt.rzi.f32.f32 %d, %a;", "f32 f32", [](I v) { return bits(std::trunc(f32(v[0]))); }},
        {"cvt.rmi.f64.f64 %d, %a;", "f64 f64", [](I v) { return bits(std::floor(f64(v[0]))); }},
        {"cvt.rpi.f64.f64 %d, %a;", "f64 f64", [](I v) { return bits(std::ceil(f64(v[0]))); }},
        {"cvt.sat.f32.f32 %d, %a;", "f32 f32",
         [](I v) { return bits(f32(v[0]) > 0 ? std::min(f32(v[0]), 1.0f) : 0.0f); }},
        {"cvt.f32.f16 %d, %a;", "f32 f16",
         [](I v) { return bits(static_cast<float>(half_value(v[0]))); }},
        {"cvt.f64.f16 %d, %a;", "f64 f16", [](I v) { return bits(half_value(v[0])); }},
        {"cvt.rn.f16.f32 %d, %a;", "f16 f32", [](I v) { return half_bits(f32(v[0])); }},
        {"cvt.rn.f16.f64 %d, %a;", "f16 f64", [](I v) { return half_bits(f64(v[0])); }},
        {"cvt.rz.f16.f32 %d, %a;", "f16 f32",
         [](I v) {
             Bits r = half_bits(f32(v[0]));
             if (std::abs(half_value(r)) > std::abs(f32(v[0]))) --r;
             return r;
         }},
        {"cvt.f32.bf16 %d, %a;", "f32 u16", [](I v) { return v[0] << 16; }},
        {"cvt.rn.bf16.f32 %d, %a;", "u16 f32", [](I v) { return bf16_bits(f32(v[0])); }},
        {"cvt.rn.f16x2.f32 %d, %a, %b;",
         "u32 f32 f32",
         [](I v) { return half_bits(f32(v[0])) << 16 | half_bits(f32(v[1])); },
         0,
         0,
         {{0x3f800000, 0x40490fdb},
          {0x7f800000, 0xff7fffff},
          {0x33000000, 0xb8800001},
          {0x477fefff, 0x477ff000}}},
        {"cvt.rn.relu.bf16x2.f32 %d, %a, %b;",
         "u32 f32 f32",
         [](I v) {
             auto one = [](Bits b) { return f32(b) > 0 ? bf16_bits(f32(b)) : Bits{0}; };
             return one(v[0]) << 16 | one(v[1]);
         },
         0,
         0,
         {{0x3f800000, 0x40490fdb}, {0xbf800000, 0x3f808000}, {0x3f818000, 0x80000000}}},
        {"cvt.rna.tf32.f32 %d, %a;",
         "u32 f32",
         [](I v) { return (v[0] + 0x1000) & 0xffffe000; },
         0,
         0,
         {{0x3f800000}, {0x3f801000}, {0x3f800fff}, {0xc0490fdb}, {0x3f803000}}},
    };
}

std::vector<Op> integer_to_integer() {
    return {
        {"cvt.s64.s32 %d, %a;", "s64 s32",
         [](I v) { return static_cast<Bits>(std::int64_t{s32(v[0])}); }},
        {"cvt.u64.u32 %d, %a;", "u64 u32", [](I v) { return v[0]; }},
        {"cvt.u32.u64 %d, %a;", "u32 u64", [](I v) -> Bits { return u32(v[0]); }},
        {"cvt.s16.s8 %d, %a;", "s16 s32",
         [](I v) -> Bits { return u16(static_cast<Bits>(static_cast<std::int8_t>(v[0]))); }},
        {"cvt.u32.u8 %d, %a;", "u32 u32", [](I v) -> Bits { return v[0] & 255; }},
        {"cvt.s32.s8 %d, %a;", "s32 s32",
         [](I v) -> Bits { return u32(static_cast<Bits>(static_cast<std::int8_t>(v[0]))); }},
        {"cvt.sat.u8.s32 %d, %a;", "u32 s32",
         [](I v) -> Bits { return static_cast<Bits>(std::clamp(s32(v[0]), 0, 255)); }},
        {"cvt.sat.s8.s32 %d, %a;", "s32 s32",
         [](I v) -> Bits { return u32(static_cast<Bits>(std::clamp(s32(v[0]), -128, 127))); }},
        {"cvt.sat.s32.u32 %d, %a;", "s32 u32",
         [](I v) { return std::min<Bits>(v[0], 0x7fffffff); }},
        {"cvt.sat.u32.s32 %d, %a;", "u32 s32", [](I v) { return s32(v[0]) < 0 ? 0 : v[0]; }},
        {"cvt.sat.s32.s64 %d, %a;", "s32 s64",
         [](I v) -> Bits {
             return u32(
                 static_cast<Bits>(std::clamp<std::int64_t>(s64(v[0]), INT32_MIN, INT32_MAX)));
         }},
        {"cvt.pack.sat.s16.s32 %d, %a, %b;", "u32 s32 s32",
         [](I v) {
             auto one = [](Bits b) {
                 return Bits{u16(static_cast<Bits>(std::clamp(s32(b), -32768, 32767)))};
             };
             return one(v[0]) << 16 | one(v[1]);
         }},
        {"cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", "u32 s32 s32 u32",
         [](I v) {
             auto one = [](Bits b) { return static_cast<Bits>(std::clamp(s32(b), 0, 255)); };
             return u32(v[2] << 16) | one(v[0]) << 8 | one(v[1]);
         }},
        {"mov.b64 {%r, %d}, %a;", "u32 u64", [](I v) { return v[0] >> 32; }},
        {"mov.b64 %d, {%a, %b};", "u64 u32 u32", [](I v) { return v[1] << 32 | v[0]; }},
        {"{ .reg .b16 x, y, z, w; mov.b64 {x, y, z, w}, %a; mov.b64 %d, {w, z, y, x}; }", "u64 u64",
         [](I v) {
             return v[0] << 48 | (v[0] & 0xffff0000) << 16 | (v[0] >> 16 & 0xffff0000) | v[0] >> 48;
         }},
        {"mov.b32 {%d, _}, %a;", "u16 u32", [](I v) { return v[0] & 0xffff; }},
        {"mov.f32 %d, 0f3FC00000;", "f32", [](I) { return bits(1.5f); }},
        {"mov.f64 %d, 0d3FF8000000000000;", "f64", [](I) { return bits(1.5); }},
        {"mov.u32 %d, WARP_SZ;", "u32", [](I) { return Bits{32}; }},
        {"mov.s32 %d, -5;", "s32", [](I) { return Bits{0xfffffffbu}; }},
        {"add.s64 %d, %a, -1;", "s64 s64", [](I v) { return v[0] - 1; }},
        {"mul.lo.s32 %d, %a, (3 + 4) * 2;", "s32 s32", [](I v) -> Bits { return u32(v[0] * 14); }},
    };
}

std::vector<Op> eight_bit_floats() {
    // Literal values of the OCP formats: 448 and 57344 are the largest, 2^-9 and 2^-16 the least.
    auto literal = [](std::vector<std::pair<float, Bits>> table) {
        return [table](I v) {
            auto one = [&](Bits b) {
                for (const auto& [value, code] : table) {
                    if (value == f32(b)) return code;
                }
                return Bits{0x7f};
            };
            return one(v[0]) << 8 | one(v[1]);
        };
    };
    const std::vector<std::pair<float, Bits>> e4m3{
        {0.0f, 0x00},  {1.0f, 0x38},         {-1.5f, 0xbc},   {448.0f, 0x7e},  {1e9f, 0x7e},
        {-1e9f, 0xfe}, {0.001953125f, 0x01}, {1.0625f, 0x38}, {1.1875f, 0x3a}, {17.0f, 0x58}};
    const std::vector<std::pair<float, Bits>> e5m2{{0.0f, 0x00},
                                                   {1.0f, 0x3c},
                                                   {-1.5f, 0xbe},
                                                   {57344.0f, 0x7b},
                                                   {1e9f, 0x7b},
                                                   {-1e9f, 0xfb},
                                                   {0.0000152587890625f, 0x01},
                                                   {1.125f, 0x3c},
                                                   {1.375f, 0x3e},
                                                   {17.0f, 0x4c}};
    auto rows = [](const auto& table) {
        std::vector<Inputs> list;
        for (std::size_t k = 0; k < table.size(); ++k) {
            list.push_back({bits(table[k].first), bits(table[(k + 3) % table.size()].first)});
        }
        return list;
    };
    return {
        {"cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", "u16 f32 f32", literal(e4m3), 0, 0, rows(e4m3)},
        {"cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", "u16 f32 f32", literal(e5m2), 0, 0, rows(e5m2)},
        {"cvt.rn.f16x2.e4m3x2 %d, %a;",
         "u32 u16",
         [](I v) {
             return half_bits(v[0] == 0x387e ? 1.0 : -1.5) << 16 |
                    half_bits(v[0] == 0x387e ? 448.0 : 0.001953125);
         },
         0,
         0,
         {{0x387e}, {0xbc01}}},
        {"cvt.rn.f16x2.e5m2x2 %d, %a;",
         "u32 u16",
         [](I v) {
             return half_bits(v[0] == 0x3c7b ? 1.0 : -HUGE_VAL) << 16 |
                    half_bits(v[0] == 0x3c7b ? 57344.0 : 17.0 - 1.0);
         },
         0,
         0,
         {{0x3c7b}, {0xfc4c}}},
    };
}

} // namespace

std::vector<OpGroup> convert_ops() {
    return {
        {"convert/float_to_integer", float_to_integer()},
        {"convert/integer_to_float", integer_to_float()},
        {"convert/float_to_float", float_to_float()},
        {"convert/integer_to_integer", integer_to_integer()},
        {"convert/eight_bit_floats", eight_bit_floats()},
    };
}

} // namespace lathe::soft::test
