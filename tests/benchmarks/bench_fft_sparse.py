# SPDX-License-Identifier: MIT
"""Fourier transforms, products of sparse matrices, conjugate gradients.

    python tests/benchmarks/bench_fft_sparse.py [--size N]

Beside NumPy and SciPy on the software device, beside CuPy where it is installed and a GPU is. All
take turns; medians, the device's work included.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
from functools import partial
from operator import matmul
from typing import Any

import numpy as np
import scipy.sparse as host
from peers import Calls, compare, library

from lathe import fft, sparse
from lathe.cuda import gpuarray
from lathe.native import native

IS_HOST = native.host_does_the_work("LATHE_CUFFT")


CUPY = None if IS_HOST else library("cupy")


def transforms(size: int) -> None:
    print("transforms")
    cases: list[tuple[str, tuple[int, ...], str, dict[str, Any]]] = [
        ("fft", (size * size,), "F", {}),
        ("fft", (size, size), "F", {}),
        ("fft", (size, size), "F", {"axis": 0}),
        ("fft2", (size, size), "F", {}),
        ("fft2", (size, size), "D", {}),
        ("rfft2", (size, size), "f", {}),
        ("irfft2", (size, size // 2 + 1), "F", {}),
        ("fftn", (size // 8, size // 8, size // 8), "F", {}),
        ("fft", (100,), "F", {}),
    ]
    for name, shape, dtype, given in cases:
        random = np.random.default_rng(0)
        a = (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype("D")
        a = (a.real if dtype in "fd" else a).astype(dtype)
        ours = gpuarray.to_gpu(a)
        calls: Calls = {"lathe": partial(getattr(fft, name), ours, **given)}
        if IS_HOST:
            calls["numpy"] = partial(getattr(np.fft, name), a, **given)
        if CUPY:
            calls["cupy"] = partial(getattr(CUPY.fft, name), CUPY.asarray(a), **given)
        axis = f" axis {given['axis']}" if given else ""
        compare(f"{name}{axis} {shape} {np.dtype(dtype)}", calls, repeats=3)


def poisson(side: int, axes: int) -> Any:
    one = host.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side), dtype=float)
    made = one
    for _ in range(axes - 1):
        made = host.kronsum(made, one)
    return host.csr_array(made)


def matrices(side: int) -> dict[str, Any]:
    """Of a grid, random with 40 in each row, and with a few full rows among short ones."""
    random = np.random.default_rng(0)
    n = side * side // 4
    columns = random.integers(0, n, (n, 40))
    rows = np.repeat(np.arange(n), 40)
    even = host.coo_array((random.random(n * 40), (rows, columns.ravel())), shape=(n, n))
    full = np.concatenate([rows[::10], np.repeat([7, n // 2], n)])
    places = np.concatenate([columns.ravel()[::10], np.tile(np.arange(n), 2)])
    skewed = host.coo_array((random.random(full.size), (full, places)), shape=(n, n))
    return {
        f"grid {side}^2": poisson(side, 2),
        f"40 in each of {n}": even.tocsr(),
        f"two full rows of {n}": skewed.tocsr(),
    }


def versions(matrix: Any, x: Any) -> Calls:
    on_device = gpuarray.to_gpu(x)
    rows = sparse.csr_array(matrix)
    ways: dict[str, Any] = {"coo": sparse.coo_array(rows)}
    for method in ("rows", "merge"):
        ways[method] = rows.copy()
        ways[method].method = method
    if rows.longest_row < 100:
        ways["ell"] = sparse.ell_array(rows)
    calls: Calls = {name: partial(matmul, each, on_device) for name, each in ways.items()}
    if IS_HOST:
        calls["scipy"] = lambda: matrix @ x
    if CUPY:
        theirs, vector = CUPY.sparse_csr(matrix), CUPY.asarray(x)
        calls["cupy"] = lambda: theirs @ vector
    return calls


def products(side: int) -> None:
    print("products with a vector")
    for name, matrix in matrices(side).items():
        for dtype in ("f", "d"):
            given = matrix.astype(dtype)
            x = np.ones(given.shape[1], dtype)
            bytes_ = given.nnz * (given.dtype.itemsize + 4) + 2 * x.nbytes
            compare(f"{name}, {np.dtype(dtype)}", versions(given, x), bytes_, repeats=5)
    given = matrices(side)[f"grid {side}^2"].astype("f")
    wide = np.ones((given.shape[1], 16), "f")
    ours, there = sparse.csr_array(given), gpuarray.to_gpu(wide)
    calls: Calls = {"lathe": lambda: ours @ there}
    if IS_HOST:
        calls["scipy"] = lambda: given @ wide
    if CUPY:
        theirs, on_device = CUPY.sparse_csr(given), CUPY.asarray(wide)
        calls["cupy"] = lambda: theirs @ on_device
    compare(f"grid {side}^2 by 16 columns", calls, repeats=2)


def tolerance(solver: Any, relative: float) -> dict[str, float]:
    """By the name that the solver has for it: CuPy follows SciPy, which renamed ``tol``."""
    return {"rtol" if "rtol" in inspect.signature(solver).parameters else "tol": relative}


def equations(side: int) -> None:
    print("conjugate gradients to 1e-6")
    matrix = poisson(side, 2)
    b = np.random.default_rng(0).random(side * side)
    ours, right = sparse.csr_array(matrix), gpuarray.to_gpu(b)
    calls: Calls = {"lathe": lambda: sparse.cg(ours, right, rtol=1e-6)}
    if IS_HOST:
        calls["scipy"] = lambda: host.linalg.cg(matrix, b, rtol=1e-6)
    if CUPY:
        theirs, vector = CUPY.sparse_csr(matrix), CUPY.asarray(b)
        solver = importlib.import_module("cupyx.scipy.sparse.linalg").cg
        calls["cupy"] = lambda: solver(theirs, vector, **tolerance(solver, 1e-6))
    compare(f"grid {side}^2, float64", calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512 if IS_HOST else 4096)
    size = parser.parse_args().size
    if CUPY:
        CUPY.sparse_csr = importlib.import_module("cupyx.scipy.sparse").csr_matrix
    transforms(size)
    products(size)
    equations(size // 4)


if __name__ == "__main__":
    main()
