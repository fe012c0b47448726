// SPDX-License-Identifier: MIT
// Numbers of the editor's text that the mouse and the keys move, on a real device: the picture
// follows in the next frame, one undo takes all of it back.
#include "tests/engine/ui/painting_test.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>

using namespace lathe;

namespace {

class StudioNumbers : public PaintingTest {
protected:
    testing::AssertionResult until(const std::function<bool()>& done) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (!done()) {
            if (std::chrono::steady_clock::now() > limit || !painting->frame())
                return testing::AssertionFailure() << name_of(slot().state()) << slot().log();
        }
        return testing::AssertionSuccess();
    }
    KernelSlot& slot() { return painting->slot; }
    std::string line(int number) {
        std::string_view text = slot().source();
        for (; number > 1; --number) text.remove_prefix(text.find('\n') + 1);
        return std::string{text.substr(0, text.find('\n'))};
    }
    int red() { return painting->middle()[0]; }

    template <class Event> void inject(const Event& event) {
        painting->studio.window().inject(event);
        painting->frame();
    }
    void hold(Key key, bool down, unsigned modifiers) {
        inject(KeyEvent{key, down, false, modifiers});
    }
    void move(float x, float y) { inject(MoveEvent{{x, y}}); }
    void button(bool down, unsigned modifiers) {
        inject(ButtonEvent{MouseButton::left, down, modifiers});
    }
    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(std::filesystem::path{folder} / (name + ".png"),
                     painting->studio.screenshot(true));
    }

    /// Middle of a character, line and column from 1, found where the hint shows up: a number's.
    ImVec2 place_of_number_in_line(int number) {
        painting->studio.imgui()->make_current();
        const ImGuiWindow* text = nullptr;
        for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows)
            if (std::string_view{w->Name}.find("##text") != std::string_view::npos) text = w;
        if (!text) return {};
        const float row = text->InnerRect.Min.y + 9;
        const float height = ImGui::GetFontSize() * 1.3f;
        hold(Key::left_control, true, kControl);
        ImVec2 found{};
        for (float x = text->InnerRect.Min.x + 8; x < text->InnerRect.Max.x; x += 4) {
            move(x, row + float(number - 1) * height);
            painting->studio.imgui()->make_current();
            if (ImGui::GetMouseCursor() != ImGuiMouseCursor_ResizeEW) continue;
            found = {x + 2, row + float(number - 1) * height};
            break;
        }
        hold(Key::left_control, false, 0);
        return found;
    }
};

} // namespace

TEST_F(StudioNumbers, ADragMovesThePictureWithoutACompile) {
    EXPECT_EQ(red(), 200);
    const ImVec2 at = place_of_number_in_line(1);
    ASSERT_GT(at.x, 0) << "the hint stands at no place of the line";
    keep("number-hover-plain");
    hold(Key::left_control, true, kControl);
    move(at.x, at.y);
    keep("number-hover");
    const auto compiles = slot().compiles();
    button(true, kControl);
    move(at.x - 6, at.y);
    ASSERT_NE(slot().moved_literal(), nullptr);
    EXPECT_EQ(line(1), "#define RED 199");
    ASSERT_TRUE(until([&] { return slot().moved_literal()->way != LiteralWay::compiling; }));
    ASSERT_EQ(slot().moved_literal()->way, LiteralWay::variable);
    frames(2);
    EXPECT_EQ(red(), 199);
    const auto generation = slot().generation();
    for (int step = 2; step <= 30; ++step) {
        move(at.x - 6 * float(step), at.y); // the panels see it at the end of this frame
        painting->frame();
        EXPECT_EQ(red(), 200 - step) << "one frame later";
        EXPECT_FALSE(slot().shows_older());
    }
    keep("number-drag");
    EXPECT_EQ(line(1), "#define RED 170");
    EXPECT_LE(slot().generation(), generation + 1)
        << "no more was swapped than the same version, compiled in full";
    EXPECT_EQ(slot().compiles(), compiles);
    button(false, kControl);
    hold(Key::left_control, false, 0);
    ASSERT_TRUE(until([&] {
        EXPECT_EQ(red(), 170) << "nothing flickers";
        return slot().state() == SlotState::good && !slot().loaded()->variable;
    }));
    EXPECT_EQ(slot().compiles(), compiles + 1);
    EXPECT_EQ(red(), 170);

    hold(Key::z, true, kControl); // the text's window has no keyboard yet
    hold(Key::z, false, kControl);
    EXPECT_EQ(line(1), "#define RED 170");
    move(at.x, at.y);
    button(true, 0);
    button(false, 0);
    EXPECT_EQ(line(1), "#define RED 170") << "a plain press moves nothing";
    hold(Key::z, true, kControl);
    hold(Key::z, false, kControl);
    EXPECT_EQ(slot().source(), kPaintSource) << "one undo takes the whole drag back";
    ASSERT_TRUE(until([&] { return red() == 200; }));
    hold(Key::y, true, kControl);
    hold(Key::y, false, kControl);
    EXPECT_EQ(line(1), "#define RED 170");
}

