// SPDX-License-Identifier: MIT
// All threads at a line, in the studio: F6 in the text, the picture, conditions that mark and
// pause.
#include "tests/engine/ui/rings_program.h"

using namespace lathe;
using LineState = LineWatch::State;

namespace {

constexpr int kGrows = 8; // the line in the loop

class StudioValues : public RingsTest {
protected:
    LineWatch& watch() { return program->studio.line_watch(); }
    testing::AssertionResult until_shown() {
        const auto before = watch().results();
        return until(
            [&] { return watch().state() == LineState::failed || watch().results() > before + 1; });
    }
    /// The cursor into the word "at" of the line.
    void click_on_at(int line) { click(854, 55 + 17 * float(line)); }
    /// After F6 on that word, in the loop.
    testing::AssertionResult at_is_shown() {
        click_on_at(kGrows);
        key(Key::f6);
        return until_shown();
    }
    void type_behind_the_value(const std::string& text) {
        click_on_field(1);
        key(Key::end);
        type(text);
    }
    void click_on_field(int row) { click(1150, 477 + 29 * float(row)); }
    unsigned times_written(const std::string& text) {
        unsigned times = 0;
        for (const Console::Line& line : studio().console().lines())
            if (line.text == text) times += unsigned(line.repeats);
        return times;
    }
    /// The number of a line of the editor stands on green.
    bool is_green(int line) {
        const ImageData picture = studio().screenshot(true);
        const std::byte* const p = picture.at(771, 55 + 17 * line);
        return int(p[1]) > int(p[0]) + 20 && int(p[1]) > int(p[2]) + 10;
    }
};

/// The number after the loop's last round, and how many rounds there were.
std::pair<float, int> rounds_of(int x) {
    float at = 0.01f * float(x + 1);
    int rounds = 0;
    for (; rounds < 6 && at < 2; ++rounds) at *= 1.5f;
    return {at, rounds};
}

TEST_F(StudioValues, F6ShowsTheWordAtTheCursorForAllThreads) {
    ASSERT_TRUE(at_is_shown()) << watch().problem();
    EXPECT_EQ(last_line(), "app.watch_line(rings, 8, \"at\")");
    keep("studio-values");
    ASSERT_EQ(watch().state(), LineState::watching) << watch().problem();
    EXPECT_EQ(watch().line().shown, "at");
    const LinePicture& p = watch().picture();
    ASSERT_EQ(p.threads, (gpu::Dim3{64, 48, 1}));
    for (int x = 0; x < kRingsWidth; ++x) {
        const auto [at, rounds] = rounds_of(x);
        EXPECT_EQ(float(p.shown[std::size_t(x)]), at);
        EXPECT_EQ(p.visits[std::size_t(x)], unsigned(rounds));
    }
    EXPECT_TRUE(is_green(kGrows));
    EXPECT_EQ(program->kernel.slot().source(), kRings);
}

TEST_F(StudioValues, F6WritesItsLineOnce) {
    const std::string call = "app.watch_line(rings, 8, \"at\")";
    ASSERT_TRUE(at_is_shown()) << watch().problem();
    EXPECT_EQ(times_written(call), 1u);
    type_behind_the_value(" * 2");
    key(Key::enter);
    run(3);
    EXPECT_EQ(times_written("app.watch_line(rings, 8, \"at * 2\")"), 1u);
    click_on_at(kGrows);
    run(3);
    EXPECT_EQ(times_written("app.watch_line(rings, 8, \"at * 2\")"), 1u);
}

TEST_F(StudioValues, F6CountsWhileAFieldIsTypedInto) {
    const std::string call = "app.watch_line(rings, 8, \"at\")";
    ASSERT_TRUE(at_is_shown()) << watch().problem();
    type_behind_the_value(" * 2");
    key(Key::f6);
    ASSERT_TRUE(until_shown()) << watch().problem();
    EXPECT_EQ(last_line(), call);
    click_on_at(kGrows);
    run(3);
    EXPECT_EQ(last_line(), call);
    EXPECT_EQ(times_written(call), 2u);
    EXPECT_EQ(watch().line().shown, "at");
}

TEST_F(StudioValues, AWordThatIsNoVariableShowsVisits) {
    click(826, 55 + 17 * 5); // "if"
    key(Key::f6);
    ASSERT_TRUE(until_shown()) << watch().problem();
    ASSERT_TRUE(until_shown()) << watch().problem();
    EXPECT_EQ(watch().line().shown, "");
    EXPECT_EQ(times_written("app.watch_line(rings, 5, \"if\")"), 0u);
    EXPECT_EQ(times_written("app.watch_line(rings, 5)"), 1u);
    EXPECT_EQ(watch().problem(), "");
    EXPECT_EQ(watch().picture().shown[5], 1.0);
}

TEST_F(StudioValues, ExpressionsAreTypedAndMark) {
    ASSERT_TRUE(at_is_shown()) << watch().problem();
    type_behind_the_value(" * 2");
    key(Key::enter);
    ASSERT_TRUE(until_shown()) << watch().problem();
    EXPECT_EQ(watch().line().shown, "at * 2");
    EXPECT_EQ(watch().picture().shown[3], 2 * double(rounds_of(3).first));
    click_on_field(2);
    type("at > 2.9f || x == 5 && y == 7");
    key(Key::enter);
    EXPECT_EQ(last_line(),
              "app.watch_line(rings, 8, \"at * 2\", mark=\"at > 2.9f || x == 5 && y == 7\")");
    ASSERT_TRUE(until_shown()) << watch().problem();
    std::vector<std::size_t> marked;
    for (int y = 0; y < kRingsHeight; ++y)
        for (int x = 0; x < kRingsWidth; ++x)
            if (rounds_of(x).first > 2.9f || (x == 5 && y == 7))
                marked.push_back(std::size_t(y * kRingsWidth + x));
    EXPECT_EQ(watch().picture().marked, marked);
    EXPECT_FALSE(studio().run_control().paused);
    click(1258, 477 + 29 * 2); // pause when a thread meets it
    ASSERT_TRUE(until([&] { return studio().run_control().paused; }));
    keep("studio-values-paused");
    type("x");
    click_on_field(2);
    key(Key::end);
    type(" +"); // a mistake
    key(Key::enter);
    studio().run_control().paused = false;
    ASSERT_TRUE(until([&] { return !watch().problem().empty(); }));
    keep("studio-values-mistake");
    EXPECT_NE(watch().problem().find("expected an expression"), std::string::npos)
        << watch().problem();
}

TEST_F(StudioValues, AClickFollowsTheThread) {
    ASSERT_TRUE(at_is_shown()) << watch().problem();
    // The picture of 64 x 48 threads is 244 pixels wide.
    click(766 + 244.0f * 20.5f / 64, 464 + 183.0f * 30.5f / 48);
    const WatchedThread& thread = studio().thread_watch().thread();
    EXPECT_EQ(thread.kernel, "rings");
    EXPECT_EQ(thread.block, (gpu::Dim3{1, 1, 0}));
    EXPECT_EQ(thread.thread, (gpu::Dim3{4, 14, 0}));
    ASSERT_TRUE(until([&] { return studio().thread_watch().state() == ThreadWatch::State::done; }));
    keep("studio-values-thread");
}

TEST_F(StudioValues, StopAndMistakes) {
    click(854, 55 + 17 * 12); // an empty line
    key(Key::f6);
    ASSERT_TRUE(until([&] { return watch().state() == LineState::failed; }));
    EXPECT_EQ(watch().problem(), "rings has no code at line 12 of rings.cu");
    EXPECT_EQ(last_line(), "app.watch_line(rings, 12)");
    keep("studio-values-none");
    ASSERT_TRUE(at_is_shown()) << watch().problem();
    click(1248, 477); // Stop
    EXPECT_EQ(watch().state(), LineState::off);
    EXPECT_FALSE(is_green(kGrows));
}

} // namespace
