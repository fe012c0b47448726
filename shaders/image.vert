// SPDX-License-Identifier: MIT
// A rectangle; `at` counts elements from the picture's first row and column.

uniform vec4 rectangle; // clip coordinates: left, bottom, right, top
uniform ivec2 picture;  // columns, rows
uniform int y_up;

out vec2 at;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(rectangle.xy, rectangle.zw, corner), 0.0, 1.0);
    at = vec2(corner.x, y_up != 0 ? corner.y : 1.0 - corner.y) * vec2(picture);
}
