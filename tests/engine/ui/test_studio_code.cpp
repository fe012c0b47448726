// SPDX-License-Identifier: MIT
// PTX and machine code beside the text, with a kernel whose lines are known by what they must
// become. How cursor and rows follow each other is in test_code_pane.cpp.
#include "painting.h"

#include "engine/app/console.h"
#include "engine/live/code_listing.h"
#include "engine/ui/imgui_layer.h"
#include "gpu/compile_cache.h"
#include "gpu/driver/api.h"
#include "gpu/inspect/machine_code.h"
#include "gpu/nvrtc.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace lathe;

namespace {

// Line 6 alone has a square root, line 7 alone a store.
constexpr const char* kSource = R"cu(// What becomes of each line is known.
extern "C" __global__ void paint(uchar4* picture, int size, int step, float level) //@ 0..1 =0.5
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const float r = sqrtf(float(x * step + y));
    picture[y * size + x] = make_uchar4(r, 0, 255.0f * level, 255);
}
)cu";
constexpr int kRow = 5, kRoot = 6, kStore = 7;

class StudioCode : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        AppConfig config;
        config.headless = true;
        config.ui = true;
        config.restore = false;
        painting.emplace(config, kSource);
        ASSERT_TRUE(painting->slot.ready()) << painting->slot.log();
        painting->frame();
    }
    void TearDown() override { EXPECT_EQ(ImGuiLayer::errors(), 0) << "Dear ImGui was misused"; }

    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(std::filesystem::path{folder} / (name + ".png"),
                     painting->studio.screenshot(true));
    }
    void frames(int count) { painting->frames(count); }
    void press(Key key) {
        painting->studio.window().inject(KeyEvent{key, true, false, 0});
        painting->frame();
        painting->studio.window().inject(KeyEvent{key, false, false, 0});
        frames(2);
    }

    int console_lines_with(std::string_view words) {
        int count = 0;
        for (const auto& line : painting->studio.console().lines())
            count += line.text.find(words) != line.text.npos;
        return count;
    }
    /// Until the pane has read its code, where a picture is wanted.
    void look() {
        if (!std::getenv("LATHE_TEST_PICTURES")) return;
        for (int i = 0; i < 60; ++i) {
            painting->frame();
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
    }

    std::optional<Painting> painting;
};

/// The lines that rows with these words are of.
std::set<int> lines_with(const std::vector<CodeLine>& rows, std::string_view words) {
    std::set<int> lines;
    for (const CodeLine& row : rows)
        if (row.kind == gpu::CodeRow::Kind::instruction && row.text.find(words) != row.text.npos)
            lines.insert(row.line);
    return lines;
}

} // namespace

TEST_F(StudioCode, PtxStandsAtItsLines) {
    const auto read = code_reader(painting->studio.device());
    const auto ptx = read(painting->slot.loaded(), CodeKind::ptx, 0);
    ASSERT_TRUE(ptx);
    EXPECT_EQ(ptx->problem, "");
    EXPECT_EQ(lines_with(ptx->rows, "sqrt"), std::set{kRoot});
    EXPECT_EQ(lines_with(ptx->rows, "st.global"), std::set{kStore});
    EXPECT_TRUE(lines_with(ptx->rows, "%ctaid.y").contains(kRow));
    EXPECT_EQ(ptx->title.find("PTX for compute_"), 0u);
}

TEST_F(StudioCode, MachineCodeStandsAtItsLinesAndIsReadAnewWhereItIsAnother) {
    if (!gpu::can_read_machine_code()) GTEST_SKIP() << "the device tells no machine code";
    const auto read = code_reader(painting->studio.device());
    const auto code = read(painting->slot.loaded(), CodeKind::machine, 0);
    ASSERT_TRUE(code);
    EXPECT_EQ(code->problem, "");
    auto roots = lines_with(code->rows, "sqrt");
    roots.erase(0); // of copies that LLVM gives no line
    EXPECT_EQ(roots, std::set{kRoot});
    EXPECT_FALSE(read(painting->slot.loaded(), CodeKind::machine, code->id)) << "the same";
    EXPECT_TRUE(read(painting->slot.loaded(), CodeKind::machine, code->id + 1));
}

TEST_F(StudioCode, NothingIsReadWhileThePaneIsClosed) {
    painting->studio.show_code(CodeKind::ptx);
    painting->frame();
    painting->studio.show_code(CodeKind::none);
    const auto hits = [] { // of each compile that is wanted, and only of these
        const auto stats = gpu::CompileCache::instance().stats();
        return stats.memory_hits + stats.disk_hits + stats.misses;
    };
    std::this_thread::sleep_for(std::chrono::milliseconds{100}); // what was begun ends
    const auto before = hits();
    frames(20);
    EXPECT_EQ(hits(), before);
}

TEST_F(StudioCode, F10GoesFromOneKindToTheNextAndTheConsoleSaysIt) {
    press(Key::f10);
    EXPECT_EQ(painting->studio.shown_code(), CodeKind::ptx);
    EXPECT_EQ(console_lines_with("app.code_pane = \"ptx\""), 1);
    look();
    keep("code-ptx");
    press(Key::f10);
    EXPECT_EQ(painting->studio.shown_code(), CodeKind::machine);
    EXPECT_EQ(console_lines_with("app.code_pane = \"machine\""), 1);
    look();
    keep("code-machine");
    press(Key::f10);
    EXPECT_EQ(painting->studio.shown_code(), CodeKind::none);
    EXPECT_EQ(console_lines_with("app.code_pane = \"off\""), 1);
    painting->studio.show_code(CodeKind::ptx); // by a script, who knows
    frames(2);
    EXPECT_EQ(console_lines_with("app.code_pane = \"ptx\""), 1);
}
