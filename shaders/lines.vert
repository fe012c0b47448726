// SPDX-License-Identifier: MIT
// Six vertices a segment, pulled from the buffer of positions: a strip as wide as asked on the
// screen, with a pixel more for its soft edges.

layout(binding = 0) uniform samplerBuffer numbers; // float32
uniform mat4 view_projection;
uniform vec2 framebuffer_size;
uniform int first;      // floats before the first point
uniform int components; // floats from point to point
uniform int count;      // points
uniform int step;       // points from segment to segment: 1 polyline, 2 segments
uniform float width;    // pixels
uniform float fade;

noperspective out float across; // pixels from the line's middle
out float strength;

vec4 point(int i) {
    int at = first + (i % count) * components;
    vec3 p = vec3(texelFetch(numbers, at).x, texelFetch(numbers, at + 1).x, 0.0);
    if (components > 2) p.z = texelFetch(numbers, at + 2).x;
    return view_projection * vec4(p, 1.0);
}

void main() {
    int begin = (gl_VertexID / 6) * step;
    int corner = gl_VertexID % 6; // 0 1 2, 2 1 3 of the strip a−, a+, b−, b+
    if (corner > 2) corner = corner == 3 ? 2 : corner == 4 ? 1 : 3;
    vec4 a = point(begin), b = point(begin + 1);

    // What lies behind the eye has no place on the screen: cut it off there.
    float near_a = a.z + a.w, near_b = b.z + b.w;
    if (near_a < 0.0 && near_b > 0.0) a = mix(a, b, near_a / (near_a - near_b) + 1e-4);
    else if (near_b < 0.0 && near_a > 0.0) b = mix(b, a, near_b / (near_b - near_a) + 1e-4);

    vec2 half_size = 0.5 * framebuffer_size;
    vec2 along = b.xy / b.w * half_size - a.xy / a.w * half_size;
    float pixels = length(along);
    vec2 normal = pixels > 0.0 ? vec2(-along.y, along.x) / pixels : vec2(0.0, 1.0);
    bool at_end = corner >= 2;
    across = ((corner & 1) == 0 ? -1.0 : 1.0) * (0.5 * width + 1.0);
    vec4 p = at_end ? b : a;
    p.xy += normal * across / half_size * p.w;
    gl_Position = p;

    float place = float(begin + int(at_end)) / float(max(count - 1, 1));
    strength = 1.0 - fade * (1.0 - clamp(place, 0.0, 1.0));
}
