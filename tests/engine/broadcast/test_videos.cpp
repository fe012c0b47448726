// SPDX-License-Identifier: MIT
// H.264 to viewers: by an encoder that is a small script, and by the ffmpeg program where it is.
#include "engine/broadcast/broadcast.h"

#include "engine/broadcast/h264.h"
#include "engine/broadcast/video_line.h"
#include "engine/core/error.h"
#include "engine/core/process.h"
#include "tests/engine/broadcast/flv_file.h"
#include "tests/engine/broadcast/pictures.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>

namespace {

using namespace lathe;
using namespace std::chrono_literals;
using test::halves;
using test::Page;

constexpr int kWidth = 64, kHeight = 48;

std::size_t open_file_count() {
    const std::filesystem::directory_iterator files{"/proc/self/fd"};
    return std::size_t(std::distance(begin(files), end(files)));
}

/// A broadcast whose ffmpeg is a script. The script's first run is the trial.
struct VideosTest : testing::Test {
    ~VideosTest() override {
        if (broadcast) broadcast->close();
        broadcast.reset();
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    }
    void open(const std::string& script, VideoUse use = VideoUse::always) {
        write("head", test::flv_head() + test::flv_parameters());
        write("key", test::flv_picture(true, {"key"}));
        write("next", test::flv_picture(false, {"next"}));
        write("rubbish", std::string(1000, 'x'));
        write("ffmpeg", "#!/bin/bash\ncd " + folder.path().string() +
                            "\necho \"$@\" >> runs\n"
                            "side() { [[ \"$*\" =~ -video_size\\ ([0-9]+)x([0-9]+) ]]; "
                            "bytes=$((BASH_REMATCH[1] * BASH_REMATCH[2] * 3 / 2)); }\n"
                            "side \"$@\"\n"
                            "picture() { head -c $bytes | wc -c >> sizes; cat $1; }\n" +
                            script);
        std::filesystem::permissions(folder / "ffmpeg", std::filesystem::perms::owner_all);
        broadcast = Broadcast::make({use, (folder / "ffmpeg").string()});
        broadcast->open({kWidth, kHeight});
    }
    void write(const std::string& name, const std::string& text) {
        std::ofstream{folder / name, std::ios::binary} << text;
    }
    std::size_t runs() {
        std::ifstream file{folder / "runs"};
        std::size_t count = 0;
        for (std::string line; std::getline(file, line);) ++count;
        return count;
    }
    void show(int of_tone) {
        broadcast->show(halves(kWidth, kHeight, {of_tone, of_tone, of_tone}, {90, 0, 0}));
    }
    /// Shows other frames until then.
    template <class Done> bool show_until(Page& page, const Done& is_done) {
        return page.take_until([&] {
            show(++tone % 250);
            return is_done();
        });
    }
    bool show_until_codec(Page& page, int codec) {
        return show_until(
            page, [&] { return !page.frames.empty() && page.frames.back().codec == codec; });
    }

