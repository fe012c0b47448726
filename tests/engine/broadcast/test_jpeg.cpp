// SPDX-License-Identifier: MIT
#include "engine/broadcast/jpeg.h"

#include "engine/core/error.h"
#include "tests/engine/broadcast/pictures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace lathe;
using test::Decoded;
using test::Rgb;

std::string encoded(const RemoteFrame& frame, const JpegConfig& config) {
    JpegEncoder encoder;
    std::string bytes = "head";
    encoder.append(bytes, frame.rgba.get(), frame.width, frame.height, config);
    EXPECT_EQ(bytes.substr(0, 4), "head");
    return bytes.substr(4);
}

void expect_near(Rgb a, Rgb b, int most) {
    EXPECT_LE(std::abs(a.red - b.red), most);
    EXPECT_LE(std::abs(a.green - b.green), most);
    EXPECT_LE(std::abs(a.blue - b.blue), most);
}

TEST(Jpeg, StandsUprightWithItsColours) {
    const Rgb left{200, 30, 60}, right{20, 90, 230};
    const Decoded seen{encoded(test::halves(64, 48, left, right), {95, true, false})};
    ASSERT_EQ(seen.width, 64);
    ASSERT_EQ(seen.height, 48);
    expect_near(seen.at(10, 4), left, 6);
    expect_near(seen.at(50, 4), right, 6);
    expect_near(seen.at(10, 47), {0, 0, 0}, 24); // the bottom row
}

TEST(Jpeg, CoarserPicturesAreSmaller) {
    RemoteFrame noise = test::halves(256, 256, {0, 0, 0}, {0, 0, 0});
    auto* const texels = const_cast<std::byte*>(noise.rgba.get());
    for (std::size_t k = 0, x = 1; k < 256 * 256 * 4; ++k, x = x * 6364136223846793005u + 1)
        texels[k] = std::byte(x >> 56);
    const std::size_t best = encoded(noise, {95, true, false}).size();
    const std::size_t middle = encoded(noise, {65, false, false}).size();
    const std::size_t half = encoded(noise, {65, false, true}).size();
    EXPECT_LT(middle, best / 2);
    EXPECT_LT(half, middle / 2);
}

TEST(Jpeg, HalfSizeIsTheMeanOfFour) {
    RemoteFrame grid = test::halves(32, 32, {0, 0, 0}, {0, 0, 0});
    auto* const texels = const_cast<std::byte*>(grid.rgba.get());
    for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 32; ++x)
            std::memset(texels + (y * 32 + x) * 4, (x + y) % 2 ? 200 : 100, 4);
    const Decoded seen{encoded(grid, {95, true, true})};
    ASSERT_EQ(seen.width, 16);
    for (int k = 0; k < 16; ++k) expect_near(seen.at(k, k), {150, 150, 150}, 2);
    EXPECT_EQ(Decoded(encoded(test::halves(1, 9, {9, 9, 9}, {9, 9, 9}), {95, true, true})).height,
              9);
    EXPECT_EQ(Decoded(encoded(test::halves(7, 5, {9, 9, 9}, {9, 9, 9}), {95, true, true})).width,
              3);
}

TEST(Jpeg, WhatNoFileCanHoldIsRefused) {
    JpegEncoder encoder;
    std::string bytes;
    std::byte texel[4]{};
    EXPECT_THROW(encoder.append(bytes, texel, 70000, 1, {}), Error);
    EXPECT_THROW(encoder.append(bytes, texel, 0, 1, {}), Error);
    encoder.append(bytes, texel, 1, 1, {}); // and goes on
    EXPECT_EQ(Decoded(bytes).width, 1);
}

} // namespace
