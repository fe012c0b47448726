// SPDX-License-Identifier: MIT
// The whole studio without a display, on a real device with the real compiler: what is typed and
// clicked changes what is painted.
#include "painting.h"

#include "engine/app/console.h"
#include "engine/app/event_handlers.h"
#include "engine/core/error.h"
#include "engine/core/resources.h"
#include "engine/interop/interop_mode.h"
#include "engine/live/session.h"
#include "engine/scene/camera.h"
#include "engine/ui/imgui_layer.h"
#include "engine/ui/theme.h"
#include "engine/ui/widgets.h"
#include "gpu/driver/api.h"
#include "gpu/nvrtc.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>

using namespace lathe;

namespace {

AppConfig headless(bool ui = true) {
    AppConfig c;
    c.headless = true;
    c.ui = ui;
    c.restore = false;
    return c;
}

class StudioTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
    }
    void TearDown() override { EXPECT_EQ(ImGuiLayer::errors(), 0) << "Dear ImGui was misused"; }
};

/// Frames until `done`, for a minute at most; says what the slot was doing where that was too
/// short.
testing::AssertionResult frames_until(Painting& p, const std::function<bool()>& done) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (!done()) {
        if (std::chrono::steady_clock::now() > limit || !p.frames(1, false))
            return testing::AssertionFailure()
                   << "frame " << p.studio.loop().frame() << ", slot " << name_of(p.slot.state())
                   << ", compile " << p.slot.compiles() << ", generation " << p.slot.generation()
                   << ": " << p.slot.log();
    }
    return testing::AssertionResult{p.frames(2)};
}

void key(Painting& p, Key k, unsigned modifiers = 0) {
    p.studio.window().inject(KeyEvent{k, true, false, modifiers});
    p.frame();
    p.studio.window().inject(KeyEvent{k, false, false, modifiers});
    p.frame();
}

void type(Painting& p, const std::string& text) {
    for (const char c : text) {
        p.studio.window().inject(TextEvent{char32_t(c)});
        p.frame();
    }
}

void click(Painting& p, float x, float y) {
    p.studio.window().inject(MoveEvent{{x, y}});
    p.frame();
    p.studio.window().inject(ButtonEvent{MouseButton::left, true, 0});
    p.frame();
    p.studio.window().inject(ButtonEvent{MouseButton::left, false, 0});
    p.frame();
    p.frame();
}

void keep(Painting& p, const std::string& name) {
    if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
        save_png(std::filesystem::path{folder} / (name + ".png"), p.studio.screenshot(true));
}

} // namespace

TEST_F(StudioTest, TypingInTheEditorChangesThePicture) {
    Painting p{headless()};
    ASSERT_TRUE(p.slot.ready()) << p.slot.log();
    p.frames(4);
    EXPECT_EQ(p.middle(), (std::array{200, 40, 128}));
    keep(p, "studio");

    click(p, 1100, 300);
    key(p, Key::home, kControl);
    key(p, Key::end);
    for (int i = 0; i < 3; ++i) key(p, Key::backspace);
    type(p, "90");
    EXPECT_TRUE(p.slot.source().starts_with("#define RED 90\n"));
    const auto before = p.slot.generation();
    ASSERT_TRUE(frames_until(p, [&] { return p.slot.generation() > before; })); // by itself
    EXPECT_EQ(p.middle()[0], 90);
    EXPECT_GT(p.steps, 4) << "the simulation went on";

    type(p, "+"); // "90+": does not compile
    ASSERT_TRUE(frames_until(p, [&] { return p.slot.state() == SlotState::failed; }));
    EXPECT_EQ(p.middle()[0], 90) << "the last good kernel paints";
    ASSERT_FALSE(p.slot.diagnostics().empty());
    keep(p, "studio-error");

    type(p, "20");
    key(p, Key::enter, kControl);
    ASSERT_TRUE(frames_until(p, [&] { return p.slot.state() == SlotState::good; }));
    EXPECT_EQ(p.middle()[0], 110);
    EXPECT_EQ(interop_mode() == InteropMode::zero_copy ? interop_stats().bytes_copied : 0, 0u);
}

