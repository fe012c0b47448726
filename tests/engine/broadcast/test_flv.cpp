// SPDX-License-Identifier: MIT
#include "engine/broadcast/flv.h"
#include "engine/core/error.h"
#include "tests/engine/broadcast/flv_file.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace lathe;
using namespace lathe::test;

std::optional<AccessUnit> give(FlvReader& reader, std::string_view bytes) {
    return reader.take(std::as_bytes(std::span{bytes.data(), bytes.size()}));
}

const std::string kStart{"\0\0\0\1", 4};

TEST(Flv, APictureIsThereWithItsLastByte) {
    FlvReader reader;
    const std::string key = flv_picture(true, {"one", "two"});
    EXPECT_FALSE(give(reader, flv_head() + flv_tag(18, "words") + flv_parameters()));
    EXPECT_FALSE(give(reader, key.substr(0, key.size() - 1)));
    const auto first = give(reader, key.substr(key.size() - 1));
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->is_key);
    EXPECT_EQ(first->bytes,
              kStart + "\x67set" + kStart + "\x68pic" + kStart + "one" + kStart + "two");
    const auto second = give(reader, flv_picture(false, {"more"}));
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->is_key);
    EXPECT_EQ(second->bytes, kStart + "more");
}

TEST(Flv, BytesComeInAnyPortions) {
    std::string file = flv_head() + flv_parameters() + flv_picture(true, {"key"});
    for (int k = 0; k < 20; ++k) file += flv_picture(false, {std::string(std::size_t(k * 7), 'x')});
    FlvReader reader;
    std::size_t pictures = 0;
    for (const char c : file)
        if (give(reader, {&c, 1})) ++pictures;
    EXPECT_EQ(pictures, 21u);
    FlvReader at_once;
    EXPECT_EQ(give(at_once, file)->bytes, kStart + std::string(19 * 7, 'x'));
}

TEST(Flv, WhatIsNoneIsRefused) {
    const auto why = [](const std::string& file) -> std::string {
        FlvReader reader;
        try {
            give(reader, file);
        } catch (const Error& error) { return error.what(); }
        return "";
    };
    EXPECT_TRUE(why(std::string(100, 'x')).ends_with("it begins otherwise"));
    EXPECT_TRUE(why(flv_head() + flv_tag(3, "x")).ends_with("a part is of no kind"));
    EXPECT_TRUE(why(flv_head() + flv_tag(9, "\x12\1xxxx")).ends_with("of another kind"));
    EXPECT_TRUE(why(flv_head() + flv_tag(9, "\x17")).ends_with("too short"));
    std::string longer = flv_picture(false, {"more"});
    longer.at(11 + 8) = 9; // of its slice's size
    EXPECT_TRUE(why(flv_head() + longer).ends_with("too short"));
}

TEST(Flv, AnyBytesAreReadOrRefused) {
    const std::string good =
        flv_head() + flv_parameters() + flv_picture(true, {"key"}) + flv_picture(false, {"next"});
    std::mt19937 random{7};
    int refused = 0;
    for (int k = 0; k < 5000; ++k) {
        std::string bad = good;
        for (int n = 0; n < 3; ++n) bad.at(random() % bad.size()) = char(random());
        FlvReader reader;
        try {
            give(reader, bad);
        } catch (const Error&) { ++refused; }
    }
    EXPECT_GT(refused, 100);
}

} // namespace
