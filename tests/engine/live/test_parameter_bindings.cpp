// SPDX-License-Identifier: MIT
#include "engine/core/error.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

using namespace lathe;

namespace {

struct Bindings : testing::Test {
    ParameterSet set;
    ParameterBindings bindings{set};
    std::map<std::string, int, std::less<>> pressed;

    static Parameter make(std::string name, ParameterKind kind, std::string_view directive = {},
                          int components = 1) {
        std::vector<Diagnostic> problems;
        Parameter p = make_parameter(std::move(name), kind, components,
                                     parse_directive(directive, 1, 1, problems));
        EXPECT_TRUE(problems.empty()) << directive;
        return p;
    }
    void SetUp() override { declare("0..10 =5"); }
    void declare(std::string_view x) {
        set.declare(
            "a.cu",
            {make("x", ParameterKind::real, x), make("rate", ParameterKind::real, "0.01..100 log"),
             make("n", ParameterKind::integer, "0..8"), make("on", ParameterKind::boolean),
             make("mode", ParameterKind::integer, "enum(slow,fast,exact)"),
             make("tint", ParameterKind::vector, "0..1", 3), make("free", ParameterKind::real)});
    }
    void bind(std::string_view target, std::string_view words) {
        bindings.bind(target, parse_follow(words), BoundBy::hand);
    }
    std::string refusal(std::string_view target, std::string_view words) {
        try {
            bind(target, words);
        } catch (const Error& e) { return e.what(); }
        return "taken";
    }
    double x(std::string_view name = "x") { return std::get<double>(set.get(name)); }
    std::int64_t whole(std::string_view name) { return std::get<std::int64_t>(set.get(name)); }
    std::vector<double> tint() { return std::get<std::vector<double>>(set.get("tint")); }
    void frame(std::optional<std::pair<double, double>> mouse = {}) {
        bindings.follow_input({mouse,
                               [&](std::string_view key) {
                                   const auto found = pressed.find(key);
                                   return found == pressed.end() ? 0 : found->second;
                               },
                               [&](std::string_view key) { return pressed.contains(key); }});
        pressed.clear();
    }
};

} // namespace

TEST_F(Bindings, WavesMoveNumbersAndComponents) {
    bind("x", "triangle(2..4) 2s");
    bind("rate", "saw 4s");
    bind("n", "triangle 2s");
    bind("tint.y", "sine 1s");
    for (int k = 0; k < 300; ++k) {
        const double t = k / 60.0;
        bindings.follow_time(t);
        EXPECT_NEAR(x(), 3 - std::asin(std::cos(3.141592653589793 * t)) * 2 / 3.141592653589793,
                    1e-7);
        EXPECT_NEAR(x("rate"), 0.01 * std::pow(1e4, std::fmod(t / 4, 1)), 1e-9) << "by factors";
        EXPECT_EQ(whole("n"), std::llround(8 * wave_at({Wave::triangle, 2}, t)));
        EXPECT_NEAR(tint()[1], std::pow(std::sin(3.141592653589793 * t), 2), 1e-12);
        EXPECT_EQ(tint()[0], 0.5);
    }
    EXPECT_FALSE(set.find("x")->touched) << "it follows, nobody has set it";
}

TEST_F(Bindings, TwoParametersHaveDifferentNoise) {
    bind("tint.x", "noise 1s");
    bind("tint.y", "noise 1s");
    bindings.follow_time(7);
    EXPECT_NE(tint()[0], tint()[1]);
    const auto first = tint();
    bindings.follow_time(100);
    EXPECT_NE(tint(), first);
    bindings.follow_time(7);
    EXPECT_EQ(tint(), first);
}