TEST_F(StudioTest, AShortcutWithinOneFrameIsAShortcut) {
    Painting p{headless()};
    p.frames(4);
    click(p, 1100, 300);
    const auto chord = [&](Key k) { // a slow frame finds the rest of it, in X11's order
        Window& window = p.studio.window();
        window.inject(KeyEvent{Key::left_control, true, false, 0});
        p.frame();
        window.inject(KeyEvent{k, true, false, kControl});
        window.inject(KeyEvent{Key::left_control, false, false, kControl});
        window.inject(KeyEvent{k, false, false, 0});
    };
    const std::string text = p.slot.source();
    chord(Key::home);
    p.studio.window().inject(KeyEvent{Key::space, true, false, 0});
    p.studio.window().inject(TextEvent{U' '});
    p.studio.window().inject(KeyEvent{Key::space, false, false, 0});
    p.frames(4);
    EXPECT_EQ(p.slot.source(), " " + text);
    chord(Key::z);
    p.frames(4);
    EXPECT_EQ(p.slot.source(), text);
}

TEST_F(StudioTest, KeysOfOneSlowFrameAreAllTaken) {
    Painting p{headless()};
    p.frames(4);
    click(p, 1100, 300);
    key(p, Key::home, kControl);
    for (const Key k : {Key::end, Key::enter, Key::backspace, Key::backspace, Key::enter}) {
        p.studio.window().inject(KeyEvent{k, true, false, 0});
        p.studio.window().inject(KeyEvent{k, false, false, 0});
    }
    p.frames(16);
    EXPECT_TRUE(p.slot.source().starts_with("#define RED 20\n\n")) << p.slot.source();
}

TEST_F(StudioTest, PauseButtonPausesAndSlidersArrive) {
    Painting p{headless()};
    p.frames(4);
    click(p, 270, 18);
    EXPECT_TRUE(p.studio.run_control().paused);
    const int at = p.steps;
    p.frames(4);
    EXPECT_EQ(p.steps, at);

    const Parameter* level = p.studio.parameters().find("level");
    ASSERT_NE(level, nullptr);
    EXPECT_EQ(level->max, 1.0);
    EXPECT_TRUE(level->read);
    p.studio.parameters().set("level", 1.0);
    p.frame();
    EXPECT_EQ(p.middle()[2], 255) << "paused, but still painted";
    EXPECT_EQ(p.studio.parameters().find("size"), nullptr) << "a size is no setting";
}

TEST_F(StudioTest, AFaultyKernelIsTakenBack) {
    if (!gpu::driver().is_software()) GTEST_SKIP() << "a GPU's context does not survive a fault";
    Painting p{headless()};
    p.frames(3);
    std::string text = kPaintSource;
    text.replace(text.find("picture[y"), 9, "picture[4000000000ull * size + y");
    p.slot.set_source(text);
    p.slot.compile_now();
    ASSERT_TRUE(frames_until(p, [&] { return p.slot.state() == SlotState::faulted; }));
    EXPECT_TRUE(p.slot.ready());
    EXPECT_EQ(p.middle()[0], 200);
    ASSERT_FALSE(p.slot.diagnostics().empty());
    const Diagnostic& d = p.slot.diagnostics().back();
    EXPECT_EQ(d.line, 10);
    EXPECT_NE(d.text.find("paint"), std::string::npos) << d.text;
    EXPECT_NE(d.text.find("thread"), std::string::npos) << d.text;
    EXPECT_GE(p.studio.console().errors(), 1);
    keep(p, "studio-fault");
}

TEST_F(StudioTest, DevicePrintfReachesTheConsole) {
    if (!gpu::driver().is_software()) GTEST_SKIP() << "a GPU's printf goes to standard output";
    Studio studio{headless(false)};
    KernelSlot& slot =
        studio.kernel_slot("#include <stdio.h>\n"
                           "__global__ void say(int n) { printf(\"n is %d\\n\", n); }\n");
    ASSERT_TRUE(slot.ready()) << slot.log();
    ASSERT_TRUE(studio.begin_frame());
    gpu::launch(slot.kernel(), {{1, 1, 1}, {1, 1, 1}, 0, studio.stream()}, 42);
    studio.end_frame();
    std::string all;
    for (const auto& line : studio.console().lines()) all += line.text + "|";
    EXPECT_NE(all.find("n is 42|"), std::string::npos) << all;
}

