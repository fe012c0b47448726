// SPDX-License-Identifier: MIT
// Panels fit every window and scale, with and without a stored layout, and a script's panels find
// places of their own.
#include "bench.h"

#include "engine/core/resources.h"
#include "engine/ui/theme.h"
#include "engine/ui/widgets.h"
#include "tests/full_disk.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <optional>
#include <unistd.h>

using namespace lathe;

namespace {

constexpr const char* kPanels[]{"Picture", "Kernels",  "Parameters",
                                "Things",  "Profiler", "Console"};

struct Size {
    int width, height;
    const char* scale;
};

/// Sets LATHE_UI_SCALE as long as it lives.
struct Scaled {
    explicit Scaled(const char* scale) { setenv("LATHE_UI_SCALE", scale, 1); }
    ~Scaled() { unsetenv("LATHE_UI_SCALE"); }
};

class LayoutTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ =
            std::filesystem::temp_directory_path() / ("lathe-layout-" + std::to_string(getpid()));
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_;
};

std::string script_name(const std::string& title) { return title + "###script " + title; }

/// The window's place where it is docked and seen.
std::optional<ImRect> shown(const std::string& name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name.c_str());
    if (!window || !window->DockIsActive || !window->DockTabIsVisible) return {};
    return window->Rect();
}

/// No two panels overlap, none leaves the window, and each has room for what is in it.
void expect_fitting(const UiBench& bench, std::vector<std::string> names,
                    const std::string& where) {
    bench.imgui.make_current();
    const float scale = bench.imgui.scale();
    names.insert(names.end(), std::begin(kPanels), std::end(kPanels));
    std::vector<std::pair<std::string, ImRect>> seen;
    for (const auto& name : names)
        if (const auto rect = shown(name)) seen.emplace_back(name, *rect);
    for (const auto& [name, rect] : seen) {
        const std::string what = where + ": " + name;
        EXPECT_GE(rect.Min.x, 0) << what;
        EXPECT_GE(rect.Min.y, 0) << what;
        EXPECT_LE(rect.Max.x, float(bench.window.width())) << what;
        EXPECT_LE(rect.Max.y, float(bench.window.height())) << what;
        EXPECT_GE(rect.GetWidth() / scale, name == "Kernels" ? 290 : 180) << what;
        EXPECT_GE(rect.GetHeight() / scale, 70) << what;
        for (const auto& [other, covered] : seen)
            if (other < name) { EXPECT_FALSE(rect.Overlaps(covered)) << what << " and " << other; }
    }
    const auto picture = shown("Picture");
    ASSERT_TRUE(picture) << where;
    const float all = float(bench.window.width()) * float(bench.window.height());
    const bool is_small =
        arrangement_for(float(bench.window.width()) / scale,
                        float(bench.window.height()) / scale) == Arrangement::small;
    EXPECT_GT(picture->GetArea(), (is_small ? 0.4f : 0.5f) * all) << where;
    EXPECT_GT(picture->GetHeight() / scale, 200) << where;
}

std::string text_of(const Size& s) {
    return std::to_string(s.width) + "x" + std::to_string(s.height) + "@" + s.scale;
}

const std::vector<Size> kSizes{{1280, 720, "1"},  {1600, 900, "1"}, {1600, 900, "2"},
                               {1000, 700, "1"},  {1280, 720, "2"}, {640, 480, "1"},
                               {1920, 1080, "1"}, {800, 600, "1"}};

void fill(UiBench& bench) {
    bench.add("// a kernel\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n",
              [](const KernelSource&, Effort) { return KernelBuild{}; });
}

} // namespace

TEST_F(LayoutTest, FitsWindowsAndScales) {
    for (const Size& size : kSizes) {
        const Scaled scaled{size.scale};
        UiBench bench{size.width, size.height};
        fill(bench);
        bench.run(4);
        bench.keep("layout-" + text_of(size));
        expect_fitting(bench, {}, text_of(size));
    }
}

TEST_F(LayoutTest, AStoredLayoutFitsOtherWindows) {
    for (const Size& before : {kSizes[0], kSizes[2], kSizes[3], kSizes[6]}) {
        for (const Size& now : kSizes) {
            std::filesystem::remove_all(folder_);
            std::filesystem::create_directories(folder_);
            for (const Size& size : {before, now}) {
                const Scaled scaled{size.scale};
                UiBench bench{size.width, size.height, nullptr, folder_};
                fill(bench);
                bench.run(4);
                expect_fitting(bench, {}, text_of(before) + " then " + text_of(now));
            }
        }
    }
}

