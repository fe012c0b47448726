// SPDX-License-Identifier: MIT
// The kernels that bench_soft measures, each beside C++ that does the same, and compared with it.
#pragma once

#include "tests/benchmarks/soft_measuring.h"

namespace lathe::bench {

void bench_saxpy(const char* name, int n, unsigned repeats, Goal goal);
void bench_nbody();
/// Of 256 x 256 doubles in blocks of side x side.
void bench_matmul(bool tiled, unsigned side = 16);
void bench_reduce();
void bench_histogram();
/// In blocks of 256 threads with `side` in a row, as the next one.
void bench_gray_scott(unsigned side = 32);
void bench_mandelbrot(unsigned side = 32);
void bench_libm();

// Structures and vectors of a thread (soft_records.cpp).

void bench_float4_saxpy();
void bench_complex_products();
void bench_moving_bodies();
void bench_triples();
void bench_double2();

/// Heat and waves on a cube (soft_stencils.cpp).
void bench_stencils();

// soft_sparse.cpp

void bench_sparse();
void bench_floyd_warshall();

} // namespace lathe::bench
