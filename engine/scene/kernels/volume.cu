// SPDX-License-Identifier: MIT
// A volume seen along the rays of a tile. Before it stand a typedef of Voxel and MODE: 0 the
// greatest value of a ray, 1 light that is absorbed, 2 an isosurface, 3 slices.
//
// Places are counted in cells; the middle of the first voxel is at (-0.5, -0.5, -0.5), so that the
// nearest whole number is the lower one of the two voxels that are blended along an axis. A ray is
// looked at in steps of one length, by numbers that count from the plane through the volume's
// middle: the same for all rays, so that neither its faces nor what is left out show in the
// picture. Bricks of BRICK cells along each axis are left out where their least and greatest value
// say that nothing is to be seen.
// Where cells are small, but no voxel can be missed, only every other ray of every other row is
// followed at first (march), and between them the picture is blended where it hardly bends (fill).
// The other rays come last (follow). So does Levoy it in "Volume rendering by adaptive refinement",
// The Visual Computer 6, 1990. The greatest value of such a ray is looked for where a ray beside
// has found its own, some of them before all others (seed).

// Of memory that comes as a parameter of its own, the software device knows the bounds.
struct Volume { // as Launch in volume.cpp
    float place[3][3];     // of the ray at clip (a, b): row 0 + a row 1 + b row 2
    float direction[3][3]; // likewise; a step long
    float clip_z[4], clip_w[4];
    float normal[3][3]; // from a slope per cell to eye space
    float side[3];      // of a cell, world units
    float color[4];     // of the surface
    float low, high, opacity, density, level;
    float lowest; // -0.5, which a compiler must not know: it would care for NaN then
    int cells[3], bricks[3]; // along each axis
    int corner[2], size[2], tile[2]; // pixels
    float slices[3]; // where they lie, in cells; outside: none
    int apart;     // pixels from ray to ray of march
    int known[2];  // rays of march
    int seeds[2];  // rays of seed; 0: none
    float bend;    // of depths that fill may blend
    ClipPlanes clip; // in cells
};

constexpr float kMagic = 12582912.0f; // added to a number below 2^22, it leaves the nearest integer

