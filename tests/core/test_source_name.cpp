// SPDX-License-Identifier: MIT
#include "engine/core/source_name.h"

#include <gtest/gtest.h>

namespace lathe {
namespace {

TEST(SourceName, IsWhatTheSourceSays) {
    EXPECT_EQ(source_name("_Z4stepPfi"), "step");
    EXPECT_EQ(source_name("_ZN3sim4stepEPf"), "sim::step");
    EXPECT_EQ(source_name("_Z4fillIfEvPT_"), "fill<float>");
    EXPECT_EQ(source_name("_Z6turnedILi4EEff"), "turned<4>");
    EXPECT_EQ(source_name("step"), "step");
    EXPECT_EQ(source_name("f"), "f") << "a name, and no mangled type";
    EXPECT_EQ(source_name("_Zbad"), "_Zbad");
    EXPECT_EQ(source_name(""), "");
}

} // namespace
} // namespace lathe
