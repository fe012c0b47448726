// SPDX-License-Identifier: MIT
// The mean over 4 × 4 pixels of one surface, as a factor of colours, which are sRGB.

layout(binding = 0) uniform sampler2D found; // light that is left, distance
uniform ivec2 corner; // of the viewport in the picture
uniform ivec2 size;
uniform float radius;

out vec4 color;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy) - corner;
    vec2 here = texelFetch(found, pixel, 0).xy;
    if (here.y >= 1e30) discard;
    float sum = 0.0, weights = 0.0;
    for (int y = -2; y < 2; ++y)
        for (int x = -2; x < 2; ++x) {
            vec2 there = texelFetch(found, clamp(pixel + ivec2(x, y), ivec2(0), size - 1), 0).xy;
            float weight = max(1.0 - abs(there.y - here.y) / (0.5 * radius), 0.0);
            sum += weight * there.x;
            weights += weight;
        }
    color = vec4(vec3(pow(sum / weights, 1.0 / 2.2)), 1.0);
}
