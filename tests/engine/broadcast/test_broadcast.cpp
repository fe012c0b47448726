// SPDX-License-Identifier: MIT
// A broadcast without a window: frames in, packets out, words in, events out.
#include "engine/broadcast/broadcast.h"

#include "engine/core/error.h"
#include "tests/engine/broadcast/pictures.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>

namespace {

using namespace lathe;
using namespace std::chrono_literals;
using test::Decoded;
using test::halves;
using test::Page;

struct BroadcastTest : testing::Test {
    BroadcastTest() { broadcast->open({64, 48}); }
    ~BroadcastTest() override { broadcast->close(); }

    std::vector<InputEvent> events() {
        std::vector<InputEvent> taken;
        broadcast->take_events(taken);
        return taken;
    }
    void show(int tone) { broadcast->show(halves(64, 48, {tone, tone, tone}, {90, 0, 0})); }

    std::shared_ptr<Broadcast> broadcast = Broadcast::make();
};

TEST_F(BroadcastTest, AFrameComesToEachViewer) {
    EXPECT_FALSE(broadcast->wants_frame());
    Page first{broadcast->connect()}, second{broadcast->connect()};
    EXPECT_TRUE(broadcast->wants_frame());
    show(200);
    for (Page* page : {&first, &second}) {
        ASSERT_TRUE(page->take_until([&] { return !page->frames.empty(); }));
        EXPECT_EQ(page->frames[0].number, 1u);
        EXPECT_EQ(page->frames[0].width, 64);
        EXPECT_EQ(page->frames[0].height, 48);
        EXPECT_NEAR(Decoded(page->frames[0].jpeg).at(10, 10).red, 200, 6);
    }
    EXPECT_EQ(broadcast->status().frames, 1u);
}

TEST_F(BroadcastTest, WhatDoesNotChangeIsSentOnceMoreAndThenNoMore) {
    Page page{broadcast->connect()};
    for (int k = 0; k < 100; ++k) {
        show(200);
        page.take(10);
    }
    // The first, coarse; and that of a picture at rest, fine.
    ASSERT_EQ(page.frames.size(), 2u);
    EXPECT_EQ(page.frames[0].number, page.frames[1].number);
    EXPECT_LT(page.frames[0].jpeg.size(), page.frames[1].jpeg.size());
    EXPECT_EQ(broadcast->status().frames, 1u);
}

TEST_F(BroadcastTest, AStalledViewerGetsTwoFramesAndTheOthersAll) {
    Page good{broadcast->connect()}, stalled{broadcast->connect()};
    stalled.answers = false;
    for (int k = 0; k < 50; ++k) {
        show(k * 5);
        const std::size_t before = good.frames.size();
        ASSERT_TRUE(good.take_until([&] { return good.frames.size() > before; }));
        stalled.take(0);
    }
    stalled.take(50);
    EXPECT_EQ(good.frames.back().number, 50u);
    EXPECT_EQ(stalled.frames.size(), 2u);
    stalled.say("shown 50");
    const std::size_t before = stalled.frames.size();
    ASSERT_TRUE(stalled.take_until([&] { return stalled.frames.size() > before; }));
    EXPECT_EQ(stalled.frames.back().number, 50u); // the newest, not what it missed
}

TEST_F(BroadcastTest, OnlyWhoSteersIsHeard) {
    Page first{broadcast->connect()}, second{broadcast->connect()};
    first.take(0);
    second.take(0);
    EXPECT_TRUE(first.has("role 1 1"));
    EXPECT_TRUE(second.has("role 2 1"));
    second.say("key 65 down 0\ntext a");
    EXPECT_TRUE(events().empty());
    first.say("key 65 down 0\ntext %C3%A4");
    const auto heard = events();
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(std::get<KeyEvent>(heard[0]).key, Key::a);
    EXPECT_EQ(std::get<TextEvent>(heard[1]).character, U'ä');
}

TEST_F(BroadcastTest, SteeringIsAskedForAndGiven) {
    Page first{broadcast->connect()}, second{broadcast->connect()};
    second.say("give 2"); // only who has it gives it
    second.say("name Ada%20L.\nask");
    first.take(0);
    EXPECT_TRUE(first.has("asked 2 Ada%20L."));
    first.say("key 65 down 0\nbutton left down 0");
    events();
    first.say("give 2");
    const auto released = events(); // nothing stays down
    ASSERT_EQ(released.size(), 2u);
    EXPECT_FALSE(std::get<KeyEvent>(released[0]).down);
    EXPECT_FALSE(std::get<ButtonEvent>(released[1]).down);
    second.take(0);
    EXPECT_TRUE(second.has("role 2 2"));
    second.say("move 3 4");
    EXPECT_EQ(events().size(), 1u);
    first.say("move 3 4\ngive 1");
    EXPECT_TRUE(events().empty());
    second.say("give 99"); // nobody
    second.say("move 5 5");
    EXPECT_EQ(events().size(), 1u);
}

TEST_F(BroadcastTest, WhenTheOneWhoSteersLeavesTheNextDoes) {
    Page first{broadcast->connect()}, second{broadcast->connect()}, third{broadcast->connect()};
    first.say("key 65 down 0");
    events();
    first.viewer->leave();
    EXPECT_EQ(events().size(), 1u);
    second.say("move 1 1");
    third.say("move 2 2");
    const auto heard = events();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(std::get<MoveEvent>(heard[0]).position.x, 1);
    first.say("move 9 9"); // too late, and no harm
    EXPECT_TRUE(events().empty());
}

TEST_F(BroadcastTest, TheWindowFollowsWhoSteers) {
    Page first{broadcast->connect()}, second{broadcast->connect()};
    second.say("size 300 200 1");
    EXPECT_TRUE(events().empty());
    first.say("size 640 400 2");
    auto sizes = events();
    ASSERT_EQ(sizes.size(), 1u);
    EXPECT_EQ(std::get<ResizeEvent>(sizes[0]).width, 640);
    EXPECT_EQ(broadcast->pixel_ratio(), 2);
    broadcast->resized({640, 400});
    first.say("give 2");
    sizes = events();
    ASSERT_EQ(sizes.size(), 1u);
    EXPECT_EQ(std::get<ResizeEvent>(sizes[0]).height, 200);
    second.say("size 8000 4000 1"); // more pixels than a broadcast has, of the same shape
    const auto largest = std::get<ResizeEvent>(events().at(0));
    EXPECT_NEAR(double(largest.width) / largest.height, 2, 0.01);
    EXPECT_LE(largest.width * largest.height, 3840 * 2160);
}

TEST_F(BroadcastTest, MovesAndWheelsOfAFrameAreOne) {
    Page page{broadcast->connect()};
    for (int k = 0; k < 100; ++k) page.say("move " + std::to_string(k) + " 0");
    page.say("wheel 0 1\nwheel 0 2\nbutton left down 0\nmove 5 5");
    const auto heard = events();
    ASSERT_EQ(heard.size(), 4u);
    EXPECT_EQ(std::get<MoveEvent>(heard[0]).position.x, 99);
    EXPECT_EQ(std::get<WheelEvent>(heard[1]).delta.y, 3);
}

TEST_F(BroadcastTest, AFloodIsDroppedAndNothingStaysDown) {
    Page page{broadcast->connect()};
    page.say("key 65 down 0");
    for (int k = 0; k < 100000; ++k) page.say(k % 2 ? "text a" : "key 66 down 0");
    const auto heard = events();
    EXPECT_LE(heard.size(), 5000u);
    page.say("key 65 up 0\nkey 66 up 0");
    bool a = true, b = true;
    for (const auto& list : {heard, events()})
        for (const InputEvent& event : list)
            if (const auto* key = std::get_if<KeyEvent>(&event))
                (key->key == Key::a ? a : b) = key->down;
    EXPECT_FALSE(a);
    EXPECT_FALSE(b);
}

TEST_F(BroadcastTest, TheClipboardIsTheOneOfWhoSteers) {
    Page first{broadcast->connect()}, second{broadcast->connect()};
    second.say("paste no");
    first.say("paste yes%0A");
    EXPECT_EQ(broadcast->clipboard(), "yes\n");
    broadcast->set_clipboard("a b");
    broadcast->set_cursor(CursorShape::text);
    broadcast->set_title("T");
    first.take(0);
    second.take(0);
    EXPECT_TRUE(first.has("clipboard a%20b"));
    EXPECT_TRUE(first.has("cursor text"));
    EXPECT_FALSE(second.has("clipboard a%20b"));
    EXPECT_TRUE(second.has("title T"));
}

TEST_F(BroadcastTest, WaitsUntilThereIsSomething) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(broadcast->wait(0.02));
    EXPECT_GE(std::chrono::steady_clock::now() - began, 20ms);
    Page page{broadcast->connect()};
    EXPECT_TRUE(broadcast->wait(5)); // there is no frame yet
    EXPECT_TRUE(broadcast->wants_frame());
    show(1);
    EXPECT_FALSE(broadcast->wait(0.01));
    std::thread later{[&] {
        std::this_thread::sleep_for(20ms);
        page.say("key 65 down 0");
    }};
    EXPECT_TRUE(broadcast->wait(5));
    later.join();
}

