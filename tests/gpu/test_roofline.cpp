// SPDX-License-Identifier: MIT
// Kernels below a roof whose corner is at 10 operations a byte.
#include "gpu/inspect/roofline.h"

#include <gtest/gtest.h>

using namespace lathe::gpu;

namespace {

constexpr DevicePeaks kPeaks{
    .flops = 100e9, .double_flops = 50e9, .bandwidth = 10e9, .cache_bandwidth = 80e9};

} // namespace

TEST(Roofline, MemoryLimitsWhatIsLeftOfTheCorner) {
    const KernelRate axpy{.kernel = "axpy", .flops = 2e9, .bytes = 12e9, .seconds = 2};
    EXPECT_DOUBLE_EQ(axpy.intensity(), 1.0 / 6);
    EXPECT_TRUE(axpy.is_bound_by_memory(kPeaks));
    EXPECT_DOUBLE_EQ(axpy.roof(kPeaks), 10e9 / 6);
    EXPECT_DOUBLE_EQ(axpy.flops_per_second(), 1e9);
    EXPECT_DOUBLE_EQ(axpy.bytes_per_second(), 6e9);
    EXPECT_DOUBLE_EQ(axpy.share(kPeaks), 0.6);
}

TEST(Roofline, ArithmeticLimitsWhatIsRightOfIt) {
    const KernelRate bodies{.kernel = "bodies", .flops = 40e9, .bytes = 1e9, .seconds = 0.5};
    EXPECT_FALSE(bodies.is_bound_by_memory(kPeaks));
    EXPECT_DOUBLE_EQ(bodies.roof(kPeaks), 100e9);
    EXPECT_DOUBLE_EQ(bodies.share(kPeaks), 0.8);
}

TEST(Roofline, ARoofOfItsOwnForFloat64) {
    KernelRate grow{.kernel = "grow", .flops = 40e9, .double_flops = 20e9, .seconds = 1};
    EXPECT_DOUBLE_EQ(grow.peak_flops(kPeaks), 100e9) << "half of them";
    grow.double_flops = 21e9;
    EXPECT_DOUBLE_EQ(grow.peak_flops(kPeaks), 50e9);
    EXPECT_DOUBLE_EQ(grow.share(kPeaks), 0.8) << "it has no memory";
    EXPECT_FALSE(grow.is_bound_by_memory(kPeaks));
}

TEST(Roofline, ACopyHasAShareOfTheBandwidth) {
    const KernelRate copy{.kernel = "copy", .bytes = 5e9, .seconds = 1};
    EXPECT_EQ(copy.intensity(), 0);
    EXPECT_DOUBLE_EQ(copy.share(kPeaks), 0.5);
    EXPECT_TRUE(copy.is_bound_by_memory(kPeaks));
}

TEST(Roofline, WhatWasNotTimedReachesNothing) {
    const KernelRate axpy{.kernel = "axpy", .flops = 2, .bytes = 12};
    EXPECT_EQ(axpy.flops_per_second(), 0);
    EXPECT_EQ(axpy.share(kPeaks), 0);
}
