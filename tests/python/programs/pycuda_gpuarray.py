# SPDX-License-Identifier: MIT
# Arrays on the device with NumPy's operators, functions and slices, and the launch of a kernel.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.cumath as cumath
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

random = np.random.default_rng(3)
x = random.standard_normal((6, 50)).astype(np.float32)
y = random.random((6, 50)).astype(np.float32)
x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.to_gpu(y)

assert np.array_equal((2 * x_gpu).get(), 2 * x)
assert np.array_equal((x_gpu - y_gpu + 1).get(), x - y + 1)
assert np.allclose((x_gpu / (y_gpu + 1)).get(), x / (y + 1), rtol=1e-6)
assert np.allclose((y_gpu**2.5).get(), y**2.5, rtol=1e-5)
assert np.allclose(x_gpu.mul_add(2, y_gpu, 3).get(), 2 * x + 3 * y, rtol=1e-5, atol=1e-6)
assert np.array_equal(abs(-x_gpu).get(), abs(x))
x_gpu += y_gpu
x += y
assert np.array_equal(x_gpu.get(), x)

assert np.allclose(cumath.sin(x_gpu).get(), np.sin(x), atol=1e-6)
assert np.allclose(cumath.exp(x_gpu).get(), np.exp(x), rtol=1e-6)
fraction, whole = cumath.modf(x_gpu)
assert np.array_equal(fraction.get(), np.modf(x)[0]) and np.array_equal(whole.get(), np.modf(x)[1])

assert np.array_equal(x_gpu[2].get(), x[2])
assert np.array_equal(x_gpu[1:5, ::7].get(), x[1:5, ::7])
assert np.array_equal(x_gpu.reshape(50, 6).get(), x.reshape(50, 6))
x_gpu[3] = 0
x[3] = 0
assert np.array_equal(x_gpu.get(), x)

assert float(gpuarray.max(x_gpu).get()) == x.max()
assert float(gpuarray.min(x_gpu).get()) == x.min()
assert np.isclose(float(gpuarray.sum(y_gpu).get()), y.sum(), rtol=1e-5)
assert np.isclose(float(gpuarray.dot(x_gpu, y_gpu).get()), (x * y).sum(), rtol=1e-4, atol=1e-4)
chosen = gpuarray.if_positive(x_gpu, x_gpu, gpuarray.zeros_like(x_gpu))
assert np.array_equal(chosen.get(), np.where(x > 0, x, 0))
assert np.array_equal(gpuarray.maximum(x_gpu, y_gpu).get(), np.maximum(x, y))
indices = gpuarray.to_gpu(np.array([5, 0, 299, 17], np.uint32))
assert np.array_equal(gpuarray.take(x_gpu.ravel(), indices).get(), x.ravel()[[5, 0, 299, 17]])
assert np.array_equal(gpuarray.arange(10, dtype=np.float32).get(), np.arange(10))

# A GPUArray is a pointer for a kernel.
add = SourceModule("__global__ void add(float *a, float b) { a[threadIdx.x] += b; }")
row = gpuarray.ones(50, np.float32)
add.get_function("add")(row, np.float32(4), block=(50, 1, 1))
assert np.array_equal(row.get(), np.full(50, 5))
print("arrays are right")
