// SPDX-License-Identifier: MIT
// mma.h: fragments of every type and shape of compute capability 7.5.
#include <mma.h>
using namespace nvcuda::wmma;
template <int M, int N, int K, class T, class Accumulator, class A, class B>
__device__ void product(const T* a, const T* b, Accumulator* d, unsigned stride) {
    fragment<matrix_a, M, N, K, T, A> x;
    fragment<matrix_b, M, N, K, T, B> y;
    fragment<accumulator, M, N, K, Accumulator> sum;
    load_matrix_sync(x, a, stride);
    load_matrix_sync(y, b, stride);
    fill_fragment(sum, Accumulator{});
    mma_sync(sum, x, y, sum);
    load_matrix_sync(sum, d, stride, mem_col_major);
    mma_sync(sum, x, y, sum);
    store_matrix_sync(d, sum, stride, mem_row_major);
    store_matrix_sync(d, sum, stride, mem_col_major);
}
template <class T, class Accumulator>
__device__ void shapes(const T* a, const T* b, Accumulator* d, unsigned n) {
    product<16, 16, 16, T, Accumulator, row_major, col_major>(a, b, d, n);
    product<16, 16, 16, T, Accumulator, col_major, row_major>(a, b, d, n);
    product<16, 16, 16, T, Accumulator, row_major, row_major>(a, b, d, n);
    product<16, 16, 16, T, Accumulator, col_major, col_major>(a, b, d, n);
    product<32, 8, 16, T, Accumulator, row_major, col_major>(a, b, d, n);
    product<8, 32, 16, T, Accumulator, row_major, col_major>(a, b, d, n);
}
extern "C" __global__ void matrices(const __half* h, float* f, __half* half_sums,
                                    const signed char* s, const unsigned char* u, int* sums,
                                    unsigned n) {
    shapes(h, h, f, n);
    shapes(h, h, half_sums, n);
    shapes(s, s, sums, n);
    shapes(u, u, sums, n);
    __shared__ __half tile[256];
    tile[threadIdx.x] = h[threadIdx.x];
    __syncwarp();
    shapes(static_cast<const __half*>(tile), h, f, 16);
}
template <class T> __device__ void small(const void* a, const void* b, int* d, unsigned n) {
    constexpr int k = 32;
    fragment<matrix_a, 8, 8, k, T, row_major> x;
    fragment<matrix_b, 8, 8, k, T, col_major> y;
    fragment<accumulator, 8, 8, k, int> sum;
    load_matrix_sync(x, a, n);
    load_matrix_sync(y, b, n);
    fill_fragment(sum, 0);
    mma_sync(sum, x, y, sum);
    store_matrix_sync(d, sum, n, mem_row_major);
}
extern "C" __global__ void small_matrices(const void* a, const void* b, int* d, unsigned n) {
    small<experimental::precision::s4>(a, b, d, n);
    small<experimental::precision::u4>(a, b, d, n);
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> x;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> y;
    fragment<accumulator, 8, 8, 128, int> sum;
    load_matrix_sync(x, a, n);
    load_matrix_sync(y, b, n);
    fill_fragment(sum, 0);
    bmma_sync(sum, x, y, sum);
    store_matrix_sync(d, sum, n, mem_row_major);
}