TEST_F(StudioNumbers, APlainDragSelectsAndAPressWithControlPutsTheCursor) {
    const ImVec2 at = place_of_number_in_line(1);
    ASSERT_GT(at.x, 0);
    move(at.x, at.y);
    button(true, 0);
    move(at.x + 60, at.y);
    button(false, 0);
    EXPECT_EQ(slot().source(), kPaintSource);
    EXPECT_EQ(slot().moved_literal(), nullptr);
    hold(Key::left_control, true, kControl);
    move(at.x + 1, at.y);
    button(true, kControl);
    button(false, kControl);
    hold(Key::left_control, false, 0);
    EXPECT_EQ(slot().source(), kPaintSource);
    EXPECT_EQ(slot().state(), SlotState::good);
    inject(TextEvent{U'1'});
    EXPECT_EQ(line(1), "#define RED 1200") << "typed where the press was";
}

TEST_F(StudioNumbers, KeysMoveTheNumberAtTheCursor) {
    const ImVec2 at = place_of_number_in_line(1);
    ASSERT_GT(at.x, 0);
    move(at.x, at.y);
    button(true, 0);
    button(false, 0);
    const auto compiles = slot().compiles();
    hold(Key::left_alt, true, kAlt);
    for (int i = 0; i < 3; ++i) hold(Key::down, true, kAlt);
    hold(Key::down, true, kAlt | kShift); // ten
    EXPECT_EQ(line(1), "#define RED 187");
    ASSERT_TRUE(until([&] { return red() == 187; }));
    EXPECT_EQ(slot().compiles(), compiles);
    hold(Key::up, true, kAlt);
    painting->frame();
    EXPECT_EQ(red(), 188);
    hold(Key::left_alt, false, 0);
    frames(2);
    EXPECT_FALSE(slot().moved_literal()->held);
    ASSERT_TRUE(until([&] { return slot().state() == SlotState::good; }));
    EXPECT_EQ(red(), 188);
    hold(Key::z, true, kControl);
    hold(Key::z, false, kControl);
    EXPECT_EQ(slot().source(), kPaintSource);

    hold(Key::home, true, 0); // on the # is no number: the line moves, as ever
    hold(Key::home, false, 0);
    hold(Key::right, true, 0);
    hold(Key::right, false, 0);
    hold(Key::left_alt, true, kAlt);
    hold(Key::down, true, kAlt);
    hold(Key::down, false, kAlt);
    frames(2);
    EXPECT_EQ(line(2), "#define RED 200");
    hold(Key::left_alt, false, 0);
}

TEST_F(StudioNumbers, AScriptsNumberMovesInTheEditor) {
    ASSERT_TRUE(slot().grab_literal(1, 13));
    for (const char* text : {"190", "150", "99"}) {
        slot().move_literal(*LiteralNumber::parse(text));
        frames(2);
    }
    ASSERT_TRUE(until([&] { return red() == 99; }));
    slot().release_literal();
    ASSERT_TRUE(until([&] { return slot().state() == SlotState::good; }));
    EXPECT_EQ(red(), 99);
    const ImVec2 at = place_of_number_in_line(1);
    move(at.x, at.y);
    inject(ButtonEvent{MouseButton::left, true, 0}); // into the text
    inject(ButtonEvent{MouseButton::left, false, 0});
    hold(Key::z, true, kControl);
    hold(Key::z, false, kControl);
    EXPECT_EQ(slot().source(), kPaintSource) << "the box has followed, and undoes it in one step";
}

TEST_F(StudioNumbers, LineEndsOfWindowsAreNoOtherText) {
    std::string text = kPaintSource;
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2)
        text.insert(at, 1, '\r');
    slot().set_source(text);
    slot().compile_now();
    ASSERT_TRUE(until([&] { return slot().state() == SlotState::good; }));
    const ImVec2 at = place_of_number_in_line(1);
    ASSERT_GT(at.x, 0);
    hold(Key::left_control, true, kControl);
    move(at.x, at.y);
    button(true, kControl);
    move(at.x - 12, at.y);
    move(at.x - 24, at.y);
    button(false, kControl);
    hold(Key::left_control, false, 0);
    EXPECT_TRUE(slot().source().starts_with("#define RED 196\r\n")) << line(1);
    ASSERT_TRUE(until([&] { return slot().state() == SlotState::good; }));
    EXPECT_EQ(red(), 196);
    move(at.x, at.y);
    button(true, 0);
    button(false, 0);
    hold(Key::z, true, kControl);
    hold(Key::z, false, kControl);
    EXPECT_EQ(line(1), "#define RED 200");
}
