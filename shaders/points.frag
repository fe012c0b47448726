// SPDX-License-Identifier: MIT
// Defines: ROUND for discs, GLOW for light that falls off from the middle, OPAQUE for discs that
// hide what lies behind them, SHADED for balls lit from the upper left. Without ROUND there is
// nothing to compute: the fastest path.

flat in vec4 sprite_color;
flat in float radius;

out vec4 color; // premultiplied

void main() {
    float cover = 1.0;
#if defined(ROUND)
    float d = length(gl_PointCoord - 0.5) * (2.0 * radius + 1.0); // pixels from the middle
#if defined(GLOW)
    float r = d / (radius + 0.5);
    cover = exp(-3.5 * r * r) * clamp(2.0 - 2.0 * r, 0.0, 1.0);
#else
    cover = clamp(radius + 0.5 - d, 0.0, 1.0);
#endif
#if defined(OPAQUE)
    if (cover < 0.5) discard;
    cover = 1.0;
#endif
#endif
    vec3 rgb = sprite_color.rgb;
#if defined(SHADED)
    vec2 n = (gl_PointCoord - 0.5) * (2.0 * radius + 1.0) / max(radius, 0.5); // y down
    float toward = sqrt(max(1.0 - dot(n, n), 0.0));
    float light = max(dot(vec3(n, toward), vec3(-0.42, -0.52, 0.74)), 0.0);
    rgb = rgb * (0.28 + 0.72 * light) + 0.35 * pow(light, 24.0);
#endif
    float a = sprite_color.a * cover;
    color = vec4(rgb * a, a);
}
