// SPDX-License-Identifier: MIT
// The menus of a headless studio: what the mouse chooses there does what the key does.
#include "engine/app/console.h"
#include "engine/ui/key_map.h"
#include "engine/ui/main_menu.h"
#include "tests/engine/ui/painting_test.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

using namespace lathe;
namespace fs = std::filesystem;

namespace {

class StudioMenu : public PaintingTest {
protected:
    void SetUp() override {
        PaintingTest::SetUp();
        if (!IsSkipped()) frames(2);
    }
    void click(ImVec2 at) {
        Window& window = painting->studio.window();
        window.inject(MoveEvent{{at.x, at.y}});
        painting->frames(2, false);
        window.inject(ButtonEvent{MouseButton::left, true, 0});
        painting->frames(1, false);
        window.inject(ButtonEvent{MouseButton::left, false, 0});
        frames(3);
    }
    void key(Key k, unsigned modifiers = 0) {
        painting->studio.window().inject(KeyEvent{k, true, false, modifiers});
        painting->frames(1, false);
        painting->studio.window().inject(KeyEvent{k, false, false, modifiers});
        frames(2);
    }
    void type(const std::string& text) {
        for (const char c : text) painting->studio.window().inject(TextEvent{char32_t(c)});
        frames(2);
    }
    bool until(const std::function<bool()>& is_so) {
        for (int i = 0; i < 2000 && !is_so(); ++i) frames(1);
        return is_so();
    }
    /// The open menu's window, or that of a menu within it.
    static const ImGuiWindow* popup(int level = 0) {
        const ImGuiWindow* menu =
            ImGui::FindWindowByName(("###Menu_0" + std::to_string(level)).c_str());
        return menu && menu->Active ? menu : nullptr;
    }
    /// Opens the menu whose title stands there in the row, and clicks at a height of it.
    void choose(float x, float y) {
        click({x, 18});
        painting->studio.imgui()->make_current();
        ASSERT_NE(popup(), nullptr);
        click({popup()->Pos.x + 40, y});
        EXPECT_EQ(popup(), nullptr) << "it is closed";
    }
    std::string last_line() {
        const auto lines = painting->studio.console().lines();
        return lines.empty() ? std::string{} : lines.back().text;
    }
    ImRect rect_of(const char* title) {
        painting->studio.imgui()->make_current();
        const ImGuiWindow* window = ImGui::FindWindowByName(title);
        return window && window->Active ? window->Rect() : ImRect{};
    }
    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(fs::path{folder} / (name + ".png"), painting->studio.screenshot(true));
    }
    static constexpr float kFile = 25, kEdit = 65, kView = 108, kHelp = 152;
    /// Of the view menu, and of the file menu.
    static constexpr float kLargeCode = 66, kLargePicture = 87, kSavePicture = 115;
};

TEST_F(StudioMenu, ThePictureLosesNoRoomToIt) {
    EXPECT_EQ(rect_of("Picture").Min.y, 35) << "menus stand in the row that was there";
    for (const float x : {kFile, kEdit, kView, kHelp}) {
        click({x, 18});
        painting->studio.imgui()->make_current();
        EXPECT_NE(popup(), nullptr);
        keep("menu-" + std::to_string(int(x)));
        click({x, 18}); // closes it
    }
}

TEST_F(StudioMenu, ALayoutThatIsChosenIsSaidInPython) {
    choose(kView, kLargePicture);
    keep("layout-large-picture");
    EXPECT_EQ(last_line(), "app.arrange(\"picture\")");
    const ImRect picture = rect_of("Picture");
    EXPECT_GT(picture.GetArea(), 0.5f * 1280 * 720);
    choose(kView, kLargeCode);
    keep("layout-large-code");
    EXPECT_EQ(last_line(), "app.arrange(\"code\")");
    EXPECT_GT(rect_of("Kernels").GetWidth(), 0.55f * 1280);
}

TEST_F(StudioMenu, AHiddenPanelLeavesItsRoom) {
    Studio& studio = painting->studio;
    const float before = rect_of("Parameters").GetHeight();
    studio.show_panel("Kernels", false);
    frames(3);
    EXPECT_GT(rect_of("Parameters").GetHeight(), before + 300);
    studio.show_panel("Kernels", true);
    frames(3);
    EXPECT_NEAR(rect_of("Parameters").GetHeight(), before, 2);
    EXPECT_THROW(studio.show_panel("Picture", false), std::invalid_argument);
    EXPECT_THROW(studio.arrange("round"), std::invalid_argument);
}

TEST_F(StudioMenu, F11ShowsThePictureAloneAndThePanelsAgain) {
    painting->studio.add_panel("Own", [] {});
    frames(4);
    const ImRect kernels = rect_of("Kernels"), picture = rect_of("Picture");
    key(Key::f11);
    frames(3);
    keep("picture-only");
    EXPECT_EQ(last_line(), "app.picture_only = True");
    EXPECT_EQ(painting->studio.picture().width(), 1280);
    EXPECT_EQ(painting->studio.picture().height(), 720);
    EXPECT_EQ(rect_of("Kernels").GetWidth(), 0);
    key(Key::f11);
    frames(4);
    keep("picture-only-back");
    EXPECT_EQ(rect_of("Kernels").GetWidth(), kernels.GetWidth());
    EXPECT_EQ(rect_of("Picture").GetArea(), picture.GetArea());
}

