// SPDX-License-Identifier: MIT
// The panels under a headless context: what injected input does, and what is on the picture.
#include "bench.h"

#include "engine/core/resources.h"
#include "engine/live/session.h"
#include "engine/ui/theme.h"
#include "engine/ui/widgets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <unistd.h>

using namespace lathe;

namespace {

constexpr const char* kSource = R"cu(// Gray-Scott reaction and diffusion.
extern "C" __global__ void step(const float2* __restrict__ from, float2* to, int width, int height,
                                float feed, //@ 0.01..0.1 =0.037
                                float kill) //@ 0.03..0.07 =0.06
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int i = y * width + x;
    const float2 c = from[i];
    const float reaction = c.x * c.y * c.y;
    to[i] = make_float2(c.x - reaction + feed * (1.0f - c.x), c.y + reaction - (feed + kill) * c.y);
    if (i == 0) printf("step %d\n", width);
}
)cu";

/// Compiles what has no "@" in it.
KernelBuild build(const KernelSource& source, Effort) {
    KernelBuild b;
    b.milliseconds = 17;
    for (std::size_t i = 0, line = 1, column = 1; i < source.text.size(); ++i, ++column) {
        if (source.text[i] == '@' && (i < 2 || source.text[i - 1] != '/'))
            b.diagnostics.push_back({source.name, int(line), int(column),
                                     Diagnostic::Severity::error, "unrecognized token"});
        if (source.text[i] == '\n') ++line, column = 0;
    }
    if (!b.diagnostics.empty()) return b;
    auto loaded = std::make_shared<LoadedKernels>();
    loaded->first = "step";
    loaded->kernels["step"];
    b.loaded = std::move(loaded);
    return b;
}

/// Pixels of a picture close to a colour.
int count(const ImageData& image, unsigned rgb, int tolerance = 12) {
    int n = 0;
    for (std::size_t i = 0; i + 2 < image.bytes.size(); i += 3) {
        bool close = true;
        for (int c = 0; c < 3; ++c)
            close &= std::abs(int(image.bytes[i + std::size_t(c)]) -
                              int(rgb >> (16 - 8 * c) & 255)) <= tolerance;
        n += close;
    }
    return n;
}

void declare_parameters(UiBench& bench) {
    std::vector<Diagnostic> problems;
    const auto directive = [&](const char* text) { return parse_directive(text, 1, 1, problems); };
    bench.parameters.declare(
        "step.cu",
        {make_parameter("feed", ParameterKind::real, 1, directive("0.01..0.1 =0.037")),
         make_parameter("kill", ParameterKind::real, 1, directive("0.03..0.07 =0.06 log")),
         make_parameter("substeps", ParameterKind::integer, 1, directive("1..32 =8")),
         make_parameter("wrap", ParameterKind::boolean, 1, directive("=true")),
         make_parameter("pattern", ParameterKind::integer, 1,
                        directive("enum(spots,stripes,waves)")),
         make_parameter("tint", ParameterKind::vector, 3, directive("color =(0.4,0.7,1)"))});
    for (Parameter* p : bench.parameters.all()) p->read = true;
}

void fill_stats(FrameStats& stats) {
    for (int i = 0; i < 240; ++i) {
        const double wave = std::sin(i * 0.15);
        stats.push({16.6 + wave * (i % 7 == 0 ? 3 : 0.4), 12, 7.2 + wave, 2.1 + 0.3 * wave});
    }
}

} // namespace

