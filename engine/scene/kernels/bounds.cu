// SPDX-License-Identifier: MIT
// The box around positions of 2 to 4 floats each. One that is not finite lies nowhere.

__device__ __forceinline__ void take(unsigned* found, unsigned low, unsigned high) {
    for (int distance = 16; distance; distance /= 2) {
        low = min(low, __shfl_xor_sync(~0u, low, distance));
        high = max(high, __shfl_xor_sync(~0u, high, distance));
    }
    if (threadIdx.x % 32 != 0 || low > high) return;
    atomicMin(found, low);
    atomicMax(found + 3, high);
}

/// `found`: least x, y, z, greatest x, y, z as ordered().
extern "C" __global__ void bounds(const float* positions, unsigned* found, long long count,
                                  int components) {
    unsigned low[3] = {~0u, ~0u, ~0u}, high[3] = {0, 0, 0};
    for (long long at = first_item(); at < count; at += item_step()) {
        const float* p = positions + at * components;
        const float place[3] = {p[0], p[1], components > 2 ? p[2] : 0.0f};
        if (!is_finite(place[0]) || !is_finite(place[1]) || !is_finite(place[2])) continue;
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = min(low[axis], ordered(place[axis]));
            high[axis] = max(high[axis], ordered(place[axis]));
        }
    }
    for (int axis = 0; axis < 3; ++axis) take(found + axis, low[axis], high[axis]);
}
