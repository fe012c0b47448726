// SPDX-License-Identifier: MIT
// Segments of polylines, by number.

uniform int points_a_line;
uniform int segments_a_line;
uniform int point_step; // points from segment to segment: 1 polyline, 2 single segments

/// The numbers of its two points.
ivec2 ends_of(int segment) {
    int first = segment / segments_a_line * points_a_line;
    int at = segment % segments_a_line * point_step;
    return first + ivec2(at, (at + 1) % points_a_line);
}
