// SPDX-License-Identifier: MIT
// Flat points. With QUAD a point is four vertices of a square on the screen, of any size; without
// it one vertex, which is faster and has the size that GL's points may have.

#include "clip.glsl"
#include "points.glsl"

#if defined(QUAD)
uniform vec2 framebuffer_size;
out vec2 from_middle; // pixels
#endif
flat out vec4 sprite_color;
flat out float radius; // pixels

void main() {
    gl_Position = view_projection * vec4(position.xyz, 1.0);
    float own = own_size();
    float wanted = pixels_a_unit > 0.0 ? own * pixels_a_unit / gl_Position.w : own;
    float diameter = max(wanted, smallest);
    sprite_color = own_color();
    sprite_color.a *= dimmed(wanted);
    radius = 0.5 * diameter;
#if defined(ROUND)
    float drawn = diameter + 1.0; // room for the soft edge
#else
    float drawn = diameter;
#endif
#if defined(QUAD)
    from_middle = 0.5 * drawn * corner();
    gl_Position.xy += from_middle / (0.5 * framebuffer_size) * gl_Position.w;
#else
    gl_PointSize = drawn;
#endif
#if defined(RADII)
    if (own <= 0.0) gl_Position = nowhere;
#endif
#if defined(CLIPPED)
    if (is_clipped(vec4(position.xyz, 1.0))) gl_Position = nowhere; // by its middle
#endif
}
