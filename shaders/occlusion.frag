// SPDX-License-Identifier: MIT
// How much light its surroundings leave a pixel, and how far from the eye it is.

layout(binding = 0) uniform sampler2D depths;
uniform mat4 projection;
uniform mat4 from_clip;
uniform ivec2 corner; // of the viewport in `depths`
uniform ivec2 size;
uniform float radius; // world units
uniform float strength;

out vec2 found;

const int looks = 12;
const float turns = 5.0; // of the spiral that they lie on

/// In eye space. Our cameras have their axis in the middle of the picture.
vec3 place_at(ivec2 pixel, float depth) {
    vec2 clip = (vec2(pixel) + 0.5) / vec2(size) * 2.0 - 1.0;
    vec2 zw = (2.0 * depth - 1.0) * from_clip[2].zw + from_clip[3].zw;
    return vec3(clip * vec2(from_clip[0].x, from_clip[1].y), zw.x) / zw.y;
}
float depth_at(ivec2 pixel) {
    return texelFetch(depths, corner + clamp(pixel, ivec2(0), size - 1), 0).x;
}

/// From the pixel to its neighbours on both sides: along the one that lies nearer in depth.
vec3 slope(ivec2 pixel, ivec2 step, vec3 here) {
    vec3 after = place_at(pixel + step, depth_at(pixel + step)) - here;
    vec3 before = here - place_at(pixel - step, depth_at(pixel - step));
    return abs(after.z) < abs(before.z) ? after : before;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth = depth_at(pixel);
    found = vec2(1.0, 1e30);
    if (depth >= 1.0) return;
    vec3 here = place_at(pixel, depth);
    found.y = -here.z;
    float w = (projection * vec4(here, 1.0)).w;
    float reach = min(radius * projection[1][1] / w * 0.5 * float(size.y), 0.25 * float(size.y));
    if (reach < 1.5) return;
    vec3 across = slope(pixel, ivec2(1, 0), here), above = slope(pixel, ivec2(0, 1), here);
    vec3 normal = normalize(cross(across, above));
    float bias = 0.02 * radius + 1e-4 * length(here);
    // One of sixteen turns and steps, each once in 4 × 4 pixels.
    int x = pixel.x & 3, y = pixel.y & 3;
    float turn = 6.2831853 * float((x * 4 + (y ^ x)) * 7 & 15) / 16.0;
    float begin = (float((y * 4 + (x ^ (2 * y & 3))) * 5 & 15) + 0.5) / 16.0;
    float inverse_square = 1.0 / (radius * radius), sum = 0.0;
    turn += 6.2831853 * turns * begin / float(looks);
    vec2 way_there = vec2(cos(turn), sin(turn));
    float step = 6.2831853 * turns / float(looks);
    mat2 onwards = mat2(cos(step), sin(step), -sin(step), cos(step));
    for (int i = 0; i < looks; ++i) {
        float part = (float(i) + begin) / float(looks);
        ivec2 there = pixel + ivec2(round(reach * part * way_there));
        way_there = onwards * way_there;
        float other = depth_at(there);
        if (other >= 1.0) continue;
        vec3 way = place_at(there, other) - here;
        float away = dot(way, way);
        float near = max(1.0 - away * inverse_square, 0.0);
        sum += near * near * near * max(dot(way, normal) - bias, 0.0) /
               (sqrt(away) + 0.01 * radius) * (0.3 + part);
    }
    found.x = clamp(1.0 - strength * 9.0 * sum / float(looks), 0.0, 1.0);
}
