// SPDX-License-Identifier: MIT
// Numbers of a launch's threads as a picture in a panel: colours of a colormap, threads that are
// marked in red, and nothing where a thread has no number.
#pragma once

#include "engine/live/line_watch.h"
#include "engine/render/colormap.h"
#include "gl/texture.h"

#include <imgui.h>

#include <cstddef>
#include <optional>

namespace lathe {

class ValuePicture {
public:
    /// Looks at all numbers, once for each picture.
    void take(const LinePicture& of);
    bool empty() const { return !texture_; }
    /// Of the finite numbers; 0 to 0 where there are none.
    const ValueRange& range() const { return range_; }
    /// Threads that came to the line.
    std::size_t came() const { return came_; }
    static const Colormap& colormap() { return Colormap::named("viridis"); }

    /// As large as fits into `room` at the cursor. The thread under the mouse, which has a frame.
    std::optional<std::size_t> draw(ImVec2 room) const;

private:
    std::size_t number_at(int column, int row) const;
    void paint(const LinePicture& of);
    unsigned color_of(const LinePicture& of, std::size_t number) const;

    gl::Texture texture_;
    ValueRange range_;
    std::size_t came_ = 0, threads_ = 0;
    int columns_ = 0, rows_ = 0;
    int step_ = 1;   ///< of a large launch each so-many-th column and row is a pixel
    int texels_ = 1; ///< of a pixel, in each direction
};

} // namespace lathe
