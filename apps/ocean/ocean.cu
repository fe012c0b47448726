// SPDX-License-Identifier: MIT
// Waves of deep water as a sum of many sines, by inverse Fourier
// transforms (Tessendorf 2001), and the light that they reflect.
//
// Lengths are metres; y points up, the wind blows along the ground's
// x axis, turned by `direction`. Change anything while it runs.

#define G 9.81f
#define PI 3.14159265f

// What a patch of sea is made of: n x n sines on a periodic square.
struct Patch {
    float length;    // of its side
    float from, to;  // wave numbers that belong to it, 1/m
};

// The wind's sea.
struct Wind {
    float speed;     // m/s, 19.5 m above the water
    float direction; // radians, from x towards z
    float peak;      // 1: Pierson-Moskowitz; 3.3: JONSWAP's peak
};

// Energy a rad/s of waves: Pierson and Moskowitz (1964), with the
// peak of Hasselmann et al. (1973). m^2 s.
__device__ float energy(float omega, Wind wind)
{
    float slow = G / (wind.speed * omega);
    float top = 0.8772f * G / wind.speed; // (4 * 0.74 / 5)^(1/4)
    float width = omega > top ? 0.09f : 0.07f;
    float from_top = (omega / top - 1) / width;
    float peak = powf(wind.peak, expf(-0.5f * from_top * from_top));
    float omega2 = omega * omega;
    return 8.1e-3f * G * G / (omega2 * omega2 * omega) * peak *
           expf(-0.74f * slow * slow * slow * slow);
}

// How much of it goes by `angle` off the wind: cos^2s(angle / 2),
// narrowest at the peak (Hasselmann, Dunckel and Ewing 1980). Its
// integral over all directions is 1.
__device__ float spreading(float omega, float angle, Wind wind)
{
    float ratio = omega * wind.speed / (0.8772f * G);
    float s = ratio < 1 ? 6.97f * powf(ratio, 4.06f)
                        : 9.77f * powf(ratio, -2.33f);
    float cosine = fabsf(cosf(0.5f * angle));
    // Gamma(s + 1) / Gamma(s + 1/2), to 0.1 %.
    float gammas = sqrtf(s + 0.25f + 1 / (32 * s + 14.64f));
    return gammas / (2 * sqrtf(PI)) *
           powf(fmaxf(cosine, 1e-4f), 2 * s);
}

// Amplitudes: noise (n, n) has two normal numbers for each wave
// vector k, in the order of a Fourier transform. The energy a of the
// wave in its cell of wave vectors is E|a|^2 / 2.
__global__ void amplitudes(const float2* noise, float2* a, int n,
                           Patch patch, Wind wind)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || z >= n) return;
    float cell = 2 * PI / patch.length;
    float kx = (x < n / 2 ? x : x - n) * cell;
    float kz = (z < n / 2 ? z : z - n) * cell;
    float k = hypotf(kx, kz);
    float size = 0;
    if (k > 0 && k >= patch.from && k < patch.to && 2 * x != n &&
        2 * z != n) {
        float omega = sqrtf(G * k);
        float per_k = energy(omega, wind) * G / (2 * omega) / k;
        float angle = atan2f(kz, kx) - wind.direction;
        size = cell * sqrtf(per_k * spreading(omega, angle, wind));
    }
    float2 random = noise[z * n + x];
    a[z * n + x] = make_float2(size * random.x, size * random.y);
}

// The sea at a time as Fourier coefficients, the half that transforms
// to real numbers: fields (8, n, n / 2 + 1) are the height, how far
// water moves along x and z, the slopes of the height, and how the
// moves change along x (of x), z (of z) and z (of x).
__global__ void evolve(const float2* a, float2* fields, int n,
                       float length, //@ hidden
                       double time)  //@ hidden
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y * blockDim.y + threadIdx.y;
    int half = n / 2 + 1;
    if (x >= half || z >= n) return;
    float cell = 2 * PI / length;
    float kx = x * cell;
    float kz = (z < n / 2 ? z : z - n) * cell;
    float k = hypotf(kx, kz);

    // Waves turn by omega t: deep water, omega^2 = g k. Of long times
    // float has too few digits.
    double turns = sqrt(double(G) * k) * time * 0.15915494309189535;
    float s, c;
    sincospif(2 * float(turns - floor(turns)), &s, &c);
    float2 there = a[z * n + x];
    float2 back = a[(z == 0 ? 0 : n - z) * n + (x == 0 ? 0 : n - x)];
    // (a(k) exp(-i omega t) + conj(a(-k)) exp(i omega t)) / 2
    float re = 0.5f * ((there.x + back.x) * c +
                       (there.y + back.y) * s);
    float im = 0.5f * ((there.y - back.y) * c -
                       (there.x - back.x) * s);

    float ux = k > 0 ? kx / k : 0, uz = k > 0 ? kz / k : 0;
    int count = n * half;
    float2* out = fields + (z * half + x);
    out[0 * count] = make_float2(re, im);
    out[1 * count] = make_float2(-ux * im, ux * re);
    out[2 * count] = make_float2(-uz * im, uz * re);
    out[3 * count] = make_float2(-kx * im, kx * re);
    out[4 * count] = make_float2(-kz * im, kz * re);
    out[5 * count] = make_float2(-kx * ux * re, -kx * ux * im);
    out[6 * count] = make_float2(-kz * uz * re, -kz * uz * im);
    out[7 * count] = make_float2(-kx * uz * re, -kx * uz * im);
}

