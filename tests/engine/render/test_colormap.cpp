// SPDX-License-Identifier: MIT
#include "engine/render/colormap.h"

#include "engine/core/error.h"
#include "fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace lathe;

using ColormapTest = test::RenderTest;

TEST(Colormap, NamesAreSortedAndLoad) {
    const auto& names = colormap_names();
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    for (const char* name :
         {"coolwarm", "gray", "inferno", "magma", "plasma", "turbo", "twilight", "viridis"})
        EXPECT_THAT(names, testing::Contains(std::string{name}));
    for (const std::string& name : names) EXPECT_NO_THROW(Colormap{name}) << name;
}

TEST(Colormap, EndsAreThePublishedOnes) {
    const auto ends = [](const char* name) {
        return std::pair{Colormap{name}(0), Colormap{name}(1)};
    };
    EXPECT_EQ(ends("viridis"), (std::pair{Rgb8{68, 1, 84}, Rgb8{253, 231, 37}}));
    EXPECT_EQ(ends("magma"), (std::pair{Rgb8{0, 0, 4}, Rgb8{252, 253, 191}}));
    EXPECT_EQ(ends("inferno"), (std::pair{Rgb8{0, 0, 4}, Rgb8{252, 255, 164}}));
    EXPECT_EQ(ends("plasma"), (std::pair{Rgb8{13, 8, 135}, Rgb8{240, 249, 33}}));
    EXPECT_EQ(ends("coolwarm"), (std::pair{Rgb8{59, 76, 192}, Rgb8{180, 4, 38}}));
    EXPECT_EQ(ends("gray"), (std::pair{Rgb8{0, 0, 0}, Rgb8{255, 255, 255}}));
}

TEST(Colormap, SequentialMapsGetLighterAllTheWay) {
    for (const char* name : {"viridis", "magma", "inferno", "plasma", "gray"}) {
        const Colormap map{name};
        double before = -1;
        for (const Rgb8& c : map.table()) {
            // Within rounding: tables have whole numbers.
            const double light = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
            EXPECT_GE(light, before - 0.8) << name;
            before = light;
        }
    }
}

TEST(Colormap, DivergingIsPalestInTheMiddleAndCyclicMeetsItself) {
    const Colormap coolwarm{"coolwarm"};
    const auto sum = [](Rgb8 c) { return int(c.r) + c.g + c.b; };
    for (int i = 0; i < 127; ++i) {
        EXPECT_LE(sum(coolwarm.table()[std::size_t(i)]), sum(coolwarm.table()[128]) + 2);
        EXPECT_LE(sum(coolwarm.table()[std::size_t(255 - i)]), sum(coolwarm.table()[128]) + 2);
    }
    const Colormap twilight{"twilight"};
    EXPECT_LE(std::abs(sum(twilight(0)) - sum(twilight(1))), 6);
}

TEST(Colormap, EachHasItsReverse) {
    for (const std::string& name : colormap_names()) {
        const Colormap map{name}, other{name + "_r"};
        EXPECT_TRUE(std::equal(map.table().begin(), map.table().end(), other.table().rbegin()))
            << name;
    }
    EXPECT_FALSE(is_colormap("viridis_r_r"));
    EXPECT_FALSE(is_colormap("_r"));
    EXPECT_FALSE(is_colormap("viridian"));
}

TEST(Colormap, OnesOwnIsBlendedAndMayBeReplaced) {
    using Colors = std::vector<std::array<float, 3>>;
    define_colormap("three", Colors{{0, 0, 0}, {1, 0, 0}, {1, 1, 1}});
    const Colormap& three = Colormap::named("three");
    const Colormap& other = Colormap::named("three_r");
    EXPECT_EQ(three.table()[0], (Rgb8{0, 0, 0}));
    EXPECT_EQ(three.table()[64], (Rgb8{128, 0, 0})); // 64 / 255 of the way: 0.502 of the first half
    EXPECT_EQ(three.table()[255], (Rgb8{255, 255, 255}));
    EXPECT_EQ(other.table()[0], (Rgb8{255, 255, 255}));
    EXPECT_THAT(colormap_names(), testing::Contains(std::string{"three"}));
    define_colormap("three", Colors{{0, 0, 1}, {0, 1, 0}});
    EXPECT_EQ(three.table()[0], (Rgb8{0, 0, 255}));
    EXPECT_EQ(other.table()[0], (Rgb8{0, 255, 0}));
    EXPECT_THROW(define_colormap("one", Colors{{0, 0, 0}}), Error);
    EXPECT_THROW(define_colormap("bright", Colors{{0, 0, 0}, {2, 0, 0}}), Error);
    EXPECT_THROW(define_colormap("none", Colors{{0, 0, 0}, {std::nanf(""), 0, 0}}), Error);
    for (const char* name : {"viridis", "", "mine_r"})
        EXPECT_THROW(define_colormap(name, Colors{{0, 0, 0}, {1, 1, 1}}), Error) << name;
}

TEST_F(ColormapTest, WhatIsReplacedIsReplacedInItsTexture) {
    using Colors = std::vector<std::array<float, 3>>;
    define_colormap("changing", Colors{{0, 0, 0}, {1, 1, 1}});
    const Colormap& map = Colormap::named("changing");
    EXPECT_EQ(int(map.texture().download()[0]), 0);
    define_colormap("changing", Colors{{1, 1, 1}, {0, 0, 0}});
    EXPECT_EQ(int(map.texture().download()[0]), 255);
}

TEST(Colormap, ValuesOutsideAreClamped) {
    const Colormap map{"viridis"};
    EXPECT_EQ(map(-5), map.table().front());
    EXPECT_EQ(map(7), map.table().back());
    EXPECT_EQ(map(std::numeric_limits<float>::quiet_NaN()), map.table().front());
    EXPECT_EQ(map(0.5f), map.table()[128]);
}

TEST(Colormap, UnknownNameListsTheKnown) {
    try {
        Colormap::named("viridian");
        FAIL() << "an unknown colormap was found";
    } catch (const lathe::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("no colormap \"viridian\""));
        EXPECT_THAT(e.what(), testing::HasSubstr("viridis"));
    }
}

TEST(Colormap, TextureHoldsTheTableInEveryContext) {
    for (int i = 0; i < 2; ++i) {
        gl::HeadlessContext context;
        const Colormap& map = Colormap::named("magma");
        EXPECT_EQ(&map, &Colormap::named("magma"));
        const auto texels = map.texture().download();
        for (std::size_t k = 0; k < 256; ++k) {
            const Rgb8 c{std::uint8_t(texels[4 * k]), std::uint8_t(texels[4 * k + 1]),
                         std::uint8_t(texels[4 * k + 2])};
            ASSERT_EQ(c, map.table()[k]);
        }
    }
}

// What ThreadSanitizer looks at: Apps of two threads share the colormap of a name.
TEST(Colormap, ContextsOfTwoThreadsAskAtOnce) {
    gl::HeadlessContext first, second;
    second.release_current();
    std::vector<Colormap> maps;
    for (const std::string& name : colormap_names()) maps.emplace_back(name);
    std::atomic<std::size_t> asked = 0;
    const auto ask = [&](gl::HeadlessContext& context) {
        context.make_current();
        for (std::size_t i = 0; i < maps.size(); ++i) {
            // No lock: EGL's and GL's would order what the two do next.
            for (++asked; asked < 2 * (i + 1);) {}
            EXPECT_EQ(maps[i].texture().download()[4], std::byte{maps[i].table()[1].r});
        }
        context.release_current();
    };
    std::thread other{ask, std::ref(first)};
    ask(second);
    other.join();
}

} // namespace
