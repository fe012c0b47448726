// SPDX-License-Identifier: MIT
// Where the fixed state of one draw call differs from gl::set_expected_state(), put back
// afterwards; private to engine/render.
#pragma once

namespace lathe {

enum class Mix {
    none,  ///< what is drawn replaces
    over,  ///< premultiplied colour over what is there
    add,   ///< premultiplied colour added
    times, ///< colour multiplied with what is there
    under  ///< premultiplied colour behind what is there
};

class DrawState {
public:
    /// What is opaque stays so; over a transparent background alpha says what is covered. Depth is
    /// written where it is tested, unless that is not wanted.
    [[nodiscard]] DrawState(Mix mix, bool depth_test, bool writes_depth = true);
    DrawState(const DrawState&) = delete;
    DrawState& operator=(const DrawState&) = delete;
    ~DrawState();

private:
    bool mixes_, tests_depth_, writes_depth_;
};

} // namespace lathe
