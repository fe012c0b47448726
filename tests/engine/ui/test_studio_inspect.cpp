// SPDX-License-Identifier: MIT
// The inspector in the studio, with kernels whose counts and hazards are known: what the gutter
// draws from, how it follows edits, and what the console says.
#include "inspected_kernels.h"
#include "painting.h"

#include "engine/app/console.h"
#include "engine/core/error.h"
#include "engine/live/inspector.h"
#include "engine/ui/cost_words.h"
#include "engine/ui/imgui_layer.h"
#include "gpu/driver/api.h"
#include "gpu/nvrtc.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

using namespace lathe;

namespace {

AppConfig with_panels() {
    AppConfig c;
    c.headless = true;
    c.ui = true;
    c.restore = false;
    return c;
}

class StudioInspect : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
    }
    void TearDown() override { EXPECT_EQ(ImGuiLayer::errors(), 0) << "Dear ImGui was misused"; }

    void open(const char* source, Inspecting mode) {
        AppConfig config = with_panels();
        config.inspecting = mode;
        config.inspector_way = way;
        painting.emplace(config, source);
        ASSERT_TRUE(slot().ready()) << slot().log();
        painting->frames(4);
    }
    testing::AssertionResult until(const std::function<bool()>& done) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (!done()) {
            if (std::chrono::steady_clock::now() > limit || !painting->frame())
                return testing::AssertionFailure() << name_of(slot().state()) << slot().log();
        }
        return testing::AssertionSuccess();
    }
    KernelSlot& slot() { return painting->slot; }
    Inspector& inspector() { return painting->studio.inspector(); }
    const SlotInspection& known() { return *inspector().of(slot()); }
    /// The source with a line put in front of a line.
    std::string with_line(int line, std::string_view added) {
        std::string text = slot().source();
        std::size_t at = 0;
        for (; line > 1; --line) at = text.find('\n', at) + 1;
        return text.insert(at, std::string{added} + "\n");
    }
    std::set<int> hazard_lines() {
        std::set<int> lines;
        for (const LineFinding& f : known().findings) lines.insert({f.first, f.second});
        lines.erase(0);
        return lines;
    }
    int console_lines_with(std::string_view words) {
        int count = 0;
        for (const auto& line : painting->studio.console().lines())
            count += line.text.find(words) != line.text.npos;
        return count;
    }
    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(std::filesystem::path{folder} / (name + ".png"),
                     painting->studio.screenshot(true));
    }

    InspectorWay way = InspectorWay::best;
    std::optional<Painting> painting;
};

/// On a device that can be watched, and by replays of the launches.
class StudioInspectEachWay : public StudioInspect,
                             public testing::WithParamInterface<InspectorWay> {
protected:
    void SetUp() override {
        StudioInspect::SetUp();
        way = GetParam();
    }
};
INSTANTIATE_TEST_SUITE_P(, StudioInspectEachWay,
                         testing::Values(InspectorWay::best, InspectorWay::replays),
                         [](const auto& way) {
                             return way.param == InspectorWay::best ? "Best" : "Replays";
                         });

#define NEEDS_AN_INSPECTOR()                                                                       \
    if (!Inspector::problem().empty()) GTEST_SKIP() << Inspector::problem()
#define NEEDS_A_DEVICE_THAT_COUNTS()                                                               \
    if (!gpu::can_inspect()) GTEST_SKIP() << "launches are replayed here"

} // namespace