TEST_F(LayoutTest, AFullDiskLeavesTheStoredLayout) {
    const auto stored = [&] {
        std::string text;
        for (const auto& entry : std::filesystem::recursive_directory_iterator{folder_})
            if (entry.is_regular_file())
                text += entry.path().filename().string() + read_text(entry.path());
        return text;
    };
    const auto run = [&](int frames) {
        UiBench bench{1280, 720, nullptr, folder_};
        fill(bench);
        bench.run(frames);
    };
    run(4);
    const std::string before = stored();
    EXPECT_GT(before.size(), 500u);
    {
        const test::FullDisk full{100};
        run(8);
    }
    EXPECT_EQ(stored(), before);
}

TEST_F(LayoutTest, FollowsAWindowThatIsResized) {
    UiBench bench{1280, 720, nullptr, folder_};
    fill(bench);
    bench.run(4);
    const auto kernels = shown("Kernels");
    ASSERT_TRUE(kernels);
    for (const Size& size :
         {kSizes[6], Size{300, 200, "1"}, kSizes[3], Size{40, 30, "1"}, kSizes[5], kSizes[0]}) {
        bench.window.resize(size.width, size.height);
        bench.run(4);
        if (size.width >= 640) expect_fitting(bench, {}, "resized to " + text_of(size));
    }
    ASSERT_TRUE(shown("Kernels"));
    EXPECT_NEAR(shown("Kernels")->GetWidth(), kernels->GetWidth(), 3) << "and back again";
}

TEST_F(LayoutTest, PanelsOfTheScriptHavePlacesFromTheStart) {
    for (const Size& size : kSizes) {
        const Scaled scaled{size.scale};
        UiBench bench{size.width, size.height, nullptr, folder_};
        fill(bench);
        bench.extra = [] {
            widgets::slider_int("loose", *std::make_unique<int>(3), 0, 9);
            widgets::begin("Mine");
            widgets::text("hello");
            widgets::end();
        };
        for (int i = 0; i < 4; ++i) {
            bench.frame();
            for (const char* title : {"Script", "Mine"}) {
                const ImGuiWindow* window = ImGui::FindWindowByName(script_name(title).c_str());
                if (!window || window->Hidden) continue;
                EXPECT_TRUE(window->DockNode) << title << " floats in frame " << i;
            }
        }
        bench.keep("script-" + text_of(size));
        expect_fitting(bench, {script_name("Script"), script_name("Mine")}, text_of(size));
        EXPECT_TRUE(shown(script_name("Script")) || shown(script_name("Mine")));
        EXPECT_TRUE(shown("Parameters")) << "a script's panel does not cover the parameters";
    }
}

TEST_F(LayoutTest, ANewPanelOfTheScriptIsSeenWithAStoredLayout) {
    for (const char* title : {"First", "Second"}) {
        UiBench bench{1280, 720, nullptr, folder_};
        fill(bench);
        bench.extra = [&] {
            widgets::begin(title);
            widgets::text("hello");
            widgets::end();
        };
        bench.run(4);
        EXPECT_TRUE(shown(script_name(title))) << title;
        EXPECT_TRUE(shown("Parameters"));
        expect_fitting(bench, {script_name(title)}, title);
    }
}

TEST_F(LayoutTest, TheConsolesTitleIsRedUntilItsErrorsAreSeen) {
    UiBench bench{1280, 720};
    fill(bench);
    bench.run(4);
    ASSERT_FALSE(shown("Console")) << "a tab behind another one";
    const auto is_red = [&] { // between the edges of the tab's title
        const ImageData image = bench.picture();
        int red = 0;
        for (int y = 436; y < 454; ++y)
            for (int x = 990; x < 1060; ++x) {
                const std::byte* const p = image.at(x, y);
                red += int(p[0]) > 180 && int(p[1]) < 130 && int(p[2]) < 140;
            }
        return red > 20;
    };
    EXPECT_FALSE(is_red());
    bench.console.write(Console::Source::script, log::Level::error, "Traceback");
    bench.run(2);
    EXPECT_TRUE(is_red());
    bench.keep("console-news");
    bench.click(1020, 446);
    EXPECT_TRUE(shown("Console"));
    bench.click(806, 446);
    EXPECT_FALSE(is_red());
}
