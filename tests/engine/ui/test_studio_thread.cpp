// SPDX-License-Identifier: MIT
// A pixel's thread in the studio: F7 over the picture, a launch, its steps, the marked line.
#include "engine/app/app_kernel.h"
#include "engine/app/console.h"
#include "engine/app/frame_loop.h"
#include "engine/app/run_control.h"
#include "engine/app/screenshot.h"
#include "engine/app/window.h"
#include "engine/ui/imgui_layer.h"
#include "engine/ui/studio.h"
#include "gpu/array/array.h"
#include "gpu/driver/api.h"
#include "gpu/nvrtc.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>

using namespace lathe;
using State = ThreadWatch::State;

namespace {

constexpr int kWidth = 64, kHeight = 48, kLoop = 7;
constexpr const char* kRings = R"cu(// How many steps the point takes to leave the circle.
__global__ void rings(float* out, int width, int height, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float at = 0.01f * (x + 1);
    for (int i = 0; i < most && at < 2; ++i) {
        at *= 1.5f;
    }
    out[y * width + x] = at;
}
)cu";

/// A picture that a kernel writes anew in each step.
class Rings {
public:
    Rings() : studio{config()}, kernel{studio.kernel(kRings, "rings", {}, "rings.cu")} {
        shown = studio.array<float>({kHeight, kWidth});
    }
    static AppConfig config() {
        AppConfig c;
        c.width = 1280;
        c.height = 720;
        c.headless = true;
        c.ui = true;
        c.restore = false;
        return c;
    }
    bool frame() {
        if (!studio.begin_frame()) return false;
        for (int i = 0; i < studio.run_control().steps(); ++i)
            kernel.over(shown.shape())(shown, kWidth, kHeight, 6);
        studio.image(shown, {.range = ValueRange{0, 4}}, "rings");
        studio.end_frame();
        return true;
    }
    Studio studio;
    AppKernel& kernel;
    gpu::Array shown;
};

class StudioThread : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        program.emplace();
        run(4);
    }
    void TearDown() override { EXPECT_EQ(ImGuiLayer::errors(), 0) << "Dear ImGui was misused"; }

    void run(int frames) {
        for (int i = 0; i < frames; ++i) program->frame();
    }
    testing::AssertionResult until(State state) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (watch().state() != state) {
            if (std::chrono::steady_clock::now() > limit || !program->frame())
                return testing::AssertionFailure() << int(watch().state()) << watch().problem();
        }
        run(3);
        return testing::AssertionSuccess();
    }
    void key(Key k) {
        studio().window().inject(KeyEvent{k, true, false, 0});
        run(1);
        studio().window().inject(KeyEvent{k, false, false, 0});
        run(2);
    }
    /// The number of a line of the editor stands on the colour of a mark.
    bool is_marked(int line) {
        const ImageData picture = studio().screenshot(true);
        const std::byte* const p = picture.at(764, 55 + 17 * line);
        return int(p[2]) > int(p[0]) + 40;
    }
    std::string last_line() { return studio().console().lines().back().text; }
    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(std::filesystem::path{folder} / (name + ".png"), studio().screenshot(true));
    }
    Studio& studio() { return program->studio; }
    ThreadWatch& watch() { return program->studio.thread_watch(); }

    std::optional<Rings> program;
};

TEST_F(StudioThread, F7FollowsThePixelUnderTheMouse) {
    studio().window().inject(MoveEvent{{450, 250}});
    run(2);
    const auto picked = studio().picked();
    ASSERT_TRUE(picked && picked->thread);
    key(Key::f7);
    EXPECT_NE(last_line().find("with lathe.trace_thread(rings, block=("), std::string::npos)
        << last_line();
    ASSERT_TRUE(until(State::done));
    keep("studio-thread");
    const auto& lines = watch().lines();
    ASSERT_FALSE(lines.empty());
    const auto word = [&](const gpu::TraceLine& line, const char* name) {
        const auto* value = line.value(name);
        return value ? gpu::to_text(*value) : std::string{};
    };
    // The thread is that of the pixel: index is (row, column).
    EXPECT_EQ(word(lines.back(), "y"), std::to_string(picked->index[0]));
    EXPECT_EQ(word(lines.back(), "x"), std::to_string(picked->index[1]));
    float at = 0.01f * float(picked->index[1] + 1);
    for (int i = 0; i < 6 && at < 2; ++i) at *= 1.5f;
    EXPECT_EQ(std::stof(word(lines.back(), "at")), at);
    EXPECT_EQ(float(picked->value[0]), at);

    // Steps by keys, as the panel has the keyboard: the editor marks the line of each.
    EXPECT_TRUE(is_marked(2));
    for (int i = 0; i < 6; ++i) key(Key::down);
    keep("studio-thread-step");
    EXPECT_FALSE(is_marked(2));
    EXPECT_TRUE(is_marked(kLoop + 1));
    EXPECT_EQ(program->kernel.slot().source(), kRings) << "the keys went to the panel";
}

TEST_F(StudioThread, NothingToFollowIsSaid) {
    studio().window().inject(MoveEvent{{2, 2}}); // outside of the picture
    run(2);
    key(Key::f7);
    EXPECT_EQ(last_line(), "nothing is under the mouse whose thread could be followed");
    EXPECT_EQ(watch().state(), State::off);
    keep("studio-thread-none");
}

TEST_F(StudioThread, APausedProgramIsFollowedByItsNextStep) {
    studio().run_control().paused = true;
    run(2);
    watch().follow({&program->kernel.slot(), "rings", {0, 0, 0}, {3, 0, 0}});
    ASSERT_TRUE(until(State::waiting));
    EXPECT_EQ(watch().state(), State::waiting);
    studio().run_control().request_step();
    ASSERT_TRUE(until(State::done));
    EXPECT_GT(watch().lines().size(), 5u);
}

} // namespace
