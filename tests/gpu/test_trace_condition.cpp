// SPDX-License-Identifier: MIT
// Conditions of a followed thread's variables, beside the same expressions in C++.
#include "engine/core/error.h"
#include "gpu/inspect/trace_condition.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lathe::gpu {
namespace {

using ConditionKind = ptx::ParameterType::Kind;

ptx::ParameterType type_of(std::string name, ConditionKind kind, std::uint32_t bytes) {
    ptx::ParameterType type;
    type.name = std::move(name);
    type.kind = kind;
    type.bytes = bytes;
    return type;
}

template <class T> TracedValue value_of(ptx::ParameterType type, const T& value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return {std::make_shared<const ptx::ParameterType>(std::move(type)),
            TracedBytes{std::move(bytes)}};
}

struct Pair {
    float x;
    std::int16_t n;
};

class TraceConditionTest : public testing::Test {
protected:
    TraceConditionTest() {
        using enum ConditionKind;
        line.line = 7;
        line.file = "sim/step.cu";
        line.values.push_back(value_of(type_of("k", signed_integer, 4), k));
        line.values.push_back(value_of(type_of("c", signed_integer, 1), c));
        line.values.push_back(value_of(type_of("f", floating, 4), f));
        line.values.push_back(value_of(type_of("d", floating, 8), d));
        line.values.push_back(value_of(type_of("u", floating, 4), 1.0f));
        line.changes.push_back(value_of(type_of("u", floating, 4), u));
        auto pairs = type_of("pairs", array, sizeof(Pair) * 2);
        auto pair = type_of("", structure, sizeof(Pair));
        pair.members = {type_of("x", floating, 4), type_of("n", signed_integer, 2)};
        pair.members[1].offset = offsetof(Pair, n);
        pairs.members = {pair};
        pairs.shape = {2};
        pairs.count = 2;
        line.values.push_back(value_of(pairs, std::pair{Pair{0.5f, -3}, Pair{1.5f, 9}}));
    }
    bool is_met(const std::string& text) { return TraceCondition{text}.is_met(line); }

    int k = -7;
    std::int8_t c = -2;
    float f = 0.1f, u = std::numeric_limits<float>::quiet_NaN();
    double d = 0.1;
    TraceLine line;
};

TEST_F(TraceConditionTest, OperatorsGroupAndRoundAsInCpp) {
#define LATHE_SAME(expression)                                                                     \
    EXPECT_EQ(is_met(#expression), static_cast<bool>(expression)) << #expression
    LATHE_SAME(k / 2 == -3 && k % 2 == -1);
    LATHE_SAME(k + c * 2 < -10);
    LATHE_SAME((k | 1) == -7);
    LATHE_SAME((k & 12) >> 2 == 2);
    LATHE_SAME((k ^ c) == 7);
    LATHE_SAME((~k << 2) == 24);
    LATHE_SAME(-k > 6 ? c != -2 : true);
    LATHE_SAME(!k || +c == -2);
    LATHE_SAME(f == 0.1f);
    LATHE_SAME(f == d);
    LATHE_SAME(f * 10 == 1);
    LATHE_SAME(d * 3 == 0.3);
    LATHE_SAME(f + f + f == 0.3f);
    LATHE_SAME(k - -7 == 0);
    LATHE_SAME(1e-1 <= d && .5f >= f && 0x1F == 31);
    LATHE_SAME(u == u);
    LATHE_SAME(u != u);
    LATHE_SAME((c > k) == 1);
#undef LATHE_SAME
}

TEST_F(TraceConditionTest, FunctionsMembersAndElements) {
    EXPECT_TRUE(is_met("isnan(u) && !isnan(f) && isinf(1 / 0.0) && isfinite(d)"));
    EXPECT_TRUE(
        is_met("abs(k) == 7 && fabsf(f - 0.2f) == f && sqrt(16) == 4 && floor(-0.5) == -1"));
    EXPECT_TRUE(is_met("min(k, 3) == k && fmaxf(f, 2) == 2"));
    EXPECT_TRUE(is_met("pairs[0].x == 0.5f && pairs[1].n == 9 && pairs[k + 7].n == -3"));
    EXPECT_FALSE(is_met("pairs[2].n == 0 || true")) << "where a part is not known, nothing is";
    EXPECT_FALSE(is_met("k / 0 == k / 0"));
    EXPECT_FALSE(is_met("pairs == 0"));
    EXPECT_TRUE(is_met("") && is_met("  "));
}

TEST_F(TraceConditionTest, LinesAreFoundByNumberAndFile) {
    std::vector<TraceLine> lines(3, line);
    lines[1].line = 8;
    lines[2].file = "other.cuh";
    using Found = std::vector<std::size_t>;
    EXPECT_EQ(lines_that_meet(lines, 7, "", {}), (Found{0, 2}));
    EXPECT_EQ(lines_that_meet(lines, 0, "step.cu", TraceCondition{"k < 0"}), (Found{0, 1}));
    EXPECT_EQ(lines_that_meet(lines, 7, "elsewhere/other.cuh", {}), (Found{2}));
    EXPECT_EQ(lines_that_meet(lines, 0, "", TraceCondition{"k > 0"}), Found{});
    EXPECT_THROW(TraceCondition{"nothing == 1"}.check_names(lines), lathe::Error);
    EXPECT_NO_THROW(TraceCondition{"k + pairs[0].x"}.check_names(lines));
}

} // namespace
} // namespace lathe::gpu
