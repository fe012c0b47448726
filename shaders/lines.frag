// SPDX-License-Identifier: MIT

uniform vec4 tint;
uniform float width;

noperspective in float across;
in float strength;
out vec4 color; // premultiplied

void main() {
    float a = tint.a * strength * clamp(0.5 * width + 0.5 - abs(across), 0.0, 1.0);
    color = vec4(tint.rgb * a, a);
}
