// SPDX-License-Identifier: MIT
#include "engine/core/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lathe {
namespace {

constexpr const char* kName = "LATHE_TEST_VARIABLE";

TEST(Environment, AnEmptyVariableIsNotSet) {
    unsetenv(kName);
    EXPECT_EQ(environment(kName), nullptr);
    setenv(kName, "", 1);
    EXPECT_EQ(environment(kName), nullptr);
    setenv(kName, "a value", 1);
    EXPECT_STREQ(environment(kName), "a value");
    unsetenv(kName);
}

} // namespace
} // namespace lathe
