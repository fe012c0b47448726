// SPDX-License-Identifier: MIT
// Both ends of a display line in one process, beside the display itself; and a window on it.
#include "engine/app/display_line.h"

#include "engine/app/display_message.h"
#include "engine/app/window.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace lathe;

/// Notes what is done with it.
class Noted final : public RemoteDisplay {
public:
    void open(glm::ivec2 at) override {
        if (refuses) throw Error{"refused"};
        size = at;
        is_open = true;
    }
    void close() override {
        is_open = false;
        frame = {};
    }
    std::string description() const override { return "noted"; }
    bool wants_frame() override { return true; }
    void show(RemoteFrame shown) override { frame = std::move(shown); }
    void resized(glm::ivec2 to) override { size = to; }
    void take_events(std::vector<InputEvent>& taken) override {
        taken.insert(taken.end(), events.begin(), events.end());
        events.clear();
    }
    bool wait(double seconds) override {
        waited = seconds;
        return !events.empty();
    }
    float pixel_ratio() const override { return 1.5f; }
    std::shared_ptr<RemoteDisplay> beside() override { return second; }
    void set_title(const std::string& text) override { title = text; }
    void set_cursor(CursorShape shape) override { cursor = shape; }
    std::string clipboard() const override { return copied; }
    void set_clipboard(const std::string& text) override { copied = text; }

    bool refuses = false, is_open = false;
    glm::ivec2 size{};
    RemoteFrame frame;
    std::vector<InputEvent> events;
    double waited = -1;
    std::string title, copied;
    CursorShape cursor = CursorShape::arrow;
    std::shared_ptr<Noted> second;
};

class DisplayLine : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_), 0);
        far_end_ = std::thread{[this] { carry_display(noted, sockets_[1]); }};
    }
    void TearDown() override {
        break_it();
        ::close(sockets_[1]);
    }
    int socket() const { return sockets_[0]; }
    /// As where the process at the far end dies.
    void break_it() {
        ::shutdown(sockets_[1], SHUT_RDWR);
        if (far_end_.joinable()) far_end_.join();
    }
    void until_the_near_end_is_gone() { far_end_.join(); }

    Noted noted;

private:
    int sockets_[2]{};
    std::thread far_end_;
};

RemoteFrame frame_of(int width, int height, std::byte value) {
    const auto bytes = std::size_t(width) * std::size_t(height) * 4;
    const std::shared_ptr<std::byte> own{new std::byte[bytes], std::default_delete<std::byte[]>{}};
    std::memset(own.get(), int(value), bytes);
    return {width, height, own};
}

TEST_F(DisplayLine, EveryCallArrives) {
    const auto near = connect_display(socket());
    near->open({30, 20});
    EXPECT_TRUE(noted.is_open);
    EXPECT_EQ(noted.size, (glm::ivec2{30, 20}));
    EXPECT_EQ(near->description(), "noted");
    EXPECT_TRUE(near->wants_frame());
    near->show(frame_of(30, 20, std::byte{7}));
    ASSERT_EQ(noted.frame.width, 30);
    ASSERT_EQ(noted.frame.height, 20);
    EXPECT_EQ(noted.frame.rgba.get()[0], std::byte{7});
    EXPECT_EQ(noted.frame.rgba.get()[30 * 20 * 4 - 1], std::byte{7});
    near->resized({40, 10});
    EXPECT_EQ(noted.size, (glm::ivec2{40, 10}));
    EXPECT_FALSE(near->wait(0.25));
    EXPECT_EQ(noted.waited, 0.25);
    EXPECT_EQ(near->pixel_ratio(), 1.5f);
    near->set_title("a title");
    EXPECT_EQ(noted.title, "a title");
    near->set_cursor(CursorShape::hand);
    EXPECT_EQ(noted.cursor, CursorShape::hand);
    near->set_clipboard("some\nwords");
    EXPECT_EQ(near->clipboard(), "some\nwords");
    near->close();
    EXPECT_FALSE(noted.is_open);
}

TEST_F(DisplayLine, EventsComeInTheirOrder) {
    const auto near = connect_display(socket());
    noted.events = {KeyEvent{Key::f6, true, true, kShift},
                    ButtonEvent{MouseButton::right, false, kAlt},
                    MoveEvent{{3, 4}},
                    WheelEvent{{0, -1}},
                    TextEvent{U'\u00e4'},
                    FocusEvent{false},
                    DropEvent{{"/tmp/a file", "/tmp/another"}},
                    ResizeEvent{7, 8},
                    CloseEvent{}};
    EXPECT_TRUE(near->wait(0));
    std::vector<InputEvent> events;
    near->take_events(events);
    ASSERT_EQ(events.size(), 9u);
    for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].index(), i);
    const auto& key = std::get<KeyEvent>(events[0]);
    EXPECT_TRUE(key.key == Key::f6 && key.down && key.repeat && key.modifiers == kShift);
    const auto& button = std::get<ButtonEvent>(events[1]);
    EXPECT_TRUE(button.button == MouseButton::right && !button.down && button.modifiers == kAlt);
    EXPECT_EQ(std::get<MoveEvent>(events[2]).position, (glm::vec2{3, 4}));
    EXPECT_EQ(std::get<WheelEvent>(events[3]).delta, (glm::vec2{0, -1}));
    EXPECT_EQ(std::get<TextEvent>(events[4]).character, U'\u00e4');
    EXPECT_FALSE(std::get<FocusEvent>(events[5]).focused);
    EXPECT_EQ(std::get<DropEvent>(events[6]).files,
              (std::vector<std::filesystem::path>{"/tmp/a file", "/tmp/another"}));
    EXPECT_EQ(std::get<ResizeEvent>(events[7]).height, 8);
    near->take_events(events);
    EXPECT_EQ(events.size(), 9u) << "none comes twice";
}