TEST_F(BroadcastTest, AStillIsTheNewestPicture) {
    EXPECT_FALSE(broadcast->still(0.01));
    std::thread loop{[&] {
        while (!broadcast->wants_frame()) std::this_thread::sleep_for(1ms);
        show(120);
    }};
    const auto image = broadcast->still(5);
    loop.join();
    ASSERT_TRUE(image);
    EXPECT_EQ(image->channels, 3);
    EXPECT_EQ(int(*image->at(3, 3)), 120);
    EXPECT_EQ(int(*image->at(3, 47)), 0); // the bottom row
    EXPECT_FALSE(broadcast->wants_frame());
}

TEST_F(BroadcastTest, TheLastPictureStaysWhenTheWindowIsClosed) {
    Page page{broadcast->connect()};
    auto freed = std::make_shared<std::atomic<bool>>(false);
    RemoteFrame frame = halves(64, 48, {70, 70, 70}, {0, 0, 0});
    const std::byte* const texels = frame.rgba.get();
    frame.rgba = {texels, [kept = frame.rgba, freed](const std::byte*) { *freed = true; }};
    broadcast->show(std::move(frame));
    ASSERT_TRUE(page.take_until([&] { return !page.frames.empty(); }));
    broadcast->close();
    EXPECT_TRUE(*freed); // OpenGL may take its memory back
    page.take(0);
    EXPECT_TRUE(page.has("over"));
    EXPECT_EQ(int(*broadcast->still(5)->at(3, 3)), 70);
    page.say("key 65 down 0");
    EXPECT_TRUE(events().empty());
    broadcast->open({64, 48}); // a second window
    show(9);
    const std::size_t before = page.frames.size();
    EXPECT_TRUE(page.take_until([&] { return page.frames.size() > before; }));
}

