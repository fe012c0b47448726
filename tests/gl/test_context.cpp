// SPDX-License-Identifier: MIT
#include "gl/context.h"

#include "fixture.h"
#include "gl/buffer.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <thread>

namespace {

using namespace lathe;
using test::GlTest;

TEST_F(GlTest, ContextTellsWhatItIs) {
    const gl::Info& info = context.info();
    EXPECT_FALSE(info.renderer.empty());
    EXPECT_FALSE(info.vendor.empty());
    EXPECT_GE(info.major * 10 + info.minor, 45);
    EXPECT_EQ(info.is_software, gl::is_software_renderer(info.renderer));
    EXPECT_EQ(gl::Context::current(), &context);
    EXPECT_THAT(context.platform(), testing::StartsWith("EGL "));
}

TEST(Context, SoftwareRenderersAreKnownByName) {
    EXPECT_TRUE(gl::is_software_renderer("llvmpipe (LLVM 15.0.6, 256 bits)"));
    EXPECT_TRUE(gl::is_software_renderer("softpipe"));
    EXPECT_FALSE(gl::is_software_renderer("NVIDIA H200/PCIe/SSE2"));
    EXPECT_FALSE(gl::is_software_renderer("Mesa Intel(R) UHD Graphics 620 (KBL GT2)"));
}

TEST(Context, WithoutOneObjectsSayWhatIsMissing) {
    ASSERT_EQ(gl::Context::current(), nullptr);
    try {
        gl::Buffer buffer{16};
        FAIL() << "made a buffer with no context";
    } catch (const gl::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("no GL context is current on this thread"));
    }
}

TEST(Context, TwoTakeTurns) {
    gl::HeadlessContext first;
    gl::Buffer of_first{64};
    gl::HeadlessContext second;
    EXPECT_EQ(gl::Context::current(), &second);
    EXPECT_NE(first.serial(), second.serial());
    EXPECT_FALSE(glIsBuffer(of_first.id())); // names are not shared
    first.make_current();
    EXPECT_EQ(gl::Context::current(), &first);
    EXPECT_TRUE(glIsBuffer(of_first.id()));
}

TEST(Context, IsPutBack) {
    gl::HeadlessContext first;
    {
        const gl::RestoreContext after;
        const gl::HeadlessContext second;
        EXPECT_EQ(gl::Context::current(), &second);
    }
    EXPECT_EQ(gl::Context::current(), &first);
    std::optional<gl::HeadlessContext> passing{std::in_place};
    {
        const gl::RestoreContext after{first};
        EXPECT_EQ(gl::Context::current(), &first);
        passing.reset(); // nothing to put back
    }
    EXPECT_EQ(gl::Context::current(), &first);
}

TEST(Context, MovesToAnotherThread) {
    gl::HeadlessContext context;
    gl::Buffer buffer{64};
    context.release_current();
    EXPECT_EQ(gl::Context::current(), nullptr);
    bool there = false;
    std::thread{[&] {
        context.make_current();
        there = glIsBuffer(buffer.id());
        context.release_current();
    }}.join();
    EXPECT_TRUE(there);
    context.make_current();
}

TEST(Context, UnknownEglDeviceIsRefusedWithTheCure) {
    setenv("LATHE_EGL_DEVICE", "999", 1);
    try {
        gl::HeadlessContext context{gl::HeadlessPlatform::device};
        ADD_FAILURE() << "made a context on device 999";
    } catch (const gl::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("EGL makes no GL 4.5 context"));
        EXPECT_THAT(e.what(), testing::HasSubstr("apt-get install"));
    }
    unsetenv("LATHE_EGL_DEVICE");
}

TEST(Context, IsCurrentAgainWhereAnotherOneCannotBeMade) {
    gl::HeadlessContext first;
    const NativeGlContext native = NativeGlContext::current();
    setenv("LATHE_EGL_DEVICE", "999", 1);
    EXPECT_THROW(gl::HeadlessContext{gl::HeadlessPlatform::device}, gl::Error);
    unsetenv("LATHE_EGL_DEVICE");
    EXPECT_EQ(gl::Context::current(), &first);
    EXPECT_EQ(NativeGlContext::current().context, native.context);
    EXPECT_NO_THROW(gl::Buffer{16});
}

/// These two need a process of their own: CTest runs them with the environment they name.
TEST(WithoutEgl, TheMessageNamesLibraryAndPackage) {
    if (!std::getenv("LATHE_EGL_LIBRARY")) GTEST_SKIP() << "runs as test_gl.without_egl";
    try {
        gl::HeadlessContext context;
        FAIL() << "made a context without EGL";
    } catch (const gl::Error& e) {
        EXPECT_THAT(e.what(), testing::StartsWith("EGL is missing"));
        EXPECT_THAT(e.what(), testing::HasSubstr("no-such-libEGL.so"));
        EXPECT_THAT(e.what(), testing::HasSubstr("apt-get install libegl1"));
    }
}

TEST(OldGl, TheMessageNamesWhatEachPlatformSaid) {
    if (!std::getenv("MESA_GL_VERSION_OVERRIDE")) GTEST_SKIP() << "runs as test_gl.old_gl";
    try {
        gl::HeadlessContext context{gl::HeadlessPlatform::surfaceless};
        if (context.info().version.find("Mesa") == std::string::npos)
            GTEST_SKIP() << "the variable is Mesa's; this is " << context.info().version;
        FAIL() << "made a context of " << context.info().version;
    } catch (const gl::Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("4.5")); }
}

TEST_F(GlTest, CheckThrowsOnceAndNamesTheCall) {
    glBindTextureUnit(0, 0);
    EXPECT_NO_THROW(gl::check("nothing"));
    glEnable(0xDEAD);
    try {
        gl::check("enabling nonsense");
        FAIL() << "an error went unnoticed";
    } catch (const gl::Error& e) {
        EXPECT_THAT(e.what(), testing::StartsWith("enabling nonsense failed: invalid enum"));
    }
    EXPECT_NO_THROW(gl::check("again"));
}

TEST(Context, MessagesWaitForNothingUnlessTheyAreAskedFor) {
    const char* const before = std::getenv("LATHE_GL_DEBUG");
    const std::string kept = before ? before : "";
    for (const char* const asked : {"", "1"}) {
        setenv("LATHE_GL_DEBUG", asked, 1);
        const gl::HeadlessContext context;
        EXPECT_TRUE(glIsEnabled(GL_DEBUG_OUTPUT));
        EXPECT_EQ(bool(glIsEnabled(GL_DEBUG_OUTPUT_SYNCHRONOUS)), *asked != 0);
        glEnable(0xDEAD);
        EXPECT_THROW(gl::check("enabling nonsense"), gl::Error) << asked;
        EXPECT_NO_THROW(gl::check("again")) << asked;
        glEnable(0xDEAD);
        gl::clear_errors();
        EXPECT_NO_THROW(gl::check("forgotten")) << asked;
    }
    setenv("LATHE_GL_DEBUG", kept.c_str(), 1); // empty is as good as unset
}

} // namespace