__device__ __forceinline__ float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ __forceinline__ float3 operator*(float a, float3 b) {
    return make_float3(a * b.x, a * b.y, a * b.z);
}
__device__ __forceinline__ float3 operator*(float3 a, float3 b) {
    return make_float3(a.x * b.x, a.y * b.y, a.z * b.z);
}
__device__ __forceinline__ float dot(float3 a, float3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ __forceinline__ float3 vector(const float* v) { return make_float3(v[0], v[1], v[2]); }
// Of numbers that are never NaN: one instruction of a processor.
__device__ __forceinline__ float least(float a, float b) { return a < b ? a : b; }
__device__ __forceinline__ float most(float a, float b) { return a > b ? a : b; }
__device__ __forceinline__ float blend(float a, float b, float part) { return a + part * (b - a); }

/// What all rays share.
struct Field {
    static constexpr int right = WIDE; // 0 where there is one voxel along x

    const Voxel* voxels;
    const float2* bricks; // least and greatest value; NaN is left out
    const float4* slopes; // of each: the greatest difference of neighbours along each axis
    float lowest;
    float3 last; // the greatest place with a voxel above it
    int up, deep;
    unsigned row, layer, first;

    __device__ __forceinline__ Field(const Volume& v, const Voxel* voxels, const float2* bricks,
                                     const float4* slopes)
        : voxels(voxels), bricks(bricks), slopes(slopes), lowest(v.lowest),
          last(make_float3(end_of(v.cells[0]), end_of(v.cells[1]), end_of(v.cells[2]))) {
        row = v.cells[0];
        layer = row * v.cells[1];
        up = v.cells[1] > 1 ? row : 0;
        deep = v.cells[2] > 1 ? layer : 0;
        first = (layer + row + 1) * __float_as_uint(kMagic);
    }
    static __device__ __forceinline__ float end_of(int cells) {
        return cells > 1 ? __uint_as_float(__float_as_uint(cells - 1.5f) - 1) : -0.5f;
    }

    __device__ __forceinline__ float inside(float at, float last) const {
        return least(most(at, lowest), last);
    }

    /// Blended between eight voxels; beyond the outer ones the value goes on. The number is made
    /// from bits of floats, and is signed: so the software device gathers pairs of voxels by it.
    __device__ __forceinline__ float operator()(float3 at) const {
        const float x = inside(at.x, last.x), y = inside(at.y, last.y), z = inside(at.z, last.z);
        const float i = x + kMagic, j = y + kMagic, k = z + kMagic;
        const float part = x - (i - kMagic) + 0.5f;
        const Voxel* v = voxels + int(__float_as_uint(k) * layer + __float_as_uint(j) * row +
                                      __float_as_uint(i) - first);
        const float a = blend(float(v[0]), float(v[right]), part);
        const float b = blend(float(v[up]), float(v[up + right]), part);
        const float c = blend(float(v[deep]), float(v[deep + right]), part);
        const float d = blend(float(v[deep + up]), float(v[deep + up + right]), part);
        const float row_part = y - (j - kMagic) + 0.5f;
        return blend(blend(a, b, row_part), blend(c, d, row_part), z - (k - kMagic) + 0.5f);
    }
};

struct Ray {
    float3 place, direction, inverse;
    float begin, end;  // where it goes through the box, in steps
    float first, last; // whole steps

    __device__ __forceinline__ Ray(const Volume& v, float a, float b) {
        place = vector(v.place[0]) + a * vector(v.place[1]) + b * vector(v.place[2]);
        direction =
            vector(v.direction[0]) + a * vector(v.direction[1]) + b * vector(v.direction[2]);
        direction = make_float3(not_zero(direction.x), not_zero(direction.y),
                                not_zero(direction.z));
        inverse = make_float3(1 / direction.x, 1 / direction.y, 1 / direction.z);
        begin = -1e30f;
        end = 1e30f;
        cut(place.x, inverse.x, v.cells[0]);
        cut(place.y, inverse.y, v.cells[1]);
        cut(place.z, inverse.z, v.cells[2]);
        const float before = dot(vector(v.clip_z) + vector(v.clip_w), place) + v.clip_z[3] +
                             v.clip_w[3];
        const float grows = dot(vector(v.clip_z) + vector(v.clip_w), direction);
        if (grows > 0) begin = most(begin, -before / grows); // what the near plane leaves
        if (v.clip.count > 0) {
            const float from[3] = {place.x, place.y, place.z},
                        along[3] = {direction.x, direction.y, direction.z};
            const KeptRay kept(v.clip, from, along);
            begin = most(begin, kept.begin);
            end = least(end, kept.end);
        }
    }
    static __device__ __forceinline__ float not_zero(float x) {
        return x < 0 ? least(x, -1e-20f) : most(x, 1e-20f);
    }
    __device__ __forceinline__ void cut(float from, float inverse, int cells) {
        const float a = (-1 - from) * inverse, b = (float(cells - 1) - from) * inverse;
        begin = most(begin, least(a, b));
        end = least(end, most(a, b));
    }
    __device__ __forceinline__ float3 at(float step) const { return place + step * direction; }
};

/// From brick to brick along a ray, as Amanatides and Woo do it.
struct Walk {
    float3 leaves; // the brick through its sides, in steps
    float3 again;  // steps through a whole brick
    int brick, right, up, deep;

    __device__ __forceinline__ Walk(const Volume& v, const Ray& ray) {
        const float3 at = ray.at(ray.first);
        const int row = v.bricks[0], layer = row * v.bricks[1];
        brick = layer + row + 1; // around all there is one more brick
        right = begin(at.x, ray.place.x, ray.inverse.x, 1, leaves.x, again.x);
        up = begin(at.y, ray.place.y, ray.inverse.y, row, leaves.y, again.y);
        deep = begin(at.z, ray.place.z, ray.inverse.z, layer, leaves.z, again.z);
    }
    __device__ __forceinline__ int begin(float at, float place, float inverse, int stride,
                                         float& leaves, float& again) {
        const float first = floorf((at + 0.5f) * (1.0f / BRICK));
        leaves = (BRICK * first + (inverse > 0 ? BRICK - 0.5f : -0.5f) - place) * inverse;
        again = BRICK * fabsf(inverse);
        brick += int(first) * stride;
        return inverse > 0 ? stride : -stride;
    }
    __device__ __forceinline__ float end() const {
        return least(least(leaves.x, leaves.y), leaves.z);
    }
    __device__ __forceinline__ void advance(float end) {
        const bool x = leaves.x <= end, y = leaves.y <= end, z = leaves.z <= end;
        leaves = leaves + make_float3(x ? again.x : 0, y ? again.y : 0, z ? again.z : 0);
        brick += (x ? right : 0) + (y ? up : 0) + (z ? deep : 0);
    }
};

/// Calls see(brick, first step, last step) for each that is wanted, until it gives false. Threads
/// go on to such a brick before any of them looks into its own: so they look at the same time.
template <class Wanted, class See>
__device__ __forceinline__ void walk(const Volume& v, const Ray& ray, const Wanted& wanted,
                                     const See& see) {
    Walk way(v, ray);
    float at = ray.first;
    for (;;) {
        float end, to;
        for (;;) {
            if (!(at <= ray.last)) return;
            end = way.end();
            to = least(floorf(end), ray.last);
            if (to >= at && wanted(way.brick)) break;
            at = most(at, to + 1);
            way.advance(end);
        }
        if (!see(way.brick, at, to)) return;
        at = to + 1;
        way.advance(end);
    }
}

/// 0 to 1 within the range.
struct Scale {
    float low, per_unit;

    __device__ __forceinline__ Scale(const Volume& v, const float* range) {
        low = range ? range[0] : v.low;
        const float high = range ? range[1] : v.high;
        per_unit = high == low ? 1e30f : 1 / (high - low);
    }
    __device__ __forceinline__ float operator()(float value) const {
        return (value - low) * per_unit;
    }
    /// The most that values between two have.
    __device__ __forceinline__ float most_of(const float2& values) const {
        return (*this)(per_unit > 0 ? values.y : values.x);
    }
};

__device__ __forceinline__ float4 color_at(const float4* colors, float t) {
    return colors[min(int(t * 256), 255)];
}

/// Of MODE 0: the step where a ray beside has seen its value. NaN: none has been looked for.
__device__ __forceinline__ bool is_known(float hint) { return hint == hint; }
__device__ __forceinline__ float no_hint() { return __uint_as_float(0x7fffffffu); }

/// Colour with alpha, and the step where it is seen; beyond the end: nothing.
struct Seen {
    float3 color; // premultiplied
    float alpha, step;
};

/// The most that a value within a brick changes from step to step.
__device__ __forceinline__ float slope_of(const float4& slopes, const Scale& scale,
                                          const Ray& ray) {
    return fabsf(scale.per_unit) *
           (slopes.x * fabsf(ray.direction.x) + slopes.y * fabsf(ray.direction.y) +
            slopes.z * fabsf(ray.direction.z));
}

#if MODE == 0

struct Greatest {
    float value = 0, step = 0;
    float next = 1.0f / 4096; // what would have the same colour and nearly the same alpha

    __device__ __forceinline__ void take(float t, float at) {
        if (!(t > value)) return;
        value = t;
        step = at;
        const float parts = t < 0.0625f ? 4096 : 256;
        next = (floorf(t * parts) + 1) / parts;
    }
    /// Steps that the slopes of the brick do not let come above `next` are left out.
    __device__ __forceinline__ void look(const Field& field, const Scale& scale, const Ray& ray,
                                         int brick, float from, float to) {
        const float steps_a_unit = least(1 / slope_of(field.slopes[brick], scale, ray), 1e20f);
        while (from <= to) {
            const float t = scale(field(ray.at(from)));
            take(t, from);
            from += 1 + most(floorf((next - t) * steps_a_unit), 0);
        }
    }
};

/// Looks where a ray beside has seen its greatest value, or else first of all into the brick with
/// the greatest one: then few others can have a greater one.
__device__ __forceinline__ Seen see(const Volume& v, const Field& field, const Scale& scale,
                                    const float4* colors, const Ray& ray, float hint) {
    Greatest found;
    const auto look_at = [&](float step) { found.take(scale(field(ray.at(step))), step); };
    float looked = 1e30f; // the first step of a brick that it has looked into
    if (is_known(hint)) {
        if (ray.first <= ray.last) look_at(most(least(hint, ray.last), ray.first));
    } else {
        float top = found.next, from = 0, to = -1;
        int best = 0;
        const auto any = [](int) { return true; };
        walk(v, ray, any, [&](int brick, float first, float last) {
            const float here = scale.most_of(field.bricks[brick]);
            from = here > top ? first : from;
            to = here > top ? last : to;
            best = here > top ? brick : best;
            top = most(top, here);
            return true;
        });
        if (to >= from) {
            looked = from;
            look_at(floorf((from + to) / 2));
            found.look(field, scale, ray, best, from, to);
        }
    }
    const auto wanted = [&](int brick) { return scale.most_of(field.bricks[brick]) > found.next; };
    walk(v, ray, wanted, [&](int brick, float first, float last) {
        if (first != looked) found.look(field, scale, ray, brick, first, last);
        return found.next < 1;
    });
    const float4 color = color_at(colors, found.value);
    const float alpha = v.opacity * least(found.value * 16, 1);
    return {make_float3(alpha * color.x, alpha * color.y, alpha * color.z), alpha, found.step};
}

#elif MODE == 1

/// How much of the ray a step stands for.
__device__ __forceinline__ float part_of(const Ray& ray, float at, float length) {
    return most(least(at + length / 2, ray.end) - most(at - length / 2, ray.begin), 0);
}

/// Where half of what is absorbed is absorbed, by longer steps.
__device__ __forceinline__ float half_way(const Volume& v, const Field& field, const Scale& scale,
                                          const Ray& ray, float sigma, float from, float to,
                                          float absorbed) {
    constexpr float kLength = 4;
    const float half_depth = -logf(1 - absorbed / 2);
    float depth = 0;
    for (float at = from; at <= to; at += kLength) {
        const float t = least(most(scale(field(ray.at(at))), 0), 1);
        const float more = sigma * t * part_of(ray, at, kLength);
        if (depth + more >= half_depth)
            return at + kLength * ((half_depth - depth) / more - 0.5f);
        depth += more;
    }
    return to;
}

/// That one value stands for: so few that they absorb little, and that the value hardly changes.
__device__ __forceinline__ float steps_at_once(const float4& slopes, const Scale& scale,
                                               const Ray& ray, float most_absorbed) {
    constexpr float kLittle = 0.1f, kHardly = 1.0f / 64, kMost = 8;
    const float wanted = least(kLittle / most_absorbed, kMost);
    const float thin = wanted < 2 ? 1 : 2; // as far apart as cells are
    return most(floorf(least(wanted, kHardly / slope_of(slopes, scale, ray))), thin);
}

__device__ __forceinline__ Seen see(const Volume& v, const Field& field, const Scale& scale,
                                    const float4* colors, const Ray& ray, float) {
    const float3 step = ray.direction * vector(v.side); // in world units
    const float sigma = v.density * sqrtf(dot(step, step));
    const float unseen = 1.0f / 4096 / (4 * BRICK * sigma); // in a brick's longest way
    float3 color = make_float3(0, 0, 0);
    float through = 1, from = 1e30f, to = -1e30f;
    const auto wanted = [&](int brick) { return scale.most_of(field.bricks[brick]) > unseen; };
    walk(v, ray, wanted, [&](int brick, float first, float last) {
        const float here = scale.most_of(field.bricks[brick]);
        const float once = steps_at_once(field.slopes[brick], scale, ray, sigma * here);
        from = least(from, first);
        to = last;
        for (float at = first; at <= last; at += once) {
            const float steps = least(once, last - at + 1), middle = at + 0.5f * (steps - 1);
            const float t = least(most(scale(field(ray.at(middle))), 0), 1);
            const float rest = through * __expf(-sigma * t * part_of(ray, middle, steps));
            const float4 own = color_at(colors, t);
            color = color + (through - rest) * make_float3(own.x, own.y, own.z);
            through = rest;
        }
        return through > 0.005f;
    });
    const float absorbed = 1 - through;
    if (absorbed <= 0) return {color, 0, 0};
    const float middle = half_way(v, field, scale, ray, sigma, from, to, absorbed);
    return {v.opacity * color, v.opacity * absorbed, middle};
}

#elif MODE == 3

/// The nearest of three planes. NaN is a hole.
__device__ __forceinline__ Seen see(const Volume& v, const Field& field, const Scale& scale,
                                    const float4* colors, const Ray& ray, float) {
    Seen seen = {make_float3(0, 0, 0), 0, 0};
    float nearest = ray.end;
    const float place[3] = {ray.place.x, ray.place.y, ray.place.z};
    const float inverse[3] = {ray.inverse.x, ray.inverse.y, ray.inverse.z};
    for (int axis = 0; axis < 3; ++axis) {
        if (!(v.slices[axis] >= -1 && v.slices[axis] <= v.cells[axis] - 1)) continue;
        const float step = (v.slices[axis] - place[axis]) * inverse[axis];
        if (!(step >= ray.begin && step <= nearest)) continue;
        const float value = field(ray.at(step));
        if (value != value) continue;
        nearest = step;
        const float4 color = color_at(colors, least(most(scale(value), 0), 1));
        seen = {v.opacity * make_float3(color.x, color.y, color.z), v.opacity, step};
    }
    return seen;
}

#else

/// shaders/light.glsl's.
__device__ __forceinline__ float lit(float3 n) {
    const float3 key = 0.87204144f * make_float3(-0.45f, 0.55f, 0.9f);
    const float3 fill = 1.0540926f * make_float3(0.8f, -0.1f, 0.5f);
    const float light = 0.86f * most(dot(n, key), 0) + 0.12f * most(dot(n, fill), 0) + 0.096f +
                        0.064f * n.y;
    return powf(least(light, 1), 1 / 2.2f);
}

/// The step between two on both sides of the level. Along a ray the blend is smooth.
__device__ __forceinline__ float crossing(const Field& field, const Ray& ray, float level,
                                          float from, float to, float low, float high) {
    for (int i = 0; i < 6; ++i) {
        const float part = (level - low) / (high - low);
        const float middle = i < 3 ? (from + to) / 2 : from + part * (to - from);
        const float value = field(ray.at(middle));
        if ((value >= level) == (high >= level)) {
            to = middle;
            high = value;
        } else {
            from = middle;
            low = value;
        }
    }
    return from + (level - low) / (high - low) * (to - from);
}

__device__ __forceinline__ Seen shaded(const Volume& v, const Field& field, const Ray& ray,
                                       float step) {
    const float3 at = ray.at(step);
    const auto slope = [&](float x, float y, float z) {
        const float3 d = make_float3(x, y, z);
        return field(at + d) - field(at + -1.0f * d);
    };
    const float3 g = make_float3(slope(1, 0, 0), slope(0, 1, 0), slope(0, 0, 1));
    const auto in_eye_space = [&](float3 slope) {
        return make_float3(dot(vector(v.normal[0]), slope), dot(vector(v.normal[1]), slope),
                           dot(vector(v.normal[2]), slope));
    };
    const float3 n = in_eye_space(g);
    const float3 away = in_eye_space(ray.direction * vector(v.side) * vector(v.side));
    const float length = sqrtf(dot(n, n));
    const float sign = (dot(n, away) > 0 ? -1 : 1) / most(length, 1e-30f);
    const float light = lit(length > 0 ? sign * n : make_float3(0, 0, 1));
    const float alpha = v.color[3] * v.opacity;
    return {alpha * light * vector(v.color), alpha, step};
}

/// The first crossing in either direction; none at NaN.
__device__ __forceinline__ Seen see(const Volume& v, const Field& field, const Scale& scale,
                                    const float4* colors, const Ray& ray, float) {
    Seen seen = {make_float3(0, 0, 0), 0, 0};
    float before = 0, known = -1e30f; // the step of `before`
    const auto wanted = [&](int brick) {
        const float2 values = field.bricks[brick];
        return values.x < v.level && values.y >= v.level;
    };
    walk(v, ray, wanted, [&](int, float first, float last) {
        if (known != first - 1) before = field(ray.at(first - 1));
        known = last;
        for (float at = first; at <= last; at += 1) {
            const float here = field(ray.at(at));
            if ((here >= v.level) != (before >= v.level) && here == here && before == before) {
                const float step = crossing(field, ray, v.level, at - 1, at, before, here);
                if (step >= ray.begin && step <= ray.end) {
                    seen = shaded(v, field, ray, step);
                    return false;
                }
            }
            before = here;
        }
        return true;
    });
    return seen;
}

#endif

__device__ __forceinline__ unsigned byte(float x) { return unsigned(least(x, 1) * 255 + 0.5f); }

struct Pixel {
    unsigned color;
    float depth;
};

/// Everything that a ray needs.
struct Scene {
    const Volume& v;
    Field field;
    Scale scale;
    const float4* colors;

    __device__ __forceinline__ Ray ray_of(int x, int y) const {
        const float a = 2 * (float(v.corner[0] + x) + 0.5f) / float(v.tile[0]) - 1;
        const float b = 2 * (float(v.corner[1] + y) + 0.5f) / float(v.tile[1]) - 1;
        Ray ray(v, a, b);
        const float outer = MODE == 2 ? 1 : MODE == 1 ? 0.5f : 0; // what steps outside stand for
        ray.first = ceilf(ray.begin - outer);
        ray.last = ray.end >= ray.begin ? floorf(ray.end + outer) : -1e30f;
        return ray;
    }
    __device__ __forceinline__ Seen seen(const Ray& ray, float hint) const {
        return see(v, field, scale, colors, ray, hint);
    }
    __device__ __forceinline__ Pixel pixel(const Ray& ray, const Seen& seen) const {
        if (!(seen.alpha > 0)) return {0, 1};
        const float3 at = ray.at(seen.step);
        const float z = dot(vector(v.clip_z), at) + v.clip_z[3];
        const float w = dot(vector(v.clip_w), at) + v.clip_w[3];
        return {byte(seen.color.x) | byte(seen.color.y) << 8 | byte(seen.color.z) << 16 |
                    byte(seen.alpha) << 24,
                least(most(0.5f * z / w + 0.5f, 0), 1)};
    }
};

/// The steps where some rays of march, SEED apart, see the greatest value.
extern "C" __global__ void seed(const Voxel* voxels, const float2* bricks, const float4* slopes,
                                const float4* colors, const float* range, float* steps,
                                const __grid_constant__ Volume v) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= v.seeds[0] || y >= v.seeds[1]) return;
    const Scene scene{v, Field(v, voxels, bricks, slopes), Scale(v, range), colors};
    const Ray ray = scene.ray_of(SEED * v.apart * x, SEED * v.apart * y);
    steps[y * v.seeds[0] + x] = scene.seen(ray, no_hint()).step;
}

