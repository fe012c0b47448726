# SPDX-License-Identifier: MIT
"""Elementwise operations of arrays: what a small one costs the host, how fast a large one is.

    python tests/benchmarks/bench_arrays.py [--size N]
    LATHE_DRIVER_LIBRARY=build/tests/benchmarks/libnoop_cuda.so python … --host

With the driver that does nothing (`--host`) the figures are our own way to a launch. Large ones are
compared in alternation with NumPy on the host, and with CuPy and PyTorch where these are installed
and a GPU is. Bandwidth counts each array that is read or written once.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lathe
import lathe.cuda.autoprimaryctx
from lathe.cuda import cumath, driver, gpuarray
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
        driver.Context.synchronize()
    return statistics.median(rounds)


def small() -> None:
    """Operations on so few elements that only the way to them counts."""
    x, y = (gpuarray.GPUArray(SMALL, np.float32) for _ in "xy")
    fused = lathe.fuse(lambda a, b: 2 * a + 3 * b)
    fused_sum = lathe.fuse(lambda a, b: (2 * a + 3 * b).sum())
    cases: dict[str, Callable[[], object]] = {
        "a + b": lambda: x + y,
        "2 * a": lambda: 2 * x,
        "a += b": lambda: x.__iadd__(y),
        "a == b": lambda: x == y,
        "cumath.sin(a)": lambda: cumath.sin(x),
        "2 a + 3 b": lambda: 2 * x + 3 * y,
        "2 a + 3 b, fused": lambda: fused(x, y),
        "its sum": lambda: (2 * x + 3 * y).sum(),
        "its sum, fused": lambda: fused_sum(x, y),
        "gpuarray.empty": lambda: gpuarray.empty(SMALL, np.float32),
        "a[5:]": lambda: x[5:],
    }
    print(f"{SMALL} float32, microseconds")
    for name, call in cases.items():
        call()
        print(f"  {name:18}{microseconds(call):8.3f}")


def library(name: str) -> Any:
    """The module where it is installed and has a GPU, else None."""
    try:
        module = importlib.import_module(name)
        has_gpu = module.cuda.is_available()
    except Exception:  # whatever a half installed library raises
        return None
    return module if has_gpu else None


def large(size: int) -> None:
    """Rounds of all libraries by turns; the fastest of each."""
    host = np.random.default_rng(0).random(size, dtype=np.float32)
    out = np.empty_like(host)
    x = gpuarray.to_gpu(host)
    z = gpuarray.empty_like(x)
    cases: dict[str, dict[str, tuple[Callable[[], object], Callable[[], object]]]] = {}

    def add(case: str, who: str, call: Callable[[], object], wait: Callable[[], object]) -> None:
        cases.setdefault(case, {})[who] = (call, wait)

    def wait() -> None:
        driver.Context.synchronize()

    add("a + b", "lathe", lambda: native.apply("add", x, x, out=z), wait)
    add("2 a + 3 b", "lathe", lambda: x.mul_add(2, x, 3, out=z), wait)
    add("sin a", "lathe", lambda: cumath.sin(x, out=z), wait)
    fused = lathe.fuse(lambda a: 2 * a + 3 * a)
    add("2 a + 3 b", "fused", lambda: fused(x), wait)
    add("2 a + 3 b", "eager", lambda: 2 * x + 3 * x, wait)
    add("a + b", "numpy", lambda: np.add(host, host, out=out), lambda: None)
    add("2 a + 3 b", "numpy", lambda: np.add(2 * host, 3 * host, out=out), lambda: None)
    add("sin a", "numpy", lambda: np.sin(host, out=out), lambda: None)
    if torch := library("torch"):
        t, r = torch.as_tensor(host, device="cuda"), torch.empty(size, device="cuda")
        add("a + b", "torch", lambda: torch.add(t, t, out=r), torch.cuda.synchronize)
        add("2 a + 3 b", "torch", lambda: torch.lerp(t, t, 0.6, out=r), torch.cuda.synchronize)
        add("sin a", "torch", lambda: torch.sin(t, out=r), torch.cuda.synchronize)
    if cupy := library("cupy"):
        c, s = cupy.asarray(host), cupy.empty(size, np.float32)
        add("a + b", "cupy", lambda: cupy.add(c, c, out=s), cupy.cuda.Device().synchronize)
        add("sin a", "cupy", lambda: cupy.sin(c, out=s), cupy.cuda.Device().synchronize)
    print(f"{size} float32, milliseconds and GB/s")
    for case, calls in cases.items():
        times: dict[str, list[float]] = {who: [] for who in calls}
        for round_ in range(ROUNDS + 2):
            for who, (call, finish) in calls.items():
                begin = time.perf_counter()
                call()
                finish()
                if round_ > 1:
                    times[who].append(time.perf_counter() - begin)
        arrays = 2 if case == "sin a" else 3
        for who, each in times.items():
            best = min(each)
            print(f"  {case:12}{who:8}{1e3 * best:10.3f}{arrays * 4 * size / best / 1e9:10.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=1 << 24)
    parser.add_argument("--host", action="store_true", help="small operations only")
    given = parser.parse_args()
    small()
    if not given.host:
        large(given.size)
