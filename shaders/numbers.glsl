// SPDX-License-Identifier: MIT
// Places and directions of 2 to 4 float32 each, read by number where they lie.

uniform int components;

vec3 vector_at(samplerBuffer numbers, int first, int i) {
    int at = first + i * components;
    vec3 p = vec3(texelFetch(numbers, at).x, texelFetch(numbers, at + 1).x, 0.0);
    if (components > 2) p.z = texelFetch(numbers, at + 2).x;
    return p;
}
