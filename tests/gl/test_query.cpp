// SPDX-License-Identifier: MIT
#include "gl/query.h"

#include "fixture.h"
#include "gl/error.h"
#include "gl/framebuffer.h"

#include <glad/gl.h>

#include <chrono>

namespace {

using namespace lathe;
using test::GlTest;

TEST_F(GlTest, QueryTimesWork) {
    const gl::Framebuffer f{512, 512};
    gl::Query query;
    EXPECT_FALSE(query.ready());
    EXPECT_THROW(query.milliseconds(), gl::Error);
    glFinish();
    const auto start = std::chrono::steady_clock::now();
    query.begin();
    for (int i = 0; i < 20; ++i) f.clear({float(i) / 20, 0, 0, 1});
    query.end();
    glFinish();
    const std::chrono::duration<double, std::milli> outside =
        std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(query.ready());
    EXPECT_GT(query.milliseconds(), 0);
    EXPECT_LE(query.milliseconds(), outside.count() + 0.1);
}

TEST_F(GlTest, FrameTimerGivesANewestTimeWithoutWaiting) {
    const gl::Framebuffer f{64, 64};
    gl::FrameTimer timer;
    EXPECT_FALSE(timer.milliseconds().has_value());
    for (int frame = 0; frame < 6; ++frame) {
        timer.begin();
        f.clear({0, 0, 0, 1});
        timer.end();
        glFinish();
    }
    ASSERT_TRUE(timer.milliseconds().has_value());
    EXPECT_GE(*timer.milliseconds(), 0);
    gl::check("timing frames");
}

} // namespace
