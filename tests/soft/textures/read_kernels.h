// SPDX-License-Identifier: MIT
// CUDA source of kernels with every texture read: by coordinates, by level, by slopes.
#pragma once

namespace lathe::test {

/// Kinds of reads that the kernel `read` knows, in its numbers.
enum class Read { d1, d2, d3, layers1, layers2, cube, cubes };

/// Places are x, y, z and a layer; level and slopes (two float4 a place) are for the kernels that
/// take them.
inline constexpr const char* kReadKernels = R"(
#define ARGUMENTS cudaTextureObject_t t, int kind, int n, const float4* at, \
    const float* levels, const float4* slopes, float4* out
#define FRAME(D1, D2, D3, L1, L2, C, CL) \
    const int i = threadIdx.x + blockIdx.x * blockDim.x; \
    if (i >= n) return; \
    const float4 p = at[i]; \
    const int layer = (int)p.w; \
    float4 v = make_float4(0, 0, 0, 0); \
    switch (kind) { \
    case 0: v = D1; break; \
    case 1: v = D2; break; \
    case 2: v = D3; break; \
    case 3: v = L1; break; \
    case 4: v = L2; break; \
    case 5: v = C; break; \
    case 6: v = CL; break; \
    } \
    out[i] = v;
typedef float4 F;
extern "C" __global__ void read(ARGUMENTS) {
    FRAME(tex1D<F>(t, p.x), tex2D<F>(t, p.x, p.y), tex3D<F>(t, p.x, p.y, p.z),
          tex1DLayered<F>(t, p.x, layer), tex2DLayered<F>(t, p.x, p.y, layer),
          texCubemap<F>(t, p.x, p.y, p.z), texCubemapLayered<F>(t, p.x, p.y, p.z, layer))
}
extern "C" __global__ void read_level(ARGUMENTS) {
    const int j = threadIdx.x + blockIdx.x * blockDim.x;
    const float l = j < n ? levels[j] : 0;
    FRAME(tex1DLod<F>(t, p.x, l), tex2DLod<F>(t, p.x, p.y, l),
          tex3DLod<F>(t, p.x, p.y, p.z, l), tex1DLayeredLod<F>(t, p.x, layer, l),
          tex2DLayeredLod<F>(t, p.x, p.y, layer, l), texCubemapLod<F>(t, p.x, p.y, p.z, l),
          texCubemapLayeredLod<F>(t, p.x, p.y, p.z, layer, l))
}
extern "C" __global__ void read_grad(ARGUMENTS) {
    const int j = threadIdx.x + blockIdx.x * blockDim.x;
    const float4 a = slopes[j < n ? 2 * j : 0], b = slopes[j < n ? 2 * j + 1 : 0];
    const float2 a2 = make_float2(a.x, a.y), b2 = make_float2(b.x, b.y);
    FRAME(tex1DGrad<F>(t, p.x, a.x, b.x), tex2DGrad<F>(t, p.x, p.y, a2, b2),
          tex3DGrad<F>(t, p.x, p.y, p.z, a, b), tex1DLayeredGrad<F>(t, p.x, layer, a.x, b.x),
          tex2DLayeredGrad<F>(t, p.x, p.y, layer, a2, b2),
          texCubemapGrad<F>(t, p.x, p.y, p.z, a, b),
          texCubemapLayeredGrad<F>(t, p.x, p.y, p.z, layer, a, b))
})";

} // namespace lathe::test
