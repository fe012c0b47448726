// SPDX-License-Identifier: MIT
// A warp in the studio: the button of the panel Thread, its lanes over time, one access by keys and
// by a click, the marked line.
#include "tests/engine/ui/rings_program.h"

#include <algorithm>
#include <bit>

using namespace lathe;
using State = WarpWatch::State;

namespace {

// A tile that is written in columns, and lanes that part.
constexpr const char* kTile =
    R"cu(__global__ void rings(float* out, int width, int height, int most) {
    __shared__ float tile[32 * 33];
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    tile[t % 32 * 32 + t / 32] = x;
    __syncthreads();
    if (x >= width || y >= height) return;
    float at = tile[t % 32 * 33];
    for (int i = 0; i < t % 4; ++i)
        at += out[(2 * t + i) % 512];
    out[y * width + x] = at;
}
)cu";
constexpr int kTileStore = 6, kTileBarrier = 7, kTileRead = 9, kTileLoop = 11; // lines

class StudioWarp : public RingsTest {
protected:
    WarpWatch& watch() { return program->studio.warp_watch(); }
    testing::AssertionResult until(State state) {
        const auto is = RingsTest::until([&] { return watch().state() == state; });
        return is ? is : testing::AssertionFailure() << int(watch().state()) << watch().problem();
    }
    /// F7 over the picture opens the panel; then its button.
    void follow_warp() {
        studio().window().inject(MoveEvent{{450, 250}});
        run(2);
        key(Key::f7);
        ASSERT_TRUE(RingsTest::until(
            [&] { return studio().thread_watch().state() == ThreadWatch::State::done; }));
        click(kButton, kRow);
        ASSERT_TRUE(until(State::done));
        studio().window().inject(MoveEvent{{100, 300}}); // no tooltips
        run(2);
    }
    std::vector<gpu::WarpStep> at(int line) {
        std::vector<gpu::WarpStep> steps;
        for (const gpu::WarpStep& step : watch().trace().steps)
            if (step.line == line && step.is_access()) steps.push_back(step);
        return steps;
    }
    static constexpr float kButton = 1232, kRow = 477; ///< "Warp"
    static constexpr float kFirstColumn = 771;
};

TEST_F(StudioWarp, TheButtonFollowsTheWarpOfTheThread) {
    follow_warp();
    EXPECT_NE(last_line().find("with lathe.trace_warp(rings, block=("), std::string::npos)
        << last_line();
    keep("studio-warp");
    studio().window().inject(MoveEvent{{450, 250}});
    run(2);
    const auto picked = studio().picked();
    EXPECT_EQ(watch().warp().kernel, "rings");
    EXPECT_EQ(watch().warp().thread.x, studio().thread_watch().thread().thread.x);
    const auto writes = at(10); // out[y * width + x] = at;
    ASSERT_EQ(writes.size(), 1u);
    EXPECT_EQ(writes[0].event, gpu::WarpEvent::write);
    EXPECT_EQ(std::popcount(writes[0].lanes), 32);
    // The pixel of the thread is among those that the warp writes.
    ASSERT_TRUE(picked);
    const auto pixel = std::uint64_t(picked->index[0] * kRingsWidth + picked->index[1]);
    const auto& addresses = writes[0].addresses;
    EXPECT_NE(std::ranges::find(addresses, program->shown.address() + 4 * pixel), addresses.end());
    EXPECT_TRUE(is_marked(10)) << "the first access is chosen";
}

TEST_F(StudioWarp, KeysGoFromStepToStepAndFromAccessToAccess) {
    program->kernel.slot().set_source(kTile);
    program->kernel.slot().compile_now();
    ASSERT_TRUE(
        RingsTest::until([&] { return program->kernel.slot().loaded()->source.text == kTile; }));
    follow_warp();
    ASSERT_EQ(at(kTileStore).size(), 1u);
    EXPECT_EQ(at(kTileStore)[0].turns(), 32u);
    ASSERT_EQ(at(kTileRead).size(), 1u);
    EXPECT_EQ(at(kTileRead)[0].turns(), 1u);
    EXPECT_EQ(at(kTileLoop).size(), 3u);
    EXPECT_TRUE(is_marked(kTileStore));
    keep("studio-warp-banks");
    key(Key::down);
    EXPECT_TRUE(is_marked(kTileRead));
    EXPECT_FALSE(is_marked(kTileStore));
    key(Key::down);
    EXPECT_TRUE(is_marked(kTileLoop));
    keep("studio-warp-sectors");
    key(Key::up);
    EXPECT_TRUE(is_marked(kTileRead));
    key(Key::end);
    EXPECT_FALSE(is_marked(kTileRead));
    key(Key::home);
    for (int i = 0; i < 40 && !is_marked(kTileBarrier); ++i) key(Key::right);
    EXPECT_TRUE(is_marked(kTileBarrier));
    EXPECT_EQ(program->kernel.slot().source(), kTile) << "the keys went to the panel";
}

TEST_F(StudioWarp, AClickOnAColumnChoosesItsStep) {
    follow_warp();
    ASSERT_TRUE(is_marked(10));
    click(kFirstColumn, 620);
    EXPECT_FALSE(is_marked(10));
    keep("studio-warp-click");
}

TEST_F(StudioWarp, ManyStepsAreScrolled) {
    std::string text = kRings;
    text.replace(text.find("i < most"), 8, "i < 99 + most");
    text.replace(text.find("at < 2"), 6, "at < 9e9f");
    program->kernel.slot().set_source(text);
    program->kernel.slot().compile_now();
    ASSERT_TRUE(
        RingsTest::until([&] { return program->kernel.slot().loaded()->source.text == text; }));
    follow_warp();
    EXPECT_GT(watch().trace().steps.size(), 100u);
    EXPECT_TRUE(is_marked(10)) << "the access at the end is chosen";
    keep("studio-warp-end");
    key(Key::home);
    EXPECT_FALSE(is_marked(10));
    keep("studio-warp-begin");
    click(kFirstColumn + 60, 620); // the loop
    EXPECT_TRUE(is_marked(7) || is_marked(8));
    key(Key::end);
    EXPECT_FALSE(is_marked(7) || is_marked(8));
}

} // namespace