// What is drawn of a patch: moved (n, n) is how far its water is
// from where it would rest, and foam; tilt (n, n) are the slopes of
// the surface. Foam appears where the surface folds over itself: the
// Jacobian of the moves falls below `limit`. It fades by `fade`.
__global__ void surface(const float* fields, float4* moved,
                        float2* tilt, float* foam, int n,
                        float choppiness, //@ hidden
                        float limit,      //@ hidden
                        float fade)       //@ hidden
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = n * n;
    if (i >= count) return;
    float xx = 1 + choppiness * fields[5 * count + i];
    float zz = 1 + choppiness * fields[6 * count + i];
    float xz = choppiness * fields[7 * count + i];
    float jacobian = xx * zz - xz * xz;
    float more = fminf(fmaxf((limit - jacobian) * 8, 0.f), 1.f);
    float all = fmaxf(foam[i] * fade, more);
    foam[i] = all;
    moved[i] = make_float4(choppiness * fields[1 * count + i],
                           fields[i],
                           choppiness * fields[2 * count + i], all);
    float sx = fields[3 * count + i], sz = fields[4 * count + i];
    float inverse = 1 / fmaxf(jacobian, 0.3f);
    tilt[i] = make_float2((sx * zz - sz * xz) * inverse,
                          (sz * xx - sx * xz) * inverse);
}

// A place of the sea.
struct Water {
    float3 move;
    float foam;
    float2 tilt;
};

// Adds what a patch does at rest's place (x, z), as much as `share`.
__device__ void add(Water& water, const float4* moved,
                    const float2* tilt, int n, float length, float x,
                    float z, float share)
{
    float u = x / length, v = z / length;
    u = (u - floorf(u)) * n;
    v = (v - floorf(v)) * n;
    int left = min(int(u), n - 1), low = min(int(v), n - 1);
    int right = left + 1 == n ? 0 : left + 1;
    int high = low + 1 == n ? 0 : low + 1;
    float s = u - left, t = v - low;
    int at[4] = {low * n + left, low * n + right, high * n + left,
                 high * n + right};
    float weight[4] = {(1 - s) * (1 - t), s * (1 - t), (1 - s) * t,
                       s * t};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float4 m = moved[at[k]];
        float2 d = tilt[at[k]];
        float w = share * weight[k];
        water.move.x += w * m.x;
        water.move.y += w * m.y;
        water.move.z += w * m.z;
        water.foam += w * m.w;
        water.tilt.x += w * d.x;
        water.tilt.y += w * d.y;
    }
}