TEST_F(StudioMenu, ThePresenterHasTheCodeOverThePicture) {
    Studio& studio = painting->studio;
    const ImRect kernels = rect_of("Kernels"), picture = rect_of("Picture");
    key(Key::f11, kShift);
    frames(3);
    EXPECT_EQ(last_line(), "app.presenter = True");
    EXPECT_FALSE(studio.is_picture_only());
    EXPECT_EQ(studio.picture().width(), 1280);
    EXPECT_EQ(studio.picture().height(), 720);
    EXPECT_EQ(rect_of("Parameters").GetArea(), 0);
    keep("presenter");
    const auto red_at = [&](int x, int y) { return int(*studio.screenshot(true).at(x, y)); };
    EXPECT_EQ(red_at(970, 600), 200) << "beside the text";
    EXPECT_GT(red_at(900, 600), 35) << "the picture shines through";
    EXPECT_LT(red_at(900, 600), 70);
    key(Key::f11, kShift);
    frames(4);
    EXPECT_EQ(last_line(), "app.presenter = False");
    EXPECT_EQ(rect_of("Kernels").GetArea(), kernels.GetArea());
    EXPECT_EQ(rect_of("Picture").GetArea(), picture.GetArea());
    keep("presenter-back");
}

TEST_F(StudioMenu, ThePresenterEditsWithKeysAndMouse) {
    KernelSlot& slot = painting->slot;
    painting->studio.set_presenter(true);
    frames(3);
    key(Key::home, kControl); // the keyboard is there by itself
    key(Key::end);
    key(Key::backspace);
    type("7");
    frames(40);
    EXPECT_TRUE(slot.source().starts_with("#define RED 207")) << slot.source();
    EXPECT_TRUE(until([&] { return painting->middle()[0] == 207; })) << "it compiled";
    click({57 + 11 * 17.0f, 34 + 27.5f * 2.5f}); // behind extern "C" __glob
    type("!");
    EXPECT_NE(slot.source().find("extern \"C\" __glob!al__"), std::string::npos) << slot.source();
    EXPECT_TRUE(until([&] { return slot.state() == SlotState::failed; }));
    frames(3);
    keep("presenter-error");
    key(Key::z, kControl);
    key(Key::end);
    type(" th");
    painting->studio.set_light(true);
    frames(3);
    keep("presenter-words");
    key(Key::escape);
    key(Key::f11); // the picture alone, then panels
    EXPECT_TRUE(painting->studio.is_picture_only());
    EXPECT_FALSE(painting->studio.is_presenter());
    key(Key::f11);
    EXPECT_FALSE(painting->studio.is_picture_only());
}

TEST_F(StudioMenu, ThePresenterShowsThePlaceThatWasSeen) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "// line " + std::to_string(i) + "\n";
    KernelSlot& slot = painting->slot;
    slot.set_source(text + kPaintSource);
    frames(3);
    const auto line_typed_at = [&](float x, float y) {
        frames(30); // clicks that follow each other soon select
        click({x, y});
        type("@");
        const std::string now = slot.source();
        const auto lines = std::count(now.begin(), now.begin() + long(now.find('@')), '\n');
        key(Key::z, kControl);
        return 1 + int(lines);
    };
    click({1000, 300});
    key(Key::end, kControl);
    for (int i = 0; i < 80; ++i) key(Key::up); // line 133
    key(Key::f11, kShift);
    frames(3);
    EXPECT_NEAR(line_typed_at(300, 340), 133, 3) << "the middle of the text";
    keep("presenter-place");
    key(Key::f11, kShift);
    frames(3);
    EXPECT_NEAR(line_typed_at(1000, 235), 133, 3);
}

TEST_F(StudioMenu, TheThemeChangesWhileItRuns) {
    const auto background = [&] {
        const ImageData image = painting->studio.screenshot(true);
        return int(*image.at(640, 4));
    };
    EXPECT_LT(background(), 60);
    painting->studio.set_light(true);
    frames(3);
    keep("menu-light");
    EXPECT_GT(background(), 200);
}

