// SPDX-License-Identifier: MIT
// Defines: ROUND for discs, GLOW for light that falls off from the middle, OPAQUE for discs that
// hide what lies behind them; QUAD as in points.vert. Without ROUND there is nothing to compute:
// the fastest path.

#if defined(QUAD)
in vec2 from_middle;
#endif
flat in vec4 sprite_color;
flat in float radius;

out vec4 color; // premultiplied

void main() {
    float cover = 1.0;
#if defined(ROUND)
#if defined(QUAD)
    float d = length(from_middle);
#else
    float d = length(gl_PointCoord - 0.5) * (2.0 * radius + 1.0); // pixels from the middle
#endif
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
    float a = sprite_color.a * cover;
    color = vec4(sprite_color.rgb * a, a);
}
