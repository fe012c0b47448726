// SPDX-License-Identifier: MIT
// A rectangle; `at` counts pixels from its bottom left corner.

uniform vec4 rectangle; // clip coordinates: left, bottom, right, top
uniform ivec2 size;     // pixels

out vec2 at;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(rectangle.xy, rectangle.zw, corner), 0.0, 1.0);
    at = corner * vec2(size);
}
