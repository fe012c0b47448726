# SPDX-License-Identifier: MIT
# Grey from colours, a transpose through shared memory, a list by atomics, and the game of life.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

module = SourceModule(
    """
    __global__ void grey(unsigned char *to, const uchar3 *from, int count)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count) to[i] = (77 * from[i].x + 150 * from[i].y + 29 * from[i].z) >> 8;
    }

    __global__ void transpose(float *to, const float *from, int width, int height)
    {
        __shared__ float tile[16][17];
        int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
        if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = from[y * width + x];
        __syncthreads();
        x = blockIdx.y * 16 + threadIdx.x;
        y = blockIdx.x * 16 + threadIdx.y;
        if (x < height && y < width) to[y * height + x] = tile[threadIdx.x][threadIdx.y];
    }

    __global__ void select(int *list, int *count, const float *x, int n, float above)
    {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            if (x[i] > above) list[atomicAdd(count, 1)] = i;
    }

    __global__ void live(int *to, const int *from, int n)
    {
        int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
        int near = 0;
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i)
                if (i || j) near += from[(y + j + n) % n * n + (x + i + n) % n];
        to[y * n + x] = near == 3 || (near == 2 && from[y * n + x]);
    }
    """
)
random = np.random.default_rng(9)
colours = random.integers(0, 256, (30, 41, 3), np.uint8)
grey = np.empty((30, 41), np.uint8)
module.get_function("grey")(
    cuda.Out(grey), cuda.In(colours), np.int32(grey.size), block=(128, 1, 1), grid=(10, 1)
)
assert np.array_equal(grey, colours.astype(int) @ (77, 150, 29) >> 8)

matrix = random.random((50, 70)).astype(np.float32)
turned = gpuarray.empty((70, 50), np.float32)
module.get_function("transpose")(
    turned, gpuarray.to_gpu(matrix), np.int32(70), np.int32(50), block=(16, 16, 1), grid=(5, 4)
)
assert np.array_equal(turned.get(), matrix.T)

values = random.standard_normal(10_000).astype(np.float32)
chosen, count = gpuarray.zeros(10_000, np.int32), gpuarray.zeros(1, np.int32)
module.get_function("select")(
    chosen, count, gpuarray.to_gpu(values), np.int32(10_000), np.float32(1),
    block=(256, 1, 1), grid=(8, 1),
)  # fmt: skip
found = chosen.get()[: count.get()[0]]
assert np.array_equal(np.sort(found), np.flatnonzero(values > 1))

n = 32
cells = random.integers(0, 2, (n, n)).astype(np.int32)
old, new = gpuarray.to_gpu(cells), gpuarray.empty((n, n), np.int32)
live = module.get_function("live")
for _ in range(20):
    live(new, old, np.int32(n), block=(16, 16, 1), grid=(2, 2))
    old, new = new, old
    near = sum(
        np.roll(cells, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1) if (i, j) != (0, 0)
    )
    cells = ((near == 3) | ((near == 2) & (cells == 1))).astype(np.int32)
assert np.array_equal(old.get(), cells)
print("pictures are right")
