// SPDX-License-Identifier: MIT
// The ray from the eye through this fragment against the unit ball (balls.vert): p + t · (−n p, 1)
// with p in the plane z = 0 and n the nearness has length 1 at the surface.

#include "light.glsl"

in vec2 at;
flat in float nearness;
flat in vec4 clip_z;
flat in vec4 clip_w;
flat in vec4 ball_color;

out vec4 color; // premultiplied
layout(depth_greater) out float gl_FragDepth;

void main() {
    float pp = dot(at, at), nn = nearness * nearness;
    float under = 1.0 - pp * (1.0 - nn);
    if (under < 0.0) discard;
    float t = (nearness * pp + sqrt(under)) / (1.0 + nn * pp);
    vec3 surface = vec3(at * (1.0 - nearness * t), t);
    float depth = dot(clip_z, vec4(surface, 1.0)) / dot(clip_w, vec4(surface, 1.0));
    gl_FragDepth = 0.5 * depth + 0.5;

    color = vec4(lit(ball_color.rgb, surface) * ball_color.a, ball_color.a);
}
