// SPDX-License-Identifier: MIT
#include "engine/live/declarations.h"
#include "engine/ui/cuda_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace lathe;

TEST(CudaWords, EachStandsOnceAndIsExplained) {
    std::set<std::string> names;
    int explained = 0;
    for (const CudaWord& word : cuda_words()) {
        EXPECT_TRUE(names.insert(word.name).second) << word.name << " stands twice";
        if (word.kind == CudaWord::Kind::keyword) continue;
        ++explained;
        EXPECT_NE(word.written.find(word.name), std::string::npos) << word.name;
        ASSERT_FALSE(word.words.empty()) << word.name;
        EXPECT_TRUE(word.words.ends_with('.')) << word.name;
        EXPECT_LE(std::ranges::count(word.words, '.'), 6) << word.name;
        EXPECT_LT(word.words.size(), 240u) << word.name << ": a sentence or two";
        EXPECT_EQ(find_cuda_word(word.name), &word);
    }
    EXPECT_GT(explained, 150);
    EXPECT_EQ(find_cuda_word("threadIdy"), nullptr);
    EXPECT_EQ(find_cuda_word(""), nullptr);
}

TEST(CudaWords, FunctionsSayTheirParameters) {
    const auto parameters = [](std::string_view name) {
        return parameters_in(find_cuda_word(name)->written)->parameters;
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(parameters("atan2f"), (Words{"float y", "float x"}));
    EXPECT_EQ(parameters("atan2"), (Words{"double y", "double x"}));
    EXPECT_EQ(parameters("make_uchar4"),
              (Words{"unsigned char x", "unsigned char y", "unsigned char z", "unsigned char w"}));
    EXPECT_EQ(parameters("make_int1"), Words{"int x"});
    EXPECT_EQ(parameters("__shfl_xor_sync").size(), 4u);
    EXPECT_TRUE(parameters("__syncthreads").empty());
}

TEST(CudaWords, AlignmentOfVectors) { // sizes and alignments of the programming guide's table
    EXPECT_EQ(find_cuda_word("float3")->words, "3 values of float: 12 bytes, aligned to 4.");
    EXPECT_EQ(find_cuda_word("float4")->words, "4 values of float: 16 bytes, aligned to 16.");
    EXPECT_EQ(find_cuda_word("double2")->words, "2 values of double: 16 bytes, aligned to 16.");
    EXPECT_EQ(find_cuda_word("uchar2")->words, "2 values of unsigned char: 2 bytes, aligned to 2.");
}
