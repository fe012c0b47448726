// SPDX-License-Identifier: MIT
#include "gl/framebuffer.h"

#include "fixture.h"
#include "gl/buffer.h"
#include "gl/error.h"

#include <glad/gl.h>

namespace {

using namespace lathe;
using test::GlTest;

using Pixel = std::array<int, 4>;

Pixel pixel(const gl::Framebuffer& f, int x, int y_up) {
    const auto all = f.read(4);
    const std::byte* p =
        all.data() + (std::size_t(y_up) * std::size_t(f.width()) + std::size_t(x)) * 4;
    return {int(p[0]), int(p[1]), int(p[2]), int(p[3])};
}

TEST_F(GlTest, ClearFillsExactly) {
    const gl::Framebuffer f{13, 7};
    f.clear({1, 0.2f, 0, 1});
    for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 13; ++x) ASSERT_EQ(pixel(f, x, y), (Pixel{255, 51, 0, 255}));
    EXPECT_EQ(f.read(3).size(), 13u * 7u * 3u);
}

TEST_F(GlTest, ClearIgnoresScissorAndMasksLeftByOthers) {
    const gl::Framebuffer f{8, 8, gl::Format::rgba8, true};
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 1, 1);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    f.clear({0, 1, 0, 1});
    EXPECT_EQ(pixel(f, 7, 7), (Pixel{0, 255, 0, 255}));
}

TEST_F(GlTest, BindSetsTheViewport) {
    const gl::Framebuffer f{40, 20};
    f.bind();
    GLint v[4] = {};
    glGetIntegerv(GL_VIEWPORT, v);
    EXPECT_EQ((std::array{v[0], v[1], v[2], v[3]}), (std::array{0, 0, 40, 20}));
}

TEST_F(GlTest, BlitKeepsPixelsAndScales) {
    const gl::Framebuffer from{4, 4}, same{4, 4}, larger{8, 8};
    from.clear({0, 0, 1, 1});
    from.bind();
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 3, 1, 1); // the top left texel
    const float red[] = {1, 0, 0, 1};
    glClearBufferfv(GL_COLOR, 0, red);
    from.blit_to(same);
    EXPECT_EQ(same.read(), from.read());
    from.blit_to(larger);
    EXPECT_EQ(pixel(larger, 0, 7), (Pixel{255, 0, 0, 255}));
    EXPECT_EQ(pixel(larger, 7, 0), (Pixel{0, 0, 255, 255}));
}

TEST_F(GlTest, ReadToABufferGivesTheSamePixels) {
    const gl::Framebuffer f{9, 5};
    f.clear({0.2f, 0.4f, 0.6f, 1});
    const gl::Buffer pixels{9 * 5 * 4, gl::Storage::device};
    f.read_to(pixels);
    std::vector<std::byte> content(pixels.bytes());
    pixels.download(content);
    EXPECT_EQ(content, f.read(4));
    EXPECT_THROW(f.read_to(gl::Buffer{9 * 5 * 4 - 1}), gl::Error);
}

TEST_F(GlTest, ReadsThatFailLeaveNoBufferToPackInto) {
    const gl::Framebuffer f{4, 4};
    f.clear({1, 0, 0, 1});
    unsigned id = 0;
    glCreateBuffers(1, &id);
    glNamedBufferStorage(id, 4 * 4 * 4, nullptr, GL_MAP_READ_BIT);
    const gl::Buffer pixels = gl::Buffer::wrap(id);
    glMapNamedBuffer(id, GL_READ_ONLY); // GL packs into no buffer that is mapped
    EXPECT_THROW(f.read_to(pixels), gl::Error);
    GLint bound = 0;
    glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &bound);
    EXPECT_EQ(bound, 0);
    EXPECT_EQ(pixel(f, 3, 3), (Pixel{255, 0, 0, 255}));
    glDeleteBuffers(1, &id);
}

TEST_F(GlTest, ReadsPutBackTheBufferToPackInto) {
    const gl::Framebuffer f{4, 4};
    f.clear({1, 0, 0, 1});
    const gl::Buffer theirs{4 * 4 * 4, gl::Storage::device}, ours{4 * 4 * 4, gl::Storage::device};
    glBindBuffer(GL_PIXEL_PACK_BUFFER, theirs.id());
    EXPECT_EQ(pixel(f, 3, 3), (Pixel{255, 0, 0, 255}));
    f.read_to(ours);
    GLint bound = 0;
    glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &bound);
    EXPECT_EQ(unsigned(bound), theirs.id());
    std::vector<std::byte> content(theirs.bytes());
    theirs.download(content);
    EXPECT_EQ(content, std::vector<std::byte>(theirs.bytes())) << "nothing was written there";
}

TEST_F(GlTest, FramebufferRefusesNonsense) {
    EXPECT_THROW((gl::Framebuffer{0, 10}), gl::Error);
    const gl::Framebuffer f{2, 2};
    EXPECT_THROW(f.read(2), gl::Error);
}

} // namespace
