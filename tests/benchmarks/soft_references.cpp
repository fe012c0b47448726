// SPDX-License-Identifier: MIT
#include "tests/benchmarks/soft_references.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lathe::bench {

void saxpy(int n, float a, const float* x, float* y) {
    for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void nbody(int n, float softening, const float* position, float* force) {
    for (int i = 0; i < n; ++i) {
        const float* own = position + 4 * i;
        float fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; ++j) {
            const float* other = position + 4 * j;
            const float dx = other[0] - own[0], dy = other[1] - own[1], dz = other[2] - own[2];
            const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
            const float scale = other[3] * inverse * inverse * inverse;
            fx += scale * dx;
            fy += scale * dy;
            fz += scale * dz;
        }
        force[3 * i] = fx;
        force[3 * i + 1] = fy;
        force[3 * i + 2] = fz;
    }
}

void matmul(int n, const double* a, const double* b, double* c) {
    std::memset(c, 0, sizeof(double) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const double factor = a[i * n + k];
            for (int j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
        }
}

float reduce(int n, const float* x) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    return sum;
}

void histogram(int n, const unsigned char* in, unsigned* bins) {
    std::memset(bins, 0, 256 * sizeof *bins);
    for (int i = 0; i < n; ++i) ++bins[in[i]];
}

void gray_scott(int width, int height, const float* now, float* next) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const int west = (x + width - 1) % width, east = (x + 1) % width,
                      south = (y + height - 1) % height, north = (y + 1) % height;
            const int plane = width * height;
            float sum[2];
            for (int k = 0; k < 2; ++k) {
                const float* u = now + k * plane;
                sum[k] = u[y * width + west] + u[y * width + east] + u[south * width + x] +
                         u[north * width + x] - 4 * u[y * width + x];
            }
            const float u = now[y * width + x], v = now[plane + y * width + x];
            next[y * width + x] = u + 0.2f * sum[0] - u * v * v + 0.03f * (1 - u);
            next[plane + y * width + x] = v + 0.1f * sum[1] + u * v * v - 0.09f * v;
        }
}

void mandelbrot(int width, int height, int most, int* steps) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const float a = -2.2f + 3.0f * static_cast<float>(x) / static_cast<float>(width);
            const float b = -1.2f + 2.4f * static_cast<float>(y) / static_cast<float>(height);
            float u = 0, v = 0;
            int n = 0;
            while (u * u + v * v < 4 && n < most) {
                const float t = u * u - v * v + a;
                v = 2 * u * v + b;
                u = t;
                ++n;
            }
            steps[y * width + x] = n;
        }
}

void libm(int n, const float* x, float* y) {
    for (int i = 0; i < n; ++i) {
        const float v = x[i];
        y[i] = std::sin(v) + std::exp(-v) + 1.0f / std::sqrt(v + 1) + std::log(v + 1) +
               std::pow(v + 0.5f, 1.3f) + std::tanh(v) + std::atan2(v, 2.0f) + std::sqrt(v) +
               std::fmod(v, 0.7f) + std::erf(v);
    }
}

// Both are restricted: a kernel's threads need no order.
void saxpy4(int n, const float* __restrict__ x, float* __restrict__ y) {
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 4; ++k) y[4 * i + k] += 1e-6f * x[4 * i + k];
}

void move_bodies(int n, const float* __restrict__ speed, float* __restrict__ place) {
    for (int i = 0; i < n; ++i) {
        const float* v = speed + 4 * i;
        const float drag = 1.0f / std::sqrt(1 + v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int k = 0; k < 3; ++k) place[4 * i + k] += 1e-3f * drag * v[k];
    }
}

namespace {

template <class T> void multiply(int n, const T* __restrict__ x, T* __restrict__ y) {
    for (int i = 0; i < n; ++i) {
        const T a = x[2 * i], b = x[2 * i + 1], c = y[2 * i], d = y[2 * i + 1];
        y[2 * i] = a * c - b * d;
        y[2 * i + 1] = a * d + b * c;
    }
}

} // namespace

void complex_products(int n, const float* x, float* y) { multiply(n, x, y); }
void complex_products(int n, const double* x, double* y) { multiply(n, x, y); }

void cross_products(int n, const float* __restrict__ x, float* __restrict__ y) {
    for (int i = 0; i < n; ++i) {
        const float *a = x + 3 * i, *b = y + 3 * i;
        const float p = a[1] * b[2] - a[2] * b[1], q = a[2] * b[0] - a[0] * b[2],
                    r = a[0] * b[1] - a[1] * b[0];
        y[3 * i] = p;
        y[3 * i + 1] = q;
        y[3 * i + 2] = r;
    }
}

namespace {

template <class T>
void heat_of(int nx, int ny, int nz, T c, const T* __restrict__ now, T* __restrict__ next) {
    for (int z = 1; z < nz - 1; ++z)
        for (int y = 1; y < ny - 1; ++y)
            for (int x = 1; x < nx - 1; ++x) {
                const int at = (z * ny + y) * nx + x;
                next[at] = now[at] + c * (now[at - 1] + now[at + 1] + now[at - nx] + now[at + nx] +
                                          now[at - nx * ny] + now[at + nx * ny] - 6 * now[at]);
            }
}

template <class T>
void wave_of(int nx, int ny, int nz, T c, const T* __restrict__ now, T* __restrict__ next) {
    for (int z = 1; z < nz - 1; ++z)
        for (int y = 1; y < ny - 1; ++y)
            for (int x = 1; x < nx - 1; ++x) {
                const int at = (z * ny + y) * nx + x;
                const T sum = now[at - 1] + now[at + 1] + now[at - nx] + now[at + nx] +
                              now[at - nx * ny] + now[at + nx * ny];
                next[at] = 2 * now[at] - next[at] + c * (sum - 6 * now[at]);
            }
}

} // namespace

void heat(int nx, int ny, int nz, float c, const float* now, float* next) {
    heat_of(nx, ny, nz, c, now, next);
}
void heat(int nx, int ny, int nz, double c, const double* now, double* next) {
    heat_of(nx, ny, nz, c, now, next);
}
void wave(int nx, int ny, int nz, float c, const float* now, float* next) {
    wave_of(nx, ny, nz, c, now, next);
}
void wave(int nx, int ny, int nz, double c, const double* now, double* next) {
    wave_of(nx, ny, nz, c, now, next);
}

void csr_product(int n, const int* rows, const int* columns, const float* values, const float* x,
                 float* y) {
    for (int row = 0; row < n; ++row) {
        float sum = 0;
        for (int k = rows[row]; k < rows[row + 1]; ++k) sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

void shortest_paths(int n, int* d) {
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i) {
            const int to = d[i * n + k];
            for (int j = 0; j < n; ++j) d[i * n + j] = std::min(d[i * n + j], to + d[k * n + j]);
        }
}

} // namespace lathe::bench
