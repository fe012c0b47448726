// SPDX-License-Identifier: MIT
// Lifetimes: types that own, and objects that die in the right context.
#include "fixture.h"
#include "gl/buffer.h"
#include "gl/framebuffer.h"
#include "gl/program.h"
#include "gl/query.h"
#include "gl/vertex_array.h"

#include <glad/gl.h>

#include <optional>
#include <thread>
#include <type_traits>

namespace {

using namespace lathe;
using test::GlTest;

template <class T>
constexpr bool owns_by_moves_only =
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
    !std::is_convertible_v<unsigned, T>;

static_assert(owns_by_moves_only<gl::Buffer>);
static_assert(owns_by_moves_only<gl::Texture>);
static_assert(owns_by_moves_only<gl::Framebuffer>);
static_assert(owns_by_moves_only<gl::VertexArray>);
static_assert(owns_by_moves_only<gl::Query>);
static_assert(!std::is_copy_constructible_v<gl::Program>);

TEST_F(GlTest, MovedFromIsEmpty) {
    gl::Buffer a{64};
    const unsigned id = a.id();
    gl::Buffer b{std::move(a)};
    EXPECT_FALSE(a);
    EXPECT_EQ(a.id(), 0u);
    EXPECT_EQ(a.bytes(), 0u);
    EXPECT_EQ(a.mapped(), nullptr);
    EXPECT_EQ(b.id(), id);
    EXPECT_EQ(b.bytes(), 64u);
}

TEST_F(GlTest, WrappedIsNotDeletedAndReleasedIsGivenAway) {
    gl::Texture texture{4, 4, gl::Format::r8};
    { gl::Texture borrowed = gl::Texture::wrap(texture.id()); }
    EXPECT_TRUE(glIsTexture(texture.id()));
    const unsigned id = texture.release();
    EXPECT_FALSE(texture);
    texture = gl::Texture{};
    EXPECT_TRUE(glIsTexture(id));
    glDeleteTextures(1, &id);
}

TEST_F(GlTest, DestroyedOnAnotherThreadDiesAtTheNextCollect) {
    std::optional<gl::Buffer> buffer{std::in_place, 64};
    const unsigned id = buffer->id();
    std::thread{[&] { buffer.reset(); }}.join();
    EXPECT_TRUE(glIsBuffer(id));
    context.collect();
    EXPECT_FALSE(glIsBuffer(id));
}

TEST(Object, DestroyedInAnotherContextLeavesThatOnesObjectAlone) {
    gl::HeadlessContext first;
    std::optional<gl::Buffer> of_first{std::in_place, 64};
    gl::HeadlessContext second;
    gl::Buffer of_second{64};
    ASSERT_EQ(of_first->id(), of_second.id()) << "the test needs the same name twice";
    const unsigned id = of_second.id();
    of_first.reset();
    EXPECT_TRUE(glIsBuffer(id));
    first.make_current();
    EXPECT_FALSE(glIsBuffer(id));
}

TEST(Object, OutlivesItsContextHarmlessly) {
    std::optional<gl::HeadlessContext> context{std::in_place};
    gl::Buffer buffer{64};
    gl::Framebuffer framebuffer{4, 4};
    context.reset();
    EXPECT_EQ(gl::Context::current(), nullptr);
}

} // namespace
