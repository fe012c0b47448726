// SPDX-License-Identifier: MIT
// What a recording holds, asked from ffprobe and ffmpeg themselves.
#include "engine/app/recorder.h"

#include "engine/app/movie.h"
#include "engine/core/error.h"
#include "engine/core/process.h"
#include "engine/render/screenshot.h"
#include "gl/framebuffer.h"
#include "gl/headless_context.h"
#include "tests/full_disk.h"
#include "tests/logged_errors.h"
#include "tests/temp_folder.h"

#include <glad/gl.h>

#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace lathe;

struct RecorderTest : testing::Test {
    gl::HeadlessContext context;
    const test::TempFolder folder;
};

std::string output_of(const std::string& command) {
    std::string out;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 256> part;
    while (pipe && std::fgets(part.data(), int(part.size()), pipe)) out += part.data();
    if (pipe) pclose(pipe);
    return out;
}

/// Red with a blue bar along the top, a little greener each frame.
void paint(const gl::Framebuffer& f, int frame) {
    f.clear({0.8f, float(frame) / 40, 0.1f, 1});
    f.bind();
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, f.height() - f.height() / 4, f.width(), f.height() / 4);
    const float blue[] = {0, 0, 1, 1};
    glClearBufferfv(GL_COLOR, 0, blue);
}

TEST_F(RecorderTest, MakesAPlayableMovieOfOddSizedFrames) {
    if (!program_exists("ffmpeg") || !program_exists("ffprobe")) GTEST_SKIP() << "ffmpeg is absent";
    const gl::Framebuffer f{161, 91};
    Recorder recorder{{.file = folder / "odd.mp4", .frames_per_second = 25}};
    EXPECT_TRUE(recorder.is_movie());
    for (int i = 0; i < 20; ++i) {
        paint(f, i);
        recorder.add(f);
    }
    recorder.finish();
    EXPECT_EQ(recorder.frames(), 20u);
    const std::string file = recorder.output().string();
    EXPECT_EQ(output_of("ffprobe -v error -count_frames -select_streams v -show_entries "
                        "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames "
                        "-of csv=p=0 " +
                        file),
              "h264,160,90,yuv420p,25/1,20\n");
    // The first frame comes back upright and in its colours.
    output_of("ffmpeg -v error -y -i " + file + " -frames:v 1 " + (folder / "first.png").string());
    const ImageData first = load_image(folder / "first.png", 3);
    const auto near = [&](int x, int y, std::array<int, 3> rgb) {
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(int(first.at(x, y)[c]), rgb[std::size_t(c)], 8) << x << "," << y;
    };
    near(80, 5, {0, 0, 255});
    near(80, 80, {204, 0, 26});
}

TEST_F(RecorderTest, WithoutFfmpegFramesAreExactPngs) {
    const gl::Framebuffer f{33, 17};
    Recorder recorder{{.file = folder / "shots.mp4", .allow_ffmpeg = false}};
    EXPECT_FALSE(recorder.is_movie());
    std::vector<ImageData> expected;
    for (int i = 0; i < 5; ++i) {
        paint(f, i);
        recorder.add(f);
        expected.push_back(read_image(f, 3));
    }
    recorder.finish();
    EXPECT_EQ(recorder.output(), folder / "shots");
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(load_image(folder / "shots" / ("00000" + std::to_string(i) + ".png")),
                  expected[std::size_t(i)]);
}

TEST_F(RecorderTest, DestroyedMidwayItStillWritesEveryFrame) {
    const gl::Framebuffer f{8, 8};
    {
        Recorder recorder{{.file = folder / "cut.mp4", .allow_ffmpeg = false}};
        for (int i = 0; i < 3; ++i) recorder.add(f);
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "cut" / "000002.png"));
}

TEST_F(RecorderTest, AnotherSizeGoesOnBetweenBars) {
    const gl::Framebuffer first{16, 16}, wide{64, 32};
    first.clear({0, 0, 1, 1});
    wide.clear({1, 0, 0, 1});
    Recorder recorder{{.file = folder / "bars.mp4", .allow_ffmpeg = false}};
    recorder.add(first);
    recorder.add(wide);
    recorder.add(first);
    recorder.finish();
    const auto picture = [&](int i) {
        return load_image(folder / "bars" / ("00000" + std::to_string(i) + ".png"));
    };
    const ImageData between = picture(1);
    ASSERT_EQ(between.width, 16);
    ASSERT_EQ(between.height, 16);
    for (int y = 0; y < 16; ++y) EXPECT_EQ(int(*between.at(8, y)), y >= 4 && y < 12 ? 255 : 0) << y;
    EXPECT_EQ(picture(0), picture(2));
}

