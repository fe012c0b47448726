// SPDX-License-Identifier: MIT
// Many points, as shaders/points.* and balls.* draw them: the nearest of each pixel, then its
// colour. A key is the depth's bits above the index.

struct Splat { // as in splatter.cpp
    float to_clip[16]; // columns
    float eye[4], tint[4];
    float up[3];
    float near[3][3], far[3][3];
    float size, pixels_a_unit, low, per_unit;
    int tile[2];
    int is_world, is_ball, is_round, colors_are_bytes;
    ClipPlanes clip;
};

struct Place {
    float x, y, z;  // of the world
    float px, py;   // pixels from the bottom left
    float depth, w; // 0 to 1 as OpenGL has it
    float radius;   // of the world where it is a ball, else pixels
    float wanted;   // diameter, pixels
    bool is_seen;
};

__device__ __forceinline__ float4 clip_of(const Splat& s, float x, float y, float z) {
    const float* m = s.to_clip;
    return make_float4(
        m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13],
        m[2] * x + m[6] * y + m[10] * z + m[14], m[3] * x + m[7] * y + m[11] * z + m[15]);
}

/// To a part of 1/256 of a pixel, as OpenGL's rasterisers do.
__device__ __forceinline__ float snapped(float x) { return rintf(x * 256.0f) / 256.0f; }

__device__ __forceinline__ Place place_of(const Splat& s, const float* positions,
                                          const float* radii, long long at, int components) {
    const float* p = positions + at * components;
    Place here;
    here.x = p[0];
    here.y = p[1];
    here.z = components > 2 ? p[2] : 0.0f;
    const float4 clip = clip_of(s, here.x, here.y, here.z);
    const float own = radii ? s.size * radii[at] : s.size;
    const float inverse = 1.0f / clip.w;
    here.w = clip.w;
    here.px = snapped((0.5f + 0.5f * clip.x * inverse) * s.tile[0]);
    here.py = snapped((0.5f + 0.5f * clip.y * inverse) * s.tile[1]);
    here.depth = 0.5f + 0.5f * clip.z * inverse;
    here.wanted = s.is_world ? own * s.pixels_a_unit * inverse : own;
    here.radius = 0.5f * (s.is_ball ? own * fmaxf(1.0f, 1.0f / here.wanted)
                                    : fmaxf(here.wanted, 1.0f));
    // Of a ball that reaches before the near plane more may be seen than its middle.
    here.is_seen = own > 0.0f && clip.w > 0.0f &&
                   (s.is_ball || (here.depth >= 0.0f && here.depth <= 1.0f &&
                                  !s.clip.clips(here.x, here.y, here.z)));
    return here;
}

struct Hit {
    float nx, ny, nz; // of the surface, of length 1
    float depth;
    bool is_hit;
};

/// The ray through a pixel's middle against a ball.
__device__ Hit hit(const Splat& s, const Place& ball, int x, int y) {
    const float a = 2.0f * (x + 0.5f) / s.tile[0] - 1.0f, b = 2.0f * (y + 0.5f) / s.tile[1] - 1.0f;
    float from[3], along[3], length = 0;
    for (int k = 0; k < 3; ++k) {
        from[k] = s.near[0][k] + a * s.near[1][k] + b * s.near[2][k];
        along[k] = s.far[0][k] + a * s.far[1][k] + b * s.far[2][k] - from[k];
        length += along[k] * along[k];
    }
    const float inverse = rsqrtf(length);
    const float to[3] = {ball.x - from[0], ball.y - from[1], ball.z - from[2]};
    for (int k = 0; k < 3; ++k) along[k] *= inverse;
    const float middle = to[0] * along[0] + to[1] * along[1] + to[2] * along[2];
    float away = 0;
    for (int k = 0; k < 3; ++k) {
        const float d = to[k] - middle * along[k];
        away += d * d;
    }
    const float under = ball.radius * ball.radius - away;
    Hit found;
    found.is_hit = under >= 0.0f;
    const float back = sqrtf(fmaxf(under, 0.0f));
    float t = middle - back;
    found.nx = (from[0] + t * along[0] - ball.x) / ball.radius;
    found.ny = (from[1] + t * along[1] - ball.y) / ball.radius;
    found.nz = (from[2] + t * along[2] - ball.z) / ball.radius;
    if (s.clip.count > 0) { // a ball is solid: the cut is a disc
        const KeptRay kept(s.clip, from, along);
        found.is_hit = found.is_hit && fmaxf(t, kept.begin) <= fminf(middle + back, kept.end);
        if (kept.begin > t) {
            const float* plane = s.clip.planes[kept.plane];
            const float beside = kept.begin - middle;
            t = cut_of_ball(kept.begin, t, away + beside * beside, ball.radius);
            found.nx = -plane[0];
            found.ny = -plane[1];
            found.nz = -plane[2];
        }
    }
    const float4 clip = clip_of(s, from[0] + t * along[0], from[1] + t * along[1],
                                from[2] + t * along[2]);
    found.depth = 0.5f + 0.5f * clip.z / clip.w;
    found.is_hit = found.is_hit && t >= 0.0f && found.depth <= 1.0f;
    return found;
}

