// SPDX-License-Identifier: MIT
// Scan and sort of gpu/kernels beside CUB's DeviceScan and DeviceRadixSort, checked against them,
// by shapes of tiles. Needs nvcc and a GPU with about 12 GB free; part of no build:
//     nvcc -O3 -std=c++17 -arch=sm_90 -I. -Igpu/kernels -o bench_cub tests/benchmarks/bench_cub.cu
//     && ./bench_cub
// Medians of twelve launches with events; a ratio above 1 means faster than CUB.
#include "gpu/kernels/lathe_radix.hpp"
#include "gpu/kernels/lathe_scan.hpp"

#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
}

template <class T, int THREADS, int V, int K> struct Form {
    typedef T Value;
    static const int kThreads = THREADS, kVector = V, kRows = K;
    const T* in;
    T* out;
    __device__ __forceinline__ T combine(const T& a, const T& b) const { return a + b; }
    __device__ __forceinline__ void read(long long at, T (&v)[V]) const {
        const lathe::Pack<T, V> p = lathe::stream_in((const lathe::Pack<T, V>*)(in + at));
        for (int j = 0; j < V; ++j) v[j] = p.at[j];
    }
    __device__ __forceinline__ T read_one(long long at) const { return in[at]; }
    __device__ __forceinline__ void write(long long at, const T (&v)[V], const T&, bool) const {
        lathe::Pack<T, V> p;
        for (int j = 0; j < V; ++j) p.at[j] = v[j];
        lathe::stream_out((lathe::Pack<T, V>*)(out + at), p);
    }
    __device__ __forceinline__ void write_one(long long at, const T& v, const T&, bool) const {
        out[at] = v;
    }
};
template <class F, int BLOCKS>
__global__ void __launch_bounds__(F::kThreads, BLOCKS)
    scan_kernel(const typename F::Value* in, typename F::Value* out, long long n,
                lathe::ScanState s) {
    F f;
    f.in = in;
    f.out = out;
    lathe::scan_tile(f, n, s);
}
template <class T> __global__ void differ(const T* a, const T* b, long long n, unsigned* c) {
    const long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < n && a[i] != b[i]) atomicAdd(c, 1u);
}
template <class T> unsigned different(const T* a, const T* b, long long n) {
    unsigned *c, found;
    check(cudaMalloc(&c, 4));
    check(cudaMemset(c, 0, 4));
    differ<<<(n + 255) / 256, 256>>>(a, b, n, c);
    check(cudaMemcpy(&found, c, 4, cudaMemcpyDeviceToHost));
    cudaFree(c);
    return found;
}
template <class Call> double median(Call call) {
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    std::vector<float> t;
    for (int k = 0; k < 15; ++k) {
        cudaEventRecord(a);
        call();
        cudaEventRecord(b);
        check(cudaEventSynchronize(b));
        float ms;
        cudaEventElapsedTime(&ms, a, b);
        if (k > 2) t.push_back(ms);
    }
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}
template <class T, int THREADS, int V, int K, int BLOCKS>
void try_scan(const T* in, T* out, const T* ref, long long n, double cub_ms, const char* name) {
    typedef Form<T, THREADS, V, K> F;
    const long long tile = THREADS * V * K, tiles = (n + tile - 1) / tile,
                    groups = (tiles + 31) / 32;
    const size_t bytes = 128 + (tiles + groups) * lathe::Record<T>::kBytes;
    char* mem;
    check(cudaMalloc(&mem, bytes));
    lathe::ScanState s{mem, unsigned(tiles), unsigned(groups), 1};
    double ms = median([&] {
        cudaMemsetAsync(mem, 0, bytes);
        scan_kernel<F, BLOCKS><<<tiles, THREADS>>>(in, out, n, s);
    });
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    const unsigned worst = different(out, ref, n);
    printf("scan %s %dx%dx%d by %d: %.3f ms %.0f GB/s, cub %.3f ms, ratio %.3f, %u differ\n", name,
           THREADS, V, K, BLOCKS, ms, 2 * n * sizeof(T) / ms * 1e-6, cub_ms, cub_ms / ms, worst);
    cudaFree(mem);
}
template <class T> double cub_scan(const T* in, T* out, long long n) {
    size_t bytes = 0;
    void* mem = nullptr;
    cub::DeviceScan::InclusiveSum(mem, bytes, in, out, n);
    check(cudaMalloc(&mem, bytes));
    double ms = median([&] { cub::DeviceScan::InclusiveSum(mem, bytes, in, out, n); });
    cudaFree(mem);
    return ms;
}
template <class Key>
__global__ void count_kernel(const Key* k, long long n, unsigned long long* c) {
    lathe::count_digits(k, n, c);
}
__global__ void start_kernel(unsigned long long* c) { lathe::start_digits(c); }
template <class Key, int THREADS, int ITEMS, int BLOCKS, bool PAIRS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    pass_kernel(const Key* a, Key* b, const unsigned* i, unsigned* o, long long n,
                const unsigned long long* c, int pass, char* s) {
    lathe::sort_pass<Key, unsigned, unsigned, THREADS, ITEMS, PAIRS>(a, b, i, o, n, c, pass, s);
}
template <class Key, int THREADS, int ITEMS, int BLOCKS, bool PAIRS>
void try_sort(const Key* in, Key* out, Key* tmp, unsigned* i0, unsigned* i1, const Key* ref,
              const unsigned* iref, long long n, double cub_ms) {
    const int D = lathe::RadixKey<Key>::kDigits;
    const long long tile = THREADS * ITEMS, tiles = (n + tile - 1) / tile;
    unsigned long long* c;
    char* s;
    const size_t bytes = 128 + tiles * 1024;
    check(cudaMalloc(&c, D * 2048));
    check(cudaMalloc(&s, bytes));
    auto count = [&] {
        cudaMemsetAsync(c, 0, D * 2048);
        count_kernel<Key><<<132 * 8, 256>>>(in, n, c);
        start_kernel<<<D, 256>>>(c);
    };
    double count_ms = median(count);
    double ms = median([&] {
        count();
        const Key* from = in;
        const unsigned* ifrom = nullptr;
        for (int p = 0; p < D; ++p) {
            Key* to = (D - p) % 2 ? out : tmp;
            unsigned* ito = (D - p) % 2 ? i0 : i1;
            cudaMemsetAsync(s, 0, bytes);
            pass_kernel<Key, THREADS, ITEMS, BLOCKS, PAIRS>
                <<<tiles, THREADS>>>(from, to, ifrom, ito, n, c, p, s);
            from = to;
            ifrom = ito;
        }
    });
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    const bool same = !different(out, ref, n) && (!PAIRS || !different(i0, iref, n));
    printf("sort key%d %s %dx%d by %d: %.3f ms (count %.3f) %.2f Gkeys/s, cub %.3f ms, ratio %.3f "
           "%s\n",
           (int)sizeof(Key), PAIRS ? "pairs" : "keys", THREADS, ITEMS, BLOCKS, ms, count_ms,
           n / ms * 1e-6, cub_ms, cub_ms / ms, same ? "same" : "DIFFERENT");
    cudaFree(c);
    cudaFree(s);
}
__global__ void iota(unsigned* p, long long n) {
    long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < n) p[i] = i;
}
template <class Key> void sorts(long long n) {
    std::vector<Key> h(n);
    unsigned long long x = 88172645463325252ull;
    for (auto& e : h) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        e = Key(x >> 1);
    }
    Key *in, *out, *tmp, *ref;
    unsigned *i0, *i1, *iref, *idx;
    for (Key** p : {&in, &out, &tmp, &ref}) check(cudaMalloc(p, n * sizeof(Key)));
    for (unsigned** p : {&i0, &i1, &iref, &idx}) check(cudaMalloc(p, n * 4));
    check(cudaMemcpy(in, h.data(), n * sizeof(Key), cudaMemcpyHostToDevice));
    iota<<<(n + 255) / 256, 256>>>(idx, n);
    size_t b = 0;
    void* m = nullptr;
    cub::DeviceRadixSort::SortKeys(m, b, in, ref, n);
    check(cudaMalloc(&m, b));
    double ck = median([&] { cub::DeviceRadixSort::SortKeys(m, b, in, ref, n); });
    cudaFree(m);
    m = nullptr;
    cub::DeviceRadixSort::SortPairs(m, b, in, ref, idx, iref, n);
    check(cudaMalloc(&m, b));
    double cp = median([&] { cub::DeviceRadixSort::SortPairs(m, b, in, ref, idx, iref, n); });
    cudaFree(m);
    if constexpr (sizeof(Key) == 4) {
        try_sort<Key, 256, 16, 4, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 256, 18, 5, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 256, 24, 4, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 16, 3, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 18, 3, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 20, 3, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 24, 2, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 512, 16, 2, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 512, 20, 2, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 12, 4, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 256, 16, 4, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
        try_sort<Key, 384, 16, 2, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
        try_sort<Key, 384, 16, 3, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
        try_sort<Key, 512, 12, 2, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
        try_sort<Key, 384, 12, 3, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
    } else {
        try_sort<Key, 256, 12, 4, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 14, 2, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 12, 3, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 512, 10, 2, false>(in, out, tmp, i0, i1, ref, iref, n, ck);
        try_sort<Key, 384, 14, 2, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
        try_sort<Key, 256, 12, 4, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
        try_sort<Key, 384, 10, 2, true>(in, out, tmp, i0, i1, ref, iref, n, cp);
    }
    for (Key** p : {&in, &out, &tmp, &ref}) cudaFree(*p);
    for (unsigned** p : {&i0, &i1, &iref, &idx}) cudaFree(*p);
}
int main() {
    const long long n = (1ll << 28) + 5;
    {
        std::vector<float> h(n);
        std::mt19937 r(1);
        for (auto& e : h) e = float(r() % 3) - 1;
        float *in, *out, *ref;
        for (float** p : {&in, &out, &ref}) check(cudaMalloc(p, n * 4));
        check(cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice));
        double c = cub_scan(in, ref, n);
        try_scan<float, 256, 4, 16, 2>(in, out, ref, n, c, "float");
        try_scan<float, 128, 4, 16, 5>(in, out, ref, n, c, "float");
        try_scan<float, 512, 4, 16, 1>(in, out, ref, n, c, "float");
        try_scan<float, 512, 4, 8, 2>(in, out, ref, n, c, "float");
        try_scan<float, 256, 4, 8, 4>(in, out, ref, n, c, "float");
        try_scan<float, 256, 4, 8, 3>(in, out, ref, n, c, "float");
        try_scan<float, 256, 4, 4, 6>(in, out, ref, n, c, "float");
        for (float** p : {&in, &out, &ref}) cudaFree(*p);
    }
    {
        const long long m = n / 2;
        std::vector<long long> h(m);
        for (long long k = 0; k < m; ++k) h[k] = k * 7919 % 1000 - 500;
        long long *in, *out, *ref;
        for (long long** p : {&in, &out, &ref}) check(cudaMalloc(p, m * 8));
        check(cudaMemcpy(in, h.data(), m * 8, cudaMemcpyHostToDevice));
        double c = cub_scan(in, ref, m);
        try_scan<long long, 256, 2, 16, 2>(in, out, ref, m, c, "int64");
        try_scan<long long, 128, 2, 16, 4>(in, out, ref, m, c, "int64");
        try_scan<long long, 512, 2, 8, 2>(in, out, ref, m, c, "int64");
        try_scan<long long, 256, 2, 8, 4>(in, out, ref, m, c, "int64");
        try_scan<long long, 384, 2, 8, 2>(in, out, ref, m, c, "int64");
        for (long long** p : {&in, &out, &ref}) cudaFree(*p);
    }
    sorts<unsigned>(n);
    sorts<unsigned long long>(n / 2);
}
