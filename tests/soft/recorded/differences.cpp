// SPDX-License-Identifier: MIT
// Cases in which GPUs and the software device may differ, each with its reason. An entry is a
// case's name, or its beginning and a star. `test_recorded` fails for an entry that no longer
// differs, and for a case with rows that may differ of which none does.
#include "tests/soft/recorded/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace lathe::recorded {
namespace {

struct Known {
    const char *pattern, *reason;
};

constexpr const char* kRefused =
    "The driver (580.159.04) does not load or not run this query of a texture object.";

const std::vector<Known> kKnown = {
    {"ptx/call_registers",
     "The driver's compiler dies of this PTX (calls by registers), so there is no result."},
    {"warps/mov.u32 %r, %laneid*", "%nwarpid is how many warps a multiprocessor holds: 64 on an "
                                   "H200, 32 on the compute capability "
                                   "7.5 that the software device has."},
    {"textures/1d/texels/linear/border",
     "The GPU filters a row as an image of one row and reads it at y = 0, so half of the border's "
     "colour comes into every value; the CUDA guide has one axis only."},
    {"textures/1d/normalized/linear/border", "As textures/1d/texels/linear/border."},
    {"textures/query/array_size/*", kRefused},
    {"textures/query/num_mipmap_levels/*", kRefused},
    {"textures/query/channel_data_type/*", kRefused},
    {"textures/query/channel_order/*", kRefused},
    {"faults/shared_far",
     "Which error a place far outside of shared memory gives is nowhere said: 715 (illegal "
     "instruction) on the GPU, 700 (illegal address) here."},
};

using Row = std::vector<std::uint64_t>;

/// Rows of operands that are not compared, and why.
struct Open {
    const char *pattern, *reason;
    bool (*is_open)(const std::string& name, const Row& row);
};

std::int64_t operand(const std::string& type, std::uint64_t bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    return type == "s32" ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
}

/// What "video/vadd.u32.s32.u32.sat ..." gives before it is brought into range.
std::int64_t before_saturation(const std::string& name, const Row& row) {
    const std::size_t at = name.find('.');
    const std::int64_t a = operand(name.substr(at + 5, 3), row[0]),
                       b = operand(name.substr(at + 9, 3), row[1]);
    const std::string_view op = std::string_view{name}.substr(0, at);
    return op.ends_with("vadd")       ? a + b
           : op.ends_with("vsub")     ? a - b
           : op.ends_with("vabsdiff") ? std::abs(a - b)
           : op.ends_with("vmin")     ? std::min(a, b)
                                      : std::max(a, b);
}

bool wraps(const std::string& name, const Row& row) {
    return before_saturation(name, row) >> 32 > 0;
}
bool is_negative(const std::string& name, const Row& row) {
    return before_saturation(name, row) < 0;
}
constexpr const char* kWraps =
    "The driver's ptxas adds in 32 bits: what is 2^32 and more wraps, where the PTX ISA clamps it.";
constexpr const char* kUnsigned =
    "The driver's ptxas brings results into the range of a byte as unsigned numbers: negative ones "
    "become the largest, where the PTX ISA has the smallest, or leaves them.";
constexpr const char* kField =
    "Positions and lengths are restricted to 0 to 255; here are larger ones. By the ISA's code "
    "they "
    "are taken modulo 256, the GPU's 64-bit code takes them as they are.";
constexpr const char* kShift = "The driver's ptxas shifts the low 32 bits of the sum as a signed "
                               "number; by the PTX ISA the sum "
                               "of unsigned operands has all its bits and no sign.";
constexpr const char* kTurn =
    "Beyond 2 pi the bound is another one, and beyond 100 pi there is none: the cases 50_turns and "
    "large compare those.";

/// The sum of a vmad, of a lower and a lower or upper half.
bool has_sign(const std::string& name, const Row& row) {
    const std::uint64_t b = name.find("%b.h1") != name.npos ? row[1] >> 16 : row[1];
    return (row[0] & 0xffff) * (b & 0xffff) + (row[2] & 0xffffffff) >= 1u << 31;
}

bool is_beyond_a_turn(const std::string&, const Row& row) {
    const float x = std::abs(std::bit_cast<float>(static_cast<std::uint32_t>(row[0])));
    return std::isfinite(x) && x > 2 * std::numbers::pi;
}

const std::vector<Open> kOpen = {
    {"ops/bits/fields/bfe.u64*", kField,
     [](const std::string&, const Row& row) { return row[1] > 255 || row[2] > 255; }},
    {"ops/bits/fields/bfe.s64*", kField,
     [](const std::string&, const Row& row) { return row[1] > 255 || row[2] > 255; }},
    {"ops/bits/fields/bfi.b64*", kField,
     [](const std::string&, const Row& row) { return row[2] > 255 || row[3] > 255; }},
    {"ops/bits/video/vadd.u32.u32.u32.sat %d, %a, %b;", kWraps, wraps},
    {"video/vadd.u32.u32.u32.sat %d, %a, %b;", kWraps, wraps},
    {"video/vadd.u32.s32.u32.sat %d, %a, %b;", kWraps, wraps},
    {"video/vabsdiff.u32.s32.u32.sat %d, %a, %b;", kWraps, wraps},
    {"video/vadd.s32.s32.s32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vadd.s32.u32.s32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vadd.u32.s32.u32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vsub.u32.u32.u32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vsub.s32.s32.s32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vsub.s32.u32.s32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vsub.u32.s32.u32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vmin.s32.s32.s32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vmin.s32.u32.s32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vmin.u32.s32.u32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"video/vmax.s32.s32.s32.sat %d.b1, %a, %b, %c;", kUnsigned, is_negative},
    {"ops/bits/video/vmad.u32.u32.u32.shr15 *", kShift, has_sign},
    {"video/vmad.u32.u32.u32.shr7 *", kShift, has_sign},
    {"functions/sin.approx.f32/specials", kTurn, is_beyond_a_turn},
    {"functions/cos.approx.f32/specials", kTurn, is_beyond_a_turn},
};

} // namespace

std::vector<bool> open_rows(const std::string& name, const std::vector<Row>& rows) {
    for (const Open& one : kOpen) {
        if (!matches(one.pattern, name)) continue;
        std::vector<bool> open;
        for (const Row& row : rows) open.push_back(one.is_open(name, row));
        return open;
    }
    return {};
}

bool has_open_rows(const std::string& name) {
    return std::ranges::any_of(kOpen, [&](const Open& one) { return matches(one.pattern, name); });
}

const char* known_difference(const std::string& name) {
    for (const Known& known : kKnown)
        if (matches(known.pattern, name)) return known.reason;
    return nullptr;
}

std::vector<std::string> known_difference_patterns() {
    std::vector<std::string> patterns;
    for (const Known& known : kKnown) patterns.emplace_back(known.pattern);
    return patterns;
}

} // namespace lathe::recorded