    test::TempFolder folder;
    std::shared_ptr<Broadcast> broadcast;
    int tone = 0;
};

const char* const kGood = "cat head; picture key; while picture next; do :; done";

TEST_F(VideosTest, AViewerWhoCanGetsH264AndAnotherJpeg) {
    open(kGood);
    Page can{broadcast->connect()}, cannot{broadcast->connect()};
    can.say("codec h264");
    ASSERT_TRUE(show_until_codec(can, 1));
    const auto key =
        std::ranges::find_if(can.frames, [](const auto& frame) { return frame.codec == 2; });
    ASSERT_NE(key, can.frames.end());
    EXPECT_TRUE(key->jpeg.ends_with("key"));
    EXPECT_TRUE((key + 1)->jpeg.ends_with("next"));
    EXPECT_GT((key + 1)->number, key->number);
    cannot.take(100);
    ASSERT_FALSE(cannot.frames.empty());
    for (const auto& frame : cannot.frames) EXPECT_EQ(frame.codec, 0);
    EXPECT_EQ(broadcast->status().videos, 1);
}

TEST_F(VideosTest, APictureThatRestsIsAJpegAndTheStreamGoesOn) {
    open(kGood);
    Page page{broadcast->connect()};
    page.say("codec h264");
    ASSERT_TRUE(show_until_codec(page, 1));
    ASSERT_TRUE(page.take_until([&] { return page.frames.back().codec == 0; }));
    const std::size_t before = runs();
    ASSERT_TRUE(show_until_codec(page, 1)); // no key: what the decoder knows is still right
    EXPECT_EQ(runs(), before);
    for (std::size_t k = 1; k < page.frames.size(); ++k)
        EXPECT_GE(page.frames[k].number, page.frames[k - 1].number);
}

TEST_F(VideosTest, ALineThatIsShortGetsIt) {
    open(kGood, VideoUse::when_the_line_is_short);
    Page page{broadcast->connect()};
    page.say("codec h264");
    for (int k = 0; k < 20; ++k) show(++tone), page.take(10);
    for (const auto& frame : page.frames) EXPECT_EQ(frame.codec, 0);
    page.answers = false; // from now on after 100 ms
    const auto end = std::chrono::steady_clock::now() + 10s;
    std::size_t answered = 0;
    while (page.frames.back().codec != 1 && std::chrono::steady_clock::now() < end) {
        show(++tone % 250);
        page.take(100);
        if (answered < page.frames.size())
            page.say("shown " + std::to_string(page.frames[answered++].number));
    }
    EXPECT_EQ(page.frames.back().codec, 1);
}

TEST_F(VideosTest, AnEncoderThatIsTooSlowGivesWayToJpeg) {
    open("cat head; picture key; while sleep 0.15; picture next; do :; done",
         VideoUse::when_the_line_is_short);
    Page page{broadcast->connect()};
    page.say("codec h264");
    page.answers = false;
    std::size_t answered = 0;
    const auto show_slowly_until = [&](const auto& is_done) {
        return show_until(page, [&] {
            std::this_thread::sleep_for(page.frames.empty() ? 0ms : 90ms);
            if (answered < page.frames.size())
                page.say("shown " + std::to_string(page.frames[answered++].number));
            return is_done();
        });
    };
    ASSERT_TRUE(show_slowly_until([&] { return broadcast->status().videos == 1; }));
    ASSERT_TRUE(show_slowly_until([&] { return broadcast->status().videos == 0; }));
    const std::size_t before = runs();
    page.answers = true;
    for (const auto end = std::chrono::steady_clock::now() + 600ms;
         std::chrono::steady_clock::now() < end;)
        show(++tone % 250), page.take(10);
    EXPECT_EQ(runs(), before);
    EXPECT_EQ(page.frames.back().codec, 0);
}

TEST_F(VideosTest, WithNeverThereIsNone) {
    open(kGood, VideoUse::never);
    Page page{broadcast->connect()};
    page.say("codec h264");
    for (int k = 0; k < 30; ++k) show(++tone), page.take(10);
    EXPECT_EQ(runs(), 0u);
    EXPECT_EQ(broadcast->status().videos, 0);
}

TEST_F(VideosTest, AnotherSizeBeginsAnotherStream) {
    open(kGood);
    Page page{broadcast->connect()};
    page.say("codec h264");
    ASSERT_TRUE(show_until_codec(page, 1));
    page.take_until([&] { return page.frames.back().codec == 0; }); // it rests
    broadcast->show(halves(33, 31, {1, 2, 3}, {4, 5, 6}));
    ASSERT_TRUE(page.take_until([&] { return page.frames.back().width == 33; }));
    const auto first =
        std::ranges::find_if(page.frames, [](const auto& frame) { return frame.width == 33; });
    EXPECT_EQ(first->codec, 2);
    EXPECT_EQ(first->height, 31);
    std::ifstream sizes{folder / "sizes"};
    std::size_t last = 0;
    while (sizes >> last) {}
    EXPECT_EQ(last, 34u * 32 * 3 / 2);
}

/// Who gets what a line of H.264 makes.
struct Taker final : VideoLine::Owner {
    void video_ready(const VideoLine&) override { is_ready = true; }
    void video_encoded(const VideoLine&, VideoLine::Result result) override {
        is_key = result.unit.is_key;
        ++count;
    }
    void video_failed(const VideoLine&, const std::string& why) override {
        ADD_FAILURE() << why;
        has_failed = true;
    }

