// SPDX-License-Identifier: MIT
#include "engine/render/strokes.h"

#include "engine/render/draw_state.h"

#include <glad/gl.h>

#include <bit>

namespace lathe {

void StrokeRenderer::draw(std::span<const Stroke> strokes, const glm::mat4& to_clip,
                          glm::vec2 framebuffer_size, bool depth_test) {
    if (strokes.empty()) return;
    if (!program_) {
        program_ = gl::Program{"strokes.vert", "strokes.frag"};
        corners_.emplace();
    }
    const auto bytes = std::as_bytes(strokes);
    if (buffer_.bytes() < bytes.size()) buffer_ = gl::Buffer{std::bit_ceil(bytes.size())};
    buffer_.upload(bytes);
    buffer_.bind_texels(0, GL_RGBA32F, buffer_.bytes() / sizeof(glm::vec4));
    program_.set_matrix("to_clip", &to_clip[0][0]);
    program_.set("framebuffer_size", framebuffer_size.x, framebuffer_size.y);
    const DrawState state{Mix::over, depth_test};
    program_.use();
    corners_->bind();
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(strokes.size()));
}

} // namespace lathe