__device__ __forceinline__ float3 operator+(float3 a, float3 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ __forceinline__ float3 operator-(float3 a, float3 b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ __forceinline__ float3 operator*(float s, float3 a)
{
    return {s * a.x, s * a.y, s * a.z};
}
__device__ __forceinline__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ __forceinline__ float3 unit(float3 a)
{
    return rsqrtf(dot(a, a)) * a;
}
__device__ __forceinline__ float3 mix(float3 a, float3 b, float t)
{
    return a + t * (b - a);
}
__device__ __forceinline__ float smooth(float from, float to, float x)
{
    x = fminf(fmaxf((x - from) / (to - from), 0.f), 1.f);
    return x * x * (3 - 2 * x);
}

// How high the sun stands, from 0 in the evening to 1.
__device__ float day(float3 sun)
{
    return smooth(0.02f, 0.6f, sun.y);
}

__device__ float3 sun_color(float3 sun)
{
    return mix(float3{1.0f, 0.52f, 0.22f}, float3{1.0f, 0.96f, 0.88f},
               smooth(0.0f, 0.5f, sun.y));
}

// Light of the sky along a direction that points up.
__device__ float3 sky(float3 along, float3 sun)
{
    float d = day(sun), up = fmaxf(along.y, 0.f);
    float c = fmaxf(dot(along, sun), 0.f);
    float c2 = c * c, c4 = c2 * c2, c8 = c4 * c4;
    float3 above = mix(float3{0.035f, 0.085f, 0.25f},
                       float3{0.08f, 0.26f, 0.70f}, d);
    float3 dusk = mix(float3{0.23f, 0.20f, 0.30f},
                      float3{0.95f, 0.50f, 0.24f}, c2 * c);
    float3 low = mix(dusk, float3{0.55f, 0.72f, 0.92f}, d);
    float3 color = mix(above, low, expf(-5 * up));
    float glow = 0.35f * c8 * expf(-5 * up) + 0.3f * c8 * c8 * c8 +
                 0.7f * powf(c, 220.f);
    return color + glow * sun_color(sun);
}

// A number from 0 to 1 for each pair of integers, and what lies
// between them.
__device__ float grain(int x, int z)
{
    unsigned h = unsigned(x) * 0x9e3779b1u;
    h ^= unsigned(z) * 0x85ebca6bu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (h >> 8) * (1 / 16777216.f);
}
__device__ float grains(float x, float z)
{
    int left = int(floorf(x)), low = int(floorf(z));
    float s = smooth(0, 1, x - left), t = smooth(0, 1, z - low);
    float a = grain(left, low), b = grain(left + 1, low);
    float c = grain(left, low + 1), e = grain(left + 1, low + 1);
    return a + s * (b - a) + t * (c - a + s * (a - b - c + e));
}

// The sky with streaks of clouds, which drift along with the wind.
__device__ float3 clouds(float3 along, float3 sun, float drift)
{
    float3 color = sky(along, sun);
    float up = fmaxf(along.y, 0.f) + 0.06f;
    float x = 0.55f * along.x / up + drift, z = 1.3f * along.z / up;
    float sum = 0, share = 0.5f;
    for (int octave = 0; octave < 5; ++octave) {
        sum += share * grains(x, z);
        share *= 0.52f;
        float turned = 1.6f * x + 1.2f * z;
        z = 1.6f * z - 1.2f * x;
        x = turned;
    }
    float c = fmaxf(dot(along, sun), 0.f);
    float3 light = mix(float3{0.30f, 0.26f, 0.36f},
                       float3{1.5f, 1.5f, 1.55f}, day(sun)) +
                   1.1f * c * c * c * sun_color(sun);
    float thick = smooth(0.46f, 0.85f, sum);
    thick *= smooth(0, 0.12f, along.y);
    return mix(color, light, 0.75f * thick);
}

// From light to what a screen shows.
__device__ float4 shown(float3 light)
{
    float grey = 0.3f * light.x + 0.6f * light.y + 0.1f * light.z;
    float c[3] = {light.x, light.y, light.z};
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        float vivid = fmaxf(grey + 1.25f * (c[k] - grey), 0.f);
        float tone = powf(1 - expf(-1.35f * vivid), 1 / 2.2f);
        c[k] = tone + 0.55f * (smooth(0, 1, tone) - tone);
    }
    return {c[0], c[1], c[2], 1};
}

// What water at a place sends to the eye; at rest it would be at
// (x, z). Its facets mirror sky and sun, light comes out of it, and
// it has foam. Facets too small to be drawn have slopes with the
// variance `rough`, and mirror the sun in parts (Cox and Munk 1954;
// Bruneton et al. 2010).
__device__ float3 light_of(float2 rest, float3 place, Water water,
                           float3 eye, float3 sun, float rough,
                           float steep)
{
    float3 way = eye - place;
    float distance = sqrtf(dot(way, way));
    float3 view = (1 / distance) * way;
    float3 normal = unit({-water.tilt.x, 1, -water.tilt.y});
    // A facet that looks away is behind another one.
    float facing = fmaxf(dot(normal, view), 0.03f);

    float sigma = sqrtf(rough);
    float mirror = 0.02f + 0.98f *
        powf(1 - facing, 5 * expf(-2.69f * sigma)) /
        (1 + 22.7f * sigma * sqrtf(sigma));
    float3 back = 2 * facing * normal - view;
    back.y = fabsf(back.y) + 0.3f * sigma;
    float3 color = mirror * sky(unit(back), sun);

    float d = day(sun);
    float3 deep = (0.35f + 0.65f * d) *
                  float3{0.008f, 0.045f, 0.070f};
    float3 thin = (0.3f + 0.7f * d) * float3{0.03f, 0.20f, 0.17f};
    float toward = fmaxf(-dot(view, sun), 0.f);
    float crest = smooth(-0.2f, 1.2f, water.move.y / steep);
    float out = crest * (0.25f + 0.9f * toward * toward);
    color = color + (1 - mirror) * (deep + out * thin);

    float3 half_way = unit(view + sun);
    float up = fmaxf(half_way.y, 0.05f);
    float ex = -half_way.x / up - water.tilt.x;
    float ez = -half_way.z / up - water.tilt.y;
    float chance = expf(-0.5f * (ex * ex + ez * ez) / rough) /
                   (2 * PI * rough);
    float bounce = 1 - dot(half_way, view), b2 = bounce * bounce;
    float fresnel = 0.02f + 0.98f * b2 * b2 * bounce;
    float glint = fresnel * chance /
                  (4 * up * up * up * up * fmaxf(view.y, 0.12f));
    color = color + fminf(glint, 1.9f) * sun_color(sun);

    float shine = 0.35f + 0.65f * fmaxf(dot(normal, sun), 0.f);
    float3 white = shine * mix(float3{0.75f, 0.72f, 0.74f},
                               float3{0.9f, 0.95f, 1.0f}, d);
    // As it fades it breaks into flakes, which move with the water.
    float lace = 0.6f * grains(2.3f * rest.x, 2.3f * rest.y) +
                 0.4f * grains(7.1f * rest.x, 7.1f * rest.y);
    lace *= 80 / (80 + distance);
    float bare = 0.75f * lace;
    float cover = smooth(bare, bare + 0.6f, water.foam);
    color = mix(color, white, 0.85f * cover);

    float3 flat = unit({-view.x, 0.01f, -view.z});
    float haze = 1 - expf(-distance * distance * 6e-8f);
    return mix(color, sky(flat, sun), haze);
}

// Two patches, large and small waves.
struct Sea {
    float length[2];
    float variance[2]; // of their slopes
    float height;      // of waves: four standard deviations
};

// A fan of water to the horizon: rows of vertices around the point
// below the eye, from the angle `steepest` below the horizon up to
// it, and columns from `first` to `last` around the y axis.
struct Fan {
    float3 eye;
    float steepest, first, last;
    float3 sun;
};

__global__ void fan(const float4* moved_0, const float2* tilt_0,
                    const float4* moved_1, const float2* tilt_1,
                    int n, float3* places, float4* colors, int rows,
                    int columns, Sea sea, Fan f)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    float s = row / (rows - 1.f);
    float left = powf(1 - s, 1.7f);
    float below = f.steepest * left + 0.0011f;
    float next =
        f.steepest * powf(fmaxf(1 - s - 1.f / rows, 0.f), 1.7f) +
        0.0011f;
    float radius = f.eye.y / tanf(below);
    float angle =
        f.first + (f.last - f.first) * column / (columns - 1.f);
    float x = f.eye.x + radius * sinf(angle);
    float z = f.eye.z + radius * cosf(angle);

    // Small waves are left out where vertices are too far apart.
    float apart = fmaxf(f.eye.y / tanf(next) - radius,
                        radius * (f.last - f.first) / columns);
    float fine = 1 / (1 + apart * apart * (n * n) * 0.05f /
                              (sea.length[1] * sea.length[1]));
    Water water = {};
    add(water, moved_0, tilt_0, n, sea.length[0], x, z, 1);
    if (fine > 0.01f)
        add(water, moved_1, tilt_1, n, sea.length[1], x, z, fine);
    float rough =
        0.0015f + sea.variance[1] * (1 - fine * fine) +
        sea.variance[0] * 0.5f * smooth(1.f, 60.f, apart);
    float3 place = float3{x, 0, z} + water.move;
    int i = row * columns + column;
    places[i] = place;
    colors[i] = shown(light_of({x, z}, place, water, f.eye, f.sun,
                               rough, sea.height));
}

