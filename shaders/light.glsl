// SPDX-License-Identifier: MIT
// The light that surfaces are seen in, fixed to the viewer: a key light over the left shoulder, a
// weak fill light from the right, and the sky, which is brighter above. Matte, after Lambert. Light
// adds up linearly; colours are sRGB, so it scales them by its power of 1/2.2.

const vec3 key_light = normalize(vec3(-0.45, 0.55, 0.9)); // x right, y up, z towards the viewer
const vec3 fill_light = normalize(vec3(0.8, -0.1, 0.5));

/// `normal` has length 1.
vec3 lit(vec3 color, vec3 normal) {
    float light = 0.86 * max(dot(normal, key_light), 0.0) +
                  0.12 * max(dot(normal, fill_light), 0.0) + 0.096 + 0.064 * normal.y;
    return color * pow(min(light, 1.0), 1.0 / 2.2);
}
