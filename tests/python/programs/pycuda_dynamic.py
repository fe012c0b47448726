# SPDX-License-Identifier: MIT
# A kernel that launches kernels: a range is halved until its parts are small.
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import DynamicModule, DynamicSourceModule

SOURCE = """
__global__ void fill(int *x, int first, int count, int depth)
{
    if (count <= 16) {
        if (threadIdx.x < count) x[first + threadIdx.x] = depth;
        return;
    }
    if (threadIdx.x) return;
    int half = count / 3;
    fill<<<1, 16>>>(x, first, half, depth + 1);
    fill<<<1, 16>>>(x, first + half, count - half, depth + 1);
}
"""
try:
    module = DynamicSourceModule(SOURCE)
except FileNotFoundError as missing:  # a GPU needs a toolkit's libcudadevrt.a
    print(missing)
    sys.exit(77)


def depths(count, depth=0):
    if count <= 16:
        return [depth] * count
    return depths(count // 3, depth + 1) + depths(count - count // 3, depth + 1)


x = np.zeros(300, np.int32)
module.get_function("fill")(
    cuda.InOut(x), np.int32(0), np.int32(x.size), np.int32(0), block=(16, 1, 1)
)
assert x.tolist() == depths(x.size)

# The same in two steps, with a second source.
linked = DynamicModule()
linked.add_source(
    "extern __device__ int next(int); __global__ void run(int *x) { *x = next(*x); }",
    nvcc_options=["-rdc=true"],
)
linked.add_source(
    "__device__ int next(int x) { return 3 * x + 1; }", nvcc_options=["-rdc=true"], name="next.ptx"
)
one = np.array([7], np.int32)
linked.link().get_function("run")(cuda.InOut(one), block=(1, 1, 1))
assert one[0] == 22
print("launches from kernels are right")
