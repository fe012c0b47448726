// SPDX-License-Identifier: MIT
// A headless context, a picture to draw into, and its pixels counted from the top left.
#pragma once

#include "engine/render/colormap.h"
#include "engine/render/screenshot.h"
#include "gl/buffer.h"
#include "gl/error.h"
#include "gl/framebuffer.h"
#include "gl/headless_context.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <span>
#include <vector>

namespace lathe {

inline void PrintTo(const Rgb8& c, std::ostream* out) {
    *out << '(' << int(c.r) << ' ' << int(c.g) << ' ' << int(c.b) << ')';
}

namespace test {

struct RenderTest : testing::Test {
    gl::HeadlessContext context;
    gl::Framebuffer target;
    ImageData picture;

    void start(int width, int height, bool with_depth = false) {
        target = gl::Framebuffer{width, height, gl::Format::rgba8, with_depth};
        target.clear({0, 0, 0, 1});
        target.bind();
    }
    glm::vec2 size() const { return {target.width(), target.height()}; }
    void finish() {
        gl::check("drawing");
        picture = read_image(target);
    }
    Rgb8 at(int x, int y) const {
        const std::byte* p = picture.at(x, y);
        return {std::uint8_t(p[0]), std::uint8_t(p[1]), std::uint8_t(p[2])};
    }
};

template <class T> gl::Buffer buffer_of(const std::vector<T>& v) {
    return gl::Buffer{std::as_bytes(std::span{v})};
}

constexpr Rgb8 kBlack{0, 0, 0}, kWhite{255, 255, 255}, kMagenta{255, 0, 255}, kCyan{0, 255, 255};

} // namespace test
} // namespace lathe
