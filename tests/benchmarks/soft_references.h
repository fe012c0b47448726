// SPDX-License-Identifier: MIT
// Plain C++ of the kernels in soft_kernels.cpp and soft_records.cpp, compiled for this processor
// with -O3.
#pragma once

#include <cstddef>

namespace lathe::bench {

void saxpy(int n, float a, const float* x, float* y);
void nbody(int n, float softening, const float* position, float* force);
/// c = a b, n x n; rows of b are walked (i, k, j).
void matmul(int n, const double* a, const double* b, double* c);
float reduce(int n, const float* x);
void histogram(int n, const unsigned char* in, unsigned* bins);
void gray_scott(int width, int height, const float* now, float* next);
void mandelbrot(int width, int height, int most, int* steps);
void libm(int n, const float* x, float* y);
// Arrays of records (float4, float2 ...), as their parts one after another; y is changed.
void saxpy4(int n, const float* x, float* y);
void move_bodies(int n, const float* speed, float* place);
void complex_products(int n, const float* x, float* y);
void complex_products(int n, const double* x, double* y);
void cross_products(int n, const float* x, float* y);
// Seven-point stencils of nx x ny x nz cells; the outermost stay. wave: `next` has the step before.
void heat(int nx, int ny, int nz, float c, const float* now, float* next);
void heat(int nx, int ny, int nz, double c, const double* now, double* next);
void wave(int nx, int ny, int nz, float c, const float* now, float* next);
void wave(int nx, int ny, int nz, double c, const double* now, double* next);
/// y = A x, A by compressed rows of n rows.
void csr_product(int n, const int* rows, const int* columns, const float* values, const float* x,
                 float* y);
/// Floyd and Warshall: d has n x n lengths.
void shortest_paths(int n, int* d);

/// The same by a programmer who takes trouble (soft_best.cpp).
namespace best {
void nbody(int n, float softening, const float* x, const float* y, const float* z,
           const float* mass, float* force);
void matmul(int n, const double* a, const double* b, double* c);
float reduce(int n, const float* x);
/// width is a multiple of 32.
void mandelbrot(int width, int height, int most, int* steps);
} // namespace best

} // namespace lathe::bench
