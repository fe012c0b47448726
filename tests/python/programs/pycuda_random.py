# SPDX-License-Identifier: MIT
# Random numbers by a generator on the device: uniform, normal and Poisson; what a seed fixes.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.gpuarray as gpuarray
from pycuda.curandom import (
    XORWOWRandomNumberGenerator,
    seed_getter_uniform,
)

generator = XORWOWRandomNumberGenerator(seed_getter=seed_getter_uniform)
uniform = generator.gen_uniform(100_000, np.float32).get()
assert uniform.min() > 0 and uniform.max() <= 1
assert abs(uniform.mean() - 0.5) < 0.01 and abs(uniform.var() - 1 / 12) < 0.005
counts, _ = np.histogram(uniform, 20, (0, 1))
assert abs(counts - 5000).max() < 500

normal = gpuarray.empty((200, 500), np.float64)
generator.fill_normal(normal)
assert abs(normal.get().mean()) < 0.02 and abs(normal.get().std() - 1) < 0.02
events = generator.gen_poisson(50_000, np.uint32, 4.0).get()
assert abs(events.mean() - 4) < 0.1 and abs(events.var() - 4) < 0.2


def seeds(count):
    return gpuarray.to_gpu(np.arange(count, dtype=np.int32))


first, second = (XORWOWRandomNumberGenerator(seeds).gen_uniform(999, np.float32) for _ in range(2))
assert np.array_equal(first.get(), second.get())

print("random numbers are right")
