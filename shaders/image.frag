// SPDX-License-Identifier: MIT
// One picture. Defines, besides those of elements.glsl: COMPLEX_MAGNITUDE, COMPLEX_PHASE or
// COMPLEX_COLOR where two channels are one number; SMOOTH for interpolation, AVERAGE for the mean
// over a pixel's elements; GAMMA; CONTOURS for lines of equal value. (A branch on a uniform would
// cost a software GL both sides.)

#include "clip.glsl"
#include "common.glsl"
#if defined(CONTOURS)
#include "contours.glsl"
#endif
#include "elements.glsl"

uniform int taps;       // AVERAGE: per direction and pixel
uniform vec2 footprint; // elements a pixel covers
uniform float inverse_gamma;
uniform float opacity;

in vec2 at;
out vec4 color; // premultiplied

ivec2 inside(vec2 p) { return clamp(ivec2(floor(p)), ivec2(0), picture - 1); }

vec4 between_elements() {
    vec2 t = fract(at - 0.5);
    ivec2 low = inside(at - 0.5), high = inside(at + 0.5);
    return mix(mix(element(low), element(ivec2(high.x, low.y)), t.x),
               mix(element(ivec2(low.x, high.y)), element(high), t.x), t.y);
}

vec4 value_here() {
#if defined(AVERAGE)
    vec4 sum = vec4(0.0);
    for (int y = 0; y < taps; ++y)
        for (int x = 0; x < taps; ++x)
            sum += element(inside(at + footprint * ((vec2(x, y) + 0.5) / float(taps) - 0.5)));
    return sum / float(taps * taps);
#elif defined(SMOOTH)
    return between_elements();
#else
    return element(inside(at));
#endif
}

#if defined(COMPLEX_MAGNITUDE) || defined(COMPLEX_COLOR)
float number_of(vec4 value) { return is_nan(value.y) ? value.y : length(value.xy); }
#elif defined(COMPLEX_PHASE)
float number_of(vec4 value) {
    return is_nan(value.x) || is_nan(value.y) ? value.x + value.y : atan(value.y, value.x);
}
#else
float number_of(vec4 value) { return value.x; }
#endif

void main() {
    vec4 value = value_here();
#if defined(COMPLEX_COLOR)
    // The phase is the hue: 0 red, 2π/3 green, 4π/3 blue; the magnitude is the brightness.
    float t = in_range(length(value.xy));
#if defined(GAMMA)
    t = pow(t, inverse_gamma);
#endif
    vec3 hue = 0.5 + 0.5 * cos(atan(value.y, value.x) - vec3(0.0, 2.0943951, 4.1887902));
    color = vec4(color_of(number_of(value), hue * t), 1.0) * opacity;
#elif CHANNELS == 1 || defined(COMPLEX_MAGNITUDE) || defined(COMPLEX_PHASE)
    value.x = number_of(value);
    float t = in_range(value.x);
#if defined(GAMMA)
    t = pow(t, inverse_gamma);
#endif
    color = vec4(color_of(value.x, colormap_at(t)), 1.0) * opacity;
#if defined(CONTOURS)
    color = with_contours(color, number_of(between_elements()));
#endif
#else
#if CHANNELS == 2
    value.z = value_range.x;
#endif
    vec3 rgb = clamp((value.rgb - value_range.x) * value_range.y, 0.0, 1.0);
#if defined(GAMMA)
    rgb = pow(rgb, vec3(inverse_gamma));
#endif
    color = vec4(rgb, 1.0) * opacity;
#endif
#if defined(CLIPPED)
    if (is_clipped(vec4(gl_FragCoord.xyz, 1.0))) discard; // after derivatives
#endif
}