TEST_F(StudioMenu, SavesThePictureAndOpensAKernel) {
    const fs::path before = fs::current_path();
    const fs::path folder = fs::temp_directory_path() / ("lathe-menu-" + std::to_string(getpid()));
    fs::create_directories(folder);
    fs::current_path(folder);
    key(Key::p, kControl);
    choose(kFile, kSavePicture);
    EXPECT_TRUE(fs::exists(folder / "out/Lathe/Lathe-1.png")) << last_line();
    EXPECT_TRUE(fs::exists(folder / "out/Lathe/Lathe-2.png")) << last_line();
    EXPECT_TRUE(last_line().starts_with("app.still(\"out/Lathe/Lathe-2.png\", size=("));

    std::ofstream{"more.cu"} << "__global__ void more(float* x) { x[0] = 1; }\n";
    std::ofstream{"other.txt"} << "no code\n";
    key(Key::o, kControl);
    frames(2);
    keep("open");
    key(Key::enter); // more.cu is the only file that can be opened
    frames(3);
    EXPECT_EQ(painting->studio.kernels().size(), 2u);
    keep("opened");
    fs::current_path(before);
    fs::remove_all(folder);
}

TEST_F(StudioMenu, ADroppedKernelOpensAndOtherFilesAreForTheProgram) {
    const fs::path file = fs::temp_directory_path() / fmt::format("dropped-{}.cu", getpid());
    std::ofstream{file} << "__global__ void dropped(float* x) { x[threadIdx.x] = 1; }\n";
    painting->studio.window().inject(DropEvent{{file, "data.xyz", "gone.cu"}});
    frames(3);
    fs::remove(file);
    std::string console;
    for (const auto& line : painting->studio.console().lines()) console += line.text + "\n";
    EXPECT_NE(console.find(fmt::format("app.kernel(\"{}\")", file.string())), std::string::npos);
    EXPECT_NE(console.find("data.xyz was dropped: the program has no function"), std::string::npos);
    EXPECT_NE(console.find("gone.cu"), std::string::npos) << "it is told that it is gone";
}

TEST_F(StudioMenu, FoldsAllTextAndShowsItAgain) {
    const auto line_in_row = [&](int row) { // what is typed there shows it
        frames(30);
        click({799, 55 + 17.2f * float(row)});
        type("$");
        const std::string text = painting->slot.source();
        key(Key::z, kControl);
        return 1 + int(std::count(text.begin(), text.begin() + long(text.find('$')), '\n'));
    };
    EXPECT_EQ(line_in_row(6), 6);
    choose(kEdit, 207); // Fold all
    keep("menu-fold-all");
    EXPECT_EQ(line_in_row(6), 12) << "behind the kernel's braces";
    choose(kEdit, 228.5f); // Unfold all
    EXPECT_EQ(line_in_row(6), 6);
}

class NarrowStudioMenu : public StudioMenu {
protected:
    NarrowStudioMenu() {
        config.width = 640;
        config.height = 480;
    }
    /// An entry of an open menu that has no line above it.
    void click_entry(int level, int row) {
        painting->studio.imgui()->make_current();
        ASSERT_NE(popup(level), nullptr) << level;
        click({popup(level)->Pos.x + 40, popup(level)->Pos.y + 17 + 21 * float(row)});
    }
};

TEST_F(NarrowStudioMenu, AllMenusAreInOne) {
    keep("menu-narrow-closed");
    const float width = rect_of("##menu").Max.x;
    EXPECT_LT(width, 80);
    EXPECT_GE(rect_of("##toolbar").Min.x, width) << "it covers no button";
    click({30, 18});
    click_entry(0, 2); // View
    keep("menu-narrow");
    painting->studio.imgui()->make_current();
    ASSERT_NE(popup(1), nullptr);
    for (const int level : {0, 1}) {
        const ImRect open = popup(level)->Rect();
        EXPECT_GE(open.Min.x, 0) << level;
        EXPECT_LE(open.Max.x, 640) << level;
        EXPECT_LE(open.Max.y, 480) << level;
    }
    click_entry(1, 3); // Picture only
    EXPECT_EQ(last_line(), "app.picture_only = True");
    EXPECT_EQ(popup(), nullptr);
    EXPECT_EQ(painting->studio.picture().width(), 640);
    key(Key::f11);
    click({30, 18});
    click_entry(0, 3); // Help
    click_entry(1, 0); // Keys
    frames(3);
    keep("menu-narrow-keys");
    EXPECT_GT(rect_of("Keys").GetWidth(), 400);
}

TEST_F(StudioMenu, EachKeyOfItStandsInTheKeyMap) {
    for (const KeyEvent& key :
         {KeyEvent{.key = Key::o, .modifiers = kControl},
          KeyEvent{.key = Key::n, .modifiers = kControl},
          KeyEvent{.key = Key::p, .modifiers = kControl},
          KeyEvent{.key = Key::r, .modifiers = kControl},
          KeyEvent{.key = Key::s, .modifiers = kControl}, KeyEvent{.key = Key::f10},
          KeyEvent{.key = Key::f11}, KeyEvent{.key = Key::f11, .modifiers = kShift},
          KeyEvent{.key = Key::f, .modifiers = kControl | kShift}}) {
        const auto rows = key_map().front().rows;
        EXPECT_TRUE(std::ranges::count(rows, key_text(key), &KeyRow::keys) == 1) << key_text(key);
    }
}

} // namespace
