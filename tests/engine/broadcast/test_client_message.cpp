// SPDX-License-Identifier: MIT
#include "engine/broadcast/client_message.h"

#include "engine/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace lathe;
using client::parse;

template <class T> T read(std::string_view line) { return std::get<T>(parse(line)); }

std::string fault_of(std::string_view line) {
    try {
        parse(line);
    } catch (const Error& error) { return error.what(); }
    return "none";
}

TEST(ClientMessage, TellsWhatHandsDo) {
    const auto key = read<KeyEvent>("key 65 down 2");
    EXPECT_EQ(key.key, Key::a);
    EXPECT_TRUE(key.down && !key.repeat);
    EXPECT_EQ(key.modifiers, unsigned{kControl});
    const auto again = read<KeyEvent>("key 256 repeat 0");
    EXPECT_TRUE(again.down && again.repeat);
    EXPECT_FALSE(read<KeyEvent>("key -1 up 15").down);
    EXPECT_EQ(read<KeyEvent>("key -1 up 15").key, Key::unknown);
    const auto button = read<ButtonEvent>("button right up 1");
    EXPECT_EQ(button.button, MouseButton::right);
    EXPECT_FALSE(button.down);
    EXPECT_EQ(read<MoveEvent>("move 12.5 -3").position, (glm::vec2{12.5f, -3}));
    EXPECT_EQ(read<WheelEvent>("wheel 0 -1.25").delta, (glm::vec2{0, -1.25f}));
    EXPECT_FALSE(read<FocusEvent>("focus out").focused);
}

TEST(ClientMessage, TextIsPercentEncoded) {
    EXPECT_EQ(read<client::Typed>("text %C3%A4%F0%9F%98%80x").text, U"ä😀x");
    EXPECT_EQ(read<client::Paste>("paste a%0Ab%20c").text, "a\nb c");
    EXPECT_EQ(read<client::Paste>("paste ").text, "");
    EXPECT_EQ(read<client::Name>("name Ada%20L.").text, "Ada L.");
    const std::string all = "a b\n%ä~-_.Z9";
    EXPECT_EQ(read<client::Paste>("paste " + client::percent_encoded(all)).text, all);
}

TEST(ClientMessage, TellsOfTheLine) {
    const auto size = read<client::Size>("size 1280 720 1.5");
    EXPECT_EQ(size.width, 1280);
    EXPECT_EQ(size.height, 720);
    EXPECT_EQ(size.ratio, 1.5f);
    EXPECT_EQ(read<client::Shown>("shown 4294967295").frame, 4294967295u);
    EXPECT_EQ(read<client::Pong>("pong 7").number, 7u);
    EXPECT_EQ(read<client::Give>("give 3").viewer, 3);
    EXPECT_TRUE(read<client::Codec>("codec h264").shows_video);
    EXPECT_FALSE(read<client::Codec>("codec jpeg").shows_video);
    EXPECT_EQ(read<client::File>("file 12 a%2Fb").bytes, 12u);
    EXPECT_EQ(read<client::File>("file 0 a%2Fb").name, "a/b");
    EXPECT_EQ(read<client::File>("file 0 ").name, "");
    read<client::Drop>("drop");
    EXPECT_EQ(read<client::Look>("look 2").window, 2);
    read<client::Ask>("ask");
    read<CloseEvent>("close");
}

TEST(ClientMessage, WhatIsWrongIsQuoted) {
    EXPECT_EQ(fault_of("key 65"), "message 'key 65': what the key does is missing");
    EXPECT_EQ(fault_of("fly 1 2"), "message 'fly 1 2': it is not known");
    EXPECT_EQ(fault_of("size 8 720 1"), "message 'size 8 720 1': the width is 16 to 8192");
    EXPECT_EQ(fault_of("a\x01\xff"), "message 'a\\x01\\xff': it is not known");
    EXPECT_THAT(fault_of(std::string(100, 'q')), testing::HasSubstr("qqq…'"));
}

TEST(ClientMessage, RefusesWhatIsNoMessage) {
    for (const char* line : {"",
                             " ",
                             "key",
                             "key 65 down",
                             "key 65 down 0 1",
                             "key 65 sideways 0",
                             "key 349 down 0",
                             "key -2 down 0",
                             "key 65 down 16",
                             "key 1e3 down 0",
                             "button fourth down 0",
                             "codec vp9",
                             "file x a",
                             "file -1 a",
                             "file 1e30 a",
                             "file 1 %ff",
                             "drop x",
                             "codec",
                             "look",
                             "look -1",
                             "look 1 2",
                             "close 1",
                             "move 1",
                             "move nan 0",
                             "move inf 0",
                             "move 1e9 0",
                             "wheel 0 x",
                             "focus maybe",
                             "text %",
                             "text %4",
                             "text %zz",
                             "text a b",
                             "text %C3",
                             "text %C0%80",
                             "text %ED%A0%80",
                             "text %F4%90%80%80",
                             "text %E0%80%80",
                             "text %80",
                             "paste %FF",
                             "name %0A",
                             "size 1280 720",
                             "size 1280 99999 1",
                             "size 1280 720 0",
                             "size 1280 720 nan",
                             "shown -1",
                             "shown 4294967296",
                             "give 0",
                             "ask me",
                             "KEY 65 down 0",
                             "key  65 down 0"})
        EXPECT_THROW(parse(line), Error) << line;
    EXPECT_THROW(parse("name " + std::string(65, 'a')), Error);
    EXPECT_THROW(parse("paste " + std::string(kLongestClientMessage, 'a')), Error);
}

} // namespace