TEST_F(StudioTest, PanelsOfTheProgramAreDrawn) {
    Painting p{headless()};
    float gain = 0.5f;
    p.studio.add_panel("My knobs", [&] {
        widgets::text("hello");
        widgets::slider_float("gain", gain, 0, 1);
        widgets::progress(1);
        widgets::begin("Forgotten"); // never closed
    });
    p.frames(4);
    keep(p, "studio-panel");
    const ImageData window = p.studio.screenshot(true);
    int blue = 0; // of the progress bar, which fills a row of the panel
    for (int y = 0; y < window.height; ++y)
        for (int x = 0; x < window.width; ++x) {
            const std::byte* c = window.at(x, y);
            blue += int(c[0]) == 0x58 && int(c[1]) == 0xa6 && int(c[2]) == 0xe8;
        }
    EXPECT_GT(blue, 2000);
}

TEST_F(StudioTest, AfterACrashThePictureIsThereAndSaysWhyItRests) {
    const auto cache =
        std::filesystem::temp_directory_path() / ("lathe-crash-" + std::to_string(getpid()));
    setenv("LATHE_CACHE_DIR", cache.c_str(), 1);
    if (const pid_t child = fork(); child == 0) {
        const Session session{"crashing", cache_directory()};
        _exit(1); // without an orderly end
    } else {
        waitpid(child, nullptr, 0);
    }
    {
        AppConfig config = headless();
        config.session = "crashing";
        config.restore = true;
        Painting p{config};
        p.frames(4);
        keep(p, "studio-crashed");
        EXPECT_TRUE(p.studio.run_control().paused);
        EXPECT_EQ(p.steps, 1);
        EXPECT_EQ(p.middle(), (std::array{200, 40, 128}));
        const auto words = [&] { // of the message: light pixels at the foot of the picture
            const ImageData window = p.studio.screenshot(true);
            int light = 0;
            for (int y = 650; y < 690; ++y)
                for (int x = 10; x < 740; ++x) light += int(window.at(x, y)[1]) > 200;
            return light;
        };
        EXPECT_GT(words(), 200);
        p.studio.run_control().paused = false;
        p.frames(3);
        EXPECT_EQ(words(), 0);
    }
    std::filesystem::remove_all(cache);
    unsetenv("LATHE_CACHE_DIR");
}

TEST_F(StudioTest, F3HasTheWayBackToTheFirstText) {
    const test::TempFolder cache;
    setenv("LATHE_CACHE_DIR", cache.path().c_str(), 1);
    {
        AppConfig config = headless();
        config.restore = true;
        Painting p{config};
        Window& window = p.studio.window();
        const auto frames = [&](int n) { p.frames(n); };
        const auto press = [&](const InputEvent& down, const InputEvent& up) {
            window.inject(down);
            frames(1);
            window.inject(up);
            frames(3);
        };
        const auto click = [&](float x, float y) {
            window.inject(MoveEvent{{x, y}});
            frames(2);
            press(ButtonEvent{MouseButton::left, true, 0},
                  ButtonEvent{MouseButton::left, false, 0});
        };
        frames(4);
        click(1000, 72); // behind the words of the first line
        press(TextEvent{U'7'}, TextEvent{U'7'});
        const auto versions = [&] { return p.studio.session()->history(p.slot.key()); };
        for (int i = 0; i < 3000; ++i) {
            frames(1);
            if (!versions().empty() && versions().front().outcome == Outcome::good) break;
        }
        ASSERT_EQ(versions().size(), 2u);
        EXPECT_EQ(versions().front().outcome, Outcome::good);
        EXPECT_TRUE(p.slot.source().starts_with("#define RED 20077")) << p.slot.source();
        press(KeyEvent{Key::f3, true, false, 0}, KeyEvent{Key::f3, false, false, 0});
        frames(4);
        keep(p, "studio-history");
        click(1240, 477); // Restore
        EXPECT_EQ(p.slot.source(), kPaintSource);
    }
    unsetenv("LATHE_CACHE_DIR");
}

