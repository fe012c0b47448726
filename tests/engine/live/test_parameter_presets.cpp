// SPDX-License-Identifier: MIT
#include "engine/core/error.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_presets.h"
#include "engine/live/parameter_set.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

using namespace lathe;
using namespace std::chrono_literals;

namespace {

struct Presets : testing::Test {
    ParameterSet set;
    ParameterBindings bindings{set};
    std::chrono::steady_clock::time_point now{};

    void SetUp() override {
        Directive range, log;
        range.min = 0;
        range.max = 10;
        log.min = 0.01;
        log.max = 100;
        log.log = true;
        set.declare("kernel", {make_parameter("x", ParameterKind::real, 1, range),
                               make_parameter("rate", ParameterKind::real, 1, log),
                               make_parameter("count", ParameterKind::integer, 1, range),
                               make_parameter("wrap", ParameterKind::boolean, 1),
                               make_parameter("tint", ParameterKind::vector, 3)});
        put(1, 0.1, 2, false, {0, 0, 0});
    }
    void put(double x, double rate, std::int64_t count, bool wrap, std::vector<double> tint) {
        set.set("x", x);
        set.set("rate", rate);
        set.set("count", count);
        set.set("wrap", wrap);
        set.set("tint", tint);
    }
    ParameterPresets presets(const std::filesystem::path& file = {}) {
        ParameterPresets made{set, &bindings, [this] { return now; }};
        if (!file.empty()) made.keep_in(file);
        return made;
    }
    double real(std::string_view name) { return std::get<double>(set.get(name)); }
};

} // namespace

TEST_F(Presets, AreSavedAndRecalledAtOnce) {
    auto p = presets();
    EXPECT_FALSE(p.has(1));
    EXPECT_FALSE(p.recall(1));
    set.set("x", 1.0 / 3);
    p.save(1);
    put(5, 10, 7, true, {1, 0.5, 0.25});
    p.save(9);
    EXPECT_TRUE(p.recall(1));
    EXPECT_EQ(real("x"), 1.0 / 3) << "to the last bit";
    EXPECT_EQ(std::get<std::int64_t>(set.get("count")), 2);
    EXPECT_FALSE(p.is_fading());
    p.recall(9);
    EXPECT_EQ(std::get<std::vector<double>>(set.get("tint")), (std::vector{1.0, 0.5, 0.25}));
    EXPECT_EQ(p.code(0), "count=7, rate=10, tint=(1, 0.5, 0.25), wrap=True, x=5");
    EXPECT_EQ(p.code(9), p.code(0));
    p.clear(9);
    EXPECT_FALSE(p.has(9));
    EXPECT_THROW(p.save(0), Error);
    EXPECT_THROW((void)p.has(10), Error);
}

TEST_F(Presets, FadeThroughWhatLiesBetween) {
    auto p = presets();
    p.save(1);
    put(5, 10, 7, true, {1, 0.5, 0.25});
    p.save(2);
    p.recall(1);
    p.recall(2, 2s);
    EXPECT_EQ(real("x"), 1) << "nothing moves before the next frame";
    now += 500ms;
    p.advance();
    EXPECT_DOUBLE_EQ(real("x"), 2);
    EXPECT_DOUBLE_EQ(real("rate"), 0.1 * std::pow(100.0, 0.25)) << "by factors";
    EXPECT_EQ(std::get<std::int64_t>(set.get("count")), 3) << "3.25 rounded";
    EXPECT_FALSE(std::get<bool>(set.get("wrap")));
    EXPECT_DOUBLE_EQ(std::get<std::vector<double>>(set.get("tint"))[1], 0.125);
    set.set("x", 9.0); // a hand on the slider
    now += 700ms;
    p.advance();
    EXPECT_EQ(real("x"), 9);
    EXPECT_TRUE(std::get<bool>(set.get("wrap")));
    now += 10s;
    p.advance();
    EXPECT_EQ(real("x"), 9);
    EXPECT_EQ(real("rate"), 10) << "the end is exact";
    EXPECT_FALSE(p.is_fading());
}

TEST_F(Presets, LeaveAloneWhatFollowsSomething) {
    auto p = presets();
    put(5, 10, 7, true, {1, 0.5, 0.25});
    p.save(1);
    put(1, 0.1, 2, false, {0, 0, 0});
    bindings.bind("x", parse_follow("saw 4s"));
    bindings.bind("rate", parse_follow("saw 4s"));
    bindings.bind("tint.y", parse_follow("saw(0..1) 4s"));
    bindings.suspend("rate");
    for (const auto fade : {0ms, 500ms}) {
        p.recall(1, fade);
        bindings.follow_time(2);
        now += 1s;
        p.advance();
        bindings.follow_time(1);
        EXPECT_EQ(real("x"), 2.5);
        EXPECT_EQ(real("rate"), 10) << "nobody moves it at present";
        EXPECT_EQ(std::get<std::vector<double>>(set.get("tint")), (std::vector{0.0, 0.25, 0.0}));
        EXPECT_TRUE(bindings.find("x")->is_active);
        set.set("rate", 0.1);
    }
}

TEST_F(Presets, AreKeptBetweenRunsAndOutliveParameters) {
    const test::TempFolder folder;
    const auto file = folder / "deeper" / "app";
    {
        auto p = presets(file);
        p.save(3);
    }
    std::ofstream{file, std::ios::app} << "nonsense\n4\n0 x=1\n3 gone=7\n3 wrap=perhaps\n";
    put(5, 10, 7, true, {1, 0.5, 0.25});
    auto p = presets(file);
    EXPECT_TRUE(p.has(3));
    EXPECT_FALSE(p.has(4));
    EXPECT_TRUE(p.recall(3));
    EXPECT_EQ(real("x"), 1);
    EXPECT_TRUE(std::get<bool>(set.get("wrap"))) << "what does not fit is left out";
    set.declare("kernel", {});
    EXPECT_TRUE(p.recall(3)) << "no parameter is there: nothing happens";
}

TEST_F(Presets, MembersOfStructuresAreCodeAndComeBack) {
    set.declare("kernel", {make_parameter("gain", ParameterKind::real, 1),
                           make_parameter("light.x", ParameterKind::real, 1),
                           make_parameter("light.w[1]", ParameterKind::real, 1)});
    const test::TempFolder folder;
    {
        auto p = presets(folder / "app");
        set.set("light.x", 0.25);
        set.set("light.w[1]", 4.0);
        EXPECT_EQ(p.code(0), "gain=0, **{\"light.w[1]\": 4, \"light.x\": 0.25}");
        p.save(2);
    }
    set.reset_all();
    auto p = presets(folder / "app");
    EXPECT_TRUE(p.recall(2));
    EXPECT_EQ(real("light.x"), 0.25);
    EXPECT_EQ(real("light.w[1]"), 4);
}
