// SPDX-License-Identifier: MIT
// GL state that drawing changes: what another program has set is put back after our frame, and ours
// after another program's drawing.
#pragma once

#include "engine/core/api.h"

#include <memory>

namespace lathe::gl {

/// Puts back, at its end, in the context that was current at its beginning: switches, blending,
/// depth, viewport, colour and depth masks, clear values, pixel storage, and what is bound:
/// program, vertex array, framebuffers, buffers, the textures and samplers of the first 16 units.
/// Not: stencil operations, indexed buffers, uniform values, what objects contain.
class LATHE_API SavedState {
public:
    SavedState();
    SavedState(const SavedState&) = delete;
    SavedState& operator=(const SavedState&) = delete;
    ~SavedState();

    /// The framebuffer that drawing went to, and x, y, width and height of the viewport.
    unsigned draw_framebuffer() const noexcept;
    const int* viewport() const noexcept;

private:
    struct Values;
    std::unique_ptr<const Values> values_;
};

/// Sets what this library's drawing expects to find, as in a context of its own.
LATHE_API void set_expected_state();

} // namespace lathe::gl
