// SPDX-License-Identifier: MIT
// The shadow at a place of the ground: first how high what blocks the light is, then how much of
// the light is blocked, within a circle that grows with that height (Fernando, "Percentage-Closer
// Soft Shadows", 2005).

layout(binding = 0) uniform sampler2D below; // depths, seen from the ground
uniform float height; // of depth 1
uniform float pixels_a_unit;
uniform float softness;

out float shadow;

const int first_looks = 24, looks = 80;
const float target_side = 256.0;

vec2 on_disc(int i, int count) {
    float angle = 2.3999632 * float(i);
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

float depth_at(vec2 pixel) {
    ivec2 size = textureSize(below, 0);
    return texelFetch(below, clamp(ivec2(floor(pixel)), ivec2(0), size - 1), 0).x;
}

void main() {
    vec2 here = gl_FragCoord.xy / target_side * vec2(textureSize(below, 0));
    float widest = 1.5 * softness * height * pixels_a_unit;
    float sum = 0.0, count = 0.0;
    for (int i = 0; i < first_looks; ++i) {
        float depth = depth_at(here + widest * on_disc(i, first_looks));
        if (depth >= 1.0) continue;
        sum += depth;
        count += 1.0;
    }
    shadow = 0.0;
    if (count == 0.0) return;
    float circle = max(softness * height * sum / count * pixels_a_unit, 2.0);
    for (int i = 0; i < looks; ++i)
        if (depth_at(here + circle * on_disc(i, looks)) < 1.0) shadow += 1.0;
    shadow /= float(looks);
}