TEST_F(RecorderTest, RefusesNonsense) {
    const gl::Framebuffer a{8, 8};
    Recorder recorder{{.file = folder / "sizes.mp4", .allow_ffmpeg = false}};
    recorder.add(a);
    recorder.finish();
    EXPECT_THROW(recorder.add(a), lathe::Error);
    EXPECT_THROW(Recorder{{.file = ""}}, lathe::Error);
    EXPECT_THROW((Recorder{{.file = "x.mp4", .frames_per_second = 0}}), lathe::Error);
}

TEST_F(RecorderTest, EncoderThatCannotWriteIsReported) {
    if (!program_exists("ffmpeg")) GTEST_SKIP() << "ffmpeg is absent";
    const gl::Framebuffer f{64, 64};
    std::filesystem::create_directories(folder / "taken.mp4"); // a folder where the file should be
    Recorder recorder{{.file = folder / "taken.mp4"}};
    try {
        for (int i = 0; i < 200; ++i) recorder.add(f);
        recorder.finish();
        FAIL() << "a movie was written into a folder";
    } catch (const lathe::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("ffmpeg"));
        EXPECT_THAT(e.what(), testing::HasSubstr("taken.mp4"));
    }
}

TEST_F(RecorderTest, AFolderThatCannotBeMadeIsOneSentence) {
    const gl::Framebuffer f{8, 8};
    std::ofstream{folder / "file"} << "no folder";
    for (const bool ffmpeg : {false, true}) {
        Recorder recorder{{.file = folder / "file/movie.mp4", .allow_ffmpeg = ffmpeg}};
        try {
            recorder.add(f);
            FAIL() << "a movie was written below a file";
        } catch (const lathe::Error& e) {
            EXPECT_THAT(e.what(), testing::StartsWith("cannot write " + folder.path().string()));
        }
    }
}

/// What a recording of `frames` logs as errors while the disk takes no more than `bytes` a file.
std::vector<std::string> errors_of_a_full_disk(const RecorderConfig& config, int frames,
                                               std::size_t bytes) {
    const gl::Framebuffer f{64, 64};
    const test::LoggedErrors errors;
    const test::FullDisk full{bytes};
    Movie movie;
    movie.begin(config);
    for (int i = 0; i < frames; ++i) {
        paint(f, i % 40);
        EXPECT_NO_THROW(movie.add(f));
    }
    EXPECT_NO_THROW(EXPECT_FALSE(movie.finish().has_value()));
    EXPECT_NO_THROW(EXPECT_FALSE(movie.finish().has_value()));
    return errors.texts();
}

TEST_F(RecorderTest, AFullDiskIsToldOnceWhileItRecords) {
    const auto told =
        errors_of_a_full_disk({.file = folder / "shots.mp4", .allow_ffmpeg = false}, 20, 100);
    ASSERT_EQ(told.size(), 1u) << testing::PrintToString(told);
    EXPECT_THAT(told[0], testing::HasSubstr("the recording ends: cannot write " +
                                            (folder / "shots/000000.png").string() + ": File too"));
}

TEST_F(RecorderTest, AFullDiskIsToldOnceAtTheEnd) {
    const auto told =
        errors_of_a_full_disk({.file = folder / "short.mp4", .allow_ffmpeg = false}, 1, 100);
    ASSERT_EQ(told.size(), 1u) << testing::PrintToString(told);
    EXPECT_THAT(told[0], testing::HasSubstr("short/000000.png: File too large"));
}

TEST_F(RecorderTest, AnEncoderOnAFullDiskIsToldOnce) {
    if (!program_exists("ffmpeg")) GTEST_SKIP() << "ffmpeg is absent";
    for (const int frames : {3, 300}) { // which end before anything is written, and after it
        const auto told = errors_of_a_full_disk({.file = folder / "full.mp4"}, frames, 600);
        ASSERT_EQ(told.size(), 1u) << testing::PrintToString(told);
        EXPECT_THAT(told[0], testing::HasSubstr("the recording ends: cannot write " +
                                                (folder / "full.mp4").string() + ": "));
        EXPECT_THAT(told[0], testing::HasSubstr("File too large"));
        EXPECT_TRUE(std::filesystem::is_empty(folder)) << "half a movie is left";
    }
}

} // namespace
