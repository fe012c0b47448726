# SPDX-License-Identifier: MIT
"""What the device can do at most: measured by kernels that do nothing else."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

__all__ = ["Peaks", "measured_peaks"]

_SOURCE = """
template <class T, int kChains> __device__ void multiply_add(T* out, int rounds) {
    T a[kChains], x = T(1) + T(threadIdx.x) / 4096, y = T(1) / 1024;
    for (int k = 0; k < kChains; ++k) a[k] = T(k);
    for (int i = 0; i < rounds; ++i)
        #pragma unroll
        for (int k = 0; k < kChains; ++k) a[k] = a[k] * x + y;
    T sum = 0;
    for (int k = 0; k < kChains; ++k) sum += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" {
__global__ void floats_1(float* out, int rounds) { multiply_add<float, 1>(out, rounds); }
__global__ void floats_2(float* out, int rounds) { multiply_add<float, 2>(out, rounds); }
__global__ void floats_4(float* out, int rounds) { multiply_add<float, 4>(out, rounds); }
__global__ void doubles_1(double* out, int rounds) { multiply_add<double, 1>(out, rounds); }
__global__ void doubles_2(double* out, int rounds) { multiply_add<double, 2>(out, rounds); }
__global__ void doubles_4(double* out, int rounds) { multiply_add<double, 4>(out, rounds); }
__global__ void add(float* out, const float* in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + out[i];
}
__global__ void add_again(float* out, const float* in, int each, int rounds) {
    int begin = blockIdx.x * each;
    for (int r = 0; r < rounds; ++r)
        for (int i = begin + threadIdx.x; i < begin + each; i += blockDim.x)
            out[i] = in[i] + out[i];
}
}
"""
_THREADS = 128
_BLOCKS = 64
_MANY = 8 << 20  # floats of each array, which no cache holds
_FEW = 4096  # the same, which the nearest cache holds
_ROUNDS = 1024


@dataclass(frozen=True, slots=True)
class Peaks:
    """Measured on this device, by kernels that do nothing else.

    Attributes
    ----------
    flops, double_flops : float
        Operations a second of fused multiply-adds, in float32 and in float64.
    bandwidth : float
        Bytes a second, read and written, of arrays of 32 MiB.
    cache_bandwidth : float
        The same of arrays of some kilobytes.
    """

    flops: float
    double_flops: float
    bandwidth: float
    cache_bandwidth: float

    def __str__(self) -> str:
        return (
            f"peaks: {self.flops / 1e9:.1f} Gflop/s in float32, {self.double_flops / 1e9:.1f} in "
            f"float64, {self.bandwidth / 1e9:.1f} GB/s of memory, "
            f"{self.cache_bandwidth / 1e9:.1f} of the cache"
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return dataclasses.asdict(self)


@cache
def measured_peaks() -> Peaks:
    """Takes about two seconds, once in a process. Waits for the device."""
    from lathe.compute import asarray, kernel, zeros

    first = kernel(_SOURCE, "add")
    out = {"floats": zeros(_BLOCKS * _THREADS, "float32"),
           "doubles": zeros(_BLOCKS * _THREADS, "float64")}  # fmt: skip

    def flops(name: str, chains: int) -> float:
        run, rounds = first.sibling(f"{name}_{chains}"), 4096 // chains
        best = _best(lambda: run[_BLOCKS, _THREADS](out[name], rounds), f"{name}_{chains}")
        return 2 * chains * rounds * _BLOCKS * _THREADS / best

    def arrays(count: int) -> tuple[Any, Any]:
        return zeros(count, "float32"), asarray(np.ones(count, np.float32))  # none is untouched

    a, b = arrays(_MANY)
    far = _best(lambda: first[_MANY // 1024, 1024](a, b), "add")
    c, d = arrays(_FEW)
    again = first.sibling("add_again")
    near = _best(lambda: again[16, _THREADS](c, d, _FEW // 16, _ROUNDS), "add_again")
    return Peaks(
        flops=max(flops("floats", chains) for chains in (1, 2, 4)),
        double_flops=max(flops("doubles", chains) for chains in (1, 2, 4)),
        bandwidth=12 * _MANY / far,
        cache_bandwidth=12 * _FEW * _ROUNDS / near,
    )


def _best(launch: Callable[[], object], name: str) -> float:
    """The least seconds of a launch; the first ones are of code of single threads."""
    from lathe.rooflines import timed

    best, begin, tries = 1e9, time.monotonic(), 0
    while tries < 4 or (time.monotonic() - begin < 0.25 and tries < 200):
        with timed() as seconds:
            launch()
        best = min(best, seconds[name])
        tries += 1
    return best