TEST_F(StudioTest, TheMouseMovesThePicture) {
    Painting p{headless()};
    p.frames(3);
    Window& window = p.studio.window();
    p.studio.run_control().paused = true;
    ASSERT_EQ(p.studio.element_under_mouse(), std::nullopt);
    window.inject(MoveEvent{{500, 270}});
    p.frame();
    p.frame();
    ASSERT_TRUE(p.studio.element_under_mouse().has_value());
    const auto before = *p.studio.element_under_mouse();
    window.inject(ButtonEvent{MouseButton::left, true, 0});
    p.frame();
    for (int i = 1; i <= 8; ++i) {
        window.inject(MoveEvent{{500.0f + float(i) * 10, 270}});
        p.frame();
    }
    window.inject(ButtonEvent{MouseButton::left, false, 0});
    p.frame();
    ASSERT_TRUE(p.studio.element_under_mouse().has_value());
    EXPECT_NEAR((*p.studio.element_under_mouse())[0], before[0], 1) << "it follows the mouse";
    EXPECT_LT(p.studio.pan_zoom_camera().center.x, -0.1f);
    const float height = p.studio.pan_zoom_camera().height;
    window.inject(WheelEvent{{0, 3}});
    p.frame();
    EXPECT_LT(p.studio.pan_zoom_camera().height, height);
    window.inject(MoveEvent{{1100, 300}}); // over the editor the wheel scrolls the text
    p.frame();
    p.frame();
    const float zoomed = p.studio.pan_zoom_camera().height;
    window.inject(WheelEvent{{0, 3}});
    p.frame();
    EXPECT_EQ(p.studio.pan_zoom_camera().height, zoomed);
}

TEST_F(StudioTest, APressIsOfWhatTheMouseHasComeToInItsFrame) {
    Painting p{headless()};
    Window& window = p.studio.window();
    p.studio.run_control().paused = true;
    const ButtonEvent press{MouseButton::left, true, 0}, release{MouseButton::left, false, 0};
    const MoveEvent over_picture{{500, 270}}, further{{580, 270}}, over_editor{{1100, 300}};
    const auto frame = [&](std::initializer_list<InputEvent> events) {
        for (const InputEvent& event : events) window.inject(event);
        p.frame();
    };
    const auto rest_over = [&](const MoveEvent& there) {
        frame({there});
        p.frames(3, false);
    };
    const auto center = [&] { return p.studio.pan_zoom_camera().center.x; };
    p.frames(3, false);

    rest_over(over_editor);
    frame({over_picture, press});
    frame({further});
    frame({release});
    const double first = center();
    EXPECT_LT(first, -0.1) << "the way, then a drag";

    rest_over(over_editor);
    frame({over_picture, press, further, over_editor, release});
    EXPECT_NE(center(), first) << "all of a drag in a frame";

    rest_over(over_editor);
    const float before = p.studio.pan_zoom_camera().height;
    frame({over_picture, WheelEvent{{0, 3}}});
    EXPECT_LT(p.studio.pan_zoom_camera().height, before) << "the wheel";

    rest_over(over_picture);
    const double last = center();
    int told = 0;
    p.studio.events().on_mouse([&](const MouseEvent& event) {
        told += event.kind == MouseEvent::Kind::press;
        return false;
    });
    frame({over_editor, press});
    frame({over_picture});
    frame({release});
    frame({MoveEvent{{750, 300}}, press}); // the edge between the picture and the panels
    frame({MoveEvent{{740, 300}}});
    frame({release});
    rest_over(MoveEvent{{740, 300}});
    p.frames(3, false);
    EXPECT_EQ(told, 0) << "the presses were the editor's, and the edge's";
    EXPECT_EQ(center(), last);
    rest_over(over_picture);
    frame({press});
    frame({release});
    EXPECT_EQ(told, 1);
}

/// What a panel of a studio sees of its fonts.
struct FontWatch {
    void look() {
        theme::push_font(theme::Font::code);
        own = own && ImGui::GetFont()->OwnerAtlas == ImGui::GetIO().Fonts;
        theme::pop_font();
        ++frames;
    }
    bool own = true;
    int frames = 0;
};