extern "C" __global__ void splat(const float* positions, const float* radii,
                                 unsigned long long* nearest, long long count, int components,
                                 Splat s) {
    for (long long at = first_item(); at < count; at += item_step()) {
        const Place here = place_of(s, positions, radii, at, components);
        if (!here.is_seen) continue;
        float reach = here.radius; // pixels
        if (s.is_ball) {
            // Towards the edge of the view a ball is drawn longer.
            const float dx = s.eye[0] - here.x, dy = s.eye[1] - here.y, dz = s.eye[2] - here.z;
            const float square = dx * dx + dy * dy + dz * dz;
            if (s.eye[3] != 0.0f && square <= here.radius * here.radius * 1.002f) continue;
            const float before = s.eye[3] != 0.0f ? here.w - here.radius : here.w;
            const float longer = s.eye[3] != 0.0f ? square / (here.w * here.w) : 1.0f;
            reach = before > 0.0f ? s.pixels_a_unit * here.radius / before * longer + 1.0f : 1e9f;
        }
        // Pixels whose middle lies within.
        const int low_x = max((int)ceilf(fmaxf(here.px - reach - 0.5f, -1.0f)), 0),
                  low_y = max((int)ceilf(fmaxf(here.py - reach - 0.5f, -1.0f)), 0),
                  high_x = min((int)ceilf(fminf(here.px + reach - 0.5f, 1e6f)), s.tile[0]),
                  high_y = min((int)ceilf(fminf(here.py + reach - 0.5f, 1e6f)), s.tile[1]);
        for (int y = low_y; y < high_y; ++y)
            for (int x = low_x; x < high_x; ++x) {
                float depth = here.depth;
                if (s.is_ball) {
                    const Hit surface = hit(s, here, x, y);
                    if (!surface.is_hit) continue;
                    depth = surface.depth;
                } else if (s.is_round) {
                    const float dx = x + 0.5f - here.px, dy = y + 0.5f - here.py;
                    if (dx * dx + dy * dy > here.radius * here.radius) continue;
                }
                const unsigned long long key =
                    ((unsigned long long)__float_as_uint(depth) << 32) | (unsigned)at;
                unsigned long long* there = nearest + (long long)y * s.tile[0] + x;
                if (key < *there) atomicMin(there, key);
            }
    }
}

