// SPDX-License-Identifier: MIT
// Warp operations, barriers, votes, special registers, printf, assert, trap, calls.
extern "C" __global__ void warps(int* out, float f, double d, long long l, int n) {
    const unsigned all = 0xffffffffu;
    *out++ = __shfl_sync(all, n, 3);
    *out++ = __shfl_up_sync(all, n, 3, 16);
    *out++ = __shfl_down_sync(all, n, 3);
    *out++ = __shfl_xor_sync(all, n, n);
    *out++ = static_cast<int>(__shfl_sync(all, f, 3) + __shfl_xor_sync(all, d, 1));
    *out++ = static_cast<int>(__shfl_down_sync(all, l, 1));
    *out++ = __all_sync(all, n) + __any_sync(all, n) + __uni_sync(all, n);
    *out++ = static_cast<int>(__ballot_sync(all, n) + __activemask());
    *out++ = static_cast<int>(__match_any_sync(all, n) + __match_any_sync(all, l));
    int same = 0;
    *out++ = static_cast<int>(__match_all_sync(all, n, &same)) + same;
    *out++ = static_cast<int>(__match_all_sync(all, d, &same)) + same;
    __syncwarp();
    __syncwarp(n);
    *out++ = __syncthreads_count(n) + __syncthreads_and(n) + __syncthreads_or(n);
    *out++ = threadIdx.x + threadIdx.y * blockDim.z + blockIdx.x * gridDim.y + warpSize;
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.arrive 2, 64;");
    asm volatile("barrier.sync 3;");
    asm volatile("barrier.sync.aligned 3, 64;");
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p bra.uni L%=; exit; L%=: }" ::"r"(n));
    asm volatile("pmevent 3;");
    asm volatile("prefetch.global.L2 [%0];" ::"l"(out));
    asm volatile("prefetchu.L1 [%0];" ::"l"(out));
    unsigned r;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
    *out++ = static_cast<int>(r);
    asm volatile("ld.global.relaxed.gpu.u32 %0, [%1];" : "=r"(r) : "l"(out));
    asm volatile("ld.acquire.sys.global.L1::no_allocate.L2::128B.u32 %0, [%1];"
                 : "=r"(r)
                 : "l"(out));
    asm volatile("st.global.release.cta.u32 [%1], %0;" ::"r"(r), "l"(out));
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(r) : "l"(out));
    asm volatile("red.relaxed.sys.global.xor.b32 [%0], 1;" ::"l"(out));
    asm volatile("fence.acq_rel.cta;\nfence.sc.sys;\nmembar.gl;");
    printf("%d %f\n", n, d);
    assert(n != 7);
    if (n == 9) __trap();
    if (n == 10) __brkpt();
    if (n == 11) __builtin_unreachable();
}
__device__ __noinline__ int leaf(int x) { return x * 3; }
__device__ __noinline__ int other(int x) { return x + 3; }
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int (*choices[2])(int) = {leaf, other};
struct Shape {
    __device__ virtual float area() const = 0;
    float size;
};
struct Square : Shape {
    __device__ float area() const override { return size * size; }
};
struct Circle : Shape {
    __device__ float area() const override { return 3.14f * size * size; }
};
extern "C" __global__ void __launch_bounds__(128, 2) calls(int* out, int n) {
    out[0] = choices[n & 1](n) + fibonacci(n);
    Square square;
    Circle circle;
    Shape& shape = n > 3 ? static_cast<Shape&>(square) : circle;
    shape.size = static_cast<float>(n);
    out[1] = static_cast<int>(shape.area());
    switch (n) {
    case 0: out[2] = 3; break;
    case 1: out[2] = leaf(n); break;
    case 2: out[2] = 5; break;
    case 3: out[2] = other(n); break;
    case 4: out[2] = 9; break;
    case 5: out[2] = 12; break;
    default: out[2] = 0;
    }
    int* heap = new int[n];
    heap[n - 1] = n;
    out[3] = heap[n - 1];
    delete[] heap;
    void* more = malloc(n);
    memset(more, 0, n);
    memcpy(more, out, n);
    free(more);
}
