// SPDX-License-Identifier: MIT
// Texture and surface objects of every geometry and format.
template <class T>
__device__ void read(cudaTextureObject_t t, T* out, float x, float y, float z, int n) {
    *out++ = tex1Dfetch<T>(t, n);
    *out++ = tex1D<T>(t, x);
    *out++ = tex2D<T>(t, x, y);
    *out++ = tex3D<T>(t, x, y, z);
    *out++ = tex1DLayered<T>(t, x, n);
    *out++ = tex2DLayered<T>(t, x, y, n);
    *out++ = texCubemap<T>(t, x, y, z);
    *out++ = texCubemapLayered<T>(t, x, y, z, n);
    *out++ = tex1DLod<T>(t, x, z);
    *out++ = tex2DLod<T>(t, x, y, z);
    *out++ = tex3DLod<T>(t, x, y, z, x);
    *out++ = tex2DLayeredLod<T>(t, x, y, n, z);
    *out++ = texCubemapLod<T>(t, x, y, z, x);
    *out++ = tex2DGrad<T>(t, x, y, make_float2(x, y), make_float2(y, z));
    *out++ = tex1DGrad<T>(t, x, y, z);
    *out++ = tex3DGrad<T>(t, x, y, z, make_float4(x, y, z, 0), make_float4(y, z, x, 0));
}
template <class T> __device__ void surface(cudaSurfaceObject_t s, T* out, int x, int y, int z) {
    *out++ = surf1Dread<T>(s, x);
    *out++ = surf2Dread<T>(s, x, y);
    *out++ = surf2Dread<T>(s, x, y, cudaBoundaryModeClamp);
    *out++ = surf2Dread<T>(s, x, y, cudaBoundaryModeZero);
    *out++ = surf3Dread<T>(s, x, y, z);
    *out++ = surf2DLayeredread<T>(s, x, y, z);
    surf1Dwrite(*out, s, x);
    surf2Dwrite(*out, s, x, y);
    surf2Dwrite(*out, s, x, y, cudaBoundaryModeZero);
    surf3Dwrite(*out, s, x, y, z);
    surf1DLayeredwrite(*out, s, x, y);
    surfCubemapwrite(*out, s, x, y, z);
}
extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, char* out,
                                    float x, float y, float z, int n) {
    read(t, reinterpret_cast<float*>(out), x, y, z, n);
    read(t, reinterpret_cast<float4*>(out), x, y, z, n);
    read(t, reinterpret_cast<uchar4*>(out), x, y, z, n);
    read(t, reinterpret_cast<short2*>(out), x, y, z, n);
    read(t, reinterpret_cast<unsigned*>(out), x, y, z, n);
    *reinterpret_cast<float4*>(out) = tex2Dgather<float4>(t, x, y, 2);
    *reinterpret_cast<uint4*>(out) = tex2Dgather<uint4>(t, x, y, 3);
    surface(s, reinterpret_cast<float*>(out), n, n, n);
    surface(s, reinterpret_cast<float4*>(out), n, n, n);
    surface(s, reinterpret_cast<uchar4*>(out), n, n, n);
    surface(s, reinterpret_cast<unsigned char*>(out), n, n, n);
    surface(s, reinterpret_cast<ushort2*>(out), n, n, n);
    surface(s, reinterpret_cast<longlong2*>(out), n, n, n);
}
