// SPDX-License-Identifier: MIT
// A pixel of a layer.

layout(binding = 0) uniform sampler2D layer;
uniform ivec2 corner; // of the viewport

out vec4 color; // premultiplied

void main() {
    color = texelFetch(layer, ivec2(gl_FragCoord.xy) - corner, 0);
    if (color.a == 0.0) discard;
}
