// SPDX-License-Identifier: MIT
// Points as balls. Everything is said in a ball's own frame: its middle is the origin, its radius
// 1, z points to the eye, y as far upwards as it can. The four vertices are a square around what
// the eye sees of the ball, just before it, so that a GPU leaves out what is hidden without running
// balls.frag, which finds the surface.

#include "points.glsl"

uniform vec4 eye; // its place and 1, or the direction towards it and 0: orthographic

out vec2 at;             // where the ray from the eye meets the plane z = 0
flat out float nearness; // radius / distance of the eye; 0 where orthographic
flat out vec4 clip_z;    // clip coordinates of (x, y, z, 1)
flat out vec4 clip_w;
flat out vec4 ball_color;
#if defined(CLIPPED)
flat out vec3 ball_middle; // of the world
flat out mat3 ball_frame;
#endif

const float front = 1.001;

void main() {
    vec4 middle = view_projection * vec4(position.xyz, 1.0);
    float own = own_size();
    float wanted = own * pixels_a_unit / max(middle.w, 1e-30); // large behind the eye
    float radius = 0.5 * own * max(1.0, smallest / wanted);
    vec3 to_eye = eye.xyz - position.xyz * eye.w;
    float distance = length(to_eye);
    nearness = eye.w * radius / distance;
    ball_color = own_color();
    ball_color.a *= dimmed(wanted);

    vec3 z = to_eye / distance;
    mat4 rows = transpose(view_projection);
    vec3 x = normalize(cross(rows[1].xyz, z)); // the second row grows upwards on the screen
    mat3 frame = radius * mat3(x, cross(z, x), z);
#if defined(CLIPPED)
    ball_middle = position.xyz;
    ball_frame = frame;
#endif
    clip_z = vec4(rows[2].xyz * frame, middle.z);
    clip_w = vec4(rows[3].xyz * frame, middle.w);

    // The rays that touch the ball meet the plane z = 0 in a circle of this radius.
    at = corner() * inversesqrt(max(1.0 - nearness * nearness, 1e-12));
    vec3 before = vec3(at * (1.0 - front * nearness), front); // on the same ray
    gl_Position = middle + view_projection * vec4(frame * before, 0.0);
    if (nearness * front >= 1.0) gl_Position = nowhere; // the eye is inside
#if defined(RADII)
    if (own <= 0.0) gl_Position = nowhere;
#endif
}
