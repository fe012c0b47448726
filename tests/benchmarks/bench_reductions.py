# SPDX-License-Identifier: MIT
"""Reductions of lathe.cuda.gpuarray beside NumPy, and CuPy and torch where they are installed.

    python tests/benchmarks/bench_reductions.py [elements]

Medians of rounds in which each library has its turn, by the clock, of calls that follow each other:
results stay on the device.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lathe.cuda.autoinit  # noqa: F401  a context
from lathe.cuda import driver as drv
from lathe.cuda import gpuarray

ROUNDS = 9


def _optional(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        return None


def _clock(call: Callable[[], object], wait: Callable[[], object], repeats: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    wait()
    return (time.perf_counter() - begin) / repeats


def compare(title: str, size: int, calls: dict[str, tuple[Callable[[], object], Any]]) -> None:
    """Prints microseconds and GB/s of each call, taken in turns."""
    repeats = max(1, min(200, int(2e7 // size)))
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for call, wait in calls.values():
        for _ in range(3):
            call()
        wait()
    for _ in range(ROUNDS):
        for name, (call, wait) in calls.items():
            taken[name].append(_clock(call, wait, repeats))
    parts = []
    for name, seconds in taken.items():
        middle = statistics.median(seconds)
        parts.append(f"{name} {middle * 1e6:9.1f} us {size / middle / 1e9:7.1f} GB/s")
    print(f"{title:28}", "   ".join(parts), flush=True)


def _calls(
    name: str, x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], axis: dict[str, int]
) -> dict[str, tuple[Callable[[], object], Any]]:
    """For each library that is there: what reduces, and what waits for it."""

    def of(module: Any, a: Any, b: Any, method: str = name, key: str = "axis") -> Any:
        if name == "dot":
            return lambda: module.dot(a, b)
        given = {key: axis["axis"]} if axis else {}
        return lambda: getattr(a, method)(**given)

    own = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    calls = {
        "lathe": (of(gpuarray, *own), drv.Context.synchronize),
        "numpy": (of(np, x, y), lambda: None),
    }
    cupy, torch = _optional("cupy"), _optional("torch")
    if cupy is not None:
        there = cupy.asarray(x), cupy.asarray(y)
        calls["cupy"] = (of(cupy, *there), cupy.cuda.Device().synchronize)
    if torch is not None and torch.cuda.is_available():
        tensors = torch.as_tensor(x).cuda(), torch.as_tensor(y).cuda()
        named = {"max": "amax", "min": "amin"}.get(name, name)
        calls["torch"] = (of(torch, *tensors, named, "dim"), torch.cuda.synchronize)
    return calls


def main() -> None:
    """All rows."""
    count = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1 << 24
    rng = np.random.default_rng(1)
    host = rng.standard_normal(count, np.float32)
    other = rng.standard_normal(count, np.float32)

    def row(shape: tuple[int, ...], names: tuple[str, ...], **axis: int) -> None:
        n = int(np.prod(shape))
        x, y = host[:n].reshape(shape), other[:n].reshape(shape)
        for name in names:
            size = n * 4 * (2 if name == "dot" else 1)
            compare(f"{name} {shape} {axis or ''}", size, _calls(name, x, y, axis))

    row((count,), ("sum", "dot", "max", "argmax", "mean", "var"))
    side = int(count**0.5)
    for axis in (0, 1):
        row((side, side), ("sum", "max"), axis=axis)
        row((count // 16, 16), ("sum",), axis=axis)
        row((16, count // 16), ("sum",), axis=axis)
    for n in (1000, 100_000):
        row((n,), ("sum", "dot"))


if __name__ == "__main__":
    main()
