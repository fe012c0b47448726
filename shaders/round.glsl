// SPDX-License-Identifier: MIT
// Where a ray meets round solids first, in eye space. It is counted from the far side of a box
// around them, so that their distance does not cost digits, and so that they are seen from within
// the box, too; `along` has length 1.

#include "clip.glsl"
#include "light.glsl"
#include "seen_color.glsl"

in vec3 place; // on the far side of the box

uniform mat4 projection;

out vec4 color; // premultiplied

struct Hit {
    float t;     // place on the ray
    vec3 normal; // of length 1
#if defined(CLIPPED)
    float first, last; // where the ray enters the solid and leaves it, also behind the eye
#endif
};

const float nowhere = 1e30;

Hit no_hit() {
#if defined(CLIPPED)
    return Hit(nowhere, vec3(0.0), nowhere, -nowhere);
#else
    return Hit(nowhere, vec3(0.0));
#endif
}

/// Of a solid without dents.
void note(inout Hit hit, float t) {
#if defined(CLIPPED)
    hit.first = min(hit.first, t);
    hit.last = max(hit.last, t);
#endif
}

/// Of two solids.
Hit nearer(Hit a, Hit b) { return b.t < a.t ? b : a; }

/// Of the eye; what lies behind it is not seen.
float least() { return projection[3][3] == 0.0 ? -length(place) : -nowhere; }

vec3 ray() { return projection[3][3] == 0.0 ? normalize(place) : vec3(0.0, 0.0, -1.0); }

void take_sphere(inout Hit hit, vec3 along, vec3 middle, float radius) {
    vec3 from = place - middle;
    float nearest = -dot(from, along);
    vec3 there = from + nearest * along;
    float under = radius * radius - dot(there, there);
    float root = sqrt(max(under, 0.0)), t = nearest - root;
    if (under < 0.0) return;
    note(hit, t);
    note(hit, nearest + root);
    if (t >= hit.t || t <= least()) return;
    hit.t = t;
    hit.normal = (from + t * along) / radius;
}

/// The side of a cone around an axis. Its radius is `radius` at height 0 and grows by `growth`.
void take_side(inout Hit hit, vec3 along, vec3 base, vec3 axis, vec2 heights, float radius,
               float growth) {
    vec3 from = place - base;
    float height = dot(from, axis), climb = dot(along, axis);
    vec3 away = from - height * axis, leave = along - climb * axis;
    float here = radius + growth * height, change = growth * climb;
    float a = dot(leave, leave) - change * change;
    float b = dot(away, leave) - here * change;
    float c = dot(away, away) - here * here;
    float root = sqrt(max(b * b - a * c, 0.0));
    if (b * b < a * c) return;
    for (int side = 0; side < 2; ++side) {
        float t = (side == 0 ? -b - root : -b + root) / a;
        float at = height + t * climb;
        if (!(at >= heights.x && at <= heights.y)) continue;
        note(hit, t);
        if (!(t < hit.t && t > least())) continue;
        vec3 outward = normalize(normalize(away + t * leave) - growth * axis);
        hit.t = t;
        hit.normal = dot(outward, along) > 0.0 ? -outward : outward;
    }
}

/// A disc whose normal is `axis`, seen from there.
void take_disc(inout Hit hit, vec3 along, vec3 middle, vec3 axis, float radius) {
    float slope = dot(along, axis);
    float t = dot(middle - place, axis) / slope;
    vec3 away = place + t * along - middle;
    if (!(dot(away, away) <= radius * radius)) return;
    note(hit, t);
    if (!(slope < 0.0 && t < hit.t && t > least())) return;
    hit.t = t;
    hit.normal = axis;
}

/// What planes leave of a solid that is all looked at: cuts are flat.
void clip(inout Hit hit, vec3 along) {
#if defined(CLIPPED)
    KeptRay kept = kept_ray(place, along);
    bool is_cut = kept.begin > hit.first;
    if (is_cut) {
        hit.t = kept.begin <= hit.last && kept.begin > least() ? kept.begin : nowhere;
        hit.normal = kept.plane < 0 ? hit.normal : -normalize(clip_planes[kept.plane].xyz);
    }
    if (hit.t > kept.end) hit.t = nowhere;
#endif
}

void show(Hit hit, vec3 along, vec4 item) {
    if (hit.t >= nowhere) discard;
    vec4 clip = projection * vec4(place + hit.t * along, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    color = vec4(lit(seen_color(item).rgb, hit.normal), 1.0);
}
