// SPDX-License-Identifier: MIT
// Runs of bits, against a plain vector of them.
#include "gpu/soft/rt/bit_runs.h"

#include <gtest/gtest.h>

#include <random>

namespace lathe::soft {
namespace {

constexpr std::size_t kBits = 3 * 4096;

struct Both {
    BitRuns runs{kBits};
    std::vector<bool> plain = std::vector<bool>(kBits);

    void put(std::size_t first, std::size_t count, bool value) {
        value ? runs.set(first, count) : runs.clear(first, count);
        for (std::size_t k = 0; k < count; ++k) plain[first + k] = value;
    }
    std::size_t begin(std::size_t bit) const {
        while (bit > 0 && plain[bit - 1]) --bit;
        return bit;
    }
    std::size_t end(std::size_t bit) const {
        while (bit < kBits && plain[bit]) ++bit;
        return bit;
    }
    void compare(std::size_t bit) const {
        ASSERT_EQ(runs[bit], plain[bit]) << bit;
        if (!plain[bit]) return;
        ASSERT_EQ(runs.run_begin(bit), begin(bit)) << bit;
        ASSERT_EQ(runs.run_end(bit), end(bit)) << bit;
    }
};

TEST(BitRuns, AreFoundAsInAPlainVector) {
    std::mt19937 random{7};
    const auto below = [&](std::size_t n) { return random() % n; };
    for (const std::size_t longest : {5ul, 70ul, 700ul, 9000ul}) {
        Both both;
        for (int round = 0; round < 300; ++round) {
            const std::size_t first = below(kBits);
            const std::size_t count = 1 + below(std::min(longest, kBits - first));
            const bool any = both.end(first) > first; // of one bit
            ASSERT_EQ(both.runs.any(first, 1), any);
            both.put(first, count, below(3) != 0);
            for (int k = 0; k < 20; ++k) both.compare(below(kBits));
        }
    }
}

TEST(BitRuns, MayBeAllOfTheBitsOrOne) {
    Both both;
    both.put(0, kBits, true);
    for (const std::size_t bit : {0ul, 63ul, 64ul, 4095ul, 4096ul, kBits - 1}) both.compare(bit);
    for (const std::size_t gap : {0ul, 64ul, 127ul, 4095ul, 4096ul, 8191ul, kBits - 1}) {
        both.put(gap, 1, false);
        for (std::size_t bit = 0; bit < kBits; bit += 61) both.compare(bit);
        both.compare(gap ? gap - 1 : 1);
        both.put(gap, 1, true);
    }
    both.put(0, kBits, false);
    EXPECT_FALSE(both.runs.any(0, kBits));
    for (const std::size_t bit : {0ul, 64ul, 4096ul, kBits - 1}) {
        both.put(bit, 1, true);
        both.compare(bit);
        EXPECT_TRUE(both.runs.any(0, kBits));
    }
}

} // namespace
} // namespace lathe::soft