TEST_P(StudioInspectEachWay, CostsStandBesideTheirLines) {
    NEEDS_AN_INSPECTOR();
    open(kCostlySource, Inspecting::costs);
    ASSERT_TRUE(until([&] { return inspector().of(slot()) && known().at(kBarrier); }));
    painting->frame();
    keep("inspect-costs");
    const LineCosts* store = known().at(kStride16);
    ASSERT_TRUE(store);
    EXPECT_EQ(store->sectors(), 32); // 64 bytes from thread to thread
    EXPECT_EQ(store->ideal_sectors(), 4);
    EXPECT_EQ(store->active(), 1);
    EXPECT_EQ(cell_of(*store, CostColumn::worst).text, "8× mem");
    const LineCosts* shared = known().at(kSharedStore);
    ASSERT_TRUE(shared);
    EXPECT_EQ(shared->banks(), 8); // 8 words from thread to thread: four banks for 32 threads
    EXPECT_EQ(cell_of(*shared, CostColumn::worst).text, "8× bank");
    const LineCosts* loop = known().at(kLoopBody);
    ASSERT_TRUE(loop);
    EXPECT_EQ(loop->active(), 0.25); // each fourth thread
    EXPECT_EQ(cell_of(*loop, CostColumn::worst).text, "25% on");
    EXPECT_GT(loop->share, 0.5);
    ASSERT_TRUE(known().at(kBranch));
    EXPECT_GT(known().at(kBranch)->counts.divergent_branches, 0u);
    const LineCosts* barrier = known().at(kBarrier);
    ASSERT_TRUE(barrier);
    EXPECT_EQ(barrier->counts.barriers % 128, 0u); // 16 blocks of 8 warps, in each frame
    EXPECT_FALSE(known().at(1));
    double all = 0;
    for (const LineCosts& line : known().lines) all += line.share;
    EXPECT_NEAR(all, 1, 1e-9);
    EXPECT_TRUE(known().findings.empty());
}

TEST_F(StudioInspect, TheMouseBringsTheMeaningAndTheMenu) {
    NEEDS_AN_INSPECTOR();
    open(kCostlySource, Inspecting::costs);
    const auto shows = [&](std::string_view part) {
        painting->studio.imgui()->make_current();
        for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
            if (window->Active && std::string_view{window->Name}.find(part) != part.npos)
                return true;
        return false;
    };
    const auto move = [&](float x, float y) {
        painting->studio.window().inject(MoveEvent{{x, y}});
        painting->frames(3);
    };
    ASSERT_TRUE(until([&] { return inspector().of(slot()) && known().at(kSharedStore); }));
    EXPECT_FALSE(shows("Tooltip"));
    move(820, 175); // the gutter's line 7
    EXPECT_TRUE(shows("Tooltip"));
    keep("inspect-meaning");
    move(820, 600); // below the text
    EXPECT_FALSE(shows("Tooltip"));
    move(860, 47); // the button
    painting->studio.window().inject(ButtonEvent{MouseButton::left, true, 0});
    painting->frame();
    painting->studio.window().inject(ButtonEvent{MouseButton::left, false, 0});
    painting->frames(3);
    EXPECT_TRUE(shows("Popup"));
    keep("inspect-menu");
}

TEST_F(StudioInspect, AFoldHasTheHazardsAndCostsOfItsLines) {
    NEEDS_AN_INSPECTOR();
    open(kRacySource, Inspecting::hazards);
    ASSERT_TRUE(until([&] { return hazard_lines() == std::set{kRacyWrite, kRacyRead}; }));
    painting->frames(3);
    const auto violet_in = [&](int row) { // beside the line: the hazard's sign
        const ImageData picture = painting->studio.screenshot(true);
        int count = 0;
        for (int y = 47 + 17 * row; y < 63 + 17 * row; ++y)
            for (int x = 780; x < 800; ++x) {
                const std::byte* const p = picture.at(x, y);
                count += int(p[2]) > 200 && int(p[0]) > 140 && int(p[1]) < 180;
            }
        return count;
    };
    EXPECT_GT(violet_in(kRacyWrite), 20);
    EXPECT_EQ(violet_in(3), 0);
    painting->studio.window().inject(KeyEvent{Key::left_bracket, true, false, kControl | kAlt});
    painting->frames(4);
    keep("inspect-fold");
    EXPECT_GT(violet_in(3), 20) << "the row of the {";
    EXPECT_EQ(violet_in(kRacyWrite), 0);
}

