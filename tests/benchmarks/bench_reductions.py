# SPDX-License-Identifier: MIT
"""Reductions of arrays beside CuPy, PyTorch and PyCUDA on a GPU, and NumPy on the software device.

    python tests/benchmarks/bench_reductions.py [elements]

Medians of rounds in which each library has its turn, by the clock, of calls that follow each other:
results stay on the device.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from peers import Calls, compare, library, on_gpu, pycuda

from lathe.cuda import gpuarray

Host = np.ndarray[Any, Any]


def _calls(name: str, x: Host, y: Host, axis: dict[str, int]) -> Calls:
    """For each library that is there: what reduces."""

    def of(module: Any, a: Any, b: Any, method: str = name, key: str = "axis") -> Any:
        if name == "dot":
            return lambda: module.dot(a, b)
        given = {key: axis["axis"]} if axis else {}
        return lambda: getattr(a, method)(**given)

    calls: Calls = {"lathe": of(gpuarray, *map(gpuarray.to_gpu, (x, y)))}
    if not on_gpu():
        calls["numpy"] = of(np, x, y)
        return calls
    if cupy := library("cupy"):
        there = cupy.asarray(x), cupy.asarray(y)
        calls["cupy"] = of(cupy, *there)
    if torch := library("torch"):
        tensors = torch.as_tensor(x).cuda(), torch.as_tensor(y).cuda()
        named = {"max": "amax", "min": "amin"}.get(name, name)
        calls["torch"] = of(torch, *tensors, named, "dim")
    if not axis and name in {"sum", "dot", "max"} and (theirs := pycuda("gpuarray")):
        arrays = [theirs.gpuarray.to_gpu(each, theirs.pool.allocate) for each in (x, y)]
        operation = getattr(theirs.gpuarray, name)
        calls["pycuda"] = lambda: operation(*arrays[: 2 if name == "dot" else 1])
    return calls


def main() -> None:
    """All rows."""
    count = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1 << (28 if on_gpu() else 24)
    rng = np.random.default_rng(1)
    host = rng.standard_normal(count, np.float32)
    other = host[::-1].copy()

    def row(shape: tuple[int, ...], names: tuple[str, ...], **axis: int) -> None:
        n = int(np.prod(shape))
        x, y = host[:n].reshape(shape), other[:n].reshape(shape)
        repeats = max(5 if on_gpu() else 1, min(200, 2**24 // n))
        for name in names:
            size = n * 4 * (2 if name == "dot" else 1)
            title = f"{name} {shape} {axis.get('axis', '')}"
            compare(title, _calls(name, x, y, axis), size, repeats=repeats)

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