/// Writes its steps for `follow` where there are seeds.
extern "C" __global__ void march(const Voxel* voxels, const float2* bricks, const float4* slopes,
                                 const float4* colors, const float* range, const float* seeds,
                                 unsigned* pixels, float* depths, float* steps,
                                 const __grid_constant__ Volume v) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= v.known[0] || y >= v.known[1]) return;
    const Scene scene{v, Field(v, voxels, bricks, slopes), Scale(v, range), colors};
    const int ring = v.apart - 1; // for fill, which looks at neighbours
    const Ray ray = scene.ray_of(v.apart * (x - ring), v.apart * (y - ring));
    const int beside = (y + SEED / 2) / SEED * v.seeds[0] + (x + SEED / 2) / SEED;
    const Seen seen = scene.seen(ray, SEEDED ? seeds[beside] : no_hint());
    const Pixel pixel = scene.pixel(ray, seen);
    const int at = y * v.known[0] + x;
    pixels[at] = pixel.color;
    depths[at] = pixel.depth;
    if (SEEDED) steps[at] = seen.step;
}

/// What march has found, two pixels apart, with one more around it.
struct Known {
    const unsigned* pixels;
    const float* depths;
    int width;

    __device__ __forceinline__ Pixel at(int x, int y) const {
        return {pixels[y * width + x], depths[y * width + x]};
    }
    static __device__ __forceinline__ Pixel between(const Pixel& a, const Pixel& b) {
        return {__vavgu4(a.color, b.color), 0.5f * (a.depth + b.depth)};
    }
    /// Whether the middle is more than 1 of 255, or too deep, from the line through its neighbours.
    /// The depth of what is hardly seen does not count.
    __device__ __forceinline__ bool bends(const Pixel& before, const Pixel& middle,
                                          const Pixel& after, float deep) const {
        const Pixel line = between(before, after);
        const bool is_seen = ((before.color | middle.color | after.color) & 0xf0000000u) != 0;
        return (__vabsdiffu4(line.color, middle.color) & 0xfefefefeu) != 0 ||
               (is_seen && fabsf(line.depth - middle.depth) > deep);
    }
};

