// SPDX-License-Identifier: MIT
// What lies under a place of the screen. Each thing has a key of 64 bits, of which the least is
// taken: bit 63 where the thing lies near the place but not under it, then 31 bits of order (depth,
// what was drawn last, or how near), then the index.

struct Sight {
    float to_clip[16]; // columns
    float place[2];    // pixels from the top left
    float pixels[2];   // of the tile
    float from[3];     // the ray through the place: on the near plane
    float along[3];    // of length 1
    float pixels_a_unit; // at w = 1
    float reach;         // pixels within which what is not under the place is near
};

struct Clip {
    float x, y, z, w;
};

__device__ Clip to_clip(const Sight& s, const float* p, int components) {
    const float x = p[0], y = p[1], z = components > 2 ? p[2] : 0.0f;
    const float* m = s.to_clip;
    return {m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13],
            m[2] * x + m[6] * y + m[10] * z + m[14], m[3] * x + m[7] * y + m[11] * z + m[15]};
}

__device__ float2 to_pixels(const Sight& s, const Clip& c) {
    return {s.pixels[0] * (0.5f + 0.5f * c.x / c.w), s.pixels[1] * (0.5f - 0.5f * c.y / c.w)};
}

__device__ void take(unsigned long long* found, unsigned long long key) {
    if (key < *found) atomicMin(found, key);
}
__device__ void take_hit(unsigned long long* found, float depth, long long index) {
    take(found, ((unsigned long long)(ordered(depth) >> 1) << 32) | (unsigned)index);
}
/// Of what hides nothing: the last one lies above the others.
__device__ void take_last(unsigned long long* found, long long index) {
    take(found, ((0x7fffffffull - (unsigned)index) << 32) | (unsigned)index);
}
__device__ void take_near(unsigned long long* found, float distance, long long index) {
    const unsigned order = (unsigned)(distance * 4096.0f) & 0x7fffffffu;
    take(found, (1ull << 63) | ((unsigned long long)order << 32) | (unsigned)index);
}

__device__ __forceinline__ float dot(const float* a, const float* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

__device__ float depth_at(const Sight& s, float t) {
    const float p[3] = {s.from[0] + t * s.along[0], s.from[1] + t * s.along[1],
                        s.from[2] + t * s.along[2]};
    const Clip c = to_clip(s, p, 3);
    return c.z / c.w;
}

/// `size`: diameter, of the world where `is_world`, else pixels; that of balls is lit.
extern "C" __global__ void pick_points(const float* positions, const float* radii,
                                       unsigned long long* found, long long count, int components,
                                       float size, int is_world, int is_ball, int is_round,
                                       int is_opaque, Sight s) {
    for (long long at = first_item(); at < count; at += item_step()) {
        const float* p = positions + at * components;
        const Clip clip = to_clip(s, p, components);
        const float own = radii ? size * radii[at] : size;
        if (!(own > 0.0f) || !(clip.w > 0.0f) || !(fabsf(clip.z) <= clip.w)) continue;
        const float wanted = is_world ? own * s.pixels_a_unit / clip.w : own;
        const float2 there = to_pixels(s, clip);
        const float x = there.x - s.place[0], y = there.y - s.place[1];
        if (is_ball) {
            const float radius = 0.5f * own * fmaxf(1.0f, 1.0f / wanted);
            const float z = components > 2 ? p[2] : 0.0f;
            const float to[3] = {p[0] - s.from[0], p[1] - s.from[1], z - s.from[2]};
            const float middle = dot(to, s.along);
            const float away[3] = {to[0] - middle * s.along[0], to[1] - middle * s.along[1],
                                   to[2] - middle * s.along[2]};
            const float under = radius * radius - dot(away, away);
            if (under >= 0.0f) {
                take_hit(found, depth_at(s, middle - sqrtf(under)), at);
                continue;
            }
        }
        const float half = 0.5f * fmaxf(wanted, 1.0f);
        const float distance = is_round ? sqrtf(x * x + y * y) : fmaxf(fabsf(x), fabsf(y));
        if (!is_ball && distance <= half) {
            if (is_opaque) take_hit(found, clip.z / clip.w, at);
            else take_last(found, at);
        } else if (distance - half <= s.reach) take_near(found, fmaxf(distance - half, 0.0f), at);
    }
}

extern "C" __global__ void pick_lines(const float* positions, unsigned long long* found,
                                      long long segments, long long count, int components, int step,
                                      float width, Sight s) {
    for (long long at = first_item(); at < segments; at += item_step()) {
        const long long first = at * step, second = (first + 1) % count;
        Clip a = to_clip(s, positions + first * components, components),
             b = to_clip(s, positions + second * components, components);
        const float near_a = a.z + a.w, near_b = b.z + b.w; // as segment.glsl cuts it off
        if (near_a < 0.0f && near_b < 0.0f) continue;
        const auto mix = [](const Clip& p, const Clip& q, float t) {
            return Clip{p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z),
                        p.w + t * (q.w - p.w)};
        };
        if (near_a < 0.0f) a = mix(a, b, near_a / (near_a - near_b) + 1e-4f);
        else if (near_b < 0.0f) b = mix(b, a, near_b / (near_b - near_a) + 1e-4f);
        const float2 p = to_pixels(s, a), q = to_pixels(s, b);
        const float ux = q.x - p.x, uy = q.y - p.y, x = s.place[0] - p.x, y = s.place[1] - p.y;
        const float square = ux * ux + uy * uy;
        const float t = square > 0.0f ? fminf(fmaxf((x * ux + y * uy) / square, 0.0f), 1.0f) : 0.0f;
        const float distance = hypotf(x - t * ux, y - t * uy) - 0.5f * width;
        if (distance <= 0.0f) {
            const float depth = a.z / a.w + t * (b.z / b.w - a.z / a.w); // linear on the screen
            if (components > 2) take_hit(found, depth, first);
            else take_last(found, first);
        } else if (distance <= s.reach) take_near(found, distance, first);
    }
}

/// Where the ray meets a triangle, from both sides: Möller and Trumbore, "Fast, Minimum Storage
/// Ray/Triangle Intersection", 1997.
extern "C" __global__ void pick_mesh(const float* vertices, const unsigned* triangles,
                                     unsigned long long* found, long long count, long long faces,
                                     Sight s) {
    for (long long at = first_item(); at < faces; at += item_step()) {
        const unsigned* corners = triangles + 3 * at;
        if (corners[0] >= count || corners[1] >= count || corners[2] >= count) continue;
        const float *a = vertices + 3LL * corners[0], *b = vertices + 3LL * corners[1],
                    *c = vertices + 3LL * corners[2];
        const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                    v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]},
                    to[3] = {s.from[0] - a[0], s.from[1] - a[1], s.from[2] - a[2]};
        const float p[3] = {s.along[1] * v[2] - s.along[2] * v[1],
                            s.along[2] * v[0] - s.along[0] * v[2],
                            s.along[0] * v[1] - s.along[1] * v[0]},
                    q[3] = {to[1] * u[2] - to[2] * u[1], to[2] * u[0] - to[0] * u[2],
                            to[0] * u[1] - to[1] * u[0]};
        const float determinant = dot(u, p);
        if (determinant == 0.0f) continue;
        const float inverse = 1.0f / determinant;
        const float first = dot(to, p) * inverse, second = dot(s.along, q) * inverse,
                    t = dot(v, q) * inverse;
        if (first < 0.0f || second < 0.0f || first + second > 1.0f || !(t >= 0.0f)) continue;
        take_hit(found, depth_at(s, t), at);
    }
}
