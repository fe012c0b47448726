// SPDX-License-Identifier: MIT
// Strokes that the host made: three texels each.

#include "segment.glsl"

layout(binding = 0) uniform samplerBuffer strokes; // begin and width, end, colour
uniform mat4 to_clip;
uniform vec2 framebuffer_size;

noperspective out float across; // pixels from the stroke's middle
flat out float stroke_width;
flat out vec4 stroke_color;

void main() {
    int first = 3 * gl_InstanceID;
    vec4 begin = texelFetch(strokes, first), end = texelFetch(strokes, first + 1);
    stroke_width = begin.w;
    stroke_color = texelFetch(strokes, first + 2);
    float part;
    gl_Position = strip_corner(to_clip * vec4(begin.xyz, 1.0), to_clip * vec4(end.xyz, 1.0),
                               gl_VertexID, stroke_width, framebuffer_size, across, part);
}
