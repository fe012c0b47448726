// SPDX-License-Identifier: MIT
// The table of keys, in the studio and in the pages.
#include "bench.h"

#include "engine/core/resources.h"
#include "engine/ui/key_map.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace lathe;

namespace {

using Row = std::pair<std::string, std::string>;

/// The rows below "| key | what it does |" in a page, links as their words, with the headings
/// above them as rows of their own.
std::vector<Row> rows_of(const std::string& page) {
    std::ifstream file{resource_root() / "docs" / page};
    std::vector<Row> rows;
    bool is_table = false;
    for (std::string line; std::getline(file, line);) {
        line = std::regex_replace(line, std::regex{R"(\[([^\]]*)\]\([^)]*\))"}, "$1");
        std::smatch found;
        if (line == "| key | what it does |") is_table = true;
        else if (line.starts_with("## ")) rows.emplace_back(line.substr(3), "");
        else if (!line.starts_with("|")) is_table = false;
        else if (is_table && std::regex_match(line, found, std::regex{R"(\| (.*) \| (.*) \|)"}))
            rows.emplace_back(found[1], found[2]);
    }
    return rows;
}

} // namespace

TEST(KeyMap, ThePageHasTheSameRows) {
    std::vector<Row> rows;
    for (const KeyGroup& group : key_map()) {
        rows.emplace_back(group.where, "");
        for (const KeyRow& row : group.rows) rows.emplace_back(row.keys, row.does);
    }
    EXPECT_EQ(rows_of("keys.md"), rows);
    EXPECT_GT(rows.size(), 40u);
}

TEST(KeyMap, TheFirstHourSaysNothingElse) {
    std::set<Row> known;
    for (const KeyGroup& group : key_map())
        for (const KeyRow& row : group.rows) known.emplace(row.keys, row.does);
    int rows = 0;
    for (const Row& row : rows_of("first-hour.md")) {
        if (row.second.empty()) continue; // a heading
        EXPECT_TRUE(known.contains(row)) << row.first << ": " << row.second;
        ++rows;
    }
    EXPECT_GT(rows, 10);
}

TEST(KeyMap, F1ShowsItAndEscapeHidesIt) {
    UiBench bench;
    bench.run(3);
    bench.key(Key::f1);
    bench.run(2);
    EXPECT_TRUE(bench.key_map.is_open());
    bench.keep("key-map");
    bench.key(Key::escape);
    EXPECT_FALSE(bench.key_map.is_open());
    bench.click(1262, 18); // the ? of the bar
    EXPECT_TRUE(bench.key_map.is_open());
    bench.key(Key::f1);
    EXPECT_FALSE(bench.key_map.is_open());
}
