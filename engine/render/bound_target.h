// SPDX-License-Identifier: MIT
// What is drawn into while a renderer draws elsewhere; private to engine/render.
#pragma once

#include <glad/gl.h>

#include <glm/vec2.hpp>

#include <array>

namespace lathe {

/// The framebuffer, viewport and scissor that were set, again at the end.
class BoundTarget {
public:
    BoundTarget() : has_scissor_{glIsEnabled(GL_SCISSOR_TEST) == GL_TRUE} {
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
        glGetIntegerv(GL_VIEWPORT, viewport_.data());
    }
    BoundTarget(const BoundTarget&) = delete;
    BoundTarget& operator=(const BoundTarget&) = delete;
    ~BoundTarget() { bind(); }

    void bind() const {
        glBindFramebuffer(GL_FRAMEBUFFER, GLuint(framebuffer_));
        glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
        (has_scissor_ ? glEnable : glDisable)(GL_SCISSOR_TEST);
    }
    glm::ivec2 corner() const { return {viewport_[0], viewport_[1]}; }
    glm::ivec2 size() const { return {viewport_[2], viewport_[3]}; }

private:
    bool has_scissor_;
    GLint framebuffer_ = 0;
    std::array<GLint, 4> viewport_{};
};

} // namespace lathe
