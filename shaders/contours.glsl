// SPDX-License-Identifier: MIT
// Lines where a smooth value is a multiple of a spacing.

uniform float contour_spacing;
uniform float contour_width; // pixels
uniform vec4 contour_color;

/// The colour, premultiplied, with the lines over it. Where lines would lie closer together than
/// they are wide they fade; a plateau has none.
vec4 with_contours(vec4 color, float value) {
    float level = value / contour_spacing;
    float change = length(vec2(dFdx(level), dFdy(level))); // per pixel
    float away = abs(fract(level - 0.5) - 0.5) / max(change, 1e-20);
    float ink = clamp(0.5 * contour_width + 0.5 - away, 0.0, 1.0);
    ink *= contour_color.a * (1.0 - smoothstep(0.15, 0.5, change * contour_width));
    if (!(change > 1e-6)) ink = 0.0; // NaN neither
    return mix(color, vec4(contour_color.rgb * color.a, color.a), ink);
}
