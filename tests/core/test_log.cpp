// SPDX-License-Identifier: MIT
#include "engine/core/log.h"

#include <gtest/gtest.h>

#include <vector>

TEST(Log, SinksSeeEveryLevelUntilRemoved) {
    std::vector<std::string> seen;
    const int key =
        lathe::log::add_sink([&](const lathe::log::Record& r) { seen.push_back(r.text); });
    lathe::log::debug("value {}", 3);
    lathe::log::info("more");
    lathe::log::remove_sink(key);
    lathe::log::info("unseen");
    EXPECT_EQ(seen, (std::vector<std::string>{"value 3", "more"}));
}
