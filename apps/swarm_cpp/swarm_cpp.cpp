// SPDX-License-Identifier: MIT
// A million points around wandering centres, in a window with editor and sliders.
#include <lathe/gpu.h>
#include <lathe/studio.h>

#include <imgui.h>

int main(int argc, char** argv) {
    constexpr int kCount = 1'000'000;
    lathe::Studio app{argc, argv, {.title = "swarm"}};
    const auto places = app.array<float>({kCount, 3});
    const auto velocities = app.array<float>({kCount, 3});
    const auto speeds = app.array<float>({kCount});
    auto& scatter = app.kernel("swarm.cu", "scatter");
    auto& move = app.kernel("swarm.cu", "move");
    const auto begin = [&] { scatter.over({kCount})(places, velocities, kCount); };
    app.on_reset(begin);
    app.events().on_key("b", [&](const lathe::KeyEvent&) { begin(); });
    app.add_panel("swarm", [&] {
        ImGui::Text("%d points", kCount);
        if (ImGui::Button("Scatter (B)")) begin();
    });
    lathe::ValueLog& mean_speed = app.plots().log_values("mean speed");
    return app.run([&](const lathe::Step& step) {
        const float pull = app.slider<float>("pull"), drag = app.slider<float>("drag");
        move.over({kCount})(places, velocities, speeds, kCount, step.time, step.dt, pull, drag);
        mean_speed(lathe::gpu::reduce(lathe::gpu::Reduction::mean, speeds));
        app.plots().histogram("speeds", speeds, {.bins = 64, .range = {{0, 2}}});
        app.points(places,
                   {.size = 1,
                    .opacity = 0.12f,
                    .blend = lathe::Blend::additive,
                    .round = false,
                    .colormap = "inferno",
                    .range = {0, 1.6f}},
                   {.values = &speeds});
    });
}
