# SPDX-License-Identifier: MIT
"""Scans and sorting beside CuPy, PyTorch and PyCUDA on a GPU, and NumPy on the software device.

python tests/benchmarks/bench_scan_sort.py [elements]

Medians of rounds in which everyone has a turn. bench_cub.cu has CUB's own.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from peers import Calls, compare, library, on_gpu, pycuda

from lathe.array import sorting as ours
from lathe.cuda.gpuarray import to_gpu
from lathe.cuda.scan import InclusiveScanKernel


def others(host: np.ndarray[Any, Any], what: str) -> Calls:
    """The same by those whom this device stands beside."""
    cases: Calls = {}
    if not on_gpu():
        function = getattr(np, what)
        given = {} if what == "cumsum" else {"kind": "stable"}
        cases["numpy"] = lambda: function(host, **given)
        return cases
    if cupy := library("cupy"):
        array = cupy.asarray(host)
        function = getattr(cupy, what)
        cases["cupy"] = lambda: function(array)
    if torch := library("torch"):
        tensor = torch.asarray(host, device="cuda")
        cases["torch"] = {
            "cumsum": lambda: torch.cumsum(tensor, 0),
            "sort": lambda: torch.sort(tensor),
            "argsort": lambda: torch.argsort(tensor, stable=True),
        }[what]
    if what == "cumsum" and (theirs := pycuda("gpuarray", "scan")):
        there = theirs.gpuarray.to_gpu(host)
        result = theirs.gpuarray.empty_like(there)
        scan = theirs.scan.InclusiveScanKernel(np.float32, "a+b")
        cases["pycuda"] = lambda: scan(there, result)
    return cases


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << (28 if on_gpu() else 24)
    host = np.random.default_rng(1).standard_normal(count, np.float32)
    array, out = to_gpu(host), to_gpu(host)
    scan = InclusiveScanKernel(np.float32, "a+b")
    cases: Calls = {
        "cumsum": lambda: ours.cumsum(array),
        "InclusiveScanKernel": lambda: scan(array, out),
        **others(host, "cumsum"),
    }
    compare(f"prefix sums of {count} float32", cases, 8 * count)
    few = count // 4
    keys, part = host[:few], array[:few]
    for name in ("sort", "argsort"):
        function = getattr(ours, name)
        cases = {name: lambda call=function: call(part), **others(keys, name)}  # type: ignore[misc]
        compare(f"{name} of {few} float32", cases, few, "G/s")
    whole = np.random.default_rng(2).integers(0, 2**32, few, np.uint32)
    there = to_gpu(whole)
    compare(f"sort of {few} uint32", {"sort": lambda: ours.sort(there)}, few, "G/s")


if __name__ == "__main__":
    main()
