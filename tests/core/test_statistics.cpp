// SPDX-License-Identifier: MIT
#include "engine/core/statistics.h"

#include <gtest/gtest.h>

namespace lathe {
namespace {

// The example of nearest ranks in https://en.wikipedia.org/wiki/Percentile.
TEST(Statistics, PercentileIsTheNearestRank) {
    const std::vector<double> values{15, 20, 35, 40, 50};
    EXPECT_EQ(percentile(values, 0.05), 15);
    EXPECT_EQ(percentile(values, 0.30), 20);
    EXPECT_EQ(percentile(values, 0.40), 20);
    EXPECT_EQ(percentile(values, 0.50), 35);
    EXPECT_EQ(percentile(values, 1.00), 50);
    EXPECT_EQ(percentile(values, 0.0), 15);
    EXPECT_EQ(percentile(std::vector<double>{7}, 0.95), 7);
}

TEST(Statistics, MedianIsOneOfTheValues) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 5}), 5);
    EXPECT_EQ(median({4, 1, 3, 2}), 2); // the lower of two
}

} // namespace
} // namespace lathe