TEST_F(StudioTest, AClickHidesAThingAndARestingMouseNamesIt) {
    Studio studio{headless()};
    const gpu::Array place = studio.array<float>({1, 3});
    const auto frame = [&] {
        ASSERT_TRUE(studio.begin_frame());
        studio.begin_step();
        studio.points(place, {.color = {1, 0, 0, 1}, .radius = 1}, {}, "dot");
        studio.end_frame();
    };
    for (int i = 0; i < 5; ++i) frame();
    studio.imgui()->make_current();
    ImGui::SetWindowFocus("Things");
    for (int i = 0; i < 3; ++i) frame();
    const ImGuiWindow* things = ImGui::FindWindowByName("Things");
    ASSERT_TRUE(things && things->DockTabIsVisible);
    const ImVec2 corner = things->DC.CursorStartPos;
    const auto inject = [&](const InputEvent& event) {
        studio.window().inject(event);
        for (int i = 0; i < 3; ++i) frame();
    };
    inject(MoveEvent{{corner.x + 8, corner.y + 8}});
    inject(ButtonEvent{});
    inject(ButtonEvent{MouseButton::left, false, 0});
    EXPECT_FALSE(studio.view().settings("dot").is_shown);
    EXPECT_EQ(studio.console().lines().back().text, "app.view.thing(\"dot\").shown = False");
    studio.view().settings("dot").is_shown = true; // a program's own changes are not said
    frame();
    EXPECT_EQ(studio.console().lines().back().text, "app.view.thing(\"dot\").shown = False");

    const ImRect picture = ImGui::FindWindowByName("Picture")->Rect();
    inject(MoveEvent{{picture.GetCenter().x, picture.GetCenter().y}});
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    const auto is_named = [] {
        const ImGuiWindow* tip = ImGui::FindWindowByName("##Tooltip_00");
        return tip && tip->Active;
    };
    while (!is_named() && std::chrono::steady_clock::now() < limit) frame();
    EXPECT_TRUE(is_named());
}

TEST_F(StudioTest, TwoWindowsHaveTheirOwnFontsAndPanels) {
    Painting first{headless()};
    FontWatch of_first, of_second;
    first.studio.add_panel("First knobs", [&] { of_first.look(); });
    {
        Painting second{headless()};
        second.studio.add_panel("Second knobs", [&] {
            of_second.look();
            widgets::text("only here: §µ×");
        });
        bool shown = false;
        for (int i = 0; i < 6; ++i) {
            first.frame();
            second.frame();
            // Frames may interleave: what a step says goes to the window of the step.
            ASSERT_TRUE(first.studio.begin_frame());
            ASSERT_TRUE(second.studio.begin_frame());
            first.studio.begin_step();
            shown = widgets::begin("Of the first");
            widgets::text("said in a step");
            widgets::end();
            second.studio.end_frame();
            first.studio.end_frame();
        }
        EXPECT_TRUE(shown);
        keep(first, "studio-first");
        keep(second, "studio-second");
    }
    first.frames(4);
    keep(first, "studio-first-alone");
    EXPECT_GE(of_first.frames, 8);
    EXPECT_GE(of_second.frames, 4);
    EXPECT_TRUE(of_first.own);
    EXPECT_TRUE(of_second.own);
}

/// Says something in the frame that is open, and returns whether that is drawn.
bool is_heard() {
    const bool shown = widgets::begin("Heard");
    widgets::text("said outside of steps and panels");
    widgets::end();
    return shown;
}

TEST_F(StudioTest, AFrameThatEndsGivesTheOtherBack) {
    Painting first{headless()}, second{headless()};
    bool heard_within = false, heard_after = false;
    for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(first.studio.begin_frame());
        ASSERT_TRUE(second.studio.begin_frame());
        second.studio.end_frame();
        heard_within = is_heard();
        ASSERT_TRUE(second.studio.begin_frame());
        first.studio.end_frame(); // that which began first
        heard_after = is_heard();
        second.studio.end_frame();
        EXPECT_FALSE(is_heard()) << "no frame is open";
    }
    EXPECT_TRUE(heard_within);
    EXPECT_TRUE(heard_after);
}

TEST_F(StudioTest, AStudioThatComesAndGoesWithinAFrameLeavesItOpen) {
    Painting first{headless()};
    for (int i = 0; i < 3; ++i) {
        first.frame();
        ASSERT_TRUE(first.studio.begin_frame());
        is_heard();
        first.studio.end_frame();
    }
    ASSERT_TRUE(first.studio.begin_frame());
    EXPECT_TRUE(is_heard());
    {
        Studio second{headless()};
        EXPECT_TRUE(is_heard()) << "another one has been made";
        ASSERT_TRUE(second.begin_frame());
    }
    EXPECT_TRUE(is_heard()) << "it is gone, within its frame";
    first.studio.end_frame();
}

