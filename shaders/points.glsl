// SPDX-License-Identifier: MIT
// What a point brings to its vertices. Defines: VALUES or COLORS where that is a scalar or a
// colour; RADII where each has its own size; QUAD where a point is an instance of four vertices.

#include "common.glsl"

layout(location = 0) in vec4 position; // components that are not given read 0, 0, 0, 1
#if defined(VALUES)
layout(location = 1) in float value;
#endif
#if defined(COLORS)
layout(location = 2) in vec4 point_color;
#endif
#if defined(RADII)
layout(location = 3) in float point_radius;
#endif

uniform mat4 view_projection;
uniform float size;          // diameter: pixels, or world units
uniform float pixels_a_unit; // of one world unit at w = 1; 0 where size is in pixels
uniform vec4 tint;

const float smallest = 1.0; // diameter on the screen, in pixels

float own_size() {
#if defined(RADII)
    return point_radius > 0.0 ? size * point_radius : 0.0; // NaN is none either
#else
    return size;
#endif
}

/// Where nothing of it is seen.
const vec4 nowhere = vec4(0.0, 0.0, 2.0, 1.0);

vec4 own_color() {
#if defined(VALUES)
    return vec4(color_of(value), tint.a);
#elif defined(COLORS)
    return tint * point_color;
#else
    return tint;
#endif
}

/// A point held at the smallest size sends no more light than its true one.
float dimmed(float wanted) {
    float shrink = clamp(wanted / smallest, 0.0, 1.0);
    return shrink * shrink;
}

#if defined(QUAD)
/// -1 or 1 in both directions.
vec2 corner() { return 2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0; }
#endif