    std::atomic<bool> is_ready = false, is_key = false, has_failed = false;
    std::atomic<int> count = 0;
};

TEST_F(VideosTest, AnotherQualityInterruptsNothing) {
    open(kGood);
    Taker taker;
    VideoLine line{taker, 1, std::make_shared<H264Program>((folder / "ffmpeg").string())};
    while (!taker.is_ready && !taker.has_failed) std::this_thread::sleep_for(1ms);
    const auto is_key_at = [&](int quality) {
        const int before = taker.count;
        line.encode({halves(kWidth, kHeight, {1, 2, 3}, {4, 5, 6}), 1, quality});
        for (int k = 0; k < 5000 && taker.count == before; ++k) std::this_thread::sleep_for(1ms);
        return taker.is_key.load();
    };
    EXPECT_TRUE(is_key_at(20));
    EXPECT_FALSE(is_key_at(30)) << "the old stream goes on";
    EXPECT_FALSE(is_key_at(20));
    EXPECT_FALSE(is_key_at(30));
    std::this_thread::sleep_for(400ms);
    EXPECT_TRUE(is_key_at(30));
    EXPECT_FALSE(is_key_at(30));
}

TEST_F(VideosTest, APageThatCannotAfterAllGetsJpeg) {
    open(kGood);
    Page page{broadcast->connect()};
    page.say("codec h264");
    ASSERT_TRUE(show_until_codec(page, 1));
    page.say("codec jpeg");
    ASSERT_TRUE(show_until_codec(page, 0));
    show(++tone);
    page.take(50);
    EXPECT_EQ(page.frames.back().codec, 0);
    EXPECT_EQ(broadcast->status().videos, 0);
}

/// Whatever the encoder does after its trial, frames come: as JPEG.
struct BadEncoderTest : VideosTest {
    void expect_jpeg(const std::string& script) {
        const std::size_t files = open_file_count();
        open("if [ $(wc -l < runs) = 1 ]; then " + std::string{kGood} + "; fi\n" + script);
        Page page{broadcast->connect()}, other{broadcast->connect()};
        page.say("codec h264");
        ASSERT_TRUE(show_until(page, [&] { return runs() == 2; }));
        const std::size_t others = other.frames.size();
        ASSERT_TRUE(show_until(other, [&] { return other.frames.size() > others + 20; }));
        ASSERT_TRUE(show_until(page, [&] { return broadcast->status().videos == 0; }));
        EXPECT_EQ(runs(), 2u);
        const std::size_t before = page.frames.size();
        ASSERT_TRUE(show_until(page, [&] { return page.frames.size() > before + 3; }));
        EXPECT_EQ(page.frames.back().codec, 0);
        broadcast->close();
        EXPECT_LE(open_file_count(), files + 2); // the lines' signals
        broadcast->open({kWidth, kHeight});
    }
};

TEST_F(BadEncoderTest, ItEnds) { expect_jpeg("cat head; picture key; exit 1"); }
TEST_F(BadEncoderTest, ItEndsAtOnce) { expect_jpeg("echo broken >&2; exit 1"); }
TEST_F(BadEncoderTest, ItIsKilled) { expect_jpeg("cat head; picture key; kill -9 $$"); }
TEST_F(BadEncoderTest, ItStalls) { expect_jpeg("cat head; picture key; sleep 1000"); }
TEST_F(BadEncoderTest, ItReadsNothing) { expect_jpeg("sleep 1000"); }
TEST_F(BadEncoderTest, ItWritesRubbish) { expect_jpeg("cat rubbish; sleep 1000"); }
TEST_F(BadEncoderTest, ItWritesWithoutEnd) { expect_jpeg("cat /dev/zero"); }

TEST_F(VideosTest, AnEncoderThatNeverWorksIsTriedOnce) {
    open("exit 1");
    std::vector<std::unique_ptr<Page>> pages;
    for (int k = 0; k < 3; ++k) {
        pages.push_back(std::make_unique<Page>(broadcast->connect()));
        Page& page = *pages.back();
        page.say("codec h264");
        ASSERT_TRUE(show_until(page, [&] { return runs() >= 2 && page.frames.size() > 10; }));
        EXPECT_EQ(page.frames.back().codec, 0);
    }
    EXPECT_EQ(runs(), 2u); // for the GPU's encoder, and the CPU's
}

TEST_F(VideosTest, WithoutTheProgramFramesAreJpeg) {
    broadcast = Broadcast::make({VideoUse::always, "lathe-no-such-program"});
    broadcast->open({kWidth, kHeight});
    Page page{broadcast->connect()};
    page.say("codec h264");
    ASSERT_TRUE(show_until(page, [&] { return page.frames.size() > 5; }));
    EXPECT_EQ(page.frames.back().codec, 0);
}

TEST_F(VideosTest, AFewViewersHaveAnEncoderAndWhoLeavesGivesItBack) {
    open(kGood);
    std::vector<std::unique_ptr<Page>> pages;
    for (int k = 0; k < Broadcast::kMostVideos + 2; ++k) {
        pages.push_back(std::make_unique<Page>(broadcast->connect()));
        pages.back()->say("codec h264");
    }
    const auto all_take = [&] {
        for (auto& page : pages) page->take(0);
        return broadcast->status().videos == Broadcast::kMostVideos;
    };
    EXPECT_TRUE(show_until(*pages[0], all_take));
    pages.erase(pages.begin());
    EXPECT_TRUE(show_until(*pages[0], all_take));
    for (int k = 0; k < 20; ++k) { // and in the middle of a frame
        show(++tone);
        Page page{broadcast->connect()};
        page.say("codec h264");
        pages.erase(pages.begin() + k % int(pages.size()));
        pages.push_back(std::make_unique<Page>(broadcast->connect()));
        pages.back()->say("codec h264");
        all_take();
    }
}

TEST_F(VideosTest, WhoLeavesDuringATrialHoldsUpNobody) {
    open("sleep 1000");
    Page stays{broadcast->connect()};
    stays.say("codec h264"); // whose thread tries it, for seconds
    ASSERT_TRUE(show_until(stays, [&] { return runs() == 1; }));
    auto leaves = std::make_unique<Page>(broadcast->connect());
    leaves->say("codec h264");
    for (int k = 0; k < 20; ++k) show(++tone), stays.take(10);
    leaves.reset();
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t before = stays.frames.size();
    ASSERT_TRUE(show_until(stays, [&] { return stays.frames.size() > before + 20; }));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
}

TEST_F(VideosTest, TheWindowClosesInTheMiddleOfAFrame) {
    open("[ $(wc -l < runs) = 1 ] || sleep 1000\n" + std::string{kGood});
    Page page{broadcast->connect()};
    page.say("codec h264");
    ASSERT_TRUE(show_until(page, [&] { return runs() == 2; }));
    const auto begin = std::chrono::steady_clock::now();
    broadcast->close();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
    broadcast->open({kWidth, kHeight});
    const std::size_t before = page.frames.size();
    EXPECT_TRUE(show_until(page, [&] { return page.frames.size() > before; }));
}

TEST(H264, TheProgramsPicturesAreDecodedByItself) {
    if (!program_exists("ffmpeg")) GTEST_SKIP() << "no ffmpeg";
    H264Program program{"ffmpeg"};
    const std::atomic<bool> stops{false};
    const std::string encoder = program.encoder(stops);
    if (encoder.empty()) GTEST_SKIP() << "ffmpeg has no encoder of H.264";
    const test::TempFolder folder;
    constexpr int width = 101, height = 67;
    {
        H264Encoder stream{{"ffmpeg", encoder, width, height, 18}};
        std::ofstream file{folder / "a.h264", std::ios::binary};
        for (int k = 0; k < 10; ++k) {
            stream.load(halves(width, height, {k * 20, 200, 30}, {250, k * 20, 100}).rgba.get());
            const AccessUnit unit = stream.encode(stops);
            EXPECT_EQ(unit.is_key, k == 0);
            file << unit.bytes;
        }
    }
    const std::string raw =
        output_of({"ffmpeg", "-loglevel", "error", "-i", (folder / "a.h264").string(), "-f",
                   "rawvideo", "-pix_fmt", "rgb24", "-"});
    constexpr std::size_t row = std::size_t(width + 1) * 3, frame = row * (height + 1);
    ASSERT_EQ(raw.size(), 10 * frame);
    for (std::size_t k = 0; k < 10; ++k) {
        const auto at = [&](std::size_t x, std::size_t y, std::size_t c) {
            return int(static_cast<unsigned char>(raw.at(k * frame + y * row + x * 3 + c)));
        };
        EXPECT_NEAR(at(20, 20, 0), int(k) * 20, 6);
        EXPECT_NEAR(at(20, 20, 1), 200, 6);
        EXPECT_NEAR(at(80, 20, 1), int(k) * 20, 6);
        EXPECT_NEAR(at(80, 20, 2), 100, 6);
        EXPECT_LT(at(20, height - 1, 1), 60); // the bottom row is the black one
    }
}

} // namespace
