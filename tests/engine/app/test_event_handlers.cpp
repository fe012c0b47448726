// SPDX-License-Identifier: MIT
#include "engine/app/event_handlers.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace lathe;

class EventHandlersTest : public testing::Test {
protected:
    EventHandlers::Taken handle(std::vector<InputEvent> events) {
        InputState input;
        input.begin_frame();
        for (const InputEvent& e : events) input.handle(e);
        return handlers.handle(input.program_events(), [this](const std::exception_ptr& error) {
            try {
                std::rethrow_exception(error);
            } catch (const std::exception& e) { failures.emplace_back(e.what()); }
        });
    }
    auto note(std::string word) {
        return [this, word = std::move(word)](const auto&) { told.push_back(word); };
    }

    EventHandlers handlers;
    std::vector<std::string> told, failures;
};

TEST_F(EventHandlersTest, AKeyIsNamedWithItsModifiers) {
    handlers.on_key("s", note("s"));
    handlers.on_key("control+shift+s", note("both"));
    handlers.on_key("+", note("plus"));
    handlers.on_key("control++", note("control plus"));
    handlers.on_key_up("s", note("up"));
    handlers.on_key("", note("any"));
    handle({KeyEvent{Key::s, true, false, kShift}});
    EXPECT_EQ(told, std::vector<std::string>{"any"});
    told.clear();
    handle({KeyEvent{Key::s}, KeyEvent{Key::s, true, true}, KeyEvent{Key::s, false, false, kAlt}});
    EXPECT_EQ(told, (std::vector<std::string>{"s", "any", "up"}));
    told.clear();
    handle({KeyEvent{Key::s, true, false, kControl | kShift}});
    EXPECT_EQ(told, (std::vector<std::string>{"both", "any"}));
    told.clear();
    handle({KeyEvent{*key_named("+")}, KeyEvent{*key_named("+"), true, false, kControl}});
    EXPECT_EQ(told, (std::vector<std::string>{"plus", "any", "control plus", "any"}));
    EXPECT_THROW(handlers.on_key("ctrl+s", note("")), Error);
    EXPECT_THROW(handlers.on_key("control+elephant", note("")), Error);
}

TEST_F(EventHandlersTest, RepeatsAreToldToThoseWhoWantThem) {
    handlers.on_key("left", note("once"));
    handlers.on_key("left", note("each"), true);
    handle({KeyEvent{Key::left}, KeyEvent{Key::left, true, true}});
    EXPECT_EQ(told, (std::vector<std::string>{"once", "each", "each"}));
}

TEST_F(EventHandlersTest, OnlyNamedKeysAreClaimed) {
    handlers.on_key("", note("any"));
    handlers.on_key_up("c", note("up"));
    EXPECT_FALSE(handlers.claims(KeyEvent{Key::c}));
    handlers.on_key("c", note("c"));
    EXPECT_TRUE(handlers.claims(KeyEvent{Key::c}));
    EXPECT_FALSE(handlers.claims(KeyEvent{Key::c, true, false, kControl}));
    handlers.clear();
    EXPECT_FALSE(handlers.claims(KeyEvent{Key::c}));
}

TEST_F(EventHandlersTest, TheMouseTellsDragsAndDoubleClicks) {
    using Kind = MouseEvent::Kind;
    std::vector<MouseEvent> events;
    handlers.on_mouse([&](const MouseEvent& event) {
        events.push_back(event);
        return event.kind == Kind::double_click;
    });
    const ButtonEvent down, up{MouseButton::left, false};
    EXPECT_FALSE(handle({MoveEvent{{5, 5}}, down, MoveEvent{{7, 5}}, up}).mouse);
    std::vector<Kind> kinds;
    for (const MouseEvent& event : events) kinds.push_back(event.kind);
    EXPECT_EQ(kinds, (std::vector{Kind::move, Kind::press, Kind::drag, Kind::release}));
    EXPECT_EQ(events[2].delta, glm::vec2(2, 0));
    EXPECT_EQ(events[3].position, glm::vec2(7, 5));
    events.clear();
    EXPECT_TRUE(handle({down, up, down}).mouse) << "the second press was taken";
    ASSERT_EQ(events.size(), 4U);
    EXPECT_EQ(events[2].kind, Kind::press);
    EXPECT_EQ(events[3].kind, Kind::double_click);
}

TEST_F(EventHandlersTest, AFunctionThatThrowsKeepsNoOtherFromItsEvent) {
    handlers.on_key("", [](const KeyEvent&) { throw std::runtime_error{"first"}; });
    handlers.on_key("", note("second"));
    handlers.on_drop([](const DropEvent&) -> bool { throw std::runtime_error{"vanished"}; });
    const auto taken = handle({KeyEvent{Key::a}, DropEvent{{"x.npy"}}});
    EXPECT_EQ(told, std::vector<std::string>{"second"});
    EXPECT_EQ(failures, (std::vector<std::string>{"first", "vanished"}));
    EXPECT_TRUE(taken.left.empty()) << "who failed has said so";
}

TEST_F(EventHandlersTest, AFunctionMayRegisterAnother) {
    handlers.on_key("a", [this](const KeyEvent&) {
        for (int i = 0; i < 100; ++i) handlers.on_key("b", note("b"));
    });
    handle({KeyEvent{Key::a}, KeyEvent{Key::b}});
    EXPECT_EQ(told.size(), 100U);
}

TEST_F(EventHandlersTest, TheWindowStaysOpenWhereOneFunctionWantsIt) {
    const auto report = [](const std::exception_ptr&) {};
    EXPECT_FALSE(handlers.keeps_open(report));
    handlers.on_close([] { return false; });
    EXPECT_FALSE(handlers.keeps_open(report));
    handlers.on_close([] { return true; });
    EXPECT_TRUE(handlers.keeps_open(report));
}

} // namespace
