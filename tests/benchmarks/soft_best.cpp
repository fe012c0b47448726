// SPDX-License-Identifier: MIT
// What one would settle on for a processor: structures of arrays, blocks in registers, vectors by
// hand, and sums in any order (compiled with -ffast-math).
#include "tests/benchmarks/soft_references.h"

#include <cmath>
#include <cstring>

#include <immintrin.h>

namespace lathe::bench::best {

namespace {

constexpr int kLanes = 8, kTogether = 2; // vectors at a time: 16 lanes, as a warp here
typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef int Ints __attribute__((vector_size(kLanes * 4)));
typedef double Doubles __attribute__((vector_size(32)));

Doubles load(const double* p) {
    Doubles v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
void store(double* p, Doubles v) { std::memcpy(p, &v, sizeof v); }

bool any(Ints v) {
#ifdef __AVX2__
    __m256i bits;
    std::memcpy(&bits, &v, sizeof bits);
    return !_mm256_testz_si256(bits, bits);
#else
    int all = 0;
    for (int k = 0; k < kLanes; ++k) all |= v[k];
    return all != 0;
#endif
}

} // namespace

void nbody(int n, float softening, const float* x, const float* y, const float* z,
           const float* mass, float* force) {
    for (int i = 0; i < n; ++i) {
        float fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; ++j) {
            const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
            const float scale = mass[j] * inverse * inverse * inverse;
            fx += scale * dx;
            fy += scale * dy;
            fz += scale * dz;
        }
        force[3 * i] = fx;
        force[3 * i + 1] = fy;
        force[3 * i + 2] = fz;
    }
}

// Four rows by eight columns of c stay in registers.
void matmul(int n, const double* a, const double* b, double* c) {
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < n; j += 8) {
            Doubles sum[4][2] = {};
            for (int k = 0; k < n; ++k) {
                const Doubles left = load(b + k * n + j), right = load(b + k * n + j + 4);
                for (int row = 0; row < 4; ++row) {
                    const double factor = a[(i + row) * n + k];
                    sum[row][0] += factor * left;
                    sum[row][1] += factor * right;
                }
            }
            for (int row = 0; row < 4; ++row) {
                store(c + (i + row) * n + j, sum[row][0]);
                store(c + (i + row) * n + j + 4, sum[row][1]);
            }
        }
}

float reduce(int n, const float* x) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    return sum;
}

void mandelbrot(int width, int height, int most, int* steps) {
    Floats lane;
    for (int k = 0; k < kLanes; ++k) lane[k] = static_cast<float>(k);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; x += kLanes * kTogether) {
            const float b = -1.2f + 2.4f * static_cast<float>(y) / static_cast<float>(height);
            Floats a[kTogether], u[kTogether] = {}, v[kTogether] = {};
            Ints n[kTogether] = {}, inside[kTogether];
            for (int k = 0; k < kTogether; ++k) {
                const float first = static_cast<float>(x + k * kLanes);
                a[k] = -2.2f + 3.0f * (first + lane) / static_cast<float>(width);
                inside[k] = n[k] == 0; // all bits set where true
            }
            for (int step = 0; step < most; ++step) {
                Ints left{};
                for (int k = 0; k < kTogether; ++k) {
                    const Floats uu = u[k] * u[k], vv = v[k] * v[k];
                    inside[k] &= uu + vv < 4.0f;
                    left |= inside[k];
                    n[k] -= inside[k];
                    v[k] = 2.0f * u[k] * v[k] + b;
                    u[k] = uu - vv + a[k];
                }
                if (!any(left)) break;
            }
            std::memcpy(steps + y * width + x, n, sizeof n);
        }
}

} // namespace lathe::bench::best
