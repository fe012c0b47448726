// SPDX-License-Identifier: MIT
// What the kernels of this folder share; it stands before each of them.

__device__ __forceinline__ bool is_finite(float x) {
    return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u;
}

/// Whole numbers in the order of the floats, for atomicMin and atomicMax.
__device__ __forceinline__ unsigned ordered(float x) {
    const unsigned bits = __float_as_uint(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// Of a loop over the grid.
__device__ __forceinline__ long long first_item() {
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long item_step() { return (long long)gridDim.x * blockDim.x; }
