// SPDX-License-Identifier: MIT
// The shortest program: an array, a kernel, a picture.
#include <lathe/app.h>

int main(int argc, char** argv) {
    lathe::App app{argc, argv, {.title = "ripple"}};
    auto height = app.array<float>({360, 640});
    auto& ripple = app.kernel("ripple.cu", "ripple");
    return app.run([&](const lathe::Step& step) {
        ripple.over(height.shape())(height, 640, 360, step.time);
        app.image(height, {.colormap = "viridis"});
    });
}
