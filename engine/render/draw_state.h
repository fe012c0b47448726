// SPDX-License-Identifier: MIT
// Where the fixed state of one draw call differs from gl::set_expected_state(), put back
// afterwards; private to engine/render.
#pragma once

namespace lathe {

enum class Mix {
    none, ///< what is drawn replaces
    over, ///< premultiplied colour over what is there
    add,  ///< premultiplied colour added
};

class DrawState {
public:
    /// The destination's alpha is kept, so that pictures stay opaque.
    [[nodiscard]] DrawState(Mix mix, bool depth_test);
    DrawState(const DrawState&) = delete;
    DrawState& operator=(const DrawState&) = delete;
    ~DrawState();

private:
    bool mixes_, tests_depth_;
};

} // namespace lathe
