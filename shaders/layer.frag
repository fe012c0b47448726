// SPDX-License-Identifier: MIT
// A pixel of a picture that a kernel has made, with its depth.

layout(binding = 0) uniform samplerBuffer colors;
layout(binding = 1) uniform samplerBuffer depths;
uniform ivec2 size;

in vec2 at;
out vec4 color; // premultiplied

void main() {
    ivec2 p = ivec2(at);
    int i = p.y * size.x + p.x;
    color = texelFetch(colors, i);
    if (color.a == 0.0) discard;
    gl_FragDepth = texelFetch(depths, i).x;
}
