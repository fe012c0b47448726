// SPDX-License-Identifier: MIT
#include "tests/soft/jit/ops.h"

#include <cfenv>
#include <cmath>
#include <fmt/format.h>
#include <random>
#include <sstream>

namespace lathe::soft::test {

namespace {

unsigned width(const std::string& type) {
    if (type == "pred") return 1;
    return static_cast<unsigned>(std::stoi(type.substr(type.find_first_of("0123456789"))));
}

bool is_real(const std::string& type) { return type[0] == 'f'; }

std::vector<Bits> edges(const std::string& type) {
    const unsigned bits_wide = width(type);
    if (type == "pred") return {0, 1};
    if (type == "f32") {
        std::vector<Bits> list{0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000,
                               0x7fc00000, 0x3f800001, 0x4f000000, 0x4b800001, 0x33800000};
        for (float v : {0.0f, 0.5f, 1.0f, 1.5f, 2.5f, 3.0f, 0.1f, 7.75f, 255.5f, 1e-10f, 12345.678f,
                        0.99999994f, 65504.0f, 300.0f, 65535.5f}) {
            list.push_back(bits(v));
        }
        const std::size_t n = list.size();
        for (std::size_t k = 0; k < n; ++k) list.push_back(list[k] ^ 0x80000000u);
        return list;
    }
    if (type == "f64") {
        std::vector<Bits> list{1,
                               0x000fffffffffffff,
                               0x0010000000000000,
                               0x7fefffffffffffff,
                               0x7ff0000000000000,
                               0x7ff8000000000000,
                               0x3ff0000000000001};
        for (double v : {0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 0.1, 1e-50, 12345.678, 4294967296.5, 1e19,
                         3.4e38, 1e-40, 2147483647.5, 1.0000000596046448}) {
            list.push_back(bits(v));
        }
        const std::size_t n = list.size();
        for (std::size_t k = 0; k < n; ++k) list.push_back(list[k] ^ (Bits{1} << 63));
        return list;
    }
    if (type == "f16" || type == "bf16") {
        return {0x0000, 0x8000, 0x3c00, 0xbc00, 0x3e00, 0x4100, 0x7bff, 0x7c00, 0xfc00,
                0x7e00, 0x0001, 0x03ff, 0x0400, 0x83ff, 0x3555, 0xc248, 0x5bff, 0x3f80,
                0xbf80, 0x4049, 0x7f7f, 0x0080, 0x007f, 0x4780, 0xc2f7};
    }
    const Bits ones = bits_wide == 64 ? ~Bits{0} : (Bits{1} << bits_wide) - 1;
    const Bits top = Bits{1} << (bits_wide - 1);
    return {0,
            1,
            2,
            3,
            7,
            8,
            15,
            31,
            32,
            33,
            63,
            64,
            65,
            255,
            0x1234,
            0xabcd & ones,
            top - 1,
            top,
            top + 1,
            ones,
            ones - 1,
            0x12345678 & ones,
            0xdeadbeef & ones,
            0x0f0f0f0f & ones};
}

} // namespace

std::vector<std::string> types_of(const Op& op) {
    std::vector<std::string> types;
    std::istringstream words{op.types};
    for (std::string word; words >> word;) types.push_back(word);
    return types;
}

std::vector<Inputs> rows_of(const Op& op) {
    const std::vector<std::string> types = types_of(op);
    if (!op.rows.empty()) return op.rows;
    std::vector<std::vector<Bits>> values;
    for (std::size_t k = 1; k < types.size(); ++k) values.push_back(edges(types[k]));
    std::mt19937_64 random{12345};
    std::vector<Inputs> rows;
    if (values.size() == 2) {
        for (Bits a : values[0])
            for (Bits b : values[1]) rows.push_back({a, b});
    }
    const std::size_t wanted = rows.size() + 600;
    while (rows.size() < wanted) {
        Inputs row;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const unsigned bits_wide = width(types[k + 1]);
            const Bits ones = bits_wide == 64 ? ~Bits{0} : (Bits{1} << bits_wide) - 1;
            row.push_back(random() % 3 ? values[k][random() % values[k].size()] : random() & ones);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string kernel_of(const Op& op) {
    const std::vector<std::string> types = types_of(op);
    static constexpr const char* kNames[] = {"d", "a", "b", "c", "e"};
    std::string declarations, loads, store;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const bool predicate = types[k] == "pred";
        const std::string storage = predicate ? "u32" : fmt::format("b{}", width(types[k]));
        const std::string reg = predicate                                   ? "pred"
                                : is_real(types[k]) && width(types[k]) > 16 ? types[k]
                                                                            : storage;
        declarations += fmt::format("    .reg .{} %{};\n", reg, kNames[k]);
        if (k == 0) continue;
        if (predicate) {
            loads += fmt::format("    ld.global.u32 %r9, [%in+{}];\n    setp.ne.u32 %{}, %r9, 0;\n",
                                 8 * (k - 1), kNames[k]);
        } else {
            loads +=
                fmt::format("    ld.global.{} %{}, [%in+{}];\n", storage, kNames[k], 8 * (k - 1));
        }
    }
    if (types[0] == "pred") {
        store = "    selp.u32 %r9, 1, 0, %d;\n    st.global.u32 [%out], %r9;\n";
    } else {
        store = fmt::format("    st.global.b{} [%out], %d;\n", width(types[0]));
    }
    return fmt::format(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry op(.param .u64 in, .param .u64 out) {{
    .reg .b32 %t, %first, %count, %r9, %r;
    .reg .b64 %in, %out, %o, %s;
    .reg .pred %p, %q;
{}    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mov.u32 %first, %ctaid.x;
    mov.u32 %count, %ntid.x;
    mad.lo.u32 %t, %first, %count, %t;
    mul.wide.u32 %o, %t, {};
    add.u64 %in, %in, %o;
    mul.wide.u32 %o, %t, 8;
    add.u64 %out, %out, %o;
{}    {}
{}    ret;
}}
)",
                       declarations, 8 * std::max<std::size_t>(1, types.size() - 1), loads, op.text,
                       store);
}

double in_rounding(int mode, const std::function<double()>& operation) {
    std::fesetround(mode);
    const double result = operation();
    std::fesetround(FE_TONEAREST);
    return result;
}

float in_rounding_f(int mode, const std::function<float()>& operation) {
    std::fesetround(mode);
    const float result = operation();
    std::fesetround(FE_TONEAREST);
    return result;
}

double half_value(Bits b) {
    const double sign = b & 0x8000 ? -1.0 : 1.0;
    const int exponent = (b >> 10) & 31;
    const double mantissa = static_cast<double>(b & 1023);
    if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign *
           (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

Bits half_bits(double v) {
    if (std::isnan(v)) return 0x7fff;
    const Bits sign = std::signbit(v) ? 0x8000 : 0;
    const double size = std::abs(v);
    if (size == 0) return sign;
    if (size >= 65520) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(size, &exponent);
    exponent = std::max(exponent - 1, -14);
    const double units = std::nearbyint(std::ldexp(size, 10 - exponent));
    return sign | (static_cast<Bits>(exponent + 14) * 1024 + static_cast<Bits>(units));
}

double bf16_value(Bits b) { return f32(b << 16); }

Bits bf16_bits(double v) {
    if (std::isnan(v)) return 0x7fff;
    const Bits sign = std::signbit(v) ? 0x8000 : 0;
    const double size = std::abs(v);
    if (size == 0) return sign;
    if (std::isinf(size)) return sign | 0x7f80;
    int exponent = 0;
    std::frexp(size, &exponent);
    exponent = std::max(exponent - 1, -126);
    const double units = std::nearbyint(std::ldexp(size, 7 - exponent));
    const Bits magnitude = static_cast<Bits>(exponent + 126) * 128 + static_cast<Bits>(units);
    return sign | std::min<Bits>(magnitude, 0x7f80);
}

} // namespace lathe::soft::test
