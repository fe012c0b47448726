// SPDX-License-Identifier: MIT
#include "engine/render/screenshot.h"

#include "engine/core/error.h"
#include "gl/framebuffer.h"
#include "gl/headless_context.h"
#include "tests/temp_folder.h"

#include <glad/gl.h>

#include <gmock/gmock.h>

#include <fstream>

namespace {

using namespace lathe;

const test::TempFolder kFolder;

ImageData noise(int width, int height, int channels) {
    ImageData image{width, height, channels, {}};
    unsigned state = 1;
    for (int i = 0; i < width * height * channels; ++i)
        image.bytes.push_back(std::byte((state = state * 1664525u + 1013904223u) >> 24));
    return image;
}

TEST(Screenshot, PngRoundTripIsExact) {
    for (int channels : {1, 3, 4}) {
        const ImageData image = noise(37, 23, channels);
        save_png(kFolder / "deep" / "noise.png", image); // makes the folder
        EXPECT_EQ(load_image(kFolder / "deep" / "noise.png"), image);
    }
    const ImageData grey = load_image(kFolder / "deep" / "noise.png", 1);
    EXPECT_EQ(grey.channels, 1);
    EXPECT_EQ(grey.bytes.size(), 37u * 23u);
}

TEST(Screenshot, TopLeftComesFirst) {
    gl::HeadlessContext context;
    const gl::Framebuffer f{6, 4};
    f.clear({0, 0, 1, 1});
    f.bind();
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 3, 1, 1); // GL counts rows upward: this is the top left texel
    const float red[] = {1, 0, 0, 1};
    glClearBufferfv(GL_COLOR, 0, red);
    const ImageData image = read_image(f, 3);
    EXPECT_EQ(image.width, 6);
    EXPECT_EQ(image.height, 4);
    EXPECT_EQ(int(image.bytes[0]), 255);
    EXPECT_EQ(int(image.bytes[2]), 0);
    for (std::size_t i = 3; i < image.bytes.size(); i += 3) ASSERT_EQ(int(image.bytes[i + 2]), 255);
    EXPECT_EQ(int(*read_image(f).at(0, 0)), 255);
}

TEST(Screenshot, UnreadableAndUnwritableAreNamed) {
    std::filesystem::create_directories(kFolder);
    std::ofstream{kFolder / "broken.png"} << "not a picture";
    std::filesystem::create_directories(kFolder / "folder.png");
    for (const auto& [name, reason] :
         {std::pair{"absent.png", "No such file"}, std::pair{"broken.png", "unknown image type"},
          std::pair{"folder.png", "Is a directory"}}) {
        try {
            load_image(kFolder / name);
            FAIL() << name << " was read";
        } catch (const lathe::Error& e) {
            EXPECT_THAT(e.what(), testing::HasSubstr(name));
            EXPECT_THAT(e.what(), testing::HasSubstr(reason));
        }
    }
    EXPECT_THROW(save_png(kFolder / "broken.png" / "x.png", noise(2, 2, 3)), lathe::Error);
    ImageData wrong = noise(4, 4, 3);
    wrong.width = 5;
    EXPECT_THROW(save_png(kFolder / "wrong.png", wrong), lathe::Error);
}

} // namespace
