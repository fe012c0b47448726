// SPDX-License-Identifier: MIT
// The smallest program of a studio: one kernel paints a picture, and its source says the colour.
#pragma once

#include "engine/app/frame_loop.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/interop/shared_buffer.h"
#include "engine/live/launch_watch.h"
#include "engine/render/screenshot.h"
#include "engine/ui/studio.h"
#include "gpu/launch.h"
#include "gpu/stream.h"
#include "tests/engine/ui/last_pixels.h"

#include <array>
#include <cmath>

namespace lathe {

inline constexpr const char* kPaintSource = R"cu(#define RED 200
// Paints a square of blue level `level` that grows with `step`.
extern "C" __global__ void paint(uchar4* picture, int size, int step,
                                 float level) //@ 0..1 =0.5
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) return;
    const bool inside = x < step % size;
    picture[y * size + x] = make_uchar4(RED, inside ? 120 : 40, 255.0f * level + 0.5f, 255);
}
)cu";

class Painting {
public:
    static constexpr int kSize = 64;

    explicit Painting(AppConfig config, const char* source = kPaintSource)
        : studio{std::move(config)}, slot{studio.kernel_slot(source, "paint", {}, "paint.cu")},
          pixels{kSize * kSize * 4} {}

    /// One frame; false once the window is closed.
    bool frame() {
        if (!studio.begin_frame()) return false;
        last_pixels.begin_frame();
        if (studio.run_control().reset()) steps = 0;
        steps += studio.run_control().steps();
        if (slot.ready()) {
            const auto level = float(std::get<double>(studio.parameters().get("level")));
            const Mapping mapped = pixels.map(studio.stream());
            const unsigned blocks = (kSize + 15) / 16;
            const gpu::LaunchConfig config{{blocks, blocks, 1}, {16, 16, 1}, 0, studio.stream()};
            const auto launch = [&](void** arguments) {
                LaunchWatch* const watch = studio.launch_watch(slot, "paint");
                if (watch) watch->launch(config, {}, arguments);
                else slot.kernel().launch(config, arguments);
            };
            gpu::launch_by(slot.kernel(), launch, mapped.span<>(), int{kSize}, steps, level);
        }
        studio.draw_image(ImageBuffer{.buffer = &pixels.buffer(),
                                      .dtype = DType::uint8,
                                      .height = kSize,
                                      .width = kSize,
                                      .channels = 4},
                          {.range = {{0, 255}}});
        studio.end_frame();
        last_pixels.end_frame();
        return true;
    }
    /// At most the last one has pixels.
    bool frames(int count, bool looked_at = true) {
        return last_pixels.frames(count, [this] { return frame(); }, looked_at);
    }

    /// Colour in the middle of the scene.
    std::array<int, 3> middle() {
        const ImageData image = studio.screenshot();
        const std::byte* p = image.at(image.width / 2, image.height / 2);
        return {int(p[0]), int(p[1]), int(p[2])};
    }

    Studio studio;
    KernelSlot& slot;
    SharedBuffer pixels;
    LastPixels last_pixels;
    int steps = 0;
};

} // namespace lathe
