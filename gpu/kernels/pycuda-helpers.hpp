// SPDX-License-Identifier: MIT
// Textures and surfaces of numbers that CUDA's do not know: double as int2, complex<float> as
// uint2, complex<double> as int4. Other types go through unchanged. Coordinates of surfaces are
// elements.
#pragma once

#include <lathe_references.hpp>
#include <pycuda-complex.hpp>

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

extern "C++" {
namespace lathe {

template <class T> __device__ __forceinline__ T from_texel(T v) { return v; }
__device__ __forceinline__ double from_texel(int2 v) { return __hiloint2double(v.y, v.x); }
__device__ __forceinline__ pycuda::complex<float> from_texel(uint2 v) {
    return pycuda::complex<float>(__uint_as_float(v.x), __uint_as_float(v.y));
}
__device__ __forceinline__ pycuda::complex<double> from_texel(int4 v) {
    return pycuda::complex<double>(__hiloint2double(v.y, v.x), __hiloint2double(v.w, v.z));
}

template <class T> __device__ __forceinline__ T to_texel(T v) { return v; }
__device__ __forceinline__ int2 to_texel(double v) {
    return make_int2(__double2loint(v), __double2hiint(v));
}
__device__ __forceinline__ uint2 to_texel(const pycuda::complex<float>& v) {
    return make_uint2(__float_as_uint(v._M_re), __float_as_uint(v._M_im));
}
__device__ __forceinline__ int4 to_texel(const pycuda::complex<double>& v) {
    return make_int4(__double2loint(v._M_re), __double2hiint(v._M_re), __double2loint(v._M_im),
                     __double2hiint(v._M_im));
}

} // namespace lathe

template <class T, int mode>
__device__ __forceinline__ auto
fp_tex1Dfetch(const lathe::texture_reference<T, cudaTextureType1D, mode>& t, int i) {
    return lathe::from_texel(tex1Dfetch(t, i));
}
template <class T, int mode>
__device__ __forceinline__ auto
fp_tex2D(const lathe::texture_reference<T, cudaTextureType2D, mode>& t, float i, float j) {
    return lathe::from_texel(tex2D(t, i, j));
}
template <class T, int mode>
__device__ __forceinline__ auto
fp_tex2DLayered(const lathe::texture_reference<T, cudaTextureType2DLayered, mode>& t, float i,
                float j, int layer) {
    return lathe::from_texel(tex2DLayered(t, i, j, layer));
}
template <class T, int mode>
__device__ __forceinline__ auto
fp_tex3D(const lathe::texture_reference<T, cudaTextureType3D, mode>& t, float i, float j, float k) {
    return lathe::from_texel(tex3D(t, i, j, k));
}

template <class V>
__device__ __forceinline__ void
fp_surf2DLayeredwrite(V v, cudaSurfaceObject_t s, int i, int j, int layer,
                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    surf2DLayeredwrite(lathe::to_texel(v), s, i * (int)sizeof(V), j, layer, mode);
}
template <class V>
__device__ __forceinline__ void
fp_surf2DLayeredread(V* v, cudaSurfaceObject_t s, int i, int j, int layer,
                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    decltype(lathe::to_texel(*v)) texel;
    surf2DLayeredread(&texel, s, i * (int)sizeof(V), j, layer, mode);
    *v = lathe::from_texel(texel);
}
template <class V>
__device__ __forceinline__ void
fp_surf3Dwrite(V v, cudaSurfaceObject_t s, int i, int j, int k,
               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    surf3Dwrite(lathe::to_texel(v), s, i * (int)sizeof(V), j, k, mode);
}
template <class V>
__device__ __forceinline__ void fp_surf3Dread(V* v, cudaSurfaceObject_t s, int i, int j, int k,
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    decltype(lathe::to_texel(*v)) texel;
    surf3Dread(&texel, s, i * (int)sizeof(V), j, k, mode);
    *v = lathe::from_texel(texel);
}
} // extern "C++"
