// SPDX-License-Identifier: MIT
#include "gl/buffer.h"

#include "fixture.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <gmock/gmock.h>

#include <cstdint>
#include <numeric>

namespace {

using namespace lathe;
using test::bytes_of;
using test::GlTest;

std::vector<std::byte> content_of(const gl::Buffer& buffer) {
    std::vector<std::byte> content(buffer.bytes());
    buffer.download(content);
    return content;
}

TEST_F(GlTest, BufferStartsZeroedInBothStorages) {
    for (gl::Storage storage : {gl::Storage::mapped, gl::Storage::device}) {
        const gl::Buffer buffer{1000, storage};
        EXPECT_EQ(buffer.bytes(), 1000u);
        EXPECT_EQ(content_of(buffer), std::vector<std::byte>(1000));
    }
}

TEST_F(GlTest, BufferOfContentGivesItBack) {
    std::vector<int> numbers(300);
    std::iota(numbers.begin(), numbers.end(), 5);
    for (gl::Storage storage : {gl::Storage::mapped, gl::Storage::device}) {
        const gl::Buffer buffer{bytes_of(numbers), storage};
        EXPECT_EQ(test::values_of<int>(content_of(buffer)), numbers);
    }
}

TEST_F(GlTest, BufferPartsAreUploadedAndDownloaded) {
    gl::Buffer buffer{16};
    buffer.upload(bytes_of(std::vector<int>{7, 8}), 4);
    std::vector<std::byte> middle(8);
    buffer.download(middle, 4);
    EXPECT_THAT(test::values_of<int>(middle), testing::ElementsAre(7, 8));
    EXPECT_THAT(test::values_of<int>(content_of(buffer)), testing::ElementsAre(0, 7, 8, 0));
}

TEST_F(GlTest, MappedBufferIsSharedBothWays) {
    gl::Buffer buffer{16, gl::Storage::mapped};
    ASSERT_NE(buffer.mapped(), nullptr);
    const int in[4] = {1, 2, 3, 4};
    std::memcpy(buffer.mapped(), in, sizeof in); // no GL call between this…
    EXPECT_THAT(test::values_of<int>(content_of(buffer)), testing::ElementsAre(1, 2, 3, 4));
    gl::Buffer source{bytes_of(std::vector<int>{9, 9, 9, 9}), gl::Storage::device};
    glCopyNamedBufferSubData(source.id(), buffer.id(), 0, 0, 16);
    glFinish(); // …and after this the pointer shows what GL wrote
    int out[4] = {};
    std::memcpy(out, buffer.mapped(), sizeof out);
    EXPECT_THAT(out, testing::ElementsAre(9, 9, 9, 9));
}

TEST_F(GlTest, AutomaticStorageIsMappedOnSoftwareOnly) {
    const gl::Buffer buffer{16};
    EXPECT_EQ(buffer.mapped() != nullptr, context.info().is_software);
}

/// glad's flag as the context that was loaded last left it.
struct PinnedMemoryFlag {
    const int before = GLAD_GL_AMD_pinned_memory;
    explicit PinnedMemoryFlag(int now) { GLAD_GL_AMD_pinned_memory = now; }
    ~PinnedMemoryFlag() { GLAD_GL_AMD_pinned_memory = before; }
};

/// GL's own storage stays mapped; memory that it was given need not be.
bool is_mapped_by_gl(const gl::Buffer& buffer) {
    GLint mapped = 0;
    glGetNamedBufferParameteriv(buffer.id(), GL_BUFFER_MAPPED, &mapped);
    return mapped != 0;
}

TEST_F(GlTest, PinnedMemoryIsUsedWhereThisContextHasIt) {
    if (!context.info().is_software || !context.info().has_pinned_memory)
        GTEST_SKIP() << "no GL_AMD_pinned_memory on a software GL";
    const PinnedMemoryFlag another_lacks_it{0};
    const gl::Buffer buffer{64, gl::Storage::mapped};
    EXPECT_FALSE(is_mapped_by_gl(buffer));
    EXPECT_NE(buffer.mapped(), nullptr);
}

TEST(Unpinned, PinnedMemoryOfAnotherContextIsNotUsed) {
    if (!std::getenv("MESA_EXTENSION_OVERRIDE")) GTEST_SKIP() << "runs as test_gl.unpinned";
    const gl::HeadlessContext context;
    ASSERT_FALSE(context.info().has_pinned_memory);
    const PinnedMemoryFlag another_has_it{1};
    const gl::Buffer buffer{64, gl::Storage::mapped};
    EXPECT_TRUE(is_mapped_by_gl(buffer));
    EXPECT_NE(buffer.mapped(), nullptr);
}

TEST_F(GlTest, WrappedBufferKnowsItsSize) {
    const gl::Buffer buffer{48, gl::Storage::mapped};
    const gl::Buffer borrowed = gl::Buffer::wrap(buffer.id());
    EXPECT_EQ(borrowed.bytes(), 48u);
    EXPECT_EQ(borrowed.mapped(), buffer.mapped());
}

TEST_F(GlTest, OddSizedBufferHasWholeWordsBeneath) {
    for (gl::Storage storage : {gl::Storage::mapped, gl::Storage::device}) {
        const gl::Buffer buffer{9, storage};
        GLint64 beneath = 0;
        glGetNamedBufferParameteri64v(buffer.id(), GL_BUFFER_SIZE, &beneath);
        EXPECT_EQ(buffer.bytes(), 9u);
        EXPECT_EQ(beneath, 16);
        std::vector<std::byte> beyond(10);
        EXPECT_THROW(buffer.download(beyond), gl::Error);
    }
}

TEST_F(GlTest, BufferRefusesNonsense) {
    EXPECT_THROW(gl::Buffer{std::size_t{0}}, gl::Error);
    gl::Buffer buffer{16};
    std::vector<std::byte> bytes(9);
    EXPECT_THROW(buffer.upload(bytes, 8), gl::Error);
    EXPECT_THROW(buffer.download(bytes, SIZE_MAX), gl::Error);
    EXPECT_THROW(gl::Buffer::wrap(123456), gl::Error);
}

} // namespace
