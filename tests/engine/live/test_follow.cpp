// SPDX-License-Identifier: MIT
#include "engine/core/error.h"
#include "engine/live/directive.h"
#include "engine/live/follow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

using namespace lathe;

namespace {

constexpr double kPi = 3.14159265358979323846;

std::string message(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) { return e.what(); }
    return "nothing thrown";
}

std::string problem(std::string_view directive) {
    std::vector<Diagnostic> problems;
    parse_directive(directive, 1, 1, problems);
    return problems.size() == 1 ? problems[0].text : std::to_string(problems.size()) + " problems";
}

} // namespace

TEST(Follow, WavesAreWhatTheirFormulasSay) {
    for (const double period : {0.5, 4.0, 7.3})
        for (const double phase : {0.0, 0.25, -1.5})
            for (int k = -50; k < 200; ++k) {
                const double t = k / 60.0, u = t / period + phase, part = u - std::floor(u);
                const auto at = [&](Wave wave) { return wave_at({wave, period, phase}, t); };
                // sin^2 is the same wave by another formula.
                EXPECT_NEAR(at(Wave::sine), std::pow(std::sin(kPi * u), 2), 1e-12);
                EXPECT_NEAR(at(Wave::triangle), std::acos(std::cos(2 * kPi * u)) / kPi, 1e-7);
                EXPECT_NEAR(at(Wave::saw), std::fmod(std::fmod(u, 1) + 1, 1), 1e-12);
                EXPECT_EQ(at(Wave::square), part < 0.5 ? 0 : 1);
            }
    EXPECT_EQ(wave_at({Wave::sine, 4}, 0), 0) << "each begins low";
    EXPECT_EQ(wave_at({Wave::sine, 4}, 2), 1);
    EXPECT_EQ(wave_at({Wave::triangle, 4}, 1), 0.5);
}

TEST(Follow, NoiseIsSmoothAndTheSameInEachRun) {
    const Oscillation noise{Wave::noise, 2};
    std::set<double> knots;
    double sum = 0;
    for (int k = 0; k < 1000; ++k) {
        const double here = wave_at(noise, 2.0 * k), next = wave_at(noise, 2.0 * (k + 1));
        ASSERT_GE(here, 0);
        ASSERT_LT(here, 1);
        // Half way between two values is their mean, since the way is symmetric.
        EXPECT_NEAR(wave_at(noise, 2.0 * k + 1), (here + next) / 2, 1e-12);
        // It is level where a value is reached.
        EXPECT_NEAR(wave_at(noise, 2.0 * k + 1e-4), here, 1e-7);
        knots.insert(here);
        sum += here;
    }
    EXPECT_EQ(knots.size(), 1000u);
    EXPECT_NEAR(sum / 1000, 0.5, 0.04) << "uniform: four deviations of the mean";
    EXPECT_NE(wave_at(noise, 3, 1 << 20), wave_at(noise, 3)) << "another seed, other values";
    // splitmix64's first output for seed 0, as published: 0xe220a8397b1dcdaf.
    EXPECT_DOUBLE_EQ(wave_at(noise, 0), double(0xe220a8397b1dcdafull >> 11) / double(1ull << 53));
}

TEST(Follow, LogarithmicWaysGoByFactors) {
    EXPECT_DOUBLE_EQ(between(0.01, 100, 0.5, true), 1);
    EXPECT_DOUBLE_EQ(between(0.01, 100, 0.25, true), 0.1);
    EXPECT_DOUBLE_EQ(between(1, 3, 0.25, false), 1.5);
    EXPECT_DOUBLE_EQ(between(-1, 3, 0.25, true), 0) << "no factor leads from -1 to 3";
}

TEST(Follow, TextGoesThereAndBack) {
    for (const char* text :
         {"sine 4s", "noise(0.2..0.4) 0.5s", "saw 4s phase=0.25", "mouse.x", "mouse.y(-1..1)",
          "keys(z,x)", "keys(left,right,0.1)", "key(b)", "hold(page_up)"})
        EXPECT_EQ(to_text(parse_follow(text)), text);
    EXPECT_EQ(to_text(parse_follow("phase=0.5, 2s triangle")), "triangle 2s phase=0.5");
    EXPECT_EQ(to_text(parse_follow("square")), "square 4s");
}

TEST(Follow, BadWordsGetOneSentence) {
    const std::vector<std::pair<const char*, const char*>> cases{
        {"sine 0s", "period 0s: it must be above 0 s"},
        {"sine -2s", "period -2s: it must be above 0 s"},
        {"sine(0.6..0.2)", "range 0.6..0.2: the first number must be below the second"},
        {"sine(fast)", "sine(fast): expected a range, as in sine(0.2..0.4)"},
        {"sine phase=x", "phase=x: expected a number of periods, as in phase=0.25"},
        {"4s", "a period needs a wave: sine, triangle, saw, square, noise"},
        {"mouse.x phase=1", "a phase needs a wave: sine, triangle, saw, square, noise"},
        {"keys(z)", "keys(z): expected the keys for down and up, as in keys(z,x)"},
        {"keys(z,z)", "keys(z,z): the two keys must differ"},
        {"keys(z,x,0)", "keys(z,x,0): a step is a number above 0"},
        {"key(r)", "the key r resets the simulation: choose another one"},
        {"key(1)", "'1' is no key for a slider: a letter from a to z, or left, right, up, down, "
                   "home, end, page_up, page_down"}};
    for (const auto& [text, words] : cases) {
        EXPECT_EQ(message([&] { parse_follow(text); }), words);
        EXPECT_EQ(problem(text), words);
    }
    EXPECT_EQ(message([] { parse_follow("cosine 4s"); }),
              "'cosine' is nothing to follow; expected sine, triangle, saw, square, noise, "
              "mouse.x, mouse.y, keys(z,x), key(b) or hold(b)");
    EXPECT_EQ(message([] { parse_follow(" "); }),
              "there is nothing to follow; an example is 'sine 4s'");
}

TEST(Follow, DirectivesHaveTheseWordsAmongTheirs) {
    std::vector<Diagnostic> problems;
    const Directive d = parse_directive("0..1 3s =0.5 sine(0.2..0.4) log", 1, 1, problems);
    EXPECT_EQ(d.min, 0);
    EXPECT_EQ(d.initial, std::vector{0.5});
    ASSERT_TRUE(d.follow);
    EXPECT_EQ(to_text(*d.follow), "sine(0.2..0.4) 3s");
    problems.clear();
    EXPECT_FALSE(parse_directive("0..1 sine 0s", 4, 10, problems).follow);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].line, 4);
    EXPECT_EQ(problems[0].column, 20) << "where the word stands";
}
