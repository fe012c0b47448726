// SPDX-License-Identifier: MIT
// A rectangle; `at` counts elements from the picture's first row and column. IN_SPACE where it is a
// parallelogram of the world.

#if defined(IN_SPACE)
uniform mat4 to_clip;
uniform vec4 origin; // the lower left corner, and the sides from there
uniform vec4 right;
uniform vec4 up;
#else
uniform vec4 rectangle; // clip coordinates: left, bottom, right, top
#endif
uniform ivec2 picture;  // columns, rows
uniform int y_up;

out vec2 at;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
#if defined(IN_SPACE)
    gl_Position = to_clip * (origin + corner.x * right + corner.y * up);
#else
    gl_Position = vec4(mix(rectangle.xy, rectangle.zw, corner), 0.0, 1.0);
#endif
    at = vec2(corner.x, y_up != 0 ? corner.y : 1.0 - corner.y) * vec2(picture);
}
