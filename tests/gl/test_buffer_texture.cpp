// SPDX-License-Identifier: MIT
#include "gl/buffer_texture.h"

#include "fixture.h"
#include "gl/buffer.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <gmock/gmock.h>

#include <array>
#include <type_traits>

namespace {

using namespace lathe;

static_assert(!std::is_copy_constructible_v<gl::BufferTexture>);
static_assert(std::is_nothrow_move_constructible_v<gl::BufferTexture>);

using BufferTextureTest = test::ShaderTest;

TEST_F(BufferTextureTest, ShadersFetchTheBufferThatIsBound) {
    write("t.vert", test::kTriangle);
    write("t.frag", "uniform samplerBuffer numbers; out vec4 color;\n"
                    "void main() { color = vec4(texelFetch(numbers, 2).r, "
                    "texelFetch(numbers, 0).r, 0, 1); }\n");
    gl::Program program{"t.vert", "t.frag"};
    program.set("numbers", 3);
    const gl::Framebuffer f{1, 1};
    gl::BufferTexture texture;
    for (const float first : {0.2f, 0.4f}) { // one texture, buffers in turn
        const std::array<float, 3> numbers{first, 0, 0.6f};
        const gl::Buffer buffer{std::as_bytes(std::span{numbers})};
        texture.bind(3, buffer, GL_R32F, numbers.size());
        const auto p = drawn(program, f);
        EXPECT_EQ(int(p[0]), 153);
        EXPECT_EQ(int(p[1]), int(first * 255 + 0.5f));
    }
}

TEST_F(BufferTextureTest, MoreThanThisGlReadsIsRefused) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    const gl::Buffer buffer{16};
    gl::BufferTexture texture;
    EXPECT_THAT([&] { texture.bind(0, buffer, GL_R32F, std::size_t(most) + 1); },
                testing::ThrowsMessage<gl::Error>(testing::HasSubstr("are too many for this GL")));
    texture.bind(0, buffer, GL_R32F, 4);
    gl::check("bind");
}

} // namespace
