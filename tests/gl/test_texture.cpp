// SPDX-License-Identifier: MIT
#include "gl/texture.h"

#include "fixture.h"
#include "gl/error.h"

#include <gmock/gmock.h>

namespace {

using namespace lathe;
using test::GlTest;

TEST_F(GlTest, TexturesOfEveryFormatRoundTrip) {
    using enum gl::Format;
    for (gl::Format format :
         {r8, rg8, rgb8, rgba8, r16f, rgba16f, r32f, rg32f, rgba32f, r32i, r32ui}) {
        gl::Texture texture{5, 3, format}; // rows of 5, 10, 15 bytes: alignment must be 1
        EXPECT_EQ(texture.bytes(), 15 * gl::texel_bytes(format));
        EXPECT_EQ(texture.download(), std::vector<std::byte>(texture.bytes()));
        std::vector<std::byte> texels(texture.bytes());
        for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = std::byte(i % 53); // finite
        texture.upload(texels);
        EXPECT_EQ(texture.download(), texels) << "format " << int(format);
    }
}

TEST_F(GlTest, WrappedTextureKnowsSizeAndFormat) {
    const gl::Texture texture{7, 9, gl::Format::r32f};
    const gl::Texture borrowed = gl::Texture::wrap(texture.id());
    EXPECT_EQ(borrowed.width(), 7);
    EXPECT_EQ(borrowed.height(), 9);
    EXPECT_EQ(borrowed.format(), gl::Format::r32f);
}

TEST_F(GlTest, TextureRefusesNonsense) {
    EXPECT_THROW((gl::Texture{0, 4, gl::Format::r8}), gl::Error);
    EXPECT_THROW((gl::Texture{4, -1, gl::Format::r8}), gl::Error);
    try {
        gl::Texture{1 << 20, 4, gl::Format::r8};
        FAIL() << "made a texture of a million columns";
    } catch (const gl::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("texture size 1048576 x 4 is impossible"));
    }
    gl::Texture texture{4, 4, gl::Format::r8};
    EXPECT_THROW(texture.upload(std::vector<std::byte>(15)), gl::Error);
}

} // namespace
