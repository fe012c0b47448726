// SPDX-License-Identifier: MIT
// A picture read element by element: a buffer texture straight over a kernel's buffer, or a 2D
// texture. Defines: FROM_TEXTURE; SAMPLER (a sampler type); CHANNELS 1…4 of the picture; VECTOR
// where one fetch brings all channels.

layout(binding = 0) uniform SAMPLER source;
uniform ivec2 picture; // columns, rows
uniform int first;     // elements before the picture

vec4 element(ivec2 p) {
#if defined(FROM_TEXTURE)
    return vec4(texelFetch(source, p, 0));
#elif defined(VECTOR)
    return vec4(texelFetch(source, first + p.y * picture.x + p.x));
#else
    int i = first + (p.y * picture.x + p.x) * CHANNELS;
    vec4 v = vec4(0.0, 0.0, 0.0, 1.0);
    v.x = float(texelFetch(source, i).x);
#if CHANNELS > 1
    v.y = float(texelFetch(source, i + 1).x);
#endif
#if CHANNELS > 2
    v.z = float(texelFetch(source, i + 2).x);
#endif
#if CHANNELS > 3
    v.w = float(texelFetch(source, i + 3).x);
#endif
    return v;
#endif
}