TEST(Panels, TypedTextCompilesAndMarksErrors) {
    UiBench bench;
    KernelSlot& slot = bench.add(kSource, build);
    declare_parameters(bench);
    fill_stats(bench.stats);
    bench.run(4);
    bench.keep("panels-good");
    EXPECT_LT(count(bench.picture(), theme::kError), 50);

    bench.click(1100, 300);
    EXPECT_TRUE(bench.imgui.wants_text());
    bench.key(Key::home, kControl);
    bench.type("@ x");
    EXPECT_TRUE(slot.source().starts_with("@ x// Gray")) << slot.source().substr(0, 20);
    EXPECT_EQ(slot.state(), SlotState::waiting);
    EXPECT_FALSE(bench.run_control.paused) << "a space while typing is a space";
    bench.key(Key::enter, kControl);
    bench.run(2);
    EXPECT_EQ(slot.state(), SlotState::failed);
    EXPECT_EQ(std::count(slot.source().begin(), slot.source().end(), '\n'),
              std::count(kSource, kSource + std::string_view{kSource}.size(), '\n'))
        << "Ctrl+Enter adds no line";
    EXPECT_TRUE(slot.ready()) << "the last good one goes on";
    bench.keep("panels-error");
    EXPECT_GT(count(bench.picture(), theme::kError), 1500) << "edge of the picture and marker";

    bench.key(Key::backspace); // "@ " stays: still an error
    bench.key(Key::backspace);
    bench.key(Key::backspace);
    EXPECT_TRUE(slot.source().starts_with("// Gray"));
    EXPECT_TRUE(slot.diagnostics().empty()) << "the marker goes with its line's edit";
    bench.key(Key::f5);
    bench.run(2);
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_LT(count(bench.picture(), theme::kError), 50);
}

TEST(Panels, F8WalksThroughTheErrors) {
    UiBench bench;
    bench.add("one\ntwo @\nthree\n@ four\n", build);
    bench.run(3);
    bench.click(1100, 300);
    bench.key(Key::home, kControl);
    bench.key(Key::f8);
    bench.type("a");
    bench.key(Key::f5);
    bench.run(2);
    EXPECT_EQ(bench.slots[0]->source(), "one\ntwo a@\nthree\n@ four\n");
    bench.key(Key::f8);
    bench.type("b");
    EXPECT_EQ(bench.slots[0]->source(), "one\ntwo a@\nthree\nb@ four\n");
}

TEST(Panels, RunControlByMouseAndKeys) {
    UiBench bench;
    bench.add(kSource, build);
    bench.run(3);
    // The third button of the row.
    bench.click(92, 18);
    EXPECT_TRUE(bench.run_control.paused);
    bench.click(92, 18);
    EXPECT_FALSE(bench.run_control.paused);
    bench.click(500, 250); // the picture: no text field has the keyboard
    bench.key(Key::space);
    EXPECT_TRUE(bench.run_control.paused);
    bench.key(Key::period);
    bench.run_control.begin_frame();
    EXPECT_EQ(bench.run_control.steps(), 1);
    bench.key(Key::r, kShift); // a letter of a name, perhaps
    bench.run_control.begin_frame();
    EXPECT_FALSE(bench.run_control.reset());
    bench.key(Key::r);
    bench.run_control.begin_frame();
    EXPECT_TRUE(bench.run_control.reset());
}

TEST(Panels, DraggingASliderSetsTheValue) {
    UiBench bench;
    declare_parameters(bench);
    bench.run(3);
    const double before = std::get<double>(bench.parameters.get("feed"));
    // Near the right end of the first row's slider.
    bench.move(1230, 479);
    bench.window.inject(ButtonEvent{MouseButton::left, true, 0});
    bench.run(2);
    bench.window.inject(ButtonEvent{MouseButton::left, false, 0});
    bench.run(2);
    const double after = std::get<double>(bench.parameters.get("feed"));
    EXPECT_GT(after, before + 0.02);
    EXPECT_LE(after, 0.1);
    EXPECT_TRUE(bench.parameters.find("feed")->touched);
    bench.click(1230, 479, MouseButton::right);
    bench.run(2);
    bench.keep("parameter-menu");
}

// A slow program has a frame for all that a hand does.
TEST(Panels, ADragWithinOneFrameEndsWhereTheButtonWasReleased) {
    const auto value_after = [](int frames_between) {
        UiBench bench;
        declare_parameters(bench);
        bench.run(3);
        const auto inject = [&](const InputEvent& event) {
            bench.window.inject(event);
            bench.run(frames_between);
        };
        inject(MoveEvent{{1000, 479}});
        inject(ButtonEvent{MouseButton::left, true, 0});
        for (float x = 1010; x <= 1150; x += 10) inject(MoveEvent{{x, 479}});
        inject(ButtonEvent{MouseButton::left, false, 0});
        inject(MoveEvent{{1250, 479}}); // away from it
        bench.run(6);
        return std::get<double>(bench.parameters.get("feed"));
    };
    const double slowly = value_after(2);
    EXPECT_GT(slowly, 0.05);
    EXPECT_EQ(value_after(0), slowly);
}

