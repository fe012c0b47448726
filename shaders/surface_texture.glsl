// SPDX-License-Identifier: MIT
// A picture on a surface, by coordinates of its vertices: (0, 0) is its lower left corner, (1, 1)
// its upper right one. Defines, besides those of elements.glsl: LINEAR for interpolation, and the
// mean where a pixel covers several elements; REPEATED where the picture goes on beyond its edges.

#include "elements.glsl"

in vec2 texcoord;

const float most_taps = 4.0; // in each direction

ivec2 on_picture(ivec2 p) {
#if defined(REPEATED)
    p -= picture * ivec2(floor((vec2(p) + 0.5) / vec2(picture))); // % is not for negative numbers
#endif
    return clamp(p, ivec2(0), picture - 1);
}

vec4 between_elements(vec2 at) {
    vec2 low = floor(at - 0.5), part = at - 0.5 - low;
    ivec2 p = ivec2(low);
    ivec2 a = on_picture(p), b = on_picture(p + 1);
    return mix(mix(element(a), element(ivec2(b.x, a.y)), part.x),
               mix(element(ivec2(a.x, b.y)), element(b), part.x), part.y);
}

vec4 texture_here() {
    vec2 at = vec2(texcoord.x, 1.0 - texcoord.y) * vec2(picture);
#if defined(LINEAR)
    vec2 across = dFdx(at), along = dFdy(at);
    float taps = clamp(ceil(max(length(across), length(along)) - 0.5), 1.0, most_taps);
    vec4 sum = vec4(0.0);
    for (float y = 0.5; y < taps; y += 1.0)
        for (float x = 0.5; x < taps; x += 1.0)
            sum += between_elements(at + (x / taps - 0.5) * across + (y / taps - 0.5) * along);
    return sum / (taps * taps);
#else
    return element(on_picture(ivec2(floor(at))));
#endif
}

vec4 texture_color() {
    vec4 value = texture_here();
#if CHANNELS == 1
    return vec4(color_of(value.x), 1.0);
#else
    vec4 seen = clamp((value - value_range.x) * value_range.y, 0.0, 1.0);
#if CHANNELS == 2
    seen.b = 0.0;
#endif
#if CHANNELS < 4
    seen.a = 1.0;
#endif
    return seen;
#endif
}
