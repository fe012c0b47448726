// SPDX-License-Identifier: MIT
#include "engine/live/text_search.h"

#include <gtest/gtest.h>

#include <string>

using namespace lathe;

namespace {

std::string places(std::string_view text, const SearchFor& what) {
    std::string out;
    for (const SearchHit& hit : find_all(text, what)) {
        EXPECT_EQ(text[hit.offset] | 32, what.words[0] | 32);
        out += std::to_string(hit.line) + ':' + std::to_string(hit.column) + ' ';
    }
    return out;
}

} // namespace

TEST(TextSearch, FindsWhatIsAskedFor) {
    constexpr auto kText = "sum += Sum;\nsummer sum_2 sum\n\n  (sum)";
    EXPECT_EQ(places(kText, {"sum"}), "1:1 1:8 2:1 2:8 2:14 4:4 ");
    EXPECT_EQ(places(kText, {"sum", true}), "1:1 2:1 2:8 2:14 4:4 ");
    EXPECT_EQ(places(kText, {"sum", true, true}), "1:1 2:14 4:4 ");
    EXPECT_EQ(places(kText, {"(sum)", false, true}), "4:3 ");
    EXPECT_EQ(places(kText, {"sum\n"}), "2:14 ");
    EXPECT_EQ(places(kText, {""}), "");
    EXPECT_EQ(places(kText, {"none"}), "");
    EXPECT_EQ(places("aaaa", {"aa"}), "1:1 1:3 ") << "none within another";
}

TEST(TextSearch, PutsOtherWordsInTheirPlace) {
    std::string text = "a sum of sums, sum";
    const auto hits = find_all(text, {"sum"});
    text.replace(hits.front().offset, hits.back().offset + 3 - hits.front().offset,
                 replaced(text, hits, 3, "$1"));
    EXPECT_EQ(text, "a $1 of $1s, $1");
    EXPECT_EQ(replaced("x", {}, 3, "y"), "");
}
