// SPDX-License-Identifier: MIT

noperspective in float across;
flat in float stroke_width;
flat in vec4 stroke_color;
out vec4 color; // premultiplied

void main() {
    float a = stroke_color.a * clamp(0.5 * stroke_width + 0.5 - abs(across), 0.0, 1.0);
    color = vec4(stroke_color.rgb * a, a);
}
