// SPDX-License-Identifier: MIT
// Texture and surface references of old sources. lathe.cuda.compiler makes `texture<...> name;`
// into `LATHE_T<...> name;`, a variable that holds the handle of a texture object; the functions
// below take it where they took the reference. Written in a line's place, so columns stay.
#pragma once

#ifndef cudaTextureType1D
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#endif
#ifndef cudaSurfaceType1D
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC
#endif

#define LATHE_T __constant__ ::lathe::texture_reference
#define LATHE_S __constant__ ::lathe::surface_reference

extern "C++" {
namespace lathe {

template <class T, int type = cudaTextureType1D, int mode = cudaReadModeElementType>
struct texture_reference {
    unsigned long long handle;
    __device__ operator unsigned long long() const { return handle; }
};

template <class T, int type = cudaSurfaceType1D> struct surface_reference {
    unsigned long long handle;
    __device__ operator unsigned long long() const { return handle; }
};

// What a fetch gives: the element, or floats in as many channels.
template <class T, int mode> struct fetched {
    typedef T type;
};
#define LATHE_FETCHED(T, F)                                                                        \
    template <> struct fetched<T, cudaReadModeNormalizedFloat> {                                   \
        typedef F type;                                                                            \
    };
#define LATHE_FETCHED_VECTORS(T)                                                                   \
    LATHE_FETCHED(T##1, float1) LATHE_FETCHED(T##2, float2) LATHE_FETCHED(T##4, float4)
LATHE_FETCHED(char, float)
LATHE_FETCHED(signed char, float)
LATHE_FETCHED(unsigned char, float)
LATHE_FETCHED(short, float)
LATHE_FETCHED(unsigned short, float)
LATHE_FETCHED_VECTORS(char)
LATHE_FETCHED_VECTORS(uchar)
LATHE_FETCHED_VECTORS(short)
LATHE_FETCHED_VECTORS(ushort)
#undef LATHE_FETCHED_VECTORS
#undef LATHE_FETCHED

} // namespace lathe

// name(reference, coordinates) for references of one kind; "parameters" and "arguments" in
// parentheses.
#define LATHE_UNWRAP(...) __VA_ARGS__
#define LATHE_TEXTURE_FUNCTION(name, kind, parameters, arguments)                                  \
    template <class T, int mode>                                                                   \
    __device__ __forceinline__ typename lathe::fetched<T, mode>::type name(                        \
        const lathe::texture_reference<T, kind, mode>& t, LATHE_UNWRAP parameters) {               \
        return name<typename lathe::fetched<T, mode>::type>(t.handle, LATHE_UNWRAP arguments);     \
    }

LATHE_TEXTURE_FUNCTION(tex1Dfetch, cudaTextureType1D, (int x), (x))
LATHE_TEXTURE_FUNCTION(tex1D, cudaTextureType1D, (float x), (x))
LATHE_TEXTURE_FUNCTION(tex2D, cudaTextureType2D, (float x, float y), (x, y))
LATHE_TEXTURE_FUNCTION(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
LATHE_TEXTURE_FUNCTION(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
LATHE_TEXTURE_FUNCTION(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
LATHE_TEXTURE_FUNCTION(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
                       (x, y, layer))
LATHE_TEXTURE_FUNCTION(texCubemapLayered, cudaTextureTypeCubemapLayered,
                       (float x, float y, float z, int layer), (x, y, z, layer))
LATHE_TEXTURE_FUNCTION(tex1DLod, cudaTextureType1D, (float x, float level), (x, level))
LATHE_TEXTURE_FUNCTION(tex2DLod, cudaTextureType2D, (float x, float y, float level), (x, y, level))
LATHE_TEXTURE_FUNCTION(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level),
                       (x, y, z, level))
LATHE_TEXTURE_FUNCTION(texCubemapLod, cudaTextureTypeCubemap,
                       (float x, float y, float z, float level), (x, y, z, level))
LATHE_TEXTURE_FUNCTION(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level),
                       (x, layer, level))
LATHE_TEXTURE_FUNCTION(tex2DLayeredLod, cudaTextureType2DLayered,
                       (float x, float y, int layer, float level), (x, y, layer, level))
LATHE_TEXTURE_FUNCTION(texCubemapLayeredLod, cudaTextureTypeCubemapLayered,
                       (float x, float y, float z, int layer, float level), (x, y, z, layer, level))
LATHE_TEXTURE_FUNCTION(tex1DGrad, cudaTextureType1D, (float x, float dx, float dy), (x, dx, dy))
LATHE_TEXTURE_FUNCTION(tex2DGrad, cudaTextureType2D, (float x, float y, float2 dx, float2 dy),
                       (x, y, dx, dy))
LATHE_TEXTURE_FUNCTION(tex3DGrad, cudaTextureType3D,
                       (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
LATHE_TEXTURE_FUNCTION(tex1DLayeredGrad, cudaTextureType1DLayered,
                       (float x, int layer, float dx, float dy), (x, layer, dx, dy))
LATHE_TEXTURE_FUNCTION(tex2DLayeredGrad, cudaTextureType2DLayered,
                       (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy))
#undef LATHE_TEXTURE_FUNCTION
#undef LATHE_UNWRAP

// Four texels at once: vectors of four, whatever the channels.
#define LATHE_GATHER(T, R)                                                                         \
    template <int mode>                                                                            \
    __device__ __forceinline__ R tex2Dgather(                                                      \
        const lathe::texture_reference<T, cudaTextureType2D, mode>& t, float x, float y,           \
        int component = 0) {                                                                       \
        return tex2Dgather<R>(t.handle, x, y, component);                                          \
    }
LATHE_GATHER(float, float4)
LATHE_GATHER(float2, float4)
LATHE_GATHER(float4, float4)
LATHE_GATHER(int, int4)
LATHE_GATHER(int2, int4)
LATHE_GATHER(int4, int4)
LATHE_GATHER(unsigned int, uint4)
LATHE_GATHER(uint2, uint4)
LATHE_GATHER(uint4, uint4)
#undef LATHE_GATHER

// The surface functions take the handle that a surface_reference converts to.

// The words themselves, for declarations that are out of the compiler module's sight.
#ifdef LATHE_REFERENCE_NAMES
template <class T, int type = cudaTextureType1D, int mode = cudaReadModeElementType>
using texture = lathe::texture_reference<T, type, mode>;
template <class T, int type = cudaSurfaceType1D> using surface = lathe::surface_reference<T, type>;
#endif
} // extern "C++"
