// SPDX-License-Identifier: MIT
// A triangle over all of the viewport.

void main() {
    gl_Position = vec4(4.0 * float(gl_VertexID & 1) - 1.0, 4.0 * float(gl_VertexID >> 1) - 1.0, 0.0,
                       1.0);
}
