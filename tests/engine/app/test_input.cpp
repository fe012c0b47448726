// SPDX-License-Identifier: MIT
#include "engine/app/input.h"
#include "engine/live/follow.h"

#include <gtest/gtest.h>

namespace {

using namespace lathe;

TEST(Input, KeyEdgesLastOneFrameAndTheStateStays) {
    InputState input;
    input.begin_frame();
    input.handle(KeyEvent{Key::space, true, false, kControl});
    EXPECT_TRUE(input.is_down(Key::space));
    EXPECT_TRUE(input.pressed(Key::space));
    EXPECT_EQ(input.modifiers(), unsigned{kControl});
    input.begin_frame();
    input.handle(KeyEvent{Key::space, true, true, kControl}); // a repeat
    EXPECT_TRUE(input.is_down(Key::space));
    EXPECT_FALSE(input.pressed(Key::space));
    input.handle(KeyEvent{Key::space, false, false, 0});
    EXPECT_FALSE(input.is_down(Key::space));
    EXPECT_TRUE(input.released(Key::space));
    input.begin_frame();
    EXPECT_FALSE(input.released(Key::space));
}

TEST(Input, PressesOfExtraFramesComeWithTheNextFrame) {
    InputState input;
    input.begin_frame();
    input.handle(KeyEvent{Key::a});
    input.begin_extra_frame();
    EXPECT_FALSE(input.pressed(Key::a)) << "its frame had it";
    input.handle(KeyEvent{Key::b});
    input.handle(TextEvent{U'b'});
    input.begin_extra_frame();
    EXPECT_FALSE(input.pressed(Key::b));
    input.handle(KeyEvent{Key::c});
    input.handle(TextEvent{U'c'});
    input.handle(ButtonEvent{MouseButton::left});
    input.keyboard_captured = true; // a panel has this frame's keys
    input.begin_frame();
    EXPECT_FALSE(input.pressed(Key::a));
    EXPECT_TRUE(input.pressed(Key::b));
    EXPECT_FALSE(input.pressed(Key::c));
    EXPECT_TRUE(input.pressed(MouseButton::left));
    EXPECT_EQ(input.text(), "b");
    EXPECT_TRUE(input.events().empty());
    input.begin_frame();
    EXPECT_FALSE(input.pressed(Key::b));
    EXPECT_TRUE(input.is_down(Key::b));
    EXPECT_EQ(input.text(), "");
}

TEST(Input, AClickWithinOneFrameIsSeen) {
    InputState input;
    input.begin_frame();
    input.handle(ButtonEvent{MouseButton::left, true, 0});
    input.handle(ButtonEvent{MouseButton::left, false, 0});
    EXPECT_TRUE(input.pressed(MouseButton::left));
    EXPECT_TRUE(input.released(MouseButton::left));
    EXPECT_FALSE(input.is_down(MouseButton::left));
}

TEST(Input, MouseMovesAddUpAndTheFirstIsNoMove) {
    InputState input;
    input.begin_frame();
    input.handle(MoveEvent{{100, 50}});
    EXPECT_EQ(input.mouse_delta(), (glm::vec2{0, 0}));
    input.handle(MoveEvent{{103, 50}});
    input.handle(MoveEvent{{110, 45}});
    EXPECT_EQ(input.mouse(), (glm::vec2{110, 45}));
    EXPECT_EQ(input.mouse_delta(), (glm::vec2{10, -5}));
    input.handle(WheelEvent{{0, 1}});
    input.handle(WheelEvent{{0, 0.5f}});
    EXPECT_EQ(input.wheel(), (glm::vec2{0, 1.5f}));
    input.begin_frame();
    EXPECT_EQ(input.mouse_delta(), (glm::vec2{0, 0}));
    EXPECT_EQ(input.wheel(), (glm::vec2{0, 0}));
}

TEST(Input, ADragIsWhatMovesWithAButtonDown) {
    InputState input;
    input.begin_frame();
    input.handle(MoveEvent{{100, 50}});
    input.handle(MoveEvent{{20, 20}});
    EXPECT_EQ(input.drag_delta(), (glm::vec2{0, 0}));
    input.handle(ButtonEvent{});
    input.handle(MoveEvent{{25, 10}});
    input.handle(ButtonEvent{MouseButton::left, false, 0});
    input.handle(MoveEvent{{300, 300}});
    EXPECT_EQ(input.drag_delta(), (glm::vec2{5, -10}));
    EXPECT_EQ(input.drag_start(), (glm::vec2{20, 20}));
    EXPECT_EQ(input.mouse_delta(), (glm::vec2{200, 250}));
    input.begin_frame();
    EXPECT_EQ(input.drag_delta(), (glm::vec2{0, 0}));
}

TEST(Input, AModifierThatIsDownCounts) {
    InputState input;
    input.begin_frame();
    input.handle(KeyEvent{Key::right_shift});
    input.handle(ButtonEvent{MouseButton::left, true, kControl});
    EXPECT_EQ(input.modifiers(), kShift | kControl);
    input.handle(KeyEvent{Key::right_shift, false, false, 0});
    EXPECT_EQ(input.modifiers(), 0u);
}

TEST(Input, TextBecomesUtf8) {
    InputState input;
    input.begin_frame();
    for (char32_t c : {U'a', U'é', U'€', U'😀', char32_t{0x110000}}) input.handle(TextEvent{c});
    EXPECT_EQ(input.text(), "aé€😀");
    EXPECT_EQ(input.events().size(), 5u);
    input.begin_frame();
    EXPECT_TRUE(input.text().empty());
    EXPECT_TRUE(input.events().empty());
}

TEST(Input, LosingFocusLetsEverythingGo) {
    InputState input;
    input.begin_frame();
    input.handle(KeyEvent{Key::w, true, false, kShift});
    input.handle(ButtonEvent{MouseButton::right, true, kShift});
    input.begin_frame();
    input.handle(FocusEvent{false});
    EXPECT_FALSE(input.is_down(Key::w));
    EXPECT_TRUE(input.released(Key::w));
    EXPECT_FALSE(input.is_down(MouseButton::right));
    EXPECT_EQ(input.modifiers(), 0u);
}

TEST(Input, UnknownKeysAreHarmless) {
    InputState input;
    input.begin_frame();
    input.handle(KeyEvent{Key::unknown, true, false, 0});
    input.handle(KeyEvent{Key(100000), true, false, 0});
    EXPECT_FALSE(input.is_down(Key::unknown));
    EXPECT_FALSE(input.pressed(Key(100000)));
}

} // namespace

TEST(Input, EveryKeyThatASliderMayFollowHasItsName) {
    std::vector<std::string> names{"left", "right", "up",      "down",
                                   "home", "end",   "page_up", "page_down"};
    for (char c = 'a'; c <= 'z'; ++c)
        if (c != 'r') names.emplace_back(1, c);
    for (const std::string& name : names) {
        EXPECT_EQ(key_problem(name), "");
        EXPECT_TRUE(key_named(name)) << name;
    }
    EXPECT_EQ(key_named("b"), Key::b);
    EXPECT_EQ(key_named("page_up"), Key::page_up);
    EXPECT_EQ(key_named("nothing"), std::nullopt);
}

TEST(Input, RepeatsCountAmongPresses) {
    InputState input;
    input.handle(KeyEvent{Key::x, true});
    input.handle(KeyEvent{Key::x, true, true});
    input.handle(KeyEvent{Key::z, true});
    EXPECT_EQ(input.presses(Key::x), 2);
    EXPECT_EQ(input.presses(Key::z), 1);
    input.begin_frame();
    EXPECT_EQ(input.presses(Key::x), 0);
}
