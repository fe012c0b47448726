// SPDX-License-Identifier: MIT
// Sliders of a whole studio that follow the mouse, keys and the time, and that go into the source,
// on a real device.
#include "tests/engine/ui/painting_test.h"

#include "engine/app/console.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_code.h"
#include "engine/live/parameter_set.h"

#include <optional>

using namespace lathe;

namespace {

class StudioSliders : public PaintingTest {
protected:
    template <class Event> void inject(const Event& event, int then = 1) {
        painting->studio.window().inject(event);
        frames(then);
    }
    void key(Key k) {
        inject(KeyEvent{k, true, false, 0});
        inject(KeyEvent{k, false, false, 0});
    }
    void bind(const char* words) {
        painting->studio.bindings().bind("level", parse_follow(words), BoundBy::hand);
    }
    double level() { return std::get<double>(painting->studio.parameters().get("level")); }
    int blue() { return painting->middle()[2]; }
};

} // namespace

TEST_F(StudioSliders, FollowTheMouseOverThePictureOnly) {
    bind("mouse.x");
    inject(MoveEvent{{300, 250}}, 3);
    const double left = level();
    inject(MoveEvent{{500, 250}}, 3);
    const double right = level();
    // The picture is about 752 pixels wide at 1280 x 720.
    EXPECT_NEAR(right - left, 200.0 / 752, 0.02);
    EXPECT_NEAR(left, 300.0 / 752, 0.02);
    EXPECT_EQ(blue(), int(255.0f * float(right) + 0.5f));
    inject(MoveEvent{{1000, 600}}, 3); // the sliders' panel
    EXPECT_EQ(level(), right);
}

TEST_F(StudioSliders, SayWhatTheMouseHasSet) {
    const auto lines = [&] { return painting->studio.console().lines(); };
    const auto click = [&](float x, float y) {
        inject(MoveEvent{{x, y}}, 2);
        inject(ButtonEvent{MouseButton::left, true, 0}, 2);
        inject(ButtonEvent{MouseButton::left, false, 0}, 2);
        return lines().back().text;
    };
    inject(MoveEvent{{1036, 480}}, 2); // the slider
    inject(ButtonEvent{MouseButton::left, true, 0}, 2);
    const auto before = lines().size();
    inject(MoveEvent{{1100, 480}}, 2);
    EXPECT_GT(level(), 0.6);
    EXPECT_EQ(lines().size(), before) << "not before the mouse is let go";
    inject(ButtonEvent{MouseButton::left, false, 0}, 2);
    EXPECT_EQ(lines().back().text, set_line(*painting->studio.parameters().find("level")));
    EXPECT_EQ(click(799, 520), "app.set(\"level\", 0.5)"); // reset all
    EXPECT_EQ(click(848, 575), "app.save_preset(2)");
    EXPECT_EQ(click(848, 575), "app.recall_preset(2, fade=0.5)");
}

TEST_F(StudioSliders, FollowKeysThatNoTextFieldTakes) {
    bind("keys(z,x,0.125)");
    key(Key::x);
    EXPECT_EQ(level(), 0.625);
    inject(MoveEvent{{1100, 300}});
    inject(ButtonEvent{MouseButton::left, true, 0});
    inject(ButtonEvent{MouseButton::left, false, 0}, 2);
    ASSERT_TRUE(painting->studio.imgui()->wants_text());
    key(Key::x);
    EXPECT_EQ(level(), 0.625) << "the editor has the keyboard";
}

TEST_F(StudioSliders, AnEditOfTheSourceBinds) {
    std::string text = painting->slot.source();
    text.replace(text.find("=0.5"), 4, "saw 2s");
    painting->slot.set_source(text);
    painting->slot.compile_now();
    painting->slot.wait();
    frames(3);
    ASSERT_NE(painting->studio.bindings().find("level"), nullptr);
    EXPECT_EQ(level(), 0) << "no step has been made by this loop: its time is 0";
}
