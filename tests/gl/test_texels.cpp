// SPDX-License-Identifier: MIT
// Buffers that shaders read through a texture unit.
#include "fixture.h"
#include "gl/buffer.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <fmt/format.h>

#include <gmock/gmock.h>

#include <array>
#include <cstdint>

namespace {

using namespace lathe;

class TexelTest : public test::ShaderTest {
protected:
    /// Draws element 2 as red and element 0 as green.
    gl::Program program_of(const char* sampler, const char* scale) {
        write("t.vert", test::kTriangle);
        write("t.frag", fmt::format("uniform {} numbers; out vec4 color;\n"
                                    "void main() {{ color = vec4(texelFetch(numbers, 2).r {}, "
                                    "texelFetch(numbers, 0).r {}, 0, 1); }}\n",
                                    sampler, scale, scale));
        gl::Program program{"t.vert", "t.frag"};
        program.set("numbers", 3);
        return program;
    }
    const gl::Framebuffer target{1, 1};
};

TEST_F(TexelTest, ShadersFetchTheBufferThatIsBound) {
    gl::Program program = program_of("samplerBuffer", "");
    for (const float first : {0.2f, 0.4f}) {
        const std::array<float, 3> numbers{first, 0, 0.6f};
        const gl::Buffer buffer{std::as_bytes(std::span{numbers})};
        buffer.bind_texels(3, GL_R32F, numbers.size());
        const auto p = drawn(program, target);
        EXPECT_EQ(int(p[0]), 153);
        EXPECT_EQ(int(p[1]), int(first * 255 + 0.5f));
    }
}

TEST_F(TexelTest, ShadersFetchWhatTheBufferHoldsNow) {
    gl::Program program = program_of("samplerBuffer", "");
    gl::Buffer buffer{12};
    for (const float first : {0.2f, 0.4f, 0.8f}) {
        const std::array<float, 3> numbers{first, 0, 1};
        buffer.upload(std::as_bytes(std::span{numbers}));
        buffer.bind_texels(3, GL_R32F, numbers.size());
        EXPECT_EQ(int(drawn(program, target)[1]), int(first * 255 + 0.5f));
    }
}

TEST_F(TexelTest, OneBufferIsReadInSeveralFormats) {
    gl::Program bytes = program_of("usamplerBuffer", "/ 255.0");
    gl::Program words = program_of("usamplerBuffer", "/ 65535.0");
    const std::array<std::uint16_t, 3> numbers{0x3380, 0, 0xff20};
    const gl::Buffer buffer{std::as_bytes(std::span{numbers})};
    for (int round = 0; round < 2; ++round) {
        buffer.bind_texels(3, GL_R16UI, 3);
        auto p = drawn(words, target);
        EXPECT_EQ(int(p[0]), 0xfe); // 65,312 of 65,535
        EXPECT_EQ(int(p[1]), 0x33);
        buffer.bind_texels(3, GL_R8UI, 6);
        p = drawn(bytes, target);
        EXPECT_EQ(int(p[0]), 0);
        EXPECT_EQ(int(p[1]), 0x80);
    }
}

TEST_F(TexelTest, MoreThanThisGlReadsIsRefused) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    const gl::Buffer buffer{16};
    EXPECT_THAT([&] { buffer.bind_texels(0, GL_R32F, std::size_t(most) + 1); },
                testing::ThrowsMessage<gl::Error>(testing::HasSubstr("are too many for this GL")));
    buffer.bind_texels(0, GL_R32F, 4);
    gl::check("bind");
}

} // namespace