TEST_F(DisplayLine, FurtherWindowsHaveDisplaysOfTheirOwn) {
    const auto near = connect_display(socket());
    EXPECT_EQ(near->beside(), nullptr);
    noted.second = std::make_shared<Noted>();
    auto side = near->beside();
    ASSERT_NE(side, nullptr);
    side->open({5, 6});
    side->set_title("side");
    EXPECT_EQ(noted.second->size, (glm::ivec2{5, 6}));
    EXPECT_EQ(noted.second->title, "side");
    EXPECT_EQ(noted.title, "");
    side.reset();
    EXPECT_FALSE(noted.second->is_open);
    EXPECT_EQ(noted.second.use_count(), 1) << "the far end keeps it no longer";
}

TEST_F(DisplayLine, WhatIsRefusedIsThrown) {
    noted.refuses = true;
    const auto near = connect_display(socket());
    try {
        near->open({1, 1});
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) { EXPECT_STREQ(error.what(), "refused"); }
    EXPECT_EQ(near->description(), "noted") << "the line goes on";
}

TEST_F(DisplayLine, WithoutFarEndWindowsClose) {
    const auto near = connect_display(socket());
    near->open({8, 8});
    break_it();
    EXPECT_FALSE(noted.is_open);
    EXPECT_FALSE(near->wants_frame());
    EXPECT_TRUE(near->wait(10));
    near->show(frame_of(8, 8, std::byte{1}));
    std::vector<InputEvent> events;
    near->take_events(events);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<CloseEvent>(events[0]));
    near->close();
}

TEST_F(DisplayLine, WithoutNearEndItsWindowsAreClosed) {
    auto near = connect_display(socket());
    near->open({8, 8});
    near->show(frame_of(8, 8, std::byte{1}));
    near.reset();
    until_the_near_end_is_gone();
    EXPECT_FALSE(noted.is_open);
}

TEST_F(DisplayLine, NonsenseEndsIt) {
    const std::string nonsense(200, 'x');
    ASSERT_EQ(::send(socket(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL), 200);
    until_the_near_end_is_gone();
    EXPECT_FALSE(noted.is_open);
    ::close(socket());
}

TEST_F(DisplayLine, AnotherVersionIsRefused) {
    display::Writer text;
    text.put_text("lathe display 0");
    const display::CallHead head{display::Call::greet, 0, text.bytes().size()};
    ASSERT_TRUE(display::send_all(socket(), std::as_bytes(std::span{&head, 1})));
    ASSERT_TRUE(display::send_all(socket(), text.bytes()));
    display::AnswerHead answer;
    ASSERT_TRUE(display::receive_all(socket(), std::as_writable_bytes(std::span{&answer, 1})));
    EXPECT_EQ(answer.is_problem, 1u);
    std::vector<std::byte> words(answer.bytes);
    ASSERT_TRUE(display::receive_all(socket(), words));
    EXPECT_NE(display::Reader{words}.take_text().find("another version"), std::string::npos);
    ::close(socket());
}

TEST_F(DisplayLine, AFarEndThatIsNoneIsSaid) {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ::close(pair[1]);
    EXPECT_THROW(connect_display(pair[0]), Error);
    ::close(socket());
    ::setenv("LATHE_DISPLAY", "987654", 1);
    EXPECT_THROW(display_of_environment(), Error);
    EXPECT_EQ(std::getenv("LATHE_DISPLAY"), nullptr);
    EXPECT_EQ(display_of_environment(), nullptr);
}

TEST_F(DisplayLine, AWindowIsSeen) {
    {
        Window window = Window::open({.title = "far",
                                      .width = 32,
                                      .height = 16,
                                      .vsync = false,
                                      .display = connect_display(socket())});
        EXPECT_TRUE(noted.is_open);
        EXPECT_EQ(noted.title, "far");
        noted.events = {MoveEvent{{5, 6}}, ResizeEvent{48, 24}};
        for (int i = 0; i < 20; ++i) {
            window.enter();
            window.poll_events();
            window.screen().clear({1, 0, 0, 1});
            window.present();
            window.leave();
        }
        EXPECT_EQ(window.input().mouse(), (glm::vec2{5, 6}));
        ASSERT_NE(noted.frame.rgba, nullptr);
        EXPECT_EQ(noted.frame.width, 48);
        EXPECT_EQ(noted.frame.rgba.get()[0], std::byte{255});
        EXPECT_EQ(noted.frame.rgba.get()[1], std::byte{0});
    }
    EXPECT_FALSE(noted.is_open);
}

} // namespace
