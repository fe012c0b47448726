// SPDX-License-Identifier: MIT
// A test of a headless studio whose kernel paints a picture, a few frames after its start.
#pragma once

#include "engine/ui/imgui_layer.h"
#include "gpu/driver/api.h"
#include "gpu/nvrtc.h"
#include "tests/engine/ui/painting.h"

#include <gtest/gtest.h>

#include <optional>

namespace lathe {

class PaintingTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        config.headless = true;
        config.ui = true;
        config.restore = false;
        painting.emplace(config);
        ASSERT_TRUE(painting->slot.ready()) << painting->slot.log();
        frames(4);
    }
    void TearDown() override { EXPECT_EQ(ImGuiLayer::errors(), 0) << "Dear ImGui was misused"; }

    void frames(int n) { painting->frames(n); }

    AppConfig config; ///< a test's class may say more of it
    std::optional<Painting> painting;
};

} // namespace lathe
