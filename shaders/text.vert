// SPDX-License-Identifier: MIT
// A letter is a rectangle, larger than its bitmap by a margin for the edge around it.

layout(binding = 0) uniform samplerBuffer letters; // four texels a letter
uniform vec2 framebuffer_size;
uniform float margin; // pixels

out vec2 texel;
flat out vec4 color, edge;

void main() {
    int first = 4 * gl_InstanceID;
    vec4 rectangle = texelFetch(letters, first);
    vec2 place = texelFetch(letters, first + 1).xy;
    color = texelFetch(letters, first + 2);
    edge = texelFetch(letters, first + 3);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * (rectangle.zw + 2.0 * margin) - margin;
    texel = place + corner;
    vec2 clip = 2.0 * (rectangle.xy + corner) / framebuffer_size - 1.0;
    gl_Position = vec4(clip.x, -clip.y, 0.0, 1.0);
}
