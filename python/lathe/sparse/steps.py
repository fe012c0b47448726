# SPDX-License-Identifier: MIT
"""The two vector kernels of conjugate gradients, whose factors are quotients on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from lathe.cuda import driver
from lathe.cuda.c_arguments import dtype_to_ctype
from lathe.cuda.compiler import SourceModule
from lathe.cuda.gpuarray import GPUArray
from lathe.cuda.kernel_operands import processors
from lathe.cuda.memoize import context_dependent_memoize

_THREADS = 256
# A residual of zero makes 0 / 0: nothing is left to do then.
_SOURCE = """#include <pycuda-complex.hpp>
typedef {value} Value;
__device__ __forceinline__ Value quotient(const Value* above, const Value* below) {{
    return *below == Value(0) ? Value(0) : *above / *below;
}}
extern "C" __global__ void descend(long long count, Value* x, Value* r, const Value* d,
                                   const Value* q, const Value* above, const Value* below) {{
    const Value by = quotient(above, below);
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (long long)gridDim.x * blockDim.x) {{
        x[i] += by * d[i];
        r[i] -= by * q[i];
    }}
}}
extern "C" __global__ void combine(long long count, Value* d, const Value* s, const Value* above,
                                   const Value* below) {{
    const Value by = quotient(above, below);
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (long long)gridDim.x * blockDim.x)
        d[i] = s[i] + by * d[i];
}}
"""


@context_dependent_memoize
def _kernels(dtype: np.dtype[Any]) -> tuple[tuple[driver.Function, driver.Function], int]:
    module = SourceModule(_SOURCE.format(value=dtype_to_ctype(dtype)), no_extern_c=True)
    descend_, combine_ = module.get_function("descend"), module.get_function("combine")
    descend_.prepare("qPPPPPP")
    combine_.prepare("qPPPP")
    return (descend_, combine_), processors() * 16


def _run(kernel: int, arrays: tuple[GPUArray, ...], stream: driver.Stream | None) -> None:
    kernels, most = _kernels(arrays[0].dtype)
    count = arrays[0].size
    blocks = min(-(-count // _THREADS), most)
    kernels[kernel].prepared_async_call(
        (blocks, 1), (_THREADS, 1, 1), stream, count, *(each.gpudata for each in arrays)
    )  # fmt: skip


def descend(
    x: GPUArray, r: GPUArray, d: GPUArray, q: GPUArray, above: GPUArray, below: GPUArray,
    stream: driver.Stream | None = None,
) -> None:  # fmt: skip
    """``x += a * d; r -= a * q`` with ``a = above / below``, or 0 where `below` is 0."""
    _run(0, (x, r, d, q, above, below), stream)


def combine(
    d: GPUArray, s: GPUArray, above: GPUArray, below: GPUArray, stream: driver.Stream | None = None
) -> None:
    """``d = s + b * d`` with ``b = above / below``, or 0 where `below` is 0."""
    _run(1, (d, s, above, below), stream)
