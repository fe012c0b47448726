// SPDX-License-Identifier: MIT
// Six vertices a segment, pulled from the buffer of positions.

#include "segment.glsl"

layout(binding = 0) uniform samplerBuffer numbers; // float32
uniform mat4 view_projection;
uniform vec2 framebuffer_size;
uniform int first;      // floats before the first point
uniform int components; // floats from point to point
uniform int count;      // points
uniform int step;       // points from segment to segment: 1 polyline, 2 segments
uniform float width;    // pixels
uniform float fade;

noperspective out float across; // pixels from the line's middle
out float strength;

vec4 point(int i) {
    int at = first + (i % count) * components;
    vec3 p = vec3(texelFetch(numbers, at).x, texelFetch(numbers, at + 1).x, 0.0);
    if (components > 2) p.z = texelFetch(numbers, at + 2).x;
    return view_projection * vec4(p, 1.0);
}

void main() {
    int begin = (gl_VertexID / 6) * step;
    int corner = gl_VertexID % 6; // 0 1 2, 2 1 3 of the strip a−, a+, b−, b+
    if (corner > 2) corner = corner == 3 ? 2 : corner == 4 ? 1 : 3;
    gl_Position = strip_corner(point(begin), point(begin + 1), corner, width, framebuffer_size,
                               across);

    float place = float(begin + int(corner >= 2)) / float(max(count - 1, 1));
    strength = 1.0 - fade * (1.0 - clamp(place, 0.0, 1.0));
}
