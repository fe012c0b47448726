// SPDX-License-Identifier: MIT
// The ray from the eye through this fragment against the unit ball (balls.vert): p + t · (−n p, 1)
// with p in the plane z = 0 and n the nearness has length 1 at the surface.

#include "clip.glsl"
#include "light.glsl"

in vec2 at;
flat in float nearness;
flat in vec4 clip_z;
flat in vec4 clip_w;
flat in vec4 ball_color;
#if defined(CLIPPED)
flat in vec3 ball_middle; // of the world
flat in mat3 ball_frame;
#endif

out vec4 color; // premultiplied

#if defined(CLIPPED)
const float cut_height = 0.03; // of the radius
#endif
layout(depth_greater) out float gl_FragDepth;

void main() {
    float pp = dot(at, at), nn = nearness * nearness;
    float under = 1.0 - pp * (1.0 - nn);
    if (under < 0.0) discard;
    float t = (nearness * pp + sqrt(under)) / (1.0 + nn * pp);
    vec3 normal = vec3(at * (1.0 - nearness * t), t);
#if defined(CLIPPED)
    // Away from the eye, for which t falls. A ball is solid: the cut is a disc.
    vec3 away = vec3(nearness * at, -1.0);
    KeptRay kept = kept_ray(ball_middle + ball_frame * vec3(at, 0.0), ball_frame * away);
    float back = (sqrt(under) - nearness * pp) / (1.0 + nn * pp);
    if (min(back, kept.end) < max(-t, kept.begin)) discard;
    if (kept.begin > -t) {
        float front = t;
        t = -kept.begin;
        normal = -normalize(clip_planes[kept.plane].xyz * ball_frame);
        // Discs of balls that overlap have a border, since a nearer middle stands out more.
        vec3 there = vec3(at * (1.0 - nearness * t), t);
        t = min(t + cut_height * max(1.0 - dot(there, there), 0.0), front);
    }
#endif
    vec3 surface = vec3(at * (1.0 - nearness * t), t);
    float depth = dot(clip_z, vec4(surface, 1.0)) / dot(clip_w, vec4(surface, 1.0));
    gl_FragDepth = 0.5 * depth + 0.5;

    color = vec4(lit(ball_color.rgb, normal) * ball_color.a, ball_color.a);
}