TEST_F(Bindings, WhoeverSetsASliderEndsItAndItCanBeResumed) {
    bind("x", "saw(2..4) 2s");
    bindings.follow_time(1);
    EXPECT_EQ(x(), 3);
    set.set("x", 3.0); // the same value: a hand all the same
    bindings.follow_time(1.5);
    EXPECT_EQ(x(), 3);
    ASSERT_NE(bindings.find("x"), nullptr);
    EXPECT_FALSE(bindings.find("x")->is_active);
    bindings.resume("x");
    bindings.follow_time(1.5);
    EXPECT_EQ(x(), 3.5);
    EXPECT_TRUE(bindings.unbind("x"));
    bindings.follow_time(0);
    EXPECT_EQ(x(), 3.5) << "it stays where it is";
    EXPECT_TRUE(set.find("x")->touched);
    EXPECT_EQ(bindings.find("x"), nullptr);
    EXPECT_FALSE(bindings.unbind("x"));
    bind("x", "saw 2s");
    set.reset_all();
    bindings.follow_time(1);
    EXPECT_EQ(x(), 5) << "a reset ends what a hand bound";
    EXPECT_TRUE(bindings.all().empty());
    bindings.bind("x", parse_follow("saw 2s"), BoundBy::program);
    set.reset_all();
    bindings.follow_time(1);
    ASSERT_NE(bindings.find("x"), nullptr) << "the program's can be resumed";
    EXPECT_FALSE(bindings.find("x")->is_active);
}

TEST_F(Bindings, AComponentEndsOnlyWhereItIsSet) {
    bind("tint.x", "saw 2s");
    bind("tint.z", "saw 2s");
    bindings.follow_time(0.5);
    auto v = tint();
    v[1] = 0.75;
    v[2] = 1;
    set.set("tint", v);
    bindings.follow_time(1);
    EXPECT_EQ(tint(), (std::vector{0.5, 0.75, 1.0}));
    EXPECT_FALSE(bindings.find("tint.z")->is_active);
    set.reset("tint");
    bindings.follow_time(1);
    EXPECT_EQ(tint(), (std::vector{0.5, 0.5, 0.5}));
    EXPECT_EQ(bindings.find("tint.x"), nullptr);
    EXPECT_EQ(bindings.find("tint.z"), nullptr) << "forgotten with the reset";
}

TEST_F(Bindings, TheMouseMovesWhatFollowsIt) {
    bind("x", "mouse.x");
    bind("rate", "mouse.y(1..100)");
    frame();
    EXPECT_EQ(x(), 5) << "it is elsewhere";
    frame({{0.25, 0.5}});
    EXPECT_EQ(x(), 2.5);
    EXPECT_DOUBLE_EQ(x("rate"), 10);
    bindings.follow_time(100);
    EXPECT_EQ(x(), 2.5);
    declare("0..20 =5"); // an edit
    EXPECT_EQ(x(), 2.5) << "kept, as a value that was set";
}

TEST_F(Bindings, KeysStepAndSwitch) {
    bind("x", "keys(z,x)");
    bind("n", "keys(z,x)");
    bind("rate", "keys(left,right)");
    bind("mode", "keys(up,down)");
    bind("free", "keys(a,d,0.25)");
    bind("on", "key(b)");
    pressed = {{"x", 3}, {"right", 1}, {"down", 1}, {"d", 2}, {"b", 1}};
    frame();
    EXPECT_DOUBLE_EQ(x(), 5.6) << "a fiftieth of the range";
    EXPECT_EQ(whole("n"), 7);
    EXPECT_DOUBLE_EQ(x("rate"), 1 * std::pow(1e4, 0.02));
    EXPECT_EQ(whole("mode"), 1);
    EXPECT_EQ(x("free"), 0.5);
    EXPECT_TRUE(std::get<bool>(set.get("on")));
    pressed = {{"z", 9}, {"down", 5}, {"b", 1}};
    frame();
    EXPECT_DOUBLE_EQ(x(), 3.8);
    EXPECT_EQ(whole("n"), 0) << "the range's end";
    EXPECT_EQ(whole("mode"), 2);
    EXPECT_FALSE(std::get<bool>(set.get("on")));
    bind("on", "hold(b)");
    pressed = {{"b", 1}};
    frame();
    EXPECT_TRUE(std::get<bool>(set.get("on")));
    frame();
    EXPECT_FALSE(std::get<bool>(set.get("on")));
}

