// SPDX-License-Identifier: MIT
#include "engine/app/input.h"
#include "engine/live/follow.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <string_view>
#include <variant>
#include <vector>

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

TEST(Input, ADoubleClickIsTwoPressesSoonAndNear) {
    using namespace std::chrono_literals;
    InputState input;
    const std::chrono::steady_clock::time_point begin{};
    const auto clicks = [&](glm::vec2 place, std::chrono::milliseconds at, unsigned modifiers = 0) {
        input.begin_frame();
        for (const InputEvent& e : std::initializer_list<InputEvent>{
                 MoveEvent{place}, ButtonEvent{MouseButton::left, true, modifiers},
                 ButtonEvent{MouseButton::left, false, modifiers}})
            input.handle(e, begin + at);
        return std::get<ButtonEvent>(input.events()[1]).clicks;
    };
    EXPECT_EQ(clicks({10, 10}, 0ms), 1);
    EXPECT_EQ(clicks({12, 10}, 300ms), 2);
    EXPECT_EQ(clicks({12, 10}, 400ms), 1) << "a third one";
    EXPECT_EQ(clicks({50, 10}, 500ms), 1) << "far away";
    EXPECT_EQ(clicks({50, 10}, 900ms), 1) << "too late";
    EXPECT_EQ(clicks({50, 10}, 1000ms, kShift), 1);
    EXPECT_EQ(clicks({50, 10}, 1100ms), 2);
}

TEST(Input, EventsKnowWhereTheMouseIsAndWhatIsHeld) {
    InputState input;
    input.begin_frame();
    for (const InputEvent& e : std::initializer_list<InputEvent>{
             MoveEvent{{10, 20}}, KeyEvent{Key::left_shift}, ButtonEvent{MouseButton::right},
             MoveEvent{{13, 24}}, WheelEvent{{0, 1}}, DropEvent{{"a.npy"}},
             ButtonEvent{MouseButton::right, false}, MoveEvent{{13, 30}}})
        input.handle(e);
    const auto events = input.program_events();
    ASSERT_EQ(events.size(), 8U);
    EXPECT_EQ(std::get<MoveEvent>(events[0]).delta, glm::vec2(0, 0)) << "nobody knows from where";
    EXPECT_EQ(std::get<ButtonEvent>(events[2]).position, glm::vec2(10, 20));
    const auto& drag = std::get<MoveEvent>(events[3]);
    EXPECT_EQ(drag.delta, glm::vec2(3, 4));
    EXPECT_EQ(drag.button, MouseButton::right);
    EXPECT_EQ(drag.modifiers, unsigned{kShift});
    EXPECT_EQ(std::get<WheelEvent>(events[4]).position, glm::vec2(13, 24));
    EXPECT_EQ(std::get<DropEvent>(events[5]).position, glm::vec2(13, 24));
    EXPECT_FALSE(std::get<MoveEvent>(events[7]).button);
}

TEST(Input, ProgramsGetWhatPanelsLeaveAndWhatWentUp) {
    InputState input;
    const auto types = [&] {
        std::vector<std::size_t> found;
        for (const InputEvent& e : input.program_events()) found.push_back(e.index());
        return found;
    };
    using Types = std::vector<std::size_t>;
    input.begin_frame();
    input.handle(KeyEvent{Key::a});
    input.begin_extra_frame();
    EXPECT_EQ(types(), Types{}) << "its frame had it";
    input.handle(MoveEvent{{1, 1}});
    input.begin_extra_frame();
    input.handle(WheelEvent{{0, 1}});
    input.handle(KeyEvent{Key::a, false});
    input.handle(KeyEvent{Key::b});
    input.mouse_captured = input.keyboard_captured = true;
    input.begin_frame();
    input.mouse_captured = input.keyboard_captured = false;
    input.handle(FocusEvent{true});
    const InputEvent move = MoveEvent{}, key = KeyEvent{}, focus = FocusEvent{};
    EXPECT_EQ(types(), (Types{move.index(), key.index(), focus.index()}));
    input.begin_frame();
    EXPECT_EQ(types(), Types{});
}

TEST(Input, KeysHaveNamesBothWays) {
    for (const std::string_view name : {"a", "7", "space", "page_up", "f12", "right_control",
                                        "keypad_enter", "super", ",", "delete"}) {
        const auto key = key_named(name);
        ASSERT_TRUE(key) << name;
        EXPECT_EQ(name_of(*key), name);
    }
    EXPECT_EQ(name_of(Key::unknown), "unknown");
    EXPECT_FALSE(key_named("unknown"));
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