TEST_P(StudioInspectEachWay, RowsFollowAnEditUntilTheNewVersionRuns) {
    NEEDS_AN_INSPECTOR();
    open(kCostlySource, Inspecting::costs);
    ASSERT_TRUE(until([&] { return inspector().of(slot()) && known().at(kBarrier); }));
    slot().set_source(with_line(kBarrier, "    // words"));
    ASSERT_TRUE(known().at(kStride16 + 1));
    EXPECT_EQ(known().at(kStride16 + 1)->waste(), 8);
    EXPECT_EQ(known().at(kSharedStore)->banks(), 8);
    EXPECT_FALSE(known().at(kStride16) && known().at(kStride16)->waste());

    std::string text = slot().source();
    const std::string old = "picture[t * 16 + block]";
    text.replace(text.find(old), old.size(), "picture[block * 256 + t]");
    slot().set_source(text);
    EXPECT_FALSE(known().at(kStride16 + 1)) << "nobody knows what the new line costs";
    const auto before = slot().generation();
    ASSERT_TRUE(until([&] { return slot().generation() > before; }));
    ASSERT_TRUE(until([&] { return known().at(kStride16 + 1); }));
    EXPECT_EQ(known().at(kStride16 + 1)->waste(), 1);
    EXPECT_EQ(cell_of(*known().at(kStride16 + 1), CostColumn::worst).text, "");
    EXPECT_EQ(cell_of(*known().at(kStride16 + 1), CostColumn::memory).text, "1×");
}

TEST_P(StudioInspectEachWay, ARaceIsMarkedUntilTheBarrierStands) {
    NEEDS_AN_INSPECTOR();
    open(kRacySource, Inspecting::hazards);
    ASSERT_TRUE(until([&] { return !known().findings.empty(); }));
    EXPECT_EQ(hazard_lines(), (std::set{kRacyWrite, kRacyRead}));
    const int told = console_lines_with("data race in shared memory");
    EXPECT_GE(told, 1);
    EXPECT_EQ(console_lines_with("__syncthreads()"), console_lines_with("paint.cu:"));
    painting->frame();
    keep("inspect-race");
    painting->studio.window().inject(MoveEvent{{792, 175}});
    painting->frames(3);
    keep("inspect-race-meaning");
    bool has_words = false;
    for (const LineFinding& f : known().findings)
        has_words |= explain(f).find("Data race in shared memory") == 0 &&
                     explain(f).find("line 6") != std::string::npos &&
                     explain(f).find("line 7") != std::string::npos;
    EXPECT_TRUE(has_words);

    // A line above changes nothing: the markers move, and the console has said it all.
    slot().set_source(with_line(2, "// More words."));
    EXPECT_EQ(hazard_lines(), (std::set{kRacyWrite + 1, kRacyRead + 1}));
    auto before = slot().generation();
    const auto searched = known().searched_at;
    ASSERT_TRUE(
        until([&] { return slot().generation() > before && known().searched_at != searched; }));
    EXPECT_EQ(hazard_lines(), (std::set{kRacyWrite + 1, kRacyRead + 1}));
    EXPECT_EQ(console_lines_with("data race in shared memory"), told);

    // The innocent twin.
    slot().set_source(with_line(kRacyRead + 1, "    __syncthreads();"));
    before = slot().generation();
    ASSERT_TRUE(until([&] { return known().findings.empty(); }));
    EXPECT_GT(slot().generation(), before);
    painting->frames(4);
    EXPECT_TRUE(known().findings.empty());
}

TEST_F(StudioInspect, ThreeOfThirteenFramesAreCounted) {
    NEEDS_A_DEVICE_THAT_COUNTS();
    open(kCostlySource, Inspecting::costs);
    ASSERT_TRUE(until([&] { return known().at(kBarrier) != nullptr; }));
    const auto barriers = [] {
        std::uint64_t sum = 0;
        for (const gpu::LineCounts& row : gpu::line_counts()) sum += row.barriers;
        return sum;
    };
    const std::uint64_t before = barriers();
    painting->frames(26);
    EXPECT_EQ(barriers() - before, 6u * 128) << "16 blocks of 8 warps, one barrier";
}

TEST_F(StudioInspect, TheSearchTakesFewFrames) {
    NEEDS_AN_INSPECTOR();
    open(kRacySource, Inspecting::hazards);
    int searched = 0;
    constexpr int kFrames = 40;
    auto last = known().searched_at;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kFrames; ++i) {
        painting->frame();
        searched += std::exchange(last, known().searched_at) != known().searched_at;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LE(searched, 1 + int(took.count())) << "once a second at most";
}