TEST_F(BroadcastTest, ItHasOneWindowAndAHandfulOfViewers) {
    EXPECT_THROW(broadcast->open({64, 48}), Error);
    std::vector<std::shared_ptr<Viewer>> viewers;
    for (int k = 0; k < Broadcast::kMostViewers; ++k) viewers.push_back(broadcast->connect());
    EXPECT_THROW(broadcast->connect(), Error);
    viewers.pop_back();
    viewers.push_back(broadcast->connect());
    EXPECT_EQ(broadcast->status().viewers, Broadcast::kMostViewers);
    EXPECT_EQ(broadcast->description(), "broadcast to 64 viewers");
}

TEST_F(BroadcastTest, WhatIsNoMessageIsRefusedAndNothingElseHappens) {
    Page page{broadcast->connect()};
    EXPECT_THROW(page.say("move 1 2\nnonsense"), Error);
    EXPECT_EQ(events().size(), 1u);
    EXPECT_THROW(page.say(std::string(2 << 20, '\n')), Error);
    page.say("move 3 4");
    EXPECT_EQ(events().size(), 1u);
}

TEST_F(BroadcastTest, ViewersComeAndGoWhileFramesFlow) {
    std::atomic<bool> ends = false;
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&] {
            while (!ends) {
                Page page{broadcast->connect()};
                page.say("size 64 48 1\nkey 65 down 0\nmove 1 1");
                for (int n = 0; n < 5; ++n) page.take(2);
            }
        });
    for (int k = 0; k < 300; ++k) {
        broadcast->wants_frame();
        show(k % 250);
        events();
        broadcast->wait(0.001);
    }
    ends = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(broadcast->status().viewers, 0);
    EXPECT_GT(broadcast->status().sent_frames, 0u);
}

} // namespace