TEST_F(Bindings, WhatCannotBeIsSaidInASentence) {
    EXPECT_EQ(refusal("y", "sine 4s"), "no parameter is named 'y'; known are x, rate, n, on, mode, "
                                       "tint, free");
    EXPECT_EQ(refusal("tint", "sine 4s"), "tint is a vector: bind one of tint.x, tint.y, tint.z");
    EXPECT_EQ(refusal("tint.w", "sine 4s"),
              "no parameter is named 'tint.w'; known are x, rate, n, on, mode, tint, free");
    EXPECT_EQ(refusal("mode", "sine 4s"),
              "mode is a choice: it can only follow keys, as in keys(z,x)");
    EXPECT_EQ(refusal("on", "sine 4s"), "on is true or false: it can only follow a key, as in "
                                        "key(b)");
    EXPECT_EQ(refusal("x", "key(b)"), "x is not true or false: one key cannot switch it");
    EXPECT_EQ(refusal("free", "mouse.x"), "free has no range to go through: give low and high");
    EXPECT_EQ(refusal("free", "mouse.x(0..1)"), "taken");
    EXPECT_EQ(refusal("x", "sine(2..12)"), "x goes to 12, which is outside of the slider's 0..10");
    Follow reversed = parse_follow("sine");
    reversed.low = 4;
    reversed.high = 3;
    EXPECT_EQ(bindings.problem_of("x", reversed),
              "x goes from 4 to 3: the first must be below the second");
    EXPECT_THROW(bindings.unbind("y"), Error);
}

TEST_F(Bindings, TheSourceBindsUnlessSomebodyHasSetTheSlider) {
    declare("0..10 saw 2s");
    bindings.follow_time(1);
    EXPECT_EQ(x(), 5);
    EXPECT_EQ(bindings.find("x")->by, BoundBy::source);
    set.set("x", 1.0);
    bindings.follow_time(1.5);
    EXPECT_EQ(x(), 1);
    declare("0..10 saw 2s"); // an edit elsewhere
    bindings.follow_time(1.5);
    EXPECT_EQ(x(), 1);
    set.reset("x");
    bindings.follow_time(1.5);
    EXPECT_EQ(x(), 7.5) << "its first state is to follow";
    bindings.unbind("x");
    bindings.follow_time(1);
    EXPECT_EQ(x(), 7.5);
    declare("0..10 saw 4s"); // somebody has typed another period
    bindings.follow_time(1);
    EXPECT_EQ(x(), 2.5);
    declare("0..10 =5");
    bindings.follow_time(1.5);
    EXPECT_EQ(x(), 5);
    EXPECT_EQ(bindings.find("x"), nullptr);
}

TEST_F(Bindings, AnAssignmentCountsMoreThanTheSource) {
    ParameterSet other;
    ParameterBindings following{other};
    other.set_from_text("x=3");
    other.declare("a.cu", {make("x", ParameterKind::real, "0..10 saw 2s")});
    following.follow_time(1);
    EXPECT_EQ(std::get<double>(other.get("x")), 3);
    following.resume("x");
    following.follow_time(1);
    EXPECT_EQ(std::get<double>(other.get("x")), 5);
}

TEST_F(Bindings, TheMouseOfASourceYieldsToNoValueOfTheLastRun) {
    ParameterSet other;
    ParameterBindings following{other};
    other.remember({{"x", "3"}});
    other.declare("a.cu", {make("x", ParameterKind::real, "0..10 mouse.x")});
    following.follow_input({{{0.5, 0.5}}, [](std::string_view) { return 0; }, {}});
    EXPECT_EQ(std::get<double>(other.get("x")), 5);
}

TEST_F(Bindings, OfAVectorAllComponentsFollowTheSource) {
    set.declare("b.cu", {make("wind", ParameterKind::vector, "0..4 saw 2s", 2)});
    bindings.follow_time(0.5);
    EXPECT_EQ(std::get<std::vector<double>>(set.get("wind")), (std::vector{1.0, 1.0}));
}

TEST_F(Bindings, AProgramThatRunsAnewForgetsItsOwn) {
    bindings.bind("x", parse_follow("saw 2s"));
    bind("rate", "saw 2s");
    bindings.forget_programs();
    EXPECT_EQ(bindings.find("x"), nullptr);
    EXPECT_NE(bindings.find("rate"), nullptr);
}
