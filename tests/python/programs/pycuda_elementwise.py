# SPDX-License-Identifier: MIT
# Kernels of one expression: a linear combination, complex numbers, parts of an array, a preamble.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.gpuarray as gpuarray
from pycuda.curandom import rand
from pycuda.elementwise import ElementwiseKernel

combine = ElementwiseKernel(
    "float a, float *x, float b, float *y, float *z", "z[i] = a * x[i] + b * y[i]", "combine"
)
x, y = rand((400,)), rand((400,))
z = gpuarray.empty_like(x)
combine(5, x, 6, y, z)
assert np.allclose(z.get(), 5 * x.get() + 6 * y.get(), rtol=1e-6)

before = z.get()
combine(1, x, 0, y, z, slice=slice(10, 100, 3))
wanted = before.copy()
wanted[10:100:3] = x.get()[10:100:3]
assert np.array_equal(z.get(), wanted)

random = np.random.default_rng(4)
a, b = (random.random(300) + 1j * random.random(300) for _ in range(2))
for dtype, name, close in ((np.complex64, "float", 1e-5), (np.complex128, "double", 1e-13)):
    mix = ElementwiseKernel(
        f"pycuda::complex<{name}> *a, pycuda::complex<{name}> *b, pycuda::complex<{name}> *c",
        f"c[i] = a[i] * conj(b[i]) / pycuda::complex<{name}>(2, 1) + exp(a[i])",
        "mix",
        preamble="#include <pycuda-complex.hpp>",
    )
    a_gpu, b_gpu = (gpuarray.to_gpu(each.astype(dtype)) for each in (a, b))
    c_gpu = gpuarray.empty_like(a_gpu)
    mix(a_gpu, b_gpu, c_gpu)
    assert np.allclose(c_gpu.get(), a * b.conj() / (2 + 1j) + np.exp(a), rtol=close)

# How many steps each point of the plane takes to leave a circle, as pictures of Mandelbrot's set.
leave = ElementwiseKernel(
    "pycuda::complex<double> *c, int *steps, int limit",
    """
    pycuda::complex<double> z = 0;
    int k = 0;
    while (k < limit && norm(z) < 4) { z = z * z + c[i]; ++k; }
    steps[i] = k;
    """,
    "leave",
    preamble="#include <pycuda-complex.hpp>",
)
plane = np.linspace(-2, 0.6, 40) + 1j * np.linspace(-1.3, 1.3, 30)[:, None]
steps = gpuarray.empty(plane.shape, np.int32)
leave(gpuarray.to_gpu(plane), steps, np.int32(20))
z, wanted = np.zeros_like(plane), np.zeros(plane.shape, int)
for _ in range(20):
    inside = (z * z.conj()).real < 4
    z = np.where(inside, z * z + plane, z)
    wanted += inside
assert (steps.get() != wanted).mean() < 0.005  # rounding may decide at the rim

smooth = ElementwiseKernel(
    "float *to, float *from",
    "to[i] = middle(from, i, n)",
    "smooth",
    preamble="""
    __device__ float middle(const float *x, long i, long n)
    {
        return (x[i > 0 ? i - 1 : 0] + x[i] + x[i + 1 < n ? i + 1 : n - 1]) / 3;
    }
    """,
)
smooth(z_gpu := gpuarray.empty_like(x), x)
padded = np.pad(x.get().astype(np.float64), 1, mode="edge")
assert np.allclose(z_gpu.get(), (padded[:-2] + padded[1:-1] + padded[2:]) / 3, rtol=1e-6)
print("expressions are right")
