// SPDX-License-Identifier: MIT
// All pairs through shared memory: float4 loads, barriers in a loop, rsqrt.
extern __shared__ float4 tile[];

extern "C" __global__ void nbody(int n, float softening, const float4* position, float3* force) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = i < n ? position[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        const int other = first + threadIdx.x;
        tile[threadIdx.x] = other < n ? position[other] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            const float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            const float scale = tile[j].w * inverse * inverse * inverse;
            sum.x += scale * dx;
            sum.y += scale * dy;
            sum.z += scale * dz;
        }
        __syncthreads();
    }
    if (i < n) force[i] = sum;
}
