// SPDX-License-Identifier: MIT
// A studio without a window whose kernel writes a picture anew in each step, and the keys and the
// mouse of its user.
#pragma once

#include "engine/app/app_kernel.h"
#include "engine/app/console.h"
#include "engine/app/frame_loop.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/render/screenshot.h"
#include "engine/ui/imgui_layer.h"
#include "engine/ui/studio.h"
#include "gpu/array/array.h"
#include "gpu/driver/api.h"
#include "gpu/nvrtc.h"
#include "tests/engine/ui/last_pixels.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

namespace lathe {

constexpr int kRingsWidth = 64, kRingsHeight = 48;
inline constexpr const char* kRings = R"cu(// How many steps the point takes to leave the circle.
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
        shown = studio.array<float>({kRingsHeight, kRingsWidth});
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
        last_pixels.begin_frame();
        for (int i = 0; i < studio.run_control().steps(); ++i) {
            studio.begin_step();
            kernel.over(shown.shape())(shown, kRingsWidth, kRingsHeight, 6);
            studio.image(shown, {.range = ValueRange{0, 4}}, "rings");
        }
        studio.end_frame();
        last_pixels.end_frame();
        return true;
    }
    /// At most the last one has pixels.
    bool frames(int count, bool looked_at = true) {
        return last_pixels.frames(count, [this] { return frame(); }, looked_at);
    }
    Studio studio;
    AppKernel& kernel;
    gpu::Array shown;
    LastPixels last_pixels;
};

class RingsTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        program.emplace();
        run(4);
    }
    void TearDown() override { EXPECT_EQ(ImGuiLayer::errors(), 0) << "Dear ImGui was misused"; }

    void run(int frames) { program->frames(frames); }
    /// Frames until `is_so()`, for a minute at most.
    template <class Condition> testing::AssertionResult until(const Condition& is_so) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (!is_so())
            if (std::chrono::steady_clock::now() > limit || !program->frames(1, false))
                return testing::AssertionFailure() << "not in a minute";
        run(3);
        return testing::AssertionSuccess();
    }
    void click(float x, float y) {
        studio().window().inject(MoveEvent{{x, y}});
        program->frames(2, false);
        for (const bool down : {true, false}) {
            studio().window().inject(ButtonEvent{MouseButton::left, down, 0});
            program->frames(2, !down);
        }
    }
    void type(const std::string& text) {
        for (const char c : text) studio().window().inject(TextEvent{char32_t(c)});
        run(2);
    }
    void key(Key k, unsigned modifiers = 0) {
        studio().window().inject(KeyEvent{k, true, false, modifiers});
        program->frames(1, false);
        studio().window().inject(KeyEvent{k, false, false, modifiers});
        run(2);
    }
    /// The number of a line of the editor stands on the colour of a mark.
    bool is_marked(int line) {
        const ImageData picture = studio().screenshot(true);
        const std::byte* const p = picture.at(771, 55 + 17 * line);
        return int(p[2]) > int(p[0]) + 40;
    }
    std::string last_line() { return studio().console().lines().back().text; }
    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(std::filesystem::path{folder} / (name + ".png"), studio().screenshot(true));
    }
    Studio& studio() { return program->studio; }

    std::optional<Rings> program;
};

} // namespace lathe
