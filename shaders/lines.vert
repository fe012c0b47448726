// SPDX-License-Identifier: MIT
// Six vertices a segment, pulled from the buffer of positions.

#include "item_colors.glsl"
#include "numbers.glsl"
#include "polyline.glsl"
#include "segment.glsl"

layout(binding = 0) uniform samplerBuffer numbers; // float32
uniform mat4 view_projection;
uniform vec2 framebuffer_size;
uniform int first;   // floats before the first point
uniform float width; // pixels
uniform float fade;

noperspective out float across; // pixels from the line's middle
out float strength;
out vec4 item;

vec4 point(int i) { return view_projection * vec4(vector_at(numbers, first, i), 1.0); }

void main() {
    int segment = gl_VertexID / 6;
    ivec2 ends = ends_of(segment);
    int corner = gl_VertexID % 6; // 0 1 2, 2 1 3 of the strip a−, a+, b−, b+
    if (corner > 2) corner = corner == 3 ? 2 : corner == 4 ? 1 : 3;
    float part;
    gl_Position =
        strip_corner(point(ends.x), point(ends.y), corner, width, framebuffer_size, across, part);

    item = mix(item_color(ends.x), item_color(ends.y), part);
    float place = float(segment % segments_a_line * point_step) + part;
    strength = 1.0 - fade * (1.0 - clamp(place / float(max(points_a_line - 1, 1)), 0.0, 1.0));
}
