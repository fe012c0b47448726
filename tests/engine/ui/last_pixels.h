// SPDX-License-Identifier: MIT
// Frames of a program that have no pixels, as more follow before anybody looks: they are most of a
// frame's time with a software OpenGL.
#pragma once

#include <glad/gl.h>

namespace lathe {

/// A member of the program, which says where a frame begins and ends. A frame makes all of its
/// calls of OpenGL; what they would rasterise is discarded.
class LastPixels {
public:
    void begin_frame() const {
        if (!wanted_) glEnable(GL_RASTERIZER_DISCARD);
    }
    void end_frame() const {
        if (!wanted_) glDisable(GL_RASTERIZER_DISCARD);
    }
    /// Calls frame() so many times; false once that gives false. The last one has pixels if it is
    /// `looked_at`.
    template <class Frame> bool frames(int count, const Frame& frame, bool looked_at = true) {
        bool goes_on = true;
        for (int k = 1; k <= count && goes_on; ++k) {
            wanted_ = looked_at && k == count;
            goes_on = frame();
        }
        wanted_ = true;
        return goes_on;
    }

private:
    bool wanted_ = true;
};

} // namespace lathe
