// SPDX-License-Identifier: MIT
// One vertex a point. Defines: VALUES or COLORS where the point brings a scalar or a colour.

#include "common.glsl"

layout(location = 0) in vec4 position; // components that are not given read 0, 0, 0, 1
#if defined(VALUES)
layout(location = 1) in float value;
#endif
#if defined(COLORS)
layout(location = 2) in vec4 point_color;
#endif

uniform mat4 view_projection;
uniform float size;          // diameter: pixels, or world units
uniform float pixels_a_unit; // of one world unit at w = 1; 0 where size is in pixels
uniform vec4 tint;

flat out vec4 sprite_color;
flat out float radius; // pixels

const float smallest = 1.0, largest = 64.0; // diameters on the screen, in pixels

void main() {
    gl_Position = view_projection * vec4(position.xyz, 1.0);
    float wanted = pixels_a_unit > 0.0 ? size * pixels_a_unit / gl_Position.w : size;
    float diameter = clamp(wanted, smallest, largest);
    vec4 c = tint;
#if defined(VALUES)
    c.rgb = is_nan(value) ? vec3(1.0, 0.0, 1.0) : colormap_at(in_range(value));
#elif defined(COLORS)
    c *= point_color;
#endif
    // A point held at the smallest size sends no more light than its true one.
    float shrink = clamp(wanted / diameter, 0.0, 1.0);
    c.a *= shrink * shrink;
    sprite_color = c;
#if defined(ROUND)
    radius = 0.5 * diameter;
    gl_PointSize = diameter + 1.0; // room for the soft edge
#else
    gl_PointSize = diameter;
#endif
}
