// SPDX-License-Identifier: MIT
// A square of the ground, twice as wide as the picture of its shadow.

uniform mat4 to_clip;
uniform vec4 middle; // x and y or z; the ground's height
uniform int up_is_y;
uniform float half_side; // of the shadow's picture

out vec2 at; // from the middle, in halves of the picture's side

const float wider = 2.0;

void main() {
    at = wider * (2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0);
    vec2 place = middle.xy + half_side * at;
    vec3 p = up_is_y != 0 ? vec3(place.x, middle.z, place.y) : vec3(place, middle.z);
    gl_Position = to_clip * vec4(p, 1.0);
}
