# SPDX-License-Identifier: MIT
"""Elementwise operations of arrays: what a small one costs the host, how fast a large one is.

    python tests/benchmarks/bench_arrays.py [--size N]
    LATHE_DRIVER_LIBRARY=build/tests/benchmarks/libnoop_cuda.so python … --host

With the driver that does nothing (`--host`) the figures are our own way to a launch. Others are
beside CuPy and PyTorch on a GPU, and NumPy on the software device. Bandwidth counts each array that
is read or written once.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from peers import Work, compare, library, nothing, on_gpu, wait

import lathe
from lathe.cuda import cumath, gpuarray
from lathe.native import native

SMALL, CALLS, ROUNDS = 1000, 5000, 9


def microseconds(call: Callable[[], object], finish: Callable[[], object] = wait) -> float:
    """Median over rounds of one call's share of a loop."""
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        rounds.append(1e6 * (time.perf_counter() - begin) / CALLS)
        finish()
    return statistics.median(rounds)


def small() -> None:
    """Operations on so few elements that only the way to them counts."""
    x, y = (gpuarray.GPUArray(SMALL, np.float32) for _ in "xy")
    fused = lathe.fuse(lambda a, b: 2 * a + 3 * b)
    fused_sum = lathe.fuse(lambda a, b: (2 * a + 3 * b).sum())
    cases: dict[str, Work] = {
        "a + b": (lambda: x + y, wait),
        "2 * a": (lambda: 2 * x, wait),
        "a += b": (lambda: x.__iadd__(y), wait),
        "a == b": (lambda: x == y, wait),
        "2 * a + 3 * b": (lambda: 2 * x + 3 * y, wait),
        "the same, fused": (lambda: fused(x, y), wait),
        "its sum, fused": (lambda: fused_sum(x, y), wait),
        "a.sum()": (lambda: x.sum(), wait),
        "cumath.sin(a)": (lambda: cumath.sin(x), wait),
        "gpuarray.empty": (lambda: gpuarray.empty(SMALL, np.float32), wait),
        "a[5:]": (lambda: x[5:], wait),
    }
    if torch := library("torch"):
        t, u = (torch.zeros(SMALL, device="cuda") for _ in "xy")
        cases["torch: a + b"] = (lambda: t + u, torch.cuda.synchronize)
        cases["torch: a.sum()"] = (lambda: t.sum(), torch.cuda.synchronize)
    if cupy := library("cupy"):
        c, d = (cupy.zeros(SMALL, np.float32) for _ in "xy")
        cases["cupy: a + b"] = (lambda: c + d, cupy.cuda.Device().synchronize)
    print(f"{SMALL} float32, microseconds")
    for name, (call, finish) in cases.items():
        call()
        print(f"  {name:18}{microseconds(call, finish):8.3f}")


def large(size: int) -> None:
    """All libraries by turns."""
    rng = np.random.default_rng(0)
    a, b = (rng.random(size, dtype=np.float32) for _ in "ab")
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    z = gpuarray.empty_like(x)
    fused = lathe.fuse(lambda a, b: 2 * a + 3 * b)
    cases: dict[str, dict[str, Work]] = {
        "a + b": {"lathe": (lambda: native.apply("add", x, y, out=z), wait)},
        "2 a + 3 b": {
            "lathe": (lambda: x.mul_add(2, y, 3, out=z), wait),
            "fused": (lambda: fused(x, y), wait),
            "eager": (lambda: 2 * x + 3 * y, wait),
        },
        "sin a": {"lathe": (lambda: cumath.sin(x, out=z), wait)},
    }
    if on_gpu():
        if torch := library("torch"):
            t, u = (torch.as_tensor(each, device="cuda") for each in (a, b))
            r = torch.empty_like(t)
            finish = torch.cuda.synchronize
            cases["a + b"]["torch"] = (lambda: torch.add(t, u, out=r), finish)
            cases["2 a + 3 b"]["torch: a + 3 b"] = (
                lambda: torch.add(t, u, alpha=3, out=r),
                finish,
            )
            cases["sin a"]["torch"] = (lambda: torch.sin(t, out=r), finish)
        if cupy := library("cupy"):
            c, d = cupy.asarray(a), cupy.asarray(b)
            s = cupy.empty_like(c)
            finish = cupy.cuda.Device().synchronize
            cases["a + b"]["cupy"] = (lambda: cupy.add(c, d, out=s), finish)
            cases["sin a"]["cupy"] = (lambda: cupy.sin(c, out=s), finish)
    else:
        out = np.empty_like(a)
        cases["a + b"]["numpy"] = (lambda: np.add(a, b, out=out), nothing)
        cases["2 a + 3 b"]["numpy"] = (lambda: np.add(2 * a, 3 * b, out=out), nothing)
        cases["sin a"]["numpy"] = (lambda: np.sin(a, out=out), nothing)
    print(f"{size} float32")
    for case, calls in cases.items():
        arrays = 2 if case == "sin a" else 3
        compare(case, arrays * 4 * size, "GB/s", calls, repeats=5 if on_gpu() else 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=1 << 28 if on_gpu() else 1 << 24)
    parser.add_argument("--host", action="store_true", help="small operations only")
    given = parser.parse_args()
    small()
    if not given.host:
        large(given.size)
