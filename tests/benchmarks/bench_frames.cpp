// SPDX-License-Identifier: MIT
// What a frame's parts cost: points, the console's lines, the times' percentiles, GL calls with
// debug output. Medians; arguments name the parts to run: points, console, times, calls.
#include "engine/app/console.h"
#include "engine/app/frame_loop.h"
#include "engine/app/window.h"
#include "engine/core/statistics.h"
#include "engine/render/points.h"
#include "engine/scene/camera.h"
#include "engine/ui/console_panel.h"
#include "engine/ui/frame_times.h"
#include "engine/ui/imgui_layer.h"
#include "gl/buffer.h"
#include "gl/framebuffer.h"
#include "gl/headless_context.h"

#include <glad/gl.h>

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lathe;

double milliseconds(const std::function<void()>& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

double median_of(int rounds, const std::function<void()>& call) {
    std::vector<double> all;
    for (int i = 0; i < rounds; ++i) all.push_back(milliseconds(call));
    return median(all);
}

void points() {
    const gl::HeadlessContext context;
    fmt::print("{}\n", context.info().renderer);
    constexpr int kWidth = 1280, kHeight = 720;
    gl::Framebuffer target{kWidth, kHeight, gl::Format::rgba8, true};
    const OrbitCamera camera;
    const glm::mat4 view_projection = camera.view_projection(float(kWidth) / kHeight);
    PointsRenderer renderer;
    struct Case {
        const char* name;
        PointsStyle style;
    };
    const Case cases[] = {
        {"1 pixel, squares", {.size = 1, .round = false}},
        {"2 pixels, discs", {.size = 2}},
        {"world size of 1 to 2 pixels, squares",
         {.size = 0.005f, .world_size = true, .round = false}},
        {"world size of 1 to 2 pixels, discs", {.size = 0.005f, .world_size = true}},
        {"world size of 1 to 2 pixels, opaque",
         {.size = 0.005f, .world_size = true, .blend = Blend::opaque}},
        {"world size of 6 to 12 pixels, opaque",
         {.size = 0.03f, .world_size = true, .blend = Blend::opaque}},
    };
    for (const std::size_t count : {std::size_t{10'000}, std::size_t{1'000'000}}) {
        std::mt19937 engine{1};
        std::uniform_real_distribution<float> place{-1, 1};
        std::vector<float> places(3 * count);
        std::generate(places.begin(), places.end(), [&] { return place(engine); });
        const gl::Buffer positions{std::as_bytes(std::span{places})};
        for (const Case& each : cases) {
            const auto draw = [&] {
                renderer.draw({.positions = &positions, .count = count}, each.style,
                              view_projection, {kWidth, kHeight});
                glFinish();
            };
            std::vector<double> all;
            for (int i = 0; i < 9; ++i) {
                target.clear({0, 0, 0, 1});
                target.bind();
                glFinish();
                all.push_back(milliseconds(draw));
            }
            fmt::print("{:9} points, {}: {:.2f} ms\n", count, each.name, median(all));
        }
    }
}

void console() {
    Window window =
        Window::open({.title = "bench", .width = 1280, .height = 720, .headless = true});
    ImGuiLayer imgui{window};
    for (const int lines : {10, 500, 5000}) {
        Console console;
        for (int i = 0; i < lines; ++i)
            console.write(Console::Source::script, log::Level::info,
                          fmt::format("step {}: residual 1e-{} after {} iterations", i, i % 9, i));
        ConsolePanel panel{console};
        std::vector<double> drawing, whole;
        for (int i = 0; i < 60; ++i) {
            window.poll_events();
            whole.push_back(milliseconds([&] {
                imgui.begin_frame(1.0 / 60);
                ImGui::SetNextWindowSize({800, 200});
                ImGui::Begin("Console");
                drawing.push_back(milliseconds([&] { panel.draw(); }));
                ImGui::End();
                imgui.end_frame(window.screen());
                glFinish();
            }));
            window.input().begin_frame();
        }
        fmt::print("console of {:4} lines: {:.3f} ms, the frame with it {:.3f} ms\n", lines,
                   median(drawing), median(whole));
    }
}

void times() {
    FrameStats stats;
    std::mt19937 engine{1};
    std::normal_distribution<double> around{10, 2};
    for (int i = 0; i < 1000; ++i) stats.push({around(engine), 8, 5, around(engine)});
    double sum = 0;
    constexpr int kCalls = 1000;
    const double rate = median_of(15, [&] {
        for (int i = 0; i < kCalls; ++i) {
            stats.push({around(engine), 8, 5, around(engine)});
            sum += stats.frames_per_second();
        }
    });
    const double summary = median_of(15, [&] {
        for (int i = 0; i < kCalls; ++i) {
            stats.push({around(engine), 8, 5, around(engine)});
            sum += stats.summary(&FrameSample::frame_ms).p95;
        }
    });
    fmt::print("frames a second: {:.2f} us, a summary: {:.2f} us ({})\n", 1000 * rate / kCalls,
               1000 * summary / kCalls, sum > 0);
    Window window =
        Window::open({.title = "bench", .width = 1280, .height = 720, .headless = true});
    ImGuiLayer imgui{window};
    FrameTimes panel;
    std::vector<double> drawing;
    for (int i = 0; i < 240; ++i) {
        window.poll_events();
        imgui.begin_frame(1.0 / 60);
        stats.push({around(engine), 8, 5, around(engine)});
        ImGui::SetNextWindowSize({400, 250});
        ImGui::Begin("Times");
        drawing.push_back(milliseconds([&] { panel.draw(stats, 72); }));
        ImGui::End();
        imgui.end_frame(window.screen());
        window.input().begin_frame();
    }
    fmt::print("panel of the times: {:.1f} us\n", 1000 * median(drawing));
}

void calls() {
    const gl::HeadlessContext context;
    fmt::print("{}, debug output synchronous: {}\n", context.info().renderer,
               bool(glIsEnabled(GL_DEBUG_OUTPUT_SYNCHRONOUS)));
    gl::Framebuffer target{16, 16, gl::Format::rgba8, false};
    target.bind();
    const std::vector<float> middle{0, 0};
    const gl::Buffer positions{std::as_bytes(std::span{middle})};
    PointsRenderer renderer;
    constexpr int kDraws = 1000;
    const auto draws = [&] {
        for (int i = 0; i < kDraws; ++i)
            renderer.draw({.positions = &positions, .count = 1, .components = 2}, {.size = 1},
                          glm::mat4{1}, {16, 16});
    };
    for (const bool synchronous : {true, false, true, false}) {
        (synchronous ? glEnable : glDisable)(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        draws();
        glFinish();
        std::vector<double> submit, whole;
        for (int i = 0; i < 15; ++i)
            whole.push_back(milliseconds([&] {
                submit.push_back(milliseconds(draws));
                glFinish();
            }));
        fmt::print("a draw call, {}: {:.2f} us, with its end {:.2f} us\n",
                   synchronous ? "synchronous" : "not synchronous", 1000 * median(submit) / kDraws,
                   1000 * median(whole) / kDraws);
    }
}

} // namespace

int main(int argc, char** argv) {
    const auto wanted = [&](std::string_view part) {
        return argc < 2 || std::find(argv + 1, argv + argc, part) != argv + argc;
    };
    if (wanted("points")) points();
    if (wanted("console")) console();
    if (wanted("times")) times();
    if (wanted("calls")) calls();
}
