// SPDX-License-Identifier: MIT
// A letter's coverage, or that of the letter grown by two pixels.

layout(binding = 1) uniform sampler2D atlas;
uniform int is_edge;

in vec2 texel;
flat in vec4 color, edge;
out vec4 result; // premultiplied

float grown(ivec2 at) {
    float most = 0.0;
    for (int y = -2; y <= 2; ++y)
        for (int x = -2; x <= 2; ++x) {
            float nearness = 1.0 - 0.3 * max(length(vec2(x, y)) - 1.0, 0.0);
            most = max(most, nearness * texelFetch(atlas, at + ivec2(x, y), 0).r);
        }
    return most;
}

void main() {
    ivec2 at = ivec2(floor(texel));
    vec4 ink = is_edge != 0 ? edge : color;
    float amount = ink.a * (is_edge != 0 ? grown(at) : texelFetch(atlas, at, 0).r);
    result = vec4(amount * ink.rgb, amount);
}
