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
    ClipPlanes clip;
};

__device__ Clip to_clip(const Sight& s, const float* p, int components) {
    return clip_of(s.to_clip, p, components);
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
    const KeptRay kept(s.clip, s.from, s.along);
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
            const float square = dot(away, away), under = radius * radius - square;
            if (under >= 0.0f) {
                const float first = middle - sqrtf(under), last = middle + sqrtf(under);
                if (fmaxf(first, kept.begin) > fminf(last, kept.end)) continue;
                const float beside = kept.begin - middle;
                const float t = kept.begin <= first
                                    ? first
                                    : cut_of_ball(kept.begin, first, square + beside * beside,
                                                  radius);
                take_hit(found, depth_at(s, t), at);
                continue;
            }
            const float inverse = radius * rsqrtf(square); // to the place that is nearest
            if (s.clip.clips(p[0] - inverse * away[0], p[1] - inverse * away[1],
                             z - inverse * away[2]))
                continue;
        }
        if (s.clip.clips(p[0], p[1], components > 2 ? p[2] : 0.0f)) continue;
        const float half = 0.5f * fmaxf(wanted, 1.0f);
        const float distance = is_round ? sqrtf(x * x + y * y) : fmaxf(fabsf(x), fabsf(y));
        if (!is_ball && distance <= half) {
            if (is_opaque) take_hit(found, clip.z / clip.w, at);
            else take_last(found, at);
        } else if (distance - half <= s.reach) take_near(found, fmaxf(distance - half, 0.0f), at);
    }
}

/// Of a segment on the screen: how far the place is from it, in pixels, and its depth there.
struct Nearness {
    float pixels, depth;
};

/// Of a segment of the world: which part of it stays.
__device__ float2 kept_part(const Sight& s, const float* a, const float* b, int components) {
    float from[3] = {0.0f, 0.0f, 0.0f}, along[3] = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < components && k < 3; ++k) {
        from[k] = a[k];
        along[k] = b[k] - a[k];
    }
    const KeptRay kept(s.clip, from, along);
    return {fmaxf(kept.begin, 0.0f), fminf(kept.end, 1.0f)};
}

/// `part`: what is looked at, from 0 at a to 1 at b.
__device__ Nearness near_segment(const Sight& s, const Clip& whole_a, const Clip& whole_b,
                                 float2 part) {
    if (part.x > part.y) return {1e30f, 0};
    const auto mix = [](const Clip& p, const Clip& q, float t) {
        return Clip{p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z),
                    p.w + t * (q.w - p.w)};
    };
    Clip a = part.x > 0.0f ? mix(whole_a, whole_b, part.x) : whole_a,
         b = part.y < 1.0f ? mix(whole_a, whole_b, part.y) : whole_b;
    const float near_a = a.z + a.w, near_b = b.z + b.w; // as segment.glsl cuts it off
    if (near_a < 0.0f && near_b < 0.0f) return {1e30f, 0};
    if (near_a < 0.0f) a = mix(a, b, near_a / (near_a - near_b) + 1e-4f);
    else if (near_b < 0.0f) b = mix(b, a, near_b / (near_b - near_a) + 1e-4f);
    const float2 p = to_pixels(s, a), q = to_pixels(s, b);
    const float ux = q.x - p.x, uy = q.y - p.y, x = s.place[0] - p.x, y = s.place[1] - p.y;
    const float square = ux * ux + uy * uy;
    const float t = square > 0.0f ? fminf(fmaxf((x * ux + y * uy) / square, 0.0f), 1.0f) : 0.0f;
    return {hypotf(x - t * ux, y - t * uy),
            a.z / a.w + t * (b.z / b.w - a.z / a.w)}; // linear on the screen
}

extern "C" __global__ void pick_lines(const float* positions, unsigned long long* found,
                                      long long segments, Lines lines, float width, Sight s) {
    const int components = lines.components;
    for (long long at = first_item(); at < segments; at += item_step()) {
        const long long first = lines.begin(at);
        const float *a = positions + first * components,
                    *b = positions + lines.end(at) * components;
        const Nearness near =
            near_segment(s, to_clip(s, a, components), to_clip(s, b, components),
                         kept_part(s, a, b, components));
        const float distance = near.pixels - 0.5f * width;
        if (distance <= 0.0f) {
            if (components > 2) take_hit(found, near.depth, first);
            else take_last(found, first);
        } else if (distance <= s.reach) take_near(found, distance, first);
    }
}

/// The ray through the place, from near a thing, so that the distance does not cost digits; and
/// where it enters that first, as shaders/round.glsl finds it.
struct RoundHit {
    float from[3], along[3];
    float t = 1e30f, start;
    float first = 1e30f, last = -1e30f; // of a solid without dents, also behind the eye

