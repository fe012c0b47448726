// SPDX-License-Identifier: MIT
// Boxes around round things, in eye space: instances of 14 vertices, a strip that goes over all
// six sides, counter-clockwise from outside. The fragment shader finds the surface inside.

uniform mat4 view;       // without scale
uniform mat4 projection;
uniform float pixels_a_unit; // of a world unit at w = 1
uniform float least_pixels;  // radius

out vec3 place; // on the box, of which the far sides are drawn

/// Where nothing of it is seen.
const vec4 nowhere = vec4(0.0, 0.0, 2.0, 1.0);

vec3 to_eye(vec3 p) { return (view * vec4(p, 1.0)).xyz; }

/// There, in world units.
float least_radius(vec3 p) {
    return least_pixels * max((projection * vec4(p, 1.0)).w, 0.0) / pixels_a_unit;
}

/// The vertex's corner of a box along `axis`, whose ends are at the heights over `base`.
vec4 box_corner(vec3 base, vec3 axis, vec2 heights, float radius) {
    int bit = 1 << gl_VertexID;
    vec2 across = vec2((0x287a & bit) != 0 ? 1.0 : -1.0, (0x3d50 & bit) != 0 ? 1.0 : -1.0);
    vec3 u = normalize(cross(axis, abs(axis.z) < 0.8 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
    vec3 v = cross(axis, u);
    place = base + radius * (across.x * u + across.y * v) +
            ((0x0e1c & bit) != 0 ? heights.y : heights.x) * axis;
    return projection * vec4(place, 1.0);
}