/// Where what march has found bends along a row or a column. No pixel wants a ray yet.
extern "C" __global__ void mark(const unsigned* pixels, const float* depths, unsigned char* bends,
                                unsigned* bent, const __grid_constant__ Volume v) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int width = v.known[0], height = v.known[1];
    if (x >= width || y >= height) return;
    if (x == 0 && y == 0) bent[0] = 0;
    bool is_bent = false;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const Known known{pixels, depths, width};
        const Pixel here = known.at(x, y);
        is_bent = known.bends(known.at(x - 1, y), here, known.at(x + 1, y), v.bend) ||
                  known.bends(known.at(x, y - 1), here, known.at(x, y + 1), v.bend);
    }
    bends[y * width + x] = is_bent;
}

/// The pixels between four known ones; blockIdx.z says which of three. Where one of the four bends,
/// a ray of its own is wanted: `bent` is how many, and which pixels.
extern "C" __global__ void fill(const unsigned* known_pixels, const float* known_depths,
                                const unsigned char* bends, unsigned* bent, unsigned* pixels,
                                float* depths, const __grid_constant__ Volume v) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int right = blockIdx.z != 1, up = blockIdx.z != 0;
    const int x = 2 * i + right, y = 2 * j + up, width = v.size[0];
    if (2 * i >= width || 2 * j >= v.size[1]) return;
    const Known known{known_pixels + v.known[0] + 1, known_depths + v.known[0] + 1, v.known[0]};
    if (blockIdx.z == 0) {
        const Pixel same = known.at(i, j);
        pixels[y * width + 2 * i] = same.color;
        depths[y * width + 2 * i] = same.depth;
    }
    if (x >= width || y >= v.size[1]) return;
    const unsigned char* corner = bends + (j + 1) * v.known[0] + i + 1;
    if (corner[0] | corner[1] | corner[v.known[0]] | corner[v.known[0] + 1]) {
        bent[1 + atomicAdd(bent, 1u)] = y * width + x;
        return;
    }
    Pixel seen = Known::between(known.at(i, j), known.at(i + right, j + up));
    if (right && up)
        seen = Known::between(seen, Known::between(known.at(i + 1, j), known.at(i, j + 1)));
    pixels[y * width + x] = seen.color;
    depths[y * width + x] = seen.depth;
}

