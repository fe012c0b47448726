# SPDX-License-Identifier: MIT
"""Elementwise operations of arrays: what a small one costs the host, how fast a large one is.

    python tests/benchmarks/bench_arrays.py [--size N]
    LATHE_DRIVER_LIBRARY=build/tests/benchmarks/libnoop_cuda.so python … --host

With the driver that does nothing (`--host`) the figures are our own way to a launch. Others are
beside CuPy, PyTorch and PyCUDA on a GPU, and NumPy on the software device. Bandwidth counts each
array that is read or written once.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from peers import Calls, compare, library, on_gpu, pycuda, wait

import lathe
from lathe.cuda import cumath, gpuarray
from lathe.native import native

SMALL, CALLS, ROUNDS = 1000, 5000, 9


def microseconds(call: Callable[[], object]) -> float:
    """Median over rounds of one call's share of a loop."""
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        rounds.append(1e6 * (time.perf_counter() - begin) / CALLS)
        wait()
    return statistics.median(rounds)


def small() -> None:
    """Operations on so few elements that only the way to them counts."""
    x, y = (gpuarray.GPUArray(SMALL, np.float32) for _ in "xy")
    fused = lathe.fuse(lambda a, b: 2 * a + 3 * b)
    fused_sum = lathe.fuse(lambda a, b: (2 * a + 3 * b).sum())
    cases: Calls = {
        "a + b": lambda: x + y,
        "2 * a": lambda: 2 * x,
        "a += b": lambda: x.__iadd__(y),
        "a == b": lambda: x == y,
        "2 * a + 3 * b": lambda: 2 * x + 3 * y,
        "the same, fused": lambda: fused(x, y),
        "its sum, fused": lambda: fused_sum(x, y),
        "a.sum()": lambda: x.sum(),
        "cumath.sin(a)": lambda: cumath.sin(x),
        "gpuarray.empty": lambda: gpuarray.empty(SMALL, np.float32),
        "a[5:]": lambda: x[5:],
    }
    if torch := library("torch"):
        t, u = (torch.zeros(SMALL, device="cuda") for _ in "xy")
        cases["torch: a + b"] = lambda: t + u
        cases["torch: a.sum()"] = lambda: t.sum()
    if cupy := library("cupy"):
        c, d = (cupy.zeros(SMALL, np.float32) for _ in "xy")
        cases["cupy: a + b"] = lambda: c + d
    if theirs := pycuda("gpuarray"):
        p, q = (theirs.gpuarray.zeros(SMALL, np.float32) for _ in "xy")
        v, w = (theirs.gpuarray.zeros(SMALL, np.float32, theirs.pool.allocate) for _ in "xy")
        cases["pycuda: a + b"] = lambda: p + q
        cases["pycuda, pool: a + b"] = lambda: v + w
    print(f"{SMALL} float32, microseconds")
    for name, call in cases.items():
        call()
        print(f"  {name:20}{microseconds(call):8.3f}")


def large(size: int) -> None:
    """All libraries by turns."""
    rng = np.random.default_rng(0)
    a, b = (rng.random(size, dtype=np.float32) for _ in "ab")
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    z = gpuarray.empty_like(x)
    fused = lathe.fuse(lambda a, b: 2 * a + 3 * b)
    cases: dict[str, Calls] = {
        "a + b": {"lathe": lambda: native.apply("add", x, y, out=z)},
        "2 a + 3 b": {
            "lathe": lambda: x.mul_add(2, y, 3, out=z),
            "fused": lambda: fused(x, y),
            "eager": lambda: 2 * x + 3 * y,
        },
        "sin a": {"lathe": lambda: cumath.sin(x, out=z)},
    }
    if on_gpu():
        if torch := library("torch"):
            t, u = (torch.as_tensor(each, device="cuda") for each in (a, b))
            r = torch.empty_like(t)
            cases["a + b"]["torch"] = lambda: torch.add(t, u, out=r)
            cases["2 a + 3 b"]["torch: a + 3 b"] = lambda: torch.add(t, u, alpha=3, out=r)
            cases["sin a"]["torch"] = lambda: torch.sin(t, out=r)
        if cupy := library("cupy"):
            c, d = cupy.asarray(a), cupy.asarray(b)
            s = cupy.empty_like(c)
            cases["a + b"]["cupy"] = lambda: cupy.add(c, d, out=s)
            cases["sin a"]["cupy"] = lambda: cupy.sin(c, out=s)
        if theirs := pycuda("gpuarray", "cumath"):
            p, q = theirs.gpuarray.to_gpu(a), theirs.gpuarray.to_gpu(b)
            v = theirs.gpuarray.empty_like(p)
            cases["2 a + 3 b"]["pycuda"] = lambda: p.mul_add(2, q, 3, out=v)
            cases["sin a"]["pycuda"] = lambda: theirs.cumath.sin(p, out=v)
    else:
        out = np.empty_like(a)
        cases["a + b"]["numpy"] = lambda: np.add(a, b, out=out)
        cases["2 a + 3 b"]["numpy"] = lambda: np.add(2 * a, 3 * b, out=out)
        cases["sin a"]["numpy"] = lambda: np.sin(a, out=out)
    print(f"{size} float32")
    for case, calls in cases.items():
        arrays = 2 if case == "sin a" else 3
        compare(case, calls, arrays * 4 * size, repeats=5 if on_gpu() else 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=1 << 28 if on_gpu() else 1 << 24)
    parser.add_argument("--host", action="store_true", help="small operations only")
    given = parser.parse_args()
    small()
    if not given.host:
        large(given.size)
