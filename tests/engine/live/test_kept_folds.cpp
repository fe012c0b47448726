// SPDX-License-Identifier: MIT
// Folds of a text are found in another one by what they say.
#include "engine/live/kept_folds.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace lathe;

namespace {

const std::string kHead = "// A wave.\n", kBump = "float bump(float x)\n{\n    return x;\n}\n",
                  kStep = "void step()\n{\n    bump(1);\n}\n";

/// The brackets of kBump, in kHead + kBump.
std::vector<KeptFold> bump_in(const std::string& text, std::size_t line = 2) {
    return keep_folds(text, std::vector{FoldedLines{line, line + 2}});
}

std::vector<FoldedLines> at(std::size_t line) { return {{line, line + 2}}; }

} // namespace

TEST(KeptFolds, AreFoundWhereTheyWere) {
    const std::string text = kHead + kBump + kStep;
    const std::vector<FoldedLines> folds{{2, 4}, {6, 8}};
    EXPECT_EQ(find_folds(text, keep_folds(text, folds)), folds);
    EXPECT_TRUE(find_folds(text, {}).empty());
}

TEST(KeptFolds, MoveWithTheirLines) {
    const auto kept = bump_in(kHead + kBump + kStep);
    EXPECT_EQ(find_folds("// More.\n\n" + kHead + kStep + kBump, kept), at(8));
    EXPECT_EQ(find_folds(kBump, kept), at(1));
    EXPECT_EQ(find_folds("{\n    return x;\n}", kept), at(0)) << "no line ends the text";
}

TEST(KeptFolds, AreDroppedWithTheirLines) {
    const auto kept = bump_in(kHead + kBump + kStep);
    std::string changed = kHead + kBump + kStep;
    changed.replace(changed.find("return x"), 8, "return 2");
    EXPECT_TRUE(find_folds(changed, kept).empty()) << "a line within";
    EXPECT_TRUE(find_folds(kHead + "float bump(float x)\n{\n    return x;\n    }\n", kept).empty())
        << "the last line";
    EXPECT_TRUE(find_folds(kHead + "float bump(float x) {\n    return x;\n}\n", kept).empty())
        << "the first line";
    EXPECT_TRUE(find_folds("", kept).empty());
}

TEST(KeptFolds, OfEqualLinesTheOneThatWasFolded) {
    const std::string twice = kHead + kBump + kStep + kBump;
    EXPECT_EQ(find_folds("\n" + twice, bump_in(twice, 2)), at(3));
    EXPECT_EQ(find_folds("\n" + twice, bump_in(twice, 10)), at(11));
    EXPECT_TRUE(find_folds(kHead + kBump, bump_in(twice, 2)).empty()) << "which one is gone?";
    EXPECT_TRUE(find_folds(twice, bump_in(kHead + kBump)).empty()) << "which one is new?";
}

TEST(KeptFolds, AFileOfThem) {
    const std::string text = "namespace a  {\n\n}\n{ \n}\n" + kBump;
    const auto kept = keep_folds(text, std::vector<FoldedLines>{{0, 2}, {3, 4}, {6, 8}, {7, 90}});
    ASSERT_EQ(kept.size(), 3u) << "the text has no line 90";
    EXPECT_EQ(parse_folds(to_text(kept)), kept);
    EXPECT_EQ(find_folds(text, parse_folds(to_text(kept))),
              (std::vector<FoldedLines>{{0, 2}, {3, 4}, {6, 8}}));
    EXPECT_TRUE(parse_folds("").empty());
    EXPECT_EQ(parse_folds("spoilt\n1 2\n-3 x/1 a b\n99999999999999999999 0/1 a b\n" +
                          to_text(kept) + "3 0/1")
                  .size(),
              3u);
    EXPECT_TRUE(find_folds(text, parse_folds("999999999 0/1 " + kept[0].key + " namespace a  {\n"))
                    .empty());
}
