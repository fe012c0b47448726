// SPDX-License-Identifier: MIT
// A headless App whose steps are drawn one by one.
#pragma once

#include "engine/app/app.h"
#include "engine/render/screenshot.h"
#include "tests/gpu/device_test.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace lathe::test {

class SceneTest : public gpu::DeviceTest {
protected:
    SceneTest(int width, int height) : width_{width}, height_{height} {}
    void SetUp() override {
        gpu::DeviceTest::SetUp();
        if (IsSkipped()) return;
        app = std::make_unique<App>(config());
    }
    AppConfig config() const {
        AppConfig config;
        config.width = width_;
        config.height = height_;
        config.headless = true;
        return config;
    }

    ImageData shown(const std::function<void()>& draw) {
        EXPECT_TRUE(app->begin_frame());
        app->begin_step();
        draw();
        app->end_frame();
        return app->screenshot();
    }
    gpu::Array floats(const gpu::Extents& shape, const std::vector<float>& values) {
        return app->array<float>(shape, std::span{values});
    }
    static std::array<int, 3> color(const ImageData& image, int x, int y) {
        const std::byte* at = image.at(x, y);
        return {int(at[0]), int(at[1]), int(at[2])};
    }
    static bool is_dark(const std::array<int, 3>& color) {
        return color[0] < 30 && color[1] < 30 && color[2] < 30;
    }

    std::unique_ptr<App> app;

private:
    int width_, height_;
};

} // namespace lathe::test