TEST(Panels, PresetsAreSavedAndRecalledByKeysAndClicks) {
    UiBench bench;
    declare_parameters(bench);
    bench.run(3);
    const Parameter& first = *bench.parameters.all().front();
    const ParameterValue before = first.value;
    bench.key(Key::digit_1);
    EXPECT_FALSE(bench.presets.has(1)) << "nothing is saved by a key alone";
    bench.key(Key::digit_1, kShift);
    EXPECT_TRUE(bench.presets.has(1));
    bench.parameters.set(first.name, *first.max);
    bench.key(Key::digit_2, kShift);
    bench.key(Key::digit_1);
    EXPECT_TRUE(bench.presets.is_fading());
    while (bench.presets.is_fading()) bench.frame();
    EXPECT_EQ(first.value, before);
    // The row stands below the sliders: a click on an empty place saves, one on a full recalls.
    bench.move(1000, 600);
    for (int i = 0; i < 10; ++i) {
        bench.window.inject(WheelEvent{{0, -3}});
        bench.frame();
    }
    bench.keep("panels-presets");
    int saved = 0;
    for (float y = 640; y < 695 && saved == 0; y += 8) {
        bench.click(1000, y);
        for (int n = 3; n <= ParameterPresets::kCount; ++n) saved += bench.presets.has(n);
    }
    EXPECT_EQ(saved, 1);
}

TEST(Panels, ConsoleKeepsLinesOfEverySource) {
    UiBench bench;
    log::warning("from the log");
    bench.console.write_device("par");
    bench.console.write_device("ts make\none line and ");
    bench.console.write_device("another\n");
    bench.console.write(
        Console::Source::script, log::Level::error,
        "Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError\n");
    bench.console.write(Console::Source::compiler, log::Level::info, "same");
    bench.console.write(Console::Source::compiler, log::Level::info, "same");
    const auto lines = bench.console.lines();
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0].text, "from the log");
    EXPECT_EQ(lines[1].text, "parts make");
    EXPECT_EQ(lines[2].text, "one line and another");
    EXPECT_EQ(lines[3].text.back(), 'r');
    EXPECT_EQ(lines[4].repeats, 2);
    EXPECT_EQ(bench.console.errors(), 1);
    bench.run(3);
    bench.keep("console");
    bench.console.clear();
    EXPECT_TRUE(bench.console.lines().empty());
}

TEST(Panels, OffersTheTextOfACrashedRun) {
    const auto dir =
        std::filesystem::temp_directory_path() / ("lathe-ui-" + std::to_string(getpid()));
    {
        Session session{"app", dir};
        session.autosave("step.cu", "// typed before the crash\n");
        UiBench bench{1280, 720, &session};
        KernelSlot& slot = bench.add(kSource, build, "step.cu", true);
        bench.run(3);
        bench.keep("offer");
        bench.click(978, 81); // Restore
        EXPECT_EQ(slot.source(), "// typed before the crash\n");
    }
    std::filesystem::remove_all(dir);
}