    __device__ RoundHit(const Sight& s, const float* near) {
        const float to[3] = {near[0] - s.from[0], near[1] - s.from[1], near[2] - s.from[2]};
        start = dot(to, s.along);
        for (int axis = 0; axis < 3; ++axis) {
            along[axis] = s.along[axis];
            from[axis] = s.from[axis] + start * along[axis];
        }
    }
    __device__ void take(float there) {
        note(there);
        if (start + there >= 0.0f) t = fminf(t, there);
    }
    __device__ void note(float there) {
        first = fminf(first, there);
        last = fmaxf(last, there);
    }
    /// What planes leave of a solid that is all taken: cuts are flat.
    __device__ void clip(const ClipPlanes& planes) {
        if (planes.count == 0) return;
        const KeptRay kept(planes, from, along);
        if (kept.begin > first) t = kept.begin <= last && start + kept.begin >= 0.0f ? kept.begin
                                                                                     : 1e30f;
        if (t > kept.end) t = 1e30f;
    }
    __device__ void sphere(const float* middle, float radius) {
        const float to[3] = {from[0] - middle[0], from[1] - middle[1], from[2] - middle[2]};
        const float nearest = -dot(to, along);
        const float there[3] = {to[0] + nearest * along[0], to[1] + nearest * along[1],
                                to[2] + nearest * along[2]};
        const float under = radius * radius - dot(there, there);
        if (under < 0.0f) return;
        take(nearest - sqrtf(under));
        note(nearest + sqrtf(under));
    }
    __device__ void side(const float* base, const float* axis, float low, float high, float radius,
                         float growth) {
        float to[3] = {from[0] - base[0], from[1] - base[1], from[2] - base[2]};
        const float height = dot(to, axis), climb = dot(along, axis);
        float leave[3];
        for (int k = 0; k < 3; ++k) {
            to[k] -= height * axis[k];
            leave[k] = along[k] - climb * axis[k];
        }
        const float here = radius + growth * height, change = growth * climb;
        const float a = dot(leave, leave) - change * change, b = dot(to, leave) - here * change,
                    c = dot(to, to) - here * here;
        if (b * b < a * c) return;
        const float root = sqrtf(fmaxf(b * b - a * c, 0.0f));
        for (int k = 0; k < 2; ++k) {
            const float there = (k == 0 ? -b - root : -b + root) / a;
            const float at = height + there * climb;
            if (at >= low && at <= high) take(there);
        }
    }
    __device__ void disc(const float* middle, const float* axis, float radius) {
        const float slope = -dot(along, axis);
        const float to[3] = {middle[0] - from[0], middle[1] - from[1], middle[2] - from[2]};
        const float there = -dot(to, axis) / slope;
        float square = 0;
        for (int k = 0; k < 3; ++k) {
            const float away = there * along[k] - to[k];
            square += away * away;
        }
        if (!(square <= radius * radius)) return;
        note(there);
        if (slope < 0.0f) take(there);
    }
};

/// So many pixels there, in world units.
__device__ float least_radius(const Sight& s, const Clip& p, float pixels) {
    return pixels * fmaxf(p.w, 0.0f) / s.pixels_a_unit;
}

__device__ void point_of(const float* numbers, long long at, int components, float* to) {
    const float* p = numbers + at * components;
    to[0] = p[0];
    to[1] = p[1];
    to[2] = components > 2 ? p[2] : 0.0f;
}

__device__ void take_round(const Sight& s, unsigned long long* found, const RoundHit& hit,
                           const Clip& a, const Clip& b, float2 part, long long index) {
    if (hit.t < 1e29f) return take_hit(found, depth_at(s, hit.start + hit.t), index);
    const Nearness near = near_segment(s, a, b, part);
    if (near.pixels <= s.reach) take_near(found, near.pixels, index);
}