// 200 multiply-adds a thread, and a few operations for the colour; a picture of 16 KiB is written.
TEST_F(StudioInspect, RatesOfAKernelWhoseWorkIsKnown) {
    NEEDS_A_DEVICE_THAT_COUNTS();
    open(R"cu(extern "C" __global__ void paint(uchar4* picture, int size, int step, float level)
{
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float v = level;
    for (int i = 0; i < 200; ++i) v = fmaf(v, 0.75f, 0.1f);
    picture[y * size + x] = make_uchar4(step, 60, 100 * v, 255);
}
)cu",
         Inspecting::off);
    inspector().want_rates();
    painting->frames(4);
    EXPECT_TRUE(inspector().rates().empty()) << "nothing is counted";
    inspector().set_mode(Inspecting::costs);
    ASSERT_TRUE(until([&] {
        const auto rates = inspector().rates();
        return !rates.empty() && rates[0].seconds > 0;
    }));
    const auto rates = inspector().rates();
    ASSERT_EQ(rates.size(), 1u);
    EXPECT_EQ(rates[0].kernel, "paint");
    constexpr double kThreads = 64 * 64;
    EXPECT_GE(rates[0].flops, 400 * kThreads);
    EXPECT_LE(rates[0].flops, 410 * kThreads);
    EXPECT_EQ(rates[0].double_flops, 0);
    EXPECT_EQ(rates[0].bytes, 4 * kThreads);
    const auto begin = std::chrono::steady_clock::now();
    painting->frames(8, false);
    const std::chrono::duration<double> frame = (std::chrono::steady_clock::now() - begin) / 8;
    EXPECT_LT(inspector().rates()[0].seconds, frame.count()) << "a frame has one launch";
    inspector().unwant_rates();
    EXPECT_TRUE(inspector().rates().empty());
}

TEST_P(StudioInspectEachWay, F8GoesToAHazardAndF9FromOneModeToTheNext) {
    NEEDS_AN_INSPECTOR();
    open(kRacySource, Inspecting::off);
    EXPECT_FALSE(inspector().of(slot()));
    const auto press = [&](Key key) {
        painting->studio.window().inject(KeyEvent{key, true, false, 0});
        painting->frame();
        painting->studio.window().inject(KeyEvent{key, false, false, 0});
        painting->frame();
    };
    press(Key::f9);
    EXPECT_EQ(inspector().mode(), Inspecting::costs);
    press(Key::f9);
    EXPECT_EQ(inspector().mode(), Inspecting::hazards);
    ASSERT_TRUE(until([&] { return !known().findings.empty(); }));
    painting->frame();
    const auto says = [&](std::string_view words) {
        for (const std::string& line : painting->studio.status_lines())
            if (line.find(words) != line.npos) return true;
        return false;
    };
    EXPECT_TRUE(says("found")) << "in the status bar";
    press(Key::f8);
    painting->frame();
    painting->studio.window().inject(TextEvent{U'!'});
    painting->frame();
    painting->frame();
    EXPECT_NE(slot().source().find("\n!    row[t] = t + step;"), std::string::npos)
        << slot().source();
    press(Key::f9);
    EXPECT_EQ(inspector().mode(), Inspecting::off);
    EXPECT_FALSE(inspector().of(slot()));
    EXPECT_FALSE(says("found"));
}

TEST_F(StudioInspect, WhereNothingCanBeWatchedItSaysWhy) {
    if (Inspector::problem().empty()) GTEST_SKIP() << "this device can be watched";
    painting.emplace(with_panels());
    EXPECT_THROW(inspector().set_mode(Inspecting::costs), Error);
    painting->studio.window().inject(KeyEvent{Key::f9, true, false, 0});
    painting->frame();
    EXPECT_EQ(inspector().mode(), Inspecting::off);
    EXPECT_EQ(console_lines_with("LATHE_DEVICE=software"), 1);
}
