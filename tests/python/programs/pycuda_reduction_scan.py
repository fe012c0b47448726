# SPDX-License-Identifier: MIT
# One value of many (a dot product, smallest and largest at once), and running sums.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.gpuarray as gpuarray
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
from pycuda.tools import get_or_register_dtype

random = np.random.default_rng(5)
x, y = (random.standard_normal(40_000).astype(np.float32) for _ in range(2))
x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.to_gpu(y)

dot = ReductionKernel(
    np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y"
)
assert np.isclose(float(dot(x_gpu, y_gpu).get()), x.astype(float) @ y, atol=0.05)

farthest = ReductionKernel(
    np.float32,
    neutral="0",
    reduce_expr="fmaxf(a, b)",
    map_expr="fabsf(x[i] - center)",
    arguments="const float *x, float center",
)
assert float(farthest(x_gpu, 1.5).get()) == abs(x - np.float32(1.5)).max()

# A structure as the result.
ends = np.dtype([("low", np.float32), ("high", np.float32)])
get_or_register_dtype("Ends", ends)
both = ReductionKernel(
    ends,
    neutral="no_ends()",
    reduce_expr="join(a, b)",
    map_expr="one(x[i])",
    arguments="float *x",
    preamble="""
    struct Ends
    {
        float low, high;
        __device__ Ends() { }
        __device__ Ends(float l, float h) : low(l), high(h) { }
        __device__ Ends(Ends const volatile &e) : low(e.low), high(e.high) { }
        __device__ volatile Ends &operator=(Ends const &e) volatile
        {
            low = e.low; high = e.high;
            return *this;
        }
    };
    __device__ Ends no_ends() { return Ends(1e30f, -1e30f); }
    __device__ Ends one(float x) { return Ends(x, x); }
    __device__ Ends join(Ends a, Ends b) { return Ends(min(a.low, b.low), max(a.high, b.high)); }
    """,
)
found = both(x_gpu).get()
assert found["low"] == x.min() and found["high"] == x.max()

numbers = random.integers(-9, 10, 5000).astype(np.int32)
sums = gpuarray.to_gpu(numbers)
InclusiveScanKernel(np.int32, "a+b")(sums)  # in place
assert np.array_equal(sums.get(), numbers.cumsum())
before = gpuarray.empty(5000, np.int32)
ExclusiveScanKernel(np.int32, "a+b", neutral=0)(gpuarray.to_gpu(numbers), before)
assert np.array_equal(before.get(), numbers.cumsum() - numbers)
highest = gpuarray.to_gpu(numbers)
InclusiveScanKernel(np.int32, "max(a, b)", neutral=-(2**31))(highest)
assert np.array_equal(highest.get(), np.maximum.accumulate(numbers))
print("reductions and scans are right")
