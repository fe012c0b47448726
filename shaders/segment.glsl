// SPDX-License-Identifier: MIT
// A segment as a strip on the screen, with a pixel more on both sides for its soft edges.

/// Corner 0 to 3 of the strip a−, a+, b−, b+. `across`: pixels from the segment's middle; `part`:
/// 0 at a, 1 at b.
vec4 strip_corner(vec4 a, vec4 b, int corner, float width, vec2 framebuffer_size,
                  out float across, out float part) {
    // What lies behind the eye has no place on the screen: cut it off there.
    vec2 parts = vec2(0.0, 1.0);
    float near_a = a.z + a.w, near_b = b.z + b.w;
    if (near_a < 0.0 && near_b > 0.0) parts.x = near_a / (near_a - near_b) + 1e-4;
    else if (near_b < 0.0 && near_a > 0.0) parts.y = 1.0 - near_b / (near_b - near_a) - 1e-4;
    vec4 from = mix(a, b, parts.x), to = mix(a, b, parts.y);

    vec2 half_size = 0.5 * framebuffer_size;
    vec2 along = to.xy / to.w * half_size - from.xy / from.w * half_size;
    float pixels = length(along);
    vec2 normal = pixels > 0.0 ? vec2(-along.y, along.x) / pixels : vec2(0.0, 1.0);
    across = ((corner & 1) == 0 ? -1.0 : 1.0) * (0.5 * width + 1.0);
    part = corner >= 2 ? parts.y : parts.x;
    vec4 p = corner >= 2 ? to : from;
    p.xy += normal * across / half_size * p.w;
    return p;
}
