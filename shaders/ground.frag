// SPDX-License-Identifier: MIT
// A veil of light that fades out, so that shadows are seen before a dark background, and the
// shadow.

layout(binding = 0) uniform sampler2D shadow;
uniform int up_is_y;
uniform float strength;

in vec2 at;
out vec4 color; // premultiplied

const float veil = 0.11;
const float darkness = 0.62;

void main() {
    float fade = 1.0 - smoothstep(0.5, 2.0, length(at));
    // The picture is seen from below: its upper side is z, or -y.
    vec2 place = vec2(at.x, up_is_y != 0 ? at.y : -at.y);
    float dark = all(lessThan(abs(place), vec2(1.0))) ? texture(shadow, 0.5 + 0.5 * place).x : 0.0;
    dark *= strength;
    float light = veil * fade * (1.0 - dark);
    color = vec4(vec3(light), light + darkness * dark);
}
