# SPDX-License-Identifier: MIT
"""Scans and sorting beside NumPy, and CuPy and PyTorch on a GPU where they are installed.

python tests/benchmarks/bench_scan_sort.py [elements]

Medians of rounds in which everyone has a turn, ms and billions of elements a second. The device is
that of LATHE_DEVICE.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lathe.cuda.driver as cuda
from lathe.cuda import array_sorting as ours
from lathe.cuda.gpuarray import to_gpu
from lathe.cuda.scan import InclusiveScanKernel

ROUNDS = 7
Case = tuple[Callable[[], Any], Callable[[], Any]]  # the work, and what waits for it


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def nothing() -> None:
    """NumPy is done when it returns."""


def others(host: np.ndarray[Any, Any], what: str) -> dict[str, Case]:
    """The same by those who have a GPU."""
    cases: dict[str, Case] = {}
    if cupy := optional("cupy"):
        array = cupy.asarray(host)
        function = getattr(cupy, what)
        cases["cupy"] = (lambda: function(array), cupy.cuda.Device().synchronize)
    torch = optional("torch")
    if torch and torch.cuda.is_available():
        tensor = torch.asarray(host, device="cuda")
        work = {
            "cumsum": lambda: torch.cumsum(tensor, 0),
            "sort": lambda: torch.sort(tensor),
            "argsort": lambda: torch.argsort(tensor, stable=True),
        }[what]
        cases["torch"] = (work, torch.cuda.synchronize)
    return cases


def measure(title: str, count: int, cases: dict[str, Case]) -> None:
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS + 2):
        for name, (work, wait) in cases.items():
            begin = time.perf_counter()
            work()
            wait()
            times[name].append(time.perf_counter() - begin)
    print(title)
    for name, all_ in times.items():
        median = statistics.median(all_[2:])
        print(f"  {name:28}{median * 1e3:10.2f} ms {count / median / 1e9:9.3f} G/s")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 24
    host = np.random.default_rng(1).normal(size=count).astype(np.float32)
    wait = cuda.Context.synchronize
    array, out = to_gpu(host), to_gpu(host)
    scan = InclusiveScanKernel(np.float32, "a+b")
    cases: dict[str, Case] = {
        "numpy": (lambda: np.cumsum(host), nothing),
        "cumsum": (lambda: ours.cumsum(array), wait),
        "InclusiveScanKernel": (lambda: scan(array, out), wait),
        **others(host, "cumsum"),
    }
    measure(f"prefix sums of {count} float32", count, cases)
    few = count // 4
    keys = host[:few]
    part = array[:few]
    for name in ("sort", "argsort"):
        function, numpy_function = getattr(ours, name), getattr(np, name)
        cases = {
            "numpy, kind=stable": (
                lambda call=numpy_function: call(keys, kind="stable"),
                nothing,
            ),
            name: (lambda call=function: call(part), wait),
            **others(keys, name),
        }
        measure(f"{name} of {few} float32", few, cases)


if __name__ == "__main__":
    main()
