// SPDX-License-Identifier: MIT
// Fixture of tests that need a device: skipped where the one that LATHE_DEVICE names is absent.
#pragma once

#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/driver/api.h"
#include "gpu/module.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace lathe::gpu {

class DeviceTest : public testing::Test {
protected:
    void SetUp() override {
        const std::string problem = driver_problem();
        const char* device = std::getenv("LATHE_DEVICE");
        const bool absent = !device || std::string_view{device} != "software" ||
                            problem.find("was not found") != std::string::npos;
        if (!problem.empty() && absent) GTEST_SKIP() << problem;
        ASSERT_EQ(problem, "");
        Context::primary().make_current();
    }
};

inline Module compile_module(std::string source) {
    return Module{compile_or_throw({.source = std::move(source), .name = "test.cu"})};
}

} // namespace lathe::gpu
