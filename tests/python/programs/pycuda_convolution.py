# SPDX-License-Identifier: MIT
# Templates of C++, constant memory and sizes put into the source: a filter of rows and columns.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
#define RADIUS {radius}
#define TILE {tile}
__constant__ float weights[2 * RADIUS + 1];

template <bool kAlongRows> __device__ void convolve(float *to, const float *from, int n)
{{
    __shared__ float near[TILE + 2 * RADIUS];
    const int line = blockIdx.y, first = blockIdx.x * TILE - RADIUS;
    for (int k = threadIdx.x; k < TILE + 2 * RADIUS; k += blockDim.x) {{
        int i = first + k;
        near[k] = i < 0 || i >= n ? 0.f : kAlongRows ? from[line * n + i] : from[i * n + line];
    }}
    __syncthreads();
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    #pragma unroll
    for (int k = 0; k <= 2 * RADIUS; ++k) sum += weights[k] * near[threadIdx.x + k];
    to[kAlongRows ? line * n + i : i * n + line] = sum;
}}
extern "C" {{
__global__ void rows(float *to, const float *from, int n) {{ convolve<true>(to, from, n); }}
__global__ void columns(float *to, const float *from, int n) {{ convolve<false>(to, from, n); }}
}}
"""
n = 100
image = np.random.default_rng(8).random((n, n)).astype(np.float32)
for radius, tile in ((1, 32), (5, 64)):
    module = SourceModule(SOURCE.format(radius=radius, tile=tile), no_extern_c=True)
    weights = np.exp(-(np.linspace(-2, 2, 2 * radius + 1) ** 2)).astype(np.float32)
    address, size = module.get_global("weights")
    assert size == weights.nbytes
    cuda.memcpy_htod(address, weights)
    source, middle = gpuarray.to_gpu(image), gpuarray.empty((n, n), np.float32)
    shape = {"block": (tile, 1, 1), "grid": (-(-n // tile), n)}
    module.get_function("rows")(middle, source, np.int32(n), **shape)
    module.get_function("columns")(source, middle, np.int32(n), **shape)
    wanted = image.astype(float)
    for _ in range(2):  # rows, then columns
        wanted = np.array([np.convolve(line, weights, "same") for line in wanted]).T
    assert np.allclose(source.get(), wanted, rtol=1e-5)
print("filters are right")