// The sky behind it: rows and columns of vertices around the eye.
__global__ void dome(float3* places, float4* colors, int rows,
                     int columns, Fan f,
                     float far,   //@ hidden
                     float drift) //@ hidden
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    float s = row / (rows - 1.f);
    float up = -0.02f + 1.57f * s * s;
    float angle =
        f.first + (f.last - f.first) * column / (columns - 1.f);
    float3 along = {cosf(up) * sinf(angle), sinf(up),
                    cosf(up) * cosf(angle)};
    int i = row * columns + column;
    places[i] = f.eye + far * along;
    colors[i] = shown(clouds(along, f.sun, drift));
}

// The square of the large patch by itself: places, heights and foam.
__global__ void square(const float4* moved_0, const float2* tilt_0,
                       const float4* moved_1, const float2* tilt_1,
                       int n, float3* places, float* heights,
                       Sea sea)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column > n || row > n) return;
    float x = (column / float(n) - 0.5f) * sea.length[0];
    float z = (row / float(n) - 0.5f) * sea.length[0];
    Water water = {};
    add(water, moved_0, tilt_0, n, sea.length[0], x, z, 1);
    add(water, moved_1, tilt_1, n, sea.length[1], x, z, 1);
    int i = row * (n + 1) + column;
    places[i] = float3{x, 0, z} + water.move;
    heights[i] = water.move.y;
}