__device__ __forceinline__ float4 color_of(const Splat& s, const float* values, const void* colors,
                                           const float* range, const float4* table,
                                           long long at) {
    const float4 tint = make_float4(s.tint[0], s.tint[1], s.tint[2], s.tint[3]);
    if (colors && s.colors_are_bytes) {
        const uchar4 c = ((const uchar4*)colors)[at];
        return make_float4(tint.x * c.x / 255.0f, tint.y * c.y / 255.0f, tint.z * c.z / 255.0f,
                           tint.w * c.w / 255.0f);
    }
    if (colors) {
        const float4 c = ((const float4*)colors)[at];
        return make_float4(tint.x * c.x, tint.y * c.y, tint.z * c.z, tint.w * c.w);
    }
    if (!values) return tint;
    const float value = values[at];
    if (value != value) return make_float4(1, 0, 1, tint.w); // as color_of() of shaders/common.glsl
    if (fabsf(value) == __uint_as_float(0x7f800000u)) return make_float4(0, 1, 1, tint.w);
    float low = s.low, per_unit = s.per_unit;
    if (range) {
        low = range[0];
        per_unit = range[1] == low ? 1e30f : 1.0f / (range[1] - low);
    }
    const float part = fminf(fmaxf((value - low) * per_unit, 0.0f), 1.0f);
    const float4 c = table[min((int)(part * 256.0f), 255)];
    return make_float4(c.x, c.y, c.z, tint.w);
}

/// Of shaders/light.glsl, in the frame of balls.vert: z towards the eye, y as far up as it can.
__device__ float light(const Splat& s, const Place& ball, const Hit& surface) {
    float3 z = make_float3(s.eye[0] - ball.x * s.eye[3], s.eye[1] - ball.y * s.eye[3],
                           s.eye[2] - ball.z * s.eye[3]);
    const float far = rsqrtf(z.x * z.x + z.y * z.y + z.z * z.z);
    z = make_float3(z.x * far, z.y * far, z.z * far);
    float3 x = make_float3(s.up[1] * z.z - s.up[2] * z.y, s.up[2] * z.x - s.up[0] * z.z,
                           s.up[0] * z.y - s.up[1] * z.x);
    const float wide = rsqrtf(x.x * x.x + x.y * x.y + x.z * x.z);
    x = make_float3(x.x * wide, x.y * wide, x.z * wide);
    const float3 y =
        make_float3(z.y * x.z - z.z * x.y, z.z * x.x - z.x * x.z, z.x * x.y - z.y * x.x);
    const float nx = x.x * surface.nx + x.y * surface.ny + x.z * surface.nz,
                ny = y.x * surface.nx + y.y * surface.ny + y.z * surface.nz,
                nz = z.x * surface.nx + z.y * surface.ny + z.z * surface.nz;
    const float key = (-0.45f * nx + 0.55f * ny + 0.9f * nz) * rsqrtf(1.315f);
    const float fill = (0.8f * nx - 0.1f * ny + 0.5f * nz) * rsqrtf(0.9f);
    const float sum =
        0.86f * fmaxf(key, 0.0f) + 0.12f * fmaxf(fill, 0.0f) + 0.096f + 0.064f * ny;
    return powf(fminf(sum, 1.0f), 1.0f / 2.2f);
}

__device__ __forceinline__ unsigned byte_of(float x) {
    return (unsigned)(fminf(fmaxf(x, 0.0f), 1.0f) * 255.0f + 0.5f);
}

extern "C" __global__ void color(const unsigned long long* nearest, const float* positions,
                                 const float* radii, const float* values, const void* colors,
                                 const float* range, const float4* table, unsigned* pixels,
                                 float* depths, long long count, int components, Splat s) {
    for (long long pixel = first_item(); pixel < count; pixel += item_step()) {
        const unsigned long long key = nearest[pixel];
        if (key == ~0ull) {
            pixels[pixel] = 0;
            depths[pixel] = 1.0f;
            continue;
        }
        const long long at = (long long)(key & 0xffffffffull);
        const Place here = place_of(s, positions, radii, at, components);
        float4 c = color_of(s, values, colors, range, table, at);
        const float shrink = fminf(here.wanted, 1.0f);
        c.w *= shrink * shrink;
        float shade = c.w;
        if (s.is_ball) {
            const int x = (int)(pixel % s.tile[0]), y = (int)(pixel / s.tile[0]);
            shade *= light(s, here, hit(s, here, x, y));
        }
        // What is nearly nothing is still there.
        const unsigned alpha = max(byte_of(c.w), 1u);
        pixels[pixel] = byte_of(c.x * shade) | byte_of(c.y * shade) << 8 |
                        byte_of(c.z * shade) << 16 | alpha << 24;
        depths[pixel] = __uint_as_float((unsigned)(key >> 32));
    }
}
