// SPDX-License-Identifier: MIT
#include "engine/render/draw_state.h"

#include <glad/gl.h>

namespace lathe {
DrawState::DrawState(Mix mix, bool depth_test, bool writes_depth)
    : mixes_{mix != Mix::none}, tests_depth_{depth_test}, writes_depth_{writes_depth} {
    if (mixes_) {
        glEnable(GL_BLEND);
        glBlendFunc(mix == Mix::times   ? GL_ZERO
                    : mix == Mix::under ? GL_ONE_MINUS_DST_ALPHA
                                        : GL_ONE,
                    mix == Mix::times  ? GL_SRC_COLOR
                    : mix == Mix::over ? GL_ONE_MINUS_SRC_ALPHA
                                       : GL_ONE);
    }
    if (tests_depth_) glEnable(GL_DEPTH_TEST);
    if (!writes_depth_) glDepthMask(GL_FALSE);
}

DrawState::~DrawState() {
    if (mixes_) glDisable(GL_BLEND);
    if (tests_depth_) glDisable(GL_DEPTH_TEST);
    if (!writes_depth_) glDepthMask(GL_TRUE);
}

} // namespace lathe
