// SPDX-License-Identifier: MIT
// Rows of cells at once against cells one by one.
#include "gpu/soft/rt/watch/block_order.h"
#include "gpu/soft/rt/watch/race_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

namespace lathe::soft {

namespace {

constexpr std::uint32_t kBytes = 256;
constexpr std::uint64_t kGrid = 7;

/// Blocks below `known` come before.
struct SomeBlocks final : GridOrder {
    std::uint32_t known = 0;
    bool is_before(const NumberedAccess& first) override { return first.block < known; }
};

using Noted = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t>;

std::vector<Noted> all_of(RaceCells& cells, std::uint32_t each) {
    const RaceRow row = cells.at(0, kBytes, each);
    std::vector<Noted> noted;
    for (std::uint32_t k = 0; k < row.count; ++k) {
        const auto of = [k](const RaceRow::Column& c) { // lanes of no access mean nothing
            return std::pair{c.numbers[k], c.numbers[k] ? c.lanes[k] : 0};
        };
        const auto [write, write_lanes] = of(row.write);
        const auto [read, read_lanes] = of(row.read);
        const auto [other, other_lanes] = of(row.other_read);
        noted.emplace_back(write, write_lanes, read, read_lanes, other, other_lanes);
    }
    return noted;
}

class RaceRows : public testing::TestWithParam<bool> {};

TEST_P(RaceRows, FindAndNoteWhatCellsDo) {
    const bool in_grid = GetParam();
    AccessBook& book = AccessBook::instance();
    std::array<WatchSite, 6> sites{};
    for (std::uint32_t k = 0; k < sites.size(); ++k) {
        sites[k].kind = k < 3 ? WatchedKind::read : WatchedKind::write;
        if (k % 3 == 2) sites[k].flags = kWatchedStrong;
    }
    std::mt19937 random{42};
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random()) % n; };
    int harmless = 0, races = 0;
    for (int round = 0; round < 300; ++round) {
        BlockOrder order;
        order.begin(96);
        SomeBlocks blocks;
        const std::uint32_t first = book.open(kGrid);
        const LiveAccesses live{first, kGrid};
        const RaceRules rules{order, in_grid ? &blocks : nullptr, live};
        RaceCells rows{kBytes}, cells{kBytes};
        std::uint32_t next = first;
        for (int step = 0; step < 40; ++step) {
            if (const std::uint32_t what = below(12); what == 0) {
                for (std::uint32_t w = 0; w < 3; ++w) order.arrive(0, w, true);
                order.open(0);
            } else if (what == 1) {
                order.sync(below(3), ~0u, ~0u);
            } else if (what == 2) {
                order.sync(below(3), 0xffu << below(24), ~0u);
            } else if (what == 3) {
                blocks.known = below(3);
            }
            const std::uint32_t warp = below(3), each = 4u << below(2);
            const std::uint32_t most = kBytes / each;
            const std::uint32_t lane = below(32);
            const std::uint32_t count = 1 + below(std::min(32 - lane, most));
            const std::uint32_t offset = below(most - count + 1) * each;
            const WatchedAccess now{
                {&sites[below(6)], in_grid ? below(3) : 0, order.clock(warp), warp},
                next,
                count == 1 ? static_cast<std::uint32_t>(random()) | 1u : 0};
            book.page(next)->accesses[next % AccessBook::kPage] = now;
            ++next;

            const auto one_by_one = [&](RaceCells& in) {
                const RaceRow row = in.at(offset, count * each, each);
                const std::uint32_t parts = each / row.bytes;
                bool found = false;
                for (std::uint32_t k = 0; k < row.count; ++k) {
                    WatchedAccess of = now;
                    if (count > 1) of.lanes = 1u << (lane + k / parts);
                    Race race;
                    found |= rules.access(row.cell(k), of, false, race);
                }
                return found;
            };
            const bool races_here = one_by_one(cells);
            const RaceRow row = rows.at(offset, count * each, each);
            std::array<std::uint32_t, 128> lanes{};
            for (std::uint32_t k = 0; k < row.count; ++k)
                lanes[k] = count > 1 ? 1u << (lane + k / (each / row.bytes)) : now.lanes;
            if (count == 1 && row.count == 1 ? rules.note_harmless(row, now)
                                             : rules.note_harmless(row, now, lanes.data())) {
                ++harmless;
                ASSERT_FALSE(races_here) << "round " << round << ", step " << step;
            } else {
                ASSERT_EQ(one_by_one(rows), races_here) << "round " << round << ", step " << step;
            }
            races += races_here;
            ASSERT_EQ(all_of(rows, 4), all_of(cells, 4)) << "round " << round << ", step " << step;
        }
        book.drop();
    }
    EXPECT_GT(harmless, 3000);
    EXPECT_GT(races, 1000);
}

INSTANTIATE_TEST_SUITE_P(Of, RaceRows, testing::Bool(), [](const auto& in_grid) {
    return in_grid.param ? "GlobalMemory" : "SharedMemory";
});

TEST(AccessBook, ForgetsGridsThatAreGone) {
    AccessBook& book = AccessBook::instance();
    const WatchSite site{};
    const std::uint32_t first = book.open(1), second = book.open(2);
    ASSERT_GE(second, first + AccessBook::kPage);
    book.page(first)->accesses[0] = {&site, 3, 4, 5};
    ASSERT_TRUE(book.find(first, 1));
    EXPECT_EQ(book.find(first, 1)->warp, 5u);
    EXPECT_FALSE(book.find(first, 2)) << "another grid's";
    EXPECT_FALSE(book.find(book.next(), 2)) << "not given out";
    book.drop();
    EXPECT_FALSE(book.find(first, 1));
    EXPECT_GT(book.open(3), second) << "numbers do not come again";
    book.drop();
}

} // namespace

} // namespace lathe::soft