extern "C" __global__ void pick_tubes(const float* positions, const float* radii,
                                      unsigned long long* found, long long segments, Lines lines,
                                      float radius, float least, Sight s) {
    const int components = lines.components;
    for (long long at = first_item(); at < segments; at += item_step()) {
        const long long first = lines.begin(at), second = lines.end(at);
        const float own_a = radii ? radius * radii[first] : radius,
                    own_b = radii ? radius * radii[second] : radius;
        if (!(own_a >= 0.0f && own_b >= 0.0f && own_a + own_b > 0.0f)) continue;
        float a[3], b[3];
        point_of(positions, first, components, a);
        point_of(positions, second, components, b);
        const Clip clip_a = to_clip(s, a, 3), clip_b = to_clip(s, b, 3);
        const float ra = fmaxf(own_a, least_radius(s, clip_a, least)),
                    rb = fmaxf(own_b, least_radius(s, clip_b, least));
        float axis[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const float length = sqrtf(dot(axis, axis));
        RoundHit hit(s, a);
        hit.sphere(a, ra);
        hit.sphere(b, rb);
        const float sine = (ra - rb) / length;
        if (fabsf(sine) < 1.0f) {
            for (int k = 0; k < 3; ++k) axis[k] /= length;
            const float cosine = sqrtf(1.0f - sine * sine);
            hit.side(a, axis, sine * ra, length + sine * rb, ra / cosine, -sine / cosine);
        }
        hit.clip(s.clip);
        take_round(s, found, hit, clip_a, clip_b, kept_part(s, a, b, 3), first);
    }
}

/// `shape`: radius of the shaft in parts of the length, radius and length of the head in radii of
/// the shaft, most of the length that is head.
extern "C" __global__ void pick_arrows(const float* positions, const float* vectors,
                                       unsigned long long* found, long long count, int components,
                                       float scale, float radius, float least, float4 shape,
                                       Sight s) {
    for (long long at = first_item(); at < count; at += item_step()) {
        float tail[3], axis[3], tip[3];
        point_of(positions, at, components, tail);
        point_of(vectors, at, components, axis);
        for (int k = 0; k < 3; ++k) axis[k] *= scale;
        const float length = sqrtf(dot(axis, axis));
        if (!(length > 0.0f)) continue;
        for (int k = 0; k < 3; ++k) {
            tip[k] = tail[k] + axis[k];
            axis[k] /= length;
        }
        const Clip a = to_clip(s, tail, 3), b = to_clip(s, tip, 3);
        const float shaft =
            fmaxf(radius > 0.0f ? radius : shape.x * length, least_radius(s, a, least));
        const float head = fminf(shape.z * shaft, shape.w * length), wide = shape.y * shaft;
        const float neck = length - head;
        const float middle[3] = {tail[0] + neck * axis[0], tail[1] + neck * axis[1],
                                 tail[2] + neck * axis[2]};
        RoundHit hit(s, tail);
        hit.side(tail, axis, 0.0f, neck, shaft, 0.0f);
        hit.disc(tail, axis, shaft);
        hit.disc(middle, axis, shaft); // the head hides it
        RoundHit cone(s, tail);
        cone.side(tail, axis, neck, length, wide * length / head, -wide / head);
        cone.disc(middle, axis, wide);
        hit.clip(s.clip);
        cone.clip(s.clip);
        hit.t = fminf(hit.t, cone.t);
        take_round(s, found, hit, a, b, kept_part(s, tail, tip, 3), at);
    }
}

/// Where a ray meets a triangle, from both sides; below 0 where it does not: Möller and Trumbore,
/// "Fast, Minimum Storage Ray/Triangle Intersection", 1997. Counted from the place of the ray that
/// is nearest to a corner, so that the distance does not cost digits.
__device__ float meet_triangle(const float* from, const float* along, const float* a,
                               const float* b, const float* c) {
    const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    float to[3] = {from[0] - a[0], from[1] - a[1], from[2] - a[2]};
    const float start = -dot(to, along) / dot(along, along);
    for (int k = 0; k < 3; ++k) to[k] += start * along[k];
    const float p[3] = {along[1] * v[2] - along[2] * v[1], along[2] * v[0] - along[0] * v[2],
                        along[0] * v[1] - along[1] * v[0]},
                q[3] = {to[1] * u[2] - to[2] * u[1], to[2] * u[0] - to[0] * u[2],
                        to[0] * u[1] - to[1] * u[0]};
    const float determinant = dot(u, p);
    if (determinant == 0.0f) return -1.0f;
    const float inverse = 1.0f / determinant;
    const float first = dot(to, p) * inverse, second = dot(along, q) * inverse,
                t = start + dot(v, q) * inverse;
    // Rounding must not lose a place between two triangles.
    constexpr float kSlack = 1e-4f; // of a side
    if (first < -kSlack || second < -kSlack || first + second > 1.0f + kSlack || !(t >= 0.0f))
        return -1.0f;
    return t;
}

struct Mesh {
    const float* vertices;
    const unsigned* triangles;
    long long count, faces;

    /// Below 0: not.
    __device__ float meet(long long face, const float* from, const float* along) const {
        const unsigned* corners = triangles + 3 * face;
        if (corners[0] >= count || corners[1] >= count || corners[2] >= count) return -1.0f;
        return meet_triangle(from, along, vertices + 3LL * corners[0], vertices + 3LL * corners[1],
                             vertices + 3LL * corners[2]);
    }
};

extern "C" __global__ void pick_mesh(const float* vertices, const unsigned* triangles,
                                     unsigned long long* found, long long count, long long faces,
                                     Sight s) {
    const Mesh mesh = {vertices, triangles, count, faces};
    const KeptRay kept(s.clip, s.from, s.along);
    for (long long at = first_item(); at < faces; at += item_step()) {
        const float t = mesh.meet(at, s.from, s.along);
        if (t >= fmaxf(0.0f, kept.begin) && t <= kept.end) take_hit(found, depth_at(s, t), at);
    }
}

/// The columns of an instance's rotation, as mesh.vert finds them: of a quaternion, a direction, or
/// none.
__device__ void frame_of(const float* turns, int each, int up_axis, long long at,
                         float (*axes)[3]) {
    if (each == 0) {
        for (int k = 0; k < 9; ++k) axes[k / 3][k % 3] = k % 4 == 0 ? 1.0f : 0.0f;
        return;
    }
    const float* own = turns + at * each;
    if (each == 4) {
        const float n = rsqrtf(dot(own, own) + own[3] * own[3]);
        const float x = n * own[0], y = n * own[1], z = n * own[2], w = n * own[3];
        axes[0][0] = 1 - 2 * (y * y + z * z);
        axes[0][1] = 2 * (x * y + w * z);
        axes[0][2] = 2 * (x * z - w * y);
        axes[1][0] = 2 * (x * y - w * z);
        axes[1][1] = 1 - 2 * (x * x + z * z);
        axes[1][2] = 2 * (y * z + w * x);
        axes[2][0] = 2 * (x * z + w * y);
        axes[2][1] = 2 * (y * z - w * x);
        axes[2][2] = 1 - 2 * (x * x + y * y);
        return;
    }
    const float n = rsqrtf(dot(own, own));
    float *x = axes[0], *y = axes[1], *z = axes[2];
    for (int k = 0; k < 3; ++k) z[k] = n * own[k];
    float up[3] = {0.0f, 0.0f, 0.0f};
    const float climb = z[up_axis];
    if (fabsf(climb) < 0.9999f) up[up_axis] = 1.0f;
    else up[(up_axis + 1) % 3] = climb > 0.0f ? -1.0f : 1.0f;
    x[0] = up[1] * z[2] - up[2] * z[1];
    x[1] = up[2] * z[0] - up[0] * z[2];
    x[2] = up[0] * z[1] - up[1] * z[0];
    const float m = rsqrtf(dot(x, x));
    for (int k = 0; k < 3; ++k) x[k] *= m;
    y[0] = z[1] * x[2] - z[2] * x[1];
    y[1] = z[2] * x[0] - z[0] * x[2];
    y[2] = z[0] * x[1] - z[1] * x[0];
}

/// `reach`: of the mesh from its origin, times an instance's greatest scale.
extern "C" __global__ void pick_instances(const float* vertices, const unsigned* triangles,
                                          const float* positions, const float* turns,
                                          const float* scales, unsigned long long* found,
                                          long long count, long long faces, long long instances,
                                          int turns_each, int up_axis, int scales_each, float scale,
                                          float reach, Sight s) {
    const Mesh mesh = {vertices, triangles, count, faces};
    const KeptRay kept(s.clip, s.from, s.along);
    const float begin = fmaxf(0.0f, kept.begin);
    for (long long at = first_item(); at < instances; at += item_step()) {
        float size[3];
        for (int k = 0; k < 3; ++k)
            size[k] = scale * (scales_each == 0 ? 1.0f
                                                : scales[at * scales_each + k % scales_each]);
        if (!(size[0] > 0.0f && size[1] > 0.0f && size[2] > 0.0f)) continue;
        const float* place = positions + 3 * at;
        float to[3] = {s.from[0] - place[0], s.from[1] - place[1], s.from[2] - place[2]};
        const float nearest = -dot(to, s.along);
        for (int k = 0; k < 3; ++k) to[k] += nearest * s.along[k];
        const float around = 1.001f * reach * fmaxf(size[0], fmaxf(size[1], size[2]));
        if (!(dot(to, to) <= around * around)) continue;
        const float start = nearest - around; // before the mesh
        for (int k = 0; k < 3; ++k) to[k] -= around * s.along[k];
        float axes[3][3], from[3], along[3];
        frame_of(turns, turns_each, up_axis, at, axes);
        for (int k = 0; k < 3; ++k) {
            from[k] = dot(axes[k], to) / size[k];
            along[k] = dot(axes[k], s.along) / size[k];
        }
        float first = 1e30f;
        for (long long face = 0; face < faces; ++face) {
            const float t = mesh.meet(face, from, along);
            if (t >= 0.0f && start + t >= begin && start + t <= kept.end) first = fminf(first, t);
        }
        if (first < 1e29f) take_hit(found, depth_at(s, start + first), at);
    }
}
