// SPDX-License-Identifier: MIT
// tests/python/test_exr.py decodes whole files.
#include "engine/app/exr.h"

#include "engine/core/error.h"
#include "tests/temp_folder.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

namespace {

using namespace lathe;

const test::TempFolder kExrFolder;

std::string contents_of(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

/// One number is shorter than what ZIP makes of it, and is there as it is.
TEST(Exr, OneNumberIsTheLastBlock) {
    const std::array<float, 1> one{0.1f};
    save_exr(kExrFolder / "deep" / "one.exr", {1, 1, 1, false, std::as_bytes(std::span{one})});
    const std::string file = contents_of(kExrFolder / "deep" / "one.exr");
    ASSERT_GT(file.size(), 20u);
    EXPECT_EQ(file.substr(0, 8), std::string("\x76\x2f\x31\x01\x02\0\0\0", 8));
    std::uint64_t place = 0;
    std::memcpy(&place, file.data() + file.size() - 20, sizeof place);
    EXPECT_EQ(place, file.size() - 12); // the table says where the block is
    std::array<std::int32_t, 2> head{};
    std::memcpy(head.data(), file.data() + place, sizeof head);
    EXPECT_THAT(head, testing::ElementsAre(0, 4)); // its row and bytes
    float found = 0;
    std::memcpy(&found, file.data() + place + 8, sizeof found);
    EXPECT_EQ(found, 0.1f);
}

TEST(Exr, WhatCannotBeWrittenIsNamed) {
    const std::array<float, 4> four{};
    const auto bytes = std::as_bytes(std::span{four});
    EXPECT_THROW(save_exr(kExrFolder / "x.exr", {2, 2, 2, false, bytes}), Error);
    EXPECT_THROW(save_exr(kExrFolder / "x.exr", {0, 2, 1, false, bytes}), Error);
    EXPECT_THROW(save_exr(kExrFolder / "x.exr", {1, 1, 5, false, bytes}), Error);
    EXPECT_THROW(save_exr(kExrFolder / "x.exr", {2, 2, 1, true, bytes}), Error);
    EXPECT_THROW(save_exr("/", {2, 2, 1, false, bytes}), Error);
}

} // namespace
