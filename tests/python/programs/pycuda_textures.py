# SPDX-License-Identifier: MIT
# A picture by a texture that interpolates, and a volume by a surface that a kernel writes.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

module = SourceModule(
    """
    texture<float, 2> picture;
    surface<void, 3> volume;

    __global__ void turned(float *to, int size, float cosine, float sine)
    {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= size || y >= size) return;
        float u = x + .5f - size / 2.f, v = y + .5f - size / 2.f;
        to[y * size + x] = tex2D(picture, cosine * u - sine * v + size / 2.f,
                                 sine * u + cosine * v + size / 2.f);
    }

    __global__ void squares()
    {
        float v;
        surf3Dread(&v, volume, threadIdx.x * 4, threadIdx.y, blockIdx.x);
        surf3Dwrite(v * v, volume, threadIdx.x * 4, threadIdx.y, blockIdx.x);
    }

    texture<float, 1, cudaReadModeElementType> values;

    __global__ void reversed(float *to, int n)
    {
        to[threadIdx.x] = tex1Dfetch(values, n - 1 - threadIdx.x);
    }
    """
)
size = 48
picture = np.add.outer(3 * np.arange(size), np.arange(size)).astype(np.float32)
texture = module.get_texref("picture")
cuda.matrix_to_texref(picture, texture, order="C")
texture.set_filter_mode(cuda.filter_mode.LINEAR)
texture.set_address_mode(0, cuda.address_mode.CLAMP)
texture.set_address_mode(1, cuda.address_mode.CLAMP)
turned = module.get_function("turned")
shape = {"block": (16, 16, 1), "grid": (3, 3), "texrefs": [texture]}
to = np.empty_like(picture)
turned(cuda.Out(to), np.int32(size), np.float32(0), np.float32(1), **shape)
assert np.array_equal(to, np.rot90(picture))
# A plane stays a plane: interpolated values are exact away from the rim.
cosine, sine = np.cos(0.4), np.sin(0.4)
turned(cuda.Out(to), np.int32(size), np.float32(cosine), np.float32(sine), **shape)
v, u = np.mgrid[:size, :size] + 0.5 - size / 2
wanted = (cosine * u - sine * v + size / 2 - 0.5) + 3 * (sine * u + cosine * v + size / 2 - 0.5)
near = np.hypot(u, v) < size / 2 - 1
assert abs(to - wanted)[near].max() < 4 * 2**-8  # a GPU's weights have eight bits

grid = np.arange(4 * 3 * 8, dtype=np.float32).reshape(4, 3, 8)
array = cuda.np_to_array(grid, "C", allowSurfaceBind=True)
module.get_surfref("volume").set_array(array)
module.get_function("squares")(block=(8, 3, 1), grid=(4, 1))
copy = cuda.Memcpy3D()
copy.set_src_array(array)
back = np.empty_like(grid)
copy.set_dst_host(back)
copy.width_in_bytes = copy.dst_pitch = 8 * 4
copy.dst_height = copy.height = 3
copy.depth = 4
copy()
assert np.array_equal(back, grid**2)

values = gpuarray.to_gpu(np.arange(32, dtype=np.float32))
reference = module.get_texref("values")
values.bind_to_texref_ext(reference)
to = gpuarray.empty(32, np.float32)
module.get_function("reversed")(to, np.int32(32), block=(32, 1, 1), texrefs=[reference])
assert np.array_equal(to.get(), np.arange(32)[::-1])
print("textures and surfaces are right")