TEST_F(StudioTest, APanelThatThrowsLosesNoFrame) {
    Painting p{headless()};
    bool throws = false;
    int drawn_after = 0;
    p.studio.add_panel("Broken", [&] {
        widgets::begin("Within");
        ImGui::PushID("open");
        ImGui::BeginGroup();
        if (throws) throw Error{"a panel of the program failed"};
        ImGui::EndGroup();
        ImGui::PopID();
        widgets::end();
    });
    p.studio.add_panel("Sound", [&] { ++drawn_after; });
    p.frames(4);
    const ImageData before = p.studio.screenshot(true);
    throws = true;
    for (int i = 0; i < 3; ++i) {
        const int drawn = drawn_after;
        try {
            p.frame();
            ADD_FAILURE() << "nobody heard of it";
        } catch (const Error& error) {
            EXPECT_STREQ(error.what(), "a panel of the program failed");
        }
        EXPECT_EQ(drawn_after, drawn + 1) << "the other panel";
        EXPECT_FALSE(p.studio.imgui()->in_frame());
        EXPECT_FALSE(p.studio.in_frame());
    }
    throws = false;
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(p.frame());
    EXPECT_EQ(p.studio.screenshot(true).width, before.width);
}

TEST_F(StudioTest, FramesAreAskedForInOrder) {
    Studio studio{headless(false)};
    EXPECT_THROW(studio.end_frame(), Error);
    EXPECT_THROW(studio.draw_image(ImageBuffer{}), Error);
    ASSERT_TRUE(studio.begin_frame());
    EXPECT_THROW((void)studio.begin_frame(), Error);
    studio.end_frame();
    EXPECT_FALSE(studio.in_frame());
}

TEST_F(StudioTest, SamePictureWithAndWithoutPanels) {
    AppConfig with = headless(), without = headless(false);
    with.scene_width = without.width = 320;
    with.scene_height = without.height = 240;
    ImageData a, b;
    {
        Painting p{with};
        p.frames(3);
        a = p.studio.screenshot();
        EXPECT_EQ(p.studio.screenshot(true).width, 1280);
    }
    {
        Painting p{without};
        p.frames(3);
        b = p.studio.screenshot();
        EXPECT_THROW(p.studio.screenshot(true), Error);
    }
    EXPECT_EQ(a.width, 320);
    EXPECT_EQ(a, b);
}

TEST_F(StudioTest, FollowsAFileAndSaysWhatIsMissing) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("lathe-studio-" + std::to_string(getpid()) + ".cu");
    EXPECT_THROW((Studio{headless(false)}.kernel_slot(file.string())), Error);
    std::ofstream{file} << "__global__ void one(int* p) { *p = 1; }\n";
    {
        Studio studio{headless(false)};
        KernelSlot& slot = studio.kernel_slot(file.string());
        ASSERT_TRUE(slot.ready()) << slot.log();
        EXPECT_EQ(slot.kernel_names(), std::vector<std::string>{"one"});
        std::ofstream{file} << "__global__ void two(int* p) { *p = 2; }\n"
                            << "__global__ void three(int* p) { *p = 3; }\n";
        const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (slot.generation() < 2 && std::chrono::steady_clock::now() < limit) {
            ASSERT_TRUE(studio.begin_frame());
            studio.end_frame();
        }
        EXPECT_EQ(slot.kernel_names(), (std::vector<std::string>{"three", "two"}));
        EXPECT_NO_THROW(slot.kernel("three"));
        EXPECT_FALSE(studio.status_lines().empty());
    }
    std::filesystem::remove(file);
}

TEST_F(StudioTest, NamesADiagnosticForEachError) {
    Studio studio{headless(false)};
    KernelSlot& slot = studio.kernel_slot("__global__ void k(float* p)\n{\n    *p = oops;\n}\n");
    EXPECT_FALSE(slot.ready());
    ASSERT_FALSE(slot.diagnostics().empty());
    EXPECT_EQ(slot.diagnostics()[0].line, 3);
    EXPECT_EQ(slot.diagnostics()[0].column, 10);
    EXPECT_GE(studio.console().errors(), 1);
    KernelSlot& none = studio.kernel_slot("__device__ int x;\n", "k");
    EXPECT_FALSE(none.ready());
}
