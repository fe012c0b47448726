# SPDX-License-Identifier: MIT
"""Scans and sorting beside CuPy and PyTorch on a GPU, and NumPy on the software device.

python tests/benchmarks/bench_scan_sort.py [elements]

Medians of rounds in which everyone has a turn. bench_cub.cu has CUB's own.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from peers import Work, compare, library, nothing, on_gpu, wait

from lathe.cuda import array_sorting as ours
from lathe.cuda.gpuarray import to_gpu
from lathe.cuda.scan import InclusiveScanKernel


def others(host: np.ndarray[Any, Any], what: str) -> dict[str, Work]:
    """The same by those whom this device stands beside."""
    cases: dict[str, Work] = {}
    if not on_gpu():
        function = getattr(np, what)
        given = {} if what == "cumsum" else {"kind": "stable"}
        cases["numpy"] = (lambda: function(host, **given), nothing)
        return cases
    if cupy := library("cupy"):
        array = cupy.asarray(host)
        function = getattr(cupy, what)
        cases["cupy"] = (lambda: function(array), cupy.cuda.Device().synchronize)
    if torch := library("torch"):
        tensor = torch.asarray(host, device="cuda")
        work = {
            "cumsum": lambda: torch.cumsum(tensor, 0),
            "sort": lambda: torch.sort(tensor),
            "argsort": lambda: torch.argsort(tensor, stable=True),
        }[what]
        cases["torch"] = (work, torch.cuda.synchronize)
    return cases


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << (28 if on_gpu() else 24)
    host = np.random.default_rng(1).standard_normal(count, np.float32)
    array, out = to_gpu(host), to_gpu(host)
    scan = InclusiveScanKernel(np.float32, "a+b")
    cases: dict[str, Work] = {
        "cumsum": (lambda: ours.cumsum(array), wait),
        "InclusiveScanKernel": (lambda: scan(array, out), wait),
        **others(host, "cumsum"),
    }
    compare(f"prefix sums of {count} float32", 8 * count, "GB/s", cases)
    few = count // 4
    keys, part = host[:few], array[:few]
    for name in ("sort", "argsort"):
        function = getattr(ours, name)
        own: Work = (lambda call=function: call(part), wait)
        compare(f"{name} of {few} float32", few, "G/s", {name: own, **others(keys, name)})
    whole = np.random.default_rng(2).integers(0, 2**32, few, np.uint32)
    there = to_gpu(whole)
    compare(f"sort of {few} uint32", few, "G/s", {"sort": (lambda: ours.sort(there), wait)})


if __name__ == "__main__":
    main()