/// Side by side, so that no thread waits for others.
extern "C" __global__ void follow(const Voxel* voxels, const float2* bricks, const float4* slopes,
                                  const float4* colors, const float* range, const float* steps,
                                  const unsigned* bent, unsigned* pixels, float* depths,
                                  const __grid_constant__ Volume v) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bent[0]) return;
    const unsigned at = bent[1 + i];
    const Scene scene{v, Field(v, voxels, bricks, slopes), Scale(v, range), colors};
    const int x = int(at % v.size[0]), y = int(at / v.size[0]);
    const Ray ray = scene.ray_of(x, y);
    const float hint = SEEDED ? steps[(y / 2 + 1) * v.known[0] + x / 2 + 1] : no_hint();
    const Pixel pixel = scene.pixel(ray, scene.seen(ray, hint));
    pixels[at] = pixel.color;
    depths[at] = pixel.depth;
}

/// Where one of so many bricks along an axis stands: around all there is one more, a copy.
struct Copies {
    int first, last;

    __device__ __forceinline__ Copies(int brick, int bricks)
        : first(brick == 0 ? 0 : brick + 1), last(brick + 1 == bricks ? brick + 2 : brick + 1) {}
};

/// Of BRICK cells along each axis, with the voxels at both ends. Slopes where MODE is 0 or 1.
extern "C" __global__ void find_bricks(const Voxel* voxels, float2* bounds, float4* slopes,
                                       int width, int height, int depth, int across, int down,
                                       int deep) {
    for (int at = first_item(); at < across * down * deep; at += item_step()) {
        const int column = at % across, row = at / across % down, layer = at / across / down;
        const int x = BRICK * column, y = BRICK * row, z = BRICK * layer;
        const int right = min(x + BRICK, width - 1), top = min(y + BRICK, height - 1),
                  back = min(z + BRICK, depth - 1);
        float low = __uint_as_float(0x7f800000u), high = -low;
        float3 slope = make_float3(0, 0, 0);
        for (int k = z; k <= back; ++k)
            for (int j = y; j <= top; ++j) {
                const Voxel* voxel = voxels + ((long long)k * height + j) * width + x;
                const int above = j < top ? width : 0;
                const long long behind = k < back ? (long long)height * width : 0;
                float before = float(voxel[0]);
                for (int i = x; i <= right; ++i, ++voxel) {
                    const float value = float(voxel[0]);
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                    if (MODE > 1) continue;
                    if (value != value) slope.x = 1e30f; // what is behind it may be anything
                    slope.x = most(fabsf(value - before), slope.x);
                    slope.y = most(fabsf(float(voxel[above]) - value), slope.y);
                    slope.z = most(fabsf(float(voxel[behind]) - value), slope.z);
                    before = value;
                }
            }
        const Copies of_x(column, across), of_y(row, down), of_z(layer, deep);
        for (int c = of_z.first; c <= of_z.last; ++c)
            for (int b = of_y.first; b <= of_y.last; ++b)
                for (int a = of_x.first; a <= of_x.last; ++a) {
                    const int to = (c * (down + 2) + b) * (across + 2) + a;
                    bounds[to] = make_float2(low, high);
                    if (MODE <= 1) slopes[to] = make_float4(slope.x, slope.y, slope.z, 0);
                }
    }
}
