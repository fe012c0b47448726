// SPDX-License-Identifier: MIT
// Texture and surface objects.
extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* out) {
    const float x = threadIdx.x + 0.5f;
    const int i = threadIdx.x;
    float4 sum = tex1D<float4>(t, x);
    const auto add = [&](float4 v) { sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w; };
    add(tex1Dfetch<float4>(t, i));
    add(tex2D<float4>(t, x, x));
    add(tex3D<float4>(t, x, x, x));
    add(tex2DLod<float4>(t, x, x, 1.5f));
    add(tex2DGrad<float4>(t, x, x, make_float2(1, 2), make_float2(3, 4)));
    add(tex2DLayered<float4>(t, x, x, 2));
    add(texCubemap<float4>(t, x, x, x));
    add(tex2Dgather<float4>(t, x, x, 1));
    uchar4 texel = surf2Dread<uchar4>(s, i * 4, i);
    texel.x += 1;
    surf2Dwrite(texel, s, i * 4, i, cudaBoundaryModeClamp);
    surf1Dwrite(sum.x, s, i * 4);
    surf3Dwrite(sum, s, i * 16, i, i, cudaBoundaryModeZero);
    out[i] = sum;
}