TEST(Panels, ControlSWritesTheFileAndAConflictAsks) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("lathe-panel-" + std::to_string(getpid()) + ".cu");
    std::ofstream{file} << "// on disk\n";
    {
        UiBench bench;
        auto services = immediate(build);
        services.watch_interval = std::chrono::milliseconds{0};
        bench.slots.push_back(
            std::make_unique<KernelSlot>(file, "", std::vector<std::string>{}, services));
        KernelSlot& slot = *bench.slots.back();
        bench.editor.add(slot, false);
        bench.run(3);
        bench.click(1100, 300);
        bench.key(Key::home, kControl);
        bench.type("a");
        EXPECT_TRUE(slot.modified());
        bench.key(Key::s, kControl);
        EXPECT_FALSE(slot.modified());
        EXPECT_EQ(read_text(file), "a// on disk\n");
        bench.type("b");
        std::ofstream{file} << "// from another program\n";
        bench.run(3);
        EXPECT_TRUE(slot.conflict());
        bench.keep("conflict");
        bench.click(975, 81); // Load it
        EXPECT_EQ(slot.source(), "// from another program\n");
        EXPECT_FALSE(slot.conflict());
        std::ofstream{file} << "// and again, by itself\n";
        bench.run(3);
        EXPECT_EQ(slot.source(), "// and again, by itself\n");
    }
    std::filesystem::remove(file);
}

TEST(Panels, WidgetsOfAScript) {
    UiBench bench;
    float f = 0.25f;
    int clicks = 0;
    bool seen = false;
    std::array<float, 4> rgba{1, 0, 0, 1};
    const std::vector<float> curve{0, 1, 0.5f, 2};
    bench.extra = [&] {
        seen = widgets::begin("Tools");
        widgets::text("hello");
        clicks += widgets::button("press");
        widgets::slider_float("gain", f, 0, 1);
        widgets::color("tint", rgba);
        widgets::plot_line("curve", curve);
        widgets::hint("An explanation that is long enough to be wrapped.");
        widgets::end();
    };
    bench.run(4);
    EXPECT_TRUE(seen);
    bench.keep("widgets");
    EXPECT_EQ(f, 0.25f);
}

TEST(Panels, WhatWasTypedIsKeptWhenTheScriptReplacesIt) {
    const auto dir =
        std::filesystem::temp_directory_path() / ("lathe-ui-" + std::to_string(getpid()));
    {
        Session session{"app", dir};
        UiBench bench{1280, 720, &session};
        KernelSlot& slot = bench.add("// of the script\n", build);
        bench.run(3);
        bench.click(1100, 300);
        bench.key(Key::home, kControl);
        bench.type("a");
        slot.set_source("// of the script, saved again\n"); // less than a second later
        bench.run(2);
        ASSERT_FALSE(session.versions("step.cu").empty());
        EXPECT_EQ(read_text(session.versions("step.cu").front()), "a// of the script\n");
    }
    std::filesystem::remove_all(dir);
}

TEST(Panels, LineNumbersStayLegibleOnMarkers) {
    UiBench bench;
    bench.add("int a;\nint b = @;\nint c;\n", build);
    bench.run(4);
    bench.keep("marker");
    // The gutter of line 2: its number against the marker behind it.
    const ImageData image = bench.picture();
    int low = 255, high = 0;
    for (int y = 82; y < 97; ++y)
        for (int x = 760; x < 784; ++x) {
            const int green = int(image.at(x, y)[1]);
            low = std::min(low, green);
            high = std::max(high, green);
        }
    EXPECT_GT(high - low, 70);
}

TEST(Panels, MisuseOfImGuiIsCounted) {
    UiBench bench;
    bench.extra = [] { ImGui::End(); };
    bench.frame();
    EXPECT_EQ(ImGuiLayer::errors(), bench.errors + 1);
    bench.errors = ImGuiLayer::errors();
}

TEST(Panels, PanelsOfAScriptStandWithinEachOther) {
    UiBench bench;
    bench.extra = [] {
        const widgets::Panel outer{"Console"}; // a title of the studio's own
        widgets::text("before");
        widgets::begin("Inner");
        widgets::progress(1);
        widgets::end();
        widgets::text("after");
        widgets::begin("Never closed");
    };
    bench.run(4);
}

TEST(Widgets, DoNothingWithoutAFrame) {
    float f = 0.5f;
    bool b = true;
    EXPECT_FALSE(widgets::begin("nowhere"));
    EXPECT_FALSE(widgets::slider_float("f", f, 0, 1));
    EXPECT_FALSE(widgets::checkbox("b", b));
    widgets::end();
    EXPECT_EQ(f, 0.5f);
    EXPECT_TRUE(b);
}
