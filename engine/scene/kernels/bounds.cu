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

/// `found`: least x, y, z, greatest x, y, z as ordered(). Around each position lies `margin`, times
/// its own size where it has one: `sizes` of them are `sizes_each` numbers each, of which 0 is one
/// too where it is only an end. With vectors, also the places `scale` times one further.
extern "C" __global__ void bounds(const float* positions, const float* sizes, const float* vectors,
                                  unsigned* found, long long count, int components, int sizes_each,
                                  int is_end, float margin, float scale) {
    unsigned low[3] = {~0u, ~0u, ~0u}, high[3] = {0, 0, 0};
    for (long long at = first_item(); at < count; at += item_step()) {
        const float* p = positions + at * components;
        const float place[3] = {p[0], p[1], components > 2 ? p[2] : 0.0f};
        if (!is_finite(place[0]) || !is_finite(place[1]) || !is_finite(place[2])) continue;
        float around = margin;
        if (sizes) {
            float most = sizes[at * sizes_each];
            for (int k = 1; k < sizes_each; ++k) most = fmaxf(most, sizes[at * sizes_each + k]);
            if (!(is_end ? most >= 0.0f : most > 0.0f) || !is_finite(most)) continue; // not drawn
            around *= most;
        }
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = min(low[axis], ordered(place[axis] - around));
            high[axis] = max(high[axis], ordered(place[axis] + around));
            if (!vectors || (axis > 1 && components < 3)) continue;
            const float tip = place[axis] + scale * vectors[at * components + axis];
            if (!is_finite(tip)) continue;
            low[axis] = min(low[axis], ordered(tip));
            high[axis] = max(high[axis], ordered(tip));
        }
    }
    for (int axis = 0; axis < 3; ++axis) take(found + axis, low[axis], high[axis]);
}
