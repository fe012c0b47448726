// SPDX-License-Identifier: MIT
// A pixel's thread in the studio: F7 over the picture, a launch, its steps, the marked line.
#include "tests/engine/ui/rings_program.h"

using namespace lathe;
using State = ThreadWatch::State;

namespace {

constexpr int kLoop = 7; // line

class StudioThread : public RingsTest {
protected:
    testing::AssertionResult until(State state) {
        const auto is = RingsTest::until([&] { return watch().state() == state; });
        return is ? is : testing::AssertionFailure() << int(watch().state()) << watch().problem();
    }
    ThreadWatch& watch() { return program->studio.thread_watch(); }
};

TEST_F(StudioThread, F7FollowsThePixelUnderTheMouse) {
    studio().window().inject(MoveEvent{{450, 250}});
    run(2);
    const auto picked = studio().picked();
    ASSERT_TRUE(picked && picked->thread);
    key(Key::f7);
    EXPECT_NE(last_line().find("with lathe.trace_thread(rings, block=("), std::string::npos)
        << last_line();
    ASSERT_TRUE(until(State::done));
    keep("studio-thread");
    const auto& lines = watch().lines();
    ASSERT_FALSE(lines.empty());
    const auto word = [&](const gpu::TraceLine& line, const char* name) {
        const auto* value = line.value(name);
        return value ? gpu::to_text(*value) : std::string{};
    };
    // The thread is that of the pixel: index is (row, column).
    EXPECT_EQ(word(lines.back(), "y"), std::to_string(picked->index[0]));
    EXPECT_EQ(word(lines.back(), "x"), std::to_string(picked->index[1]));
    float at = 0.01f * float(picked->index[1] + 1);
    for (int i = 0; i < 6 && at < 2; ++i) at *= 1.5f;
    EXPECT_EQ(std::stof(word(lines.back(), "at")), at);
    EXPECT_EQ(float(picked->value[0]), at);

    // Steps by keys, as the panel has the keyboard: the editor marks the line of each.
    EXPECT_TRUE(is_marked(2));
    for (int i = 0; i < 6; ++i) key(Key::down);
    keep("studio-thread-step");
    EXPECT_FALSE(is_marked(2));
    EXPECT_TRUE(is_marked(kLoop + 1));
    EXPECT_EQ(program->kernel.slot().source(), kRings) << "the keys went to the panel";
}

TEST_F(StudioThread, NothingToFollowIsSaid) {
    studio().window().inject(MoveEvent{{2, 2}}); // outside of the picture
    run(2);
    key(Key::f7);
    EXPECT_EQ(last_line(), "nothing is under the mouse whose thread could be followed");
    EXPECT_EQ(watch().state(), State::off);
    keep("studio-thread-none");
}

TEST_F(StudioThread, APausedProgramIsFollowedByItsNextStep) {
    studio().run_control().paused = true;
    run(2);
    watch().follow({&program->kernel.slot(), "rings", {0, 0, 0}, {3, 0, 0}});
    ASSERT_TRUE(until(State::waiting));
    EXPECT_EQ(watch().state(), State::waiting);
    studio().run_control().request_step();
    ASSERT_TRUE(until(State::done));
    EXPECT_GT(watch().lines().size(), 5u);
}

} // namespace
