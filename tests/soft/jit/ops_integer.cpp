// SPDX-License-Identifier: MIT
// Integer and bit instructions against host arithmetic.
#include "tests/soft/jit/ops.h"

#include <algorithm>
#include <limits>

namespace lathe::soft::test {
namespace {

using I = const Inputs&;
using S128 = __int128;
using U128 = unsigned __int128;

Bits saturate_s32(std::int64_t v) {
    return u32(static_cast<Bits>(std::clamp<std::int64_t>(v, INT32_MIN, INT32_MAX)));
}

std::vector<Op> add_sub_mul() {
    return {
        {"add.u32 %d, %a, %b;", "u32 u32 u32", [](I v) { return u32(v[0] + v[1]); }},
        {"add.s16 %d, %a, %b;", "s16 s16 s16", [](I v) -> Bits { return u16(v[0] + v[1]); }},
        {"add.s64 %d, %a, %b;", "s64 s64 s64", [](I v) { return v[0] + v[1]; }},
        {"add.sat.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) { return saturate_s32(std::int64_t{s32(v[0])} + s32(v[1])); }},
        {"sub.u32 %d, %a, %b;", "u32 u32 u32", [](I v) { return u32(v[0] - v[1]); }},
        {"sub.sat.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) { return saturate_s32(std::int64_t{s32(v[0])} - s32(v[1])); }},
        {"add.u16x2 %d, %a, %b;", "u32 u32 u32",
         [](I v) -> Bits {
             return u16(v[0] + v[1]) | Bits{u16((v[0] >> 16) + (v[1] >> 16))} << 16;
         }},
        {"mul.lo.s32 %d, %a, %b;", "s32 s32 s32", [](I v) { return u32(v[0] * v[1]); }},
        {"mul.lo.u64 %d, %a, %b;", "u64 u64 u64", [](I v) { return v[0] * v[1]; }},
        {"mul.hi.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) { return u32(static_cast<Bits>((std::int64_t{s32(v[0])} * s32(v[1])) >> 32)); }},
        {"mul.hi.u32 %d, %a, %b;", "u32 u32 u32", [](I v) { return (v[0] * v[1]) >> 32; }},
        {"mul.hi.u64 %d, %a, %b;", "u64 u64 u64",
         [](I v) { return static_cast<Bits>((U128{v[0]} * v[1]) >> 64); }},
        {"mul.hi.s64 %d, %a, %b;", "s64 s64 s64",
         [](I v) { return static_cast<Bits>((S128{s64(v[0])} * s64(v[1])) >> 64); }},
        {"mul.hi.s16 %d, %a, %b;", "s16 s16 s16",
         [](I v) -> Bits { return u16(static_cast<Bits>((s16(v[0]) * s16(v[1])) >> 16)); }},
        {"mul.wide.s32 %d, %a, %b;", "s64 s32 s32",
         [](I v) { return static_cast<Bits>(std::int64_t{s32(v[0])} * s32(v[1])); }},
        {"mul.wide.u16 %d, %a, %b;", "u32 u16 u16", [](I v) { return u32(v[0] * v[1]); }},
        {"mad.lo.s32 %d, %a, %b, %c;", "s32 s32 s32 s32",
         [](I v) { return u32(v[0] * v[1] + v[2]); }},
        {"mad.hi.u32 %d, %a, %b, %c;", "u32 u32 u32 u32",
         [](I v) { return u32(((v[0] * v[1]) >> 32) + v[2]); }},
        {"mad.hi.sat.s32 %d, %a, %b, %c;", "s32 s32 s32 s32",
         [](I v) {
             return saturate_s32(((std::int64_t{s32(v[0])} * s32(v[1])) >> 32) + s32(v[2]));
         }},
        {"mad.wide.u32 %d, %a, %b, %c;", "u64 u32 u32 u64", [](I v) { return v[0] * v[1] + v[2]; }},
        {"mad.wide.s16 %d, %a, %b, %c;", "s32 s16 s16 s32",
         [](I v) { return u32(static_cast<Bits>(s16(v[0]) * s16(v[1])) + v[2]); }},
    };
}

std::vector<Op> carries() {
    return {
        {"{ .reg .b32 lo, hi; add.cc.u32 lo, %a, %b; addc.u32 hi, %c, %e; mov.b64 %d, {lo, hi}; }",
         "u64 u32 u32 u32 u32", [](I v) { return (v[2] << 32 | v[0]) + (v[3] << 32 | v[1]); }},
        {"{ .reg .b32 lo, hi; sub.cc.u32 lo, %a, %b; subc.u32 hi, %c, %e; mov.b64 %d, {lo, hi}; }",
         "u64 u32 u32 u32 u32", [](I v) { return (v[2] << 32 | v[0]) - (v[3] << 32 | v[1]); }},
        {"add.cc.u32 %d, %a, %b; addc.cc.u32 %d, %a, %b; addc.u32 %d, 0, 0;", "u32 u32 u32",
         [](I v) { return (v[0] + v[1] + ((v[0] + v[1]) >> 32)) >> 32; }},
        {"add.cc.u64 %d, %a, %b; addc.u64 %d, 0, 0;", "u64 u64 u64",
         [](I v) -> Bits { return v[0] + v[1] < v[0]; }},
        {"{ .reg .b32 lo, hi; mad.lo.cc.u32 lo, %a, %b, %c; madc.hi.u32 hi, %a, %b, %e;"
         " mov.b64 %d, {lo, hi}; }",
         "u64 u32 u32 u32 u32", [](I v) { return v[0] * v[1] + (v[3] << 32 | v[2]); }},
        {"add.cc.u32 %d, %a, %b; madc.lo.cc.u32 %d, %a, %b, %c; addc.u32 %d, 0, 0;",
         "u32 u32 u32 u32",
         [](I v) { return (Bits{u32(v[0] * v[1])} + v[2] + ((v[0] + v[1]) >> 32)) >> 32; }},
    };
}

std::int64_t low24(Bits v, bool sign) {
    return sign ? s32(v << 8) >> 8 : static_cast<std::int64_t>(v & 0xffffff);
}

std::vector<Op> twenty_four_bits() {
    return {
        {"mul24.lo.u32 %d, %a, %b;", "u32 u32 u32",
         [](I v) { return u32(static_cast<Bits>(low24(v[0], false) * low24(v[1], false))); }},
        {"mul24.hi.u32 %d, %a, %b;", "u32 u32 u32",
         [](I v) { return u32(static_cast<Bits>(low24(v[0], false) * low24(v[1], false)) >> 16); }},
        {"mul24.lo.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) { return u32(static_cast<Bits>(low24(v[0], true) * low24(v[1], true))); }},
        {"mul24.hi.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) { return u32(static_cast<Bits>(low24(v[0], true) * low24(v[1], true)) >> 16); }},
        {"mad24.lo.s32 %d, %a, %b, %c;", "s32 s32 s32 s32",
         [](I v) { return u32(static_cast<Bits>(low24(v[0], true) * low24(v[1], true)) + v[2]); }},
        {"mad24.hi.sat.s32 %d, %a, %b, %c;", "s32 s32 s32 s32",
         [](I v) {
             const auto hi = s32(static_cast<Bits>(low24(v[0], true) * low24(v[1], true)) >> 16);
             return saturate_s32(std::int64_t{hi} + s32(v[2]));
         }},
    };
}

std::vector<Op> divide_without_fault() {
    return {
        {"div.u32 %d, %a, %b;", "u32 u32 u32", [](I v) { return v[1] ? v[0] / v[1] : u32(~0ull); }},
        {"div.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) {
             return v[1] ? u32(static_cast<Bits>(std::int64_t{s32(v[0])} / s32(v[1]))) : u32(~0ull);
         }},
        {"rem.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) {
             return v[1] ? u32(static_cast<Bits>(std::int64_t{s32(v[0])} % s32(v[1]))) : u32(~0ull);
         }},
        {"rem.u64 %d, %a, %b;", "u64 u64 u64", [](I v) { return v[1] ? v[0] % v[1] : ~Bits{0}; }},
        {"div.s64 %d, %a, %b;", "s64 s64 s64",
         [](I v) { return v[1] ? static_cast<Bits>(S128{s64(v[0])} / s64(v[1])) : ~Bits{0}; }},
        {"div.s16 %d, %a, %b;", "s16 s16 s16",
         [](I v) -> Bits {
             return v[1] ? u16(static_cast<Bits>(s16(v[0]) / s16(v[1]))) : u16(~0ull);
         }},
        {"div.u64 %d, %a, %b;", "u64 u64 u64", [](I v) { return v[1] ? v[0] / v[1] : ~Bits{0}; }},
    };
}

std::vector<Op> min_max_abs_neg_sad() {
    return {
        {"min.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) { return s32(v[0]) < s32(v[1]) ? v[0] : v[1]; }},
        {"max.u32 %d, %a, %b;", "u32 u32 u32", [](I v) { return std::max(v[0], v[1]); }},
        {"max.s16 %d, %a, %b;", "s16 s16 s16",
         [](I v) { return s16(v[0]) > s16(v[1]) ? v[0] : v[1]; }},
        {"min.u64 %d, %a, %b;", "u64 u64 u64", [](I v) { return std::min(v[0], v[1]); }},
        {"max.s16x2 %d, %a, %b;", "u32 u32 u32",
         [](I v) -> Bits {
             return u16(static_cast<Bits>(std::max(s16(v[0]), s16(v[1])))) |
                    Bits{u16(static_cast<Bits>(std::max(s16(v[0] >> 16), s16(v[1] >> 16))))} << 16;
         }},
        {"max.relu.s32 %d, %a, %b;", "s32 s32 s32",
         [](I v) -> Bits { return static_cast<Bits>(std::max({s32(v[0]), s32(v[1]), 0})); }},
        {"abs.s32 %d, %a;", "s32 s32", [](I v) { return u32(s32(v[0]) < 0 ? 0 - v[0] : v[0]); }},
        {"abs.s64 %d, %a;", "s64 s64", [](I v) { return s64(v[0]) < 0 ? 0 - v[0] : v[0]; }},
        {"neg.s32 %d, %a;", "s32 s32", [](I v) { return u32(0 - v[0]); }},
        {"sad.u32 %d, %a, %b, %c;", "u32 u32 u32 u32",
         [](I v) { return u32(v[2] + (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1])); }},
        {"sad.s64 %d, %a, %b, %c;", "s64 s64 s64 s64",
         [](I v) { return v[2] + (s64(v[0]) < s64(v[1]) ? v[1] - v[0] : v[0] - v[1]); }},
    };
}

std::vector<Op> dot_products() {
    auto dp4a = [](bool a_signed, bool b_signed) {
        return [=](I v) {
            std::int64_t sum = s32(v[2]);
            for (int k = 0; k < 4; ++k) {
                const Bits x = v[0] >> (8 * k), y = v[1] >> (8 * k);
                sum += (a_signed ? std::int64_t{static_cast<std::int8_t>(x)}
                                 : static_cast<std::uint8_t>(x)) *
                       (b_signed ? std::int64_t{static_cast<std::int8_t>(y)}
                                 : static_cast<std::uint8_t>(y));
            }
            return Bits{u32(static_cast<Bits>(sum))};
        };
    };
    auto dp2a = [](bool hi) {
        return [=](I v) {
            std::int64_t sum = s32(v[2]);
            for (int k = 0; k < 2; ++k) {
                sum += std::int64_t{s16(v[0] >> (16 * k))} *
                       static_cast<std::uint8_t>(v[1] >> (8 * (k + (hi ? 2 : 0))));
            }
            return Bits{u32(static_cast<Bits>(sum))};
        };
    };
    return {
        {"dp4a.s32.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", dp4a(true, true)},
        {"dp4a.u32.s32 %d, %a, %b, %c;", "s32 s32 s32 s32", dp4a(false, true)},
        {"dp4a.u32.u32 %d, %a, %b, %c;", "s32 s32 s32 s32", dp4a(false, false)},
        {"dp2a.lo.s32.u32 %d, %a, %b, %c;", "s32 s32 s32 s32", dp2a(false)},
        {"dp2a.hi.s32.u32 %d, %a, %b, %c;", "s32 s32 s32 s32", dp2a(true)},
    };
}

std::vector<Op> logic_and_shifts() {
    return {
        {"and.b32 %d, %a, %b;", "u32 u32 u32", [](I v) { return v[0] & v[1]; }},
        {"or.b64 %d, %a, %b;", "u64 u64 u64", [](I v) { return v[0] | v[1]; }},
        {"xor.b16 %d, %a, %b;", "u16 u16 u16", [](I v) { return v[0] ^ v[1]; }},
        {"not.b32 %d, %a;", "u32 u32", [](I v) -> Bits { return u32(~v[0]); }},
        {"cnot.b32 %d, %a;", "u32 u32", [](I v) -> Bits { return v[0] == 0; }},
        {"and.pred %d, %a, %b;", "pred pred pred", [](I v) { return v[0] & v[1]; }},
        {"xor.pred %d, %a, %b;", "pred pred pred", [](I v) { return v[0] ^ v[1]; }},
        {"not.pred %d, %a;", "pred pred", [](I v) -> Bits { return !v[0]; }},
        {"shl.b32 %d, %a, %b;", "u32 u32 u32",
         [](I v) { return v[1] < 32 ? u32(v[0] << v[1]) : 0; }},
        {"shl.b64 %d, %a, %b;", "u64 u64 u32", [](I v) { return v[1] < 64 ? v[0] << v[1] : 0; }},
        {"shl.b16 %d, %a, %b;", "u16 u16 u32",
         [](I v) -> Bits { return v[1] < 16 ? u16(v[0] << v[1]) : 0; }},
        {"shr.u32 %d, %a, %b;", "u32 u32 u32", [](I v) { return v[1] < 32 ? v[0] >> v[1] : 0; }},
        {"shr.s32 %d, %a, %b;", "s32 s32 u32",
         [](I v) -> Bits { return u32(static_cast<Bits>(s32(v[0]) >> std::min<Bits>(v[1], 31))); }},
        {"shr.s64 %d, %a, %b;", "s64 s64 u32",
         [](I v) { return static_cast<Bits>(s64(v[0]) >> std::min<Bits>(v[1], 63)); }},
        {"shr.s16 %d, %a, %b;", "s16 s16 u32",
         [](I v) -> Bits { return u16(static_cast<Bits>(s16(v[0]) >> std::min<Bits>(v[1], 15))); }},
        {"shf.l.wrap.b32 %d, %a, %b, %c;", "u32 u32 u32 u32",
         [](I v) { return u32(((v[1] << 32 | v[0]) << (v[2] & 31)) >> 32); }},
        {"shf.r.wrap.b32 %d, %a, %b, %c;", "u32 u32 u32 u32",
         [](I v) { return u32((v[1] << 32 | v[0]) >> (v[2] & 31)); }},
        {"shf.l.clamp.b32 %d, %a, %b, %c;", "u32 u32 u32 u32",
         [](I v) { return u32(((v[1] << 32 | v[0]) << std::min<Bits>(v[2], 32)) >> 32); }},
        {"shf.r.clamp.b32 %d, %a, %b, %c;", "u32 u32 u32 u32",
         [](I v) { return u32((v[1] << 32 | v[0]) >> std::min<Bits>(v[2], 32)); }},
    };
}

/// bfe as the manual writes it: bit by bit.
Bits extract(I v, unsigned wide, bool sign) {
    const unsigned position = v[1] & 255, length = v[2] & 255, msb = wide - 1;
    const bool fill = sign && length && (v[0] >> std::min(position + length - 1, msb)) & 1;
    Bits d = 0;
    for (unsigned k = 0; k <= msb; ++k) {
        const bool bit = k < length && position + k <= msb ? (v[0] >> (position + k)) & 1 : fill;
        d |= Bits{bit} << k;
    }
    return d;
}

Bits insert(I v, unsigned wide) {
    const unsigned position = v[2] & 255, length = v[3] & 255;
    Bits f = v[1];
    for (unsigned k = 0; k < length && position + k < wide; ++k) {
        f &= ~(Bits{1} << (position + k));
        f |= ((v[0] >> k) & 1) << (position + k);
    }
    return f;
}

Bits find(Bits v, unsigned wide, bool sign, bool shift) {
    if (sign && (v >> (wide - 1)) & 1) v = ~v;
    for (int k = static_cast<int>(wide) - 1; k >= 0; --k) {
        if ((v >> k) & 1) return static_cast<Bits>(shift ? static_cast<int>(wide) - 1 - k : k);
    }
    return 0xffffffffu;
}

std::vector<Op> fields() {
    return {
        {"bfe.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", [](I v) { return extract(v, 32, false); }},
        {"bfe.s32 %d, %a, %b, %c;", "s32 s32 u32 u32", [](I v) { return extract(v, 32, true); }},
        {"bfe.u64 %d, %a, %b, %c;", "u64 u64 u32 u32", [](I v) { return extract(v, 64, false); }},
        {"bfe.s64 %d, %a, %b, %c;", "s64 s64 u32 u32", [](I v) { return extract(v, 64, true); }},
        {"bfi.b32 %d, %a, %b, %c, %e;", "u32 u32 u32 u32 u32", [](I v) { return insert(v, 32); }},
        {"bfi.b64 %d, %a, %b, %c, %e;", "u64 u64 u64 u32 u32", [](I v) { return insert(v, 64); }},
        {"bfind.u32 %d, %a;", "u32 u32", [](I v) { return find(v[0], 32, false, false); }},
        {"bfind.s32 %d, %a;", "u32 s32", [](I v) { return find(v[0], 32, true, false); }},
        {"bfind.u64 %d, %a;", "u32 u64", [](I v) { return find(v[0], 64, false, false); }},
        {"bfind.shiftamt.u32 %d, %a;", "u32 u32", [](I v) { return find(v[0], 32, false, true); }},
        {"bfind.shiftamt.s64 %d, %a;", "u32 s64", [](I v) { return find(v[0], 64, true, true); }},
        {"bmsk.clamp.b32 %d, %a, %b;", "u32 u32 u32",
         [](I v) {
             Bits m = 0;
             for (Bits k = 0; k < 32; ++k) m |= Bits{k >= v[0] && k - v[0] < v[1]} << k;
             return m;
         }},
        {"bmsk.wrap.b32 %d, %a, %b;", "u32 u32 u32",
         [](I v) {
             Bits m = 0;
             for (Bits k = 0; k < 32; ++k)
                 m |= Bits{k >= (v[0] & 31) && k - (v[0] & 31) < (v[1] & 31)} << k;
             return m;
         }},
        {"szext.clamp.s32 %d, %a, %b;", "s32 s32 u32",
         [](I v) {
             if (v[1] >= 32) return v[0];
             if (v[1] == 0) return Bits{0};
             const int up = 32 - static_cast<int>(v[1]);
             return Bits{u32(static_cast<Bits>(s32(v[0] << up) >> up))};
         }},
        {"szext.wrap.u32 %d, %a, %b;", "u32 u32 u32",
         [](I v) { return v[0] & ((Bits{1} << (v[1] & 31)) - 1); }},
        {"brev.b32 %d, %a;", "u32 u32",
         [](I v) {
             Bits r = 0;
             for (int k = 0; k < 32; ++k) r |= ((v[0] >> k) & 1) << (31 - k);
             return r;
         }},
        {"popc.b32 %d, %a;", "u32 u32",
         [](I v) -> Bits { return static_cast<Bits>(std::popcount(v[0])); }},
        {"popc.b64 %d, %a;", "u32 u64",
         [](I v) -> Bits { return static_cast<Bits>(std::popcount(v[0])); }},
        {"clz.b32 %d, %a;", "u32 u32",
         [](I v) -> Bits { return static_cast<Bits>(std::countl_zero(u32(v[0]))); }},
        {"clz.b64 %d, %a;", "u32 u64",
         [](I v) -> Bits { return static_cast<Bits>(std::countl_zero(v[0])); }},
        // Literal rows from the definition of fns in the ISA manual.
        {"fns.b32 %d, %a, %b, %c;",
         "u32 u32 u32 s32",
         [](I v) {
             const int n = s32(v[2]);
             int left = n == 0 ? 1 : std::abs(n);
             for (int at = static_cast<int>(v[1]); at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
                 if ((v[0] >> at) & 1 && --left == 0) return static_cast<Bits>(at);
                 if (n == 0) break;
             }
             return Bits{0xffffffffu};
         },
         0,
         0,
         {{0xaaaaaaaa, 0, 1},
          {0xaaaaaaaa, 3, 1},
          {0xaaaaaaaa, 3, 0},
          {0xaaaaaaaa, 2, 0},
          {0xaaaaaaaa, 3, 0xffffffff},
          {0xaaaaaaaa, 3, 0xfffffffe},
          {0xaaaaaaaa, 0, 40},
          {0, 0, 1}}},
    };
}

Bits permute(Bits a, Bits b, Bits selectors) {
    const Bits all = b << 32 | a;
    Bits d = 0;
    for (int k = 0; k < 4; ++k) {
        const Bits s = selectors >> (4 * k) & 15;
        Bits byte = all >> (8 * (s & 7)) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        d |= byte << (8 * k);
    }
    return d;
}

std::vector<Op> permute_and_tables() {
    auto mode = [](std::vector<Bits> selectors) {
        return [=](I v) { return permute(v[0], v[1], selectors[v[2] & 3]); };
    };
    std::vector<Op> ops{
        {"prmt.b32 %d, %a, %b, %c;", "u32 u32 u32 u32",
         [](I v) { return permute(v[0], v[1], v[2]); }},
        {"prmt.b32.f4e %d, %a, %b, %c;", "u32 u32 u32 u32", mode({0x3210, 0x4321, 0x5432, 0x6543})},
        {"prmt.b32.b4e %d, %a, %b, %c;", "u32 u32 u32 u32", mode({0x5670, 0x6701, 0x7012, 0x0123})},
        {"prmt.b32.rc8 %d, %a, %b, %c;", "u32 u32 u32 u32", mode({0x0000, 0x1111, 0x2222, 0x3333})},
        {"prmt.b32.ecl %d, %a, %b, %c;", "u32 u32 u32 u32", mode({0x3210, 0x3211, 0x3222, 0x3333})},
        {"prmt.b32.ecr %d, %a, %b, %c;", "u32 u32 u32 u32", mode({0x0000, 0x1110, 0x2210, 0x3210})},
        {"prmt.b32.rc16 %d, %a, %b, %c;", "u32 u32 u32 u32",
         mode({0x1010, 0x3232, 0x1010, 0x3232})},
    };
    for (unsigned table : {0x00u, 0x80u, 0xe8u, 0x96u, 0xcau, 0x1eu, 0xfeu, 0x7fu, 0xffu, 0x2au}) {
        ops.push_back({"lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", "u32 u32 u32 u32",
                       [table](I v) {
                           Bits d = 0;
                           for (int k = 0; k < 32; ++k) {
                               const Bits index =
                                   (v[0] >> k & 1) * 4 + (v[1] >> k & 1) * 2 + (v[2] >> k & 1);
                               d |= Bits{table >> index & 1} << k;
                           }
                           return d;
                       }});
    }
    ops.push_back(
        {"setp.eq.u32 %p, %c, 0; lop3.and.b32 %d|%q, %a, %b, 0, 0xC0, %p; selp.u32 %d, 1, 0, %q;",
         "u32 u32 u32 u32", [](I v) -> Bits { return (v[0] & v[1]) != 0 && v[2] == 0; }});
    return ops;
}

std::vector<Op> select_and_compare() {
    auto compared = [](const char* name, bool sign) {
        const std::string n = name;
        return [=](I v) -> Bits {
            const bool less = sign ? s32(v[0]) < s32(v[1]) : v[0] < v[1];
            const bool equal = v[0] == v[1];
            if (n == "eq") return equal;
            if (n == "ne") return !equal;
            if (n == "lt" || n == "lo") return less;
            if (n == "le" || n == "ls") return less || equal;
            if (n == "gt" || n == "hi") return !less && !equal;
            return !less;
        };
    };
    std::vector<Op> ops;
    for (const char* name : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        ops.push_back({"setp." + std::string{name} + ".s32 %d, %a, %b;", "pred s32 s32",
                       compared(name, true)});
        ops.push_back({"setp." + std::string{name} + ".u32 %d, %a, %b;", "pred u32 u32",
                       compared(name, false)});
    }
    for (const char* name : {"lo", "ls", "hi", "hs"}) {
        ops.push_back({"setp." + std::string{name} + ".u32 %d, %a, %b;", "pred u32 u32",
                       compared(name, false)});
    }
    ops.push_back(
        {"setp.lt.and.s32 %p|%q, %a, %b, %c; selp.u32 %d, 1, 0, %p; @%q add.u32 %d, %d, 2;",
         "u32 s32 s32 pred", [](I v) -> Bits {
             const bool less = s32(v[0]) < s32(v[1]);
             return Bits{less && v[2]} + 2 * Bits{!less && v[2]};
         }});
    ops.push_back({"setp.gt.xor.u32 %d, %a, %b, !%c;", "pred u32 u32 pred",
                   [](I v) -> Bits { return (v[0] > v[1]) != !v[2]; }});
    ops.push_back(
        {"selp.b32 %d, %a, %b, %c;", "u32 u32 u32 pred", [](I v) { return v[2] ? v[0] : v[1]; }});
    ops.push_back({"slct.u32.s32 %d, %a, %b, %c;", "u32 u32 u32 s32",
                   [](I v) { return s32(v[2]) >= 0 ? v[0] : v[1]; }});
    ops.push_back({"slct.u32.f32 %d, %a, %b, %c;", "u32 u32 u32 f32",
                   [](I v) { return f32(v[2]) >= 0 ? v[0] : v[1]; }});
    ops.push_back({"set.lt.u32.s32 %d, %a, %b;", "u32 s32 s32",
                   [](I v) -> Bits { return s32(v[0]) < s32(v[1]) ? 0xffffffffu : 0; }});
    ops.push_back({"set.ge.f32.u32 %d, %a, %b;", "f32 u32 u32",
                   [](I v) { return bits(v[0] >= v[1] ? 1.0f : 0.0f); }});
    return ops;
}

std::vector<Op> video() {
    auto lane = [](Bits v, int k, bool sign) -> std::int64_t {
        return sign ? std::int64_t{static_cast<std::int8_t>(v >> (8 * k))}
                    : static_cast<std::uint8_t>(v >> (8 * k));
    };
    return {
        {"vadd.u32.u32.u32.sat %d, %a, %b;", "u32 u32 u32",
         [](I v) { return std::min<Bits>(v[0] + v[1], 0xffffffffu); }},
        {"vsub.s32.s32.s32.sat %d, %a, %b;", "s32 s32 s32",
         [](I v) { return saturate_s32(std::int64_t{s32(v[0])} - s32(v[1])); }},
        {"vadd.s32.s32.u32 %d, %a.b1, %b.h1;", "s32 s32 u32",
         [](I v) {
             return u32(static_cast<Bits>(std::int64_t{static_cast<std::int8_t>(v[0] >> 8)}) +
                        (v[1] >> 16));
         }},
        {"vabsdiff.u32.s32.s32.add %d, %a, %b, %c;", "u32 s32 s32 u32",
         [](I v) {
             return u32(static_cast<Bits>(std::abs(std::int64_t{s32(v[0])} - s32(v[1]))) + v[2]);
         }},
        {"vmad.u32.u32.u32.shr15 %d, %a.h0, %b.h0, %c;", "u32 u32 u32 u32",
         [](I v) { return u32((Bits{u16(v[0])} * u16(v[1]) + v[2]) >> 15); }},
        {"vshr.u32.u32.u32.clamp %d, %a, %b;", "u32 u32 u32",
         [](I v) { return v[1] < 32 ? v[0] >> v[1] : 0; }},
        {"vshl.u32.u32.u32.wrap %d, %a, %b;", "u32 u32 u32",
         [](I v) { return u32(v[0] << (v[1] & 31)); }},
        {"vset.u32.u32.lt %d, %a, %b;", "u32 u32 u32", [](I v) -> Bits { return v[0] < v[1]; }},
        {"vmin.s32.s32.s32 %d.b2, %a, %b, %c;", "u32 s32 s32 u32",
         [](I v) -> Bits {
             const Bits m = static_cast<Bits>(std::min(s32(v[0]), s32(v[1]))) & 255;
             return (v[2] & 0xff00ffffu) | m << 16;
         }},
        {"vadd4.u32.u32.u32.sat %d, %a, %b, %c;", "u32 u32 u32 u32",
         [=](I v) {
             Bits d = 0;
             for (int k = 0; k < 4; ++k) {
                 d |= static_cast<Bits>(
                          std::min<std::int64_t>(lane(v[0], k, false) + lane(v[1], k, false), 255))
                      << (8 * k);
             }
             return d;
         }},
        {"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", "u32 u32 u32 u32",
         [=](I v) {
             Bits d = v[2];
             for (int k = 0; k < 4; ++k)
                 d += static_cast<Bits>(std::abs(lane(v[0], k, false) - lane(v[1], k, false)));
             return Bits{u32(d)};
         }},
        {"vavrg2.s32.s32.s32 %d, %a, %b, %c;", "u32 s32 s32 u32",
         [](I v) {
             Bits d = 0;
             for (int k = 0; k < 2; ++k) {
                 const int sum = s16(v[0] >> (16 * k)) + s16(v[1] >> (16 * k));
                 d |= Bits{u16(static_cast<Bits>((sum + (sum >= 0)) >> 1))} << (16 * k);
             }
             return d;
         }},
    };
}

} // namespace

std::vector<OpGroup> integer_ops() {
    return {
        {"integer/add_sub_mul", add_sub_mul()},
        {"integer/carries", carries()},
        {"integer/twenty_four_bits", twenty_four_bits()},
        {"integer/divide_without_fault", divide_without_fault()},
        {"integer/min_max_abs_neg_sad", min_max_abs_neg_sad()},
        {"integer/dot_products", dot_products()},
        {"bits/logic_and_shifts", logic_and_shifts()},
        {"bits/fields", fields()},
        {"bits/permute_and_tables", permute_and_tables()},
        {"bits/select_and_compare", select_and_compare()},
        {"bits/video", video()},
    };
}

} // namespace lathe::soft::test
