// SPDX-License-Identifier: MIT
// Points that are joined: which segments there are.
#pragma once

#include <cstddef>

namespace lathe {

namespace gl {
class Program;
}

/// Lines of equally many points each, one behind the other in an array.
struct Polylines {
    std::size_t points = 0; ///< of all lines
    std::size_t points_a_line = 0;
    bool segments = false; ///< points 0–1, 2–3, … of a line, instead of all neighbours
    bool closed = false;   ///< the last point of a line joins the first

    std::size_t lines() const { return points_a_line ? points / points_a_line : 0; }
    std::size_t segments_a_line() const {
        if (points_a_line < 2) return 0;
        if (segments) return points_a_line / 2;
        return closed ? points_a_line : points_a_line - 1;
    }
    std::size_t segment_count() const { return lines() * segments_a_line(); }
    int step() const { return segments ? 2 : 1; } ///< points from segment to segment
};

/// Of lines or tubes.
template <class Data, class Style> Polylines polylines_of(const Data& data, const Style& style) {
    return {data.count, data.points_a_line ? data.points_a_line : data.count, style.segments,
            style.closed};
}

/// For polyline.glsl.
void set_lines(const Polylines& lines, gl::Program& program);

} // namespace lathe
