// SPDX-License-Identifier: MIT
#include "engine/render/draw_state.h"

#include <glad/gl.h>

namespace lathe {
namespace {

void enable(GLenum what, bool on) { on ? glEnable(what) : glDisable(what); }

} // namespace

DrawState::DrawState(Mix mix, bool depth_test) {
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glEnable(GL_PROGRAM_POINT_SIZE);
    enable(GL_BLEND, mix != Mix::none);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFuncSeparate(GL_ONE, mix == Mix::add ? GL_ONE : GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    enable(GL_DEPTH_TEST, depth_test);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
}

DrawState::~DrawState() {
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(0);
    glUseProgram(0);
}

} // namespace lathe
