# SPDX-License-Identifier: MIT
"""Linear algebra: large products and factors, and what a small product costs the host.

    python tests/benchmarks/bench_linalg.py [--size N]

Beside NumPy on the software device, beside CuPy and PyTorch where these are installed and a GPU is.
All take turns; medians, the device's work included.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from operator import matmul
from typing import Any

import numpy as np
from peers import Calls, compare, library

from lathe import linalg
from lathe.cuda import gpuarray
from lathe.native import native

IS_HOST = native.host_does_the_work("LATHE_CUBLAS")


TORCH, CUPY = (None, None) if IS_HOST else (library("torch"), library("cupy"))


def versions(function: Callable[[Any, Any], Callable[[], object]], *hosts: Any) -> Calls:
    """`function(module, arrays)` gives the call for ours and each library that is here."""
    calls: Calls = {"lathe": function(linalg, [gpuarray.to_gpu(each) for each in hosts])}
    if IS_HOST:
        calls["numpy"] = function(np.linalg, list(hosts))
    if TORCH:
        given = [TORCH.from_numpy(each).cuda() for each in hosts]
        calls["torch"] = function(TORCH.linalg, given)
    if CUPY:
        calls["cupy"] = function(CUPY.linalg, [CUPY.asarray(each) for each in hosts])
    return calls


def random(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def product(title: str, a: Any, b: Any, work: float) -> None:
    compare(title, versions(lambda _, x: lambda: x[0] @ x[1], a, b), work, "TFLOP/s", 3)


def products(size: int) -> None:
    print("products")
    for dtype in ("f4", "f2", "f8", "c8"):
        if IS_HOST and dtype == "f2":
            continue
        a, b = random((size, size), dtype), random((size, size), dtype, 1)
        work = 2 * size**3 * (4 if dtype == "c8" else 1)
        product(f"{np.dtype(dtype)} {size}^2", a, b, work)
        if dtype == "f4" and not IS_HOST:
            left, right = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
            with linalg.allow_tf32():
                calls = {"lathe": partial(matmul, left, right)}
                compare("  with TF32", calls, work, "TFLOP/s", 3)
            turned = versions(lambda _, x: lambda: x[0].T @ x[1], a, b)
            compare("  a.T @ b", turned, work, "TFLOP/s", 3)
    batch, n = (8, 256) if IS_HOST else (64, 1024)
    a, b = random((batch, n, n), "f4"), random((batch, n, n), "f4", 1)
    product(f"float32 {batch} x {n}^2", a, b, 2 * batch * n**3)
    a, b = random((n, n), "f4") > 0, random((n, n), "f4", 1) > 0
    x, y = gpuarray.to_gpu(a.astype("i4")), gpuarray.to_gpu(b.astype("i4"))
    compare(f"int32 {n}^2", {"lathe": lambda: x @ y}, 2 * n**3, "TFLOP/s", 3)


def factors(size: int) -> None:
    print("factors")
    a, b = random((size, size), "f4") + size * np.eye(size, dtype="f4"), random((size, 8), "f4")
    compare(f"solve {size}", versions(lambda m, x: lambda: m.solve(*x), a, b))
    compare(f"inv {size}", versions(lambda m, x: lambda: m.inv(x[0]), a))
    spd = a @ a.T + np.eye(size, dtype="f4")
    compare(f"cholesky {size}", versions(lambda m, x: lambda: m.cholesky(x[0]), spd))
    compare(f"qr {size}", versions(lambda m, x: lambda: m.qr(x[0]), a))
    half = size // 2
    compare(f"eigh {half}", versions(lambda m, x: lambda: m.eigh(x[0]), spd[:half, :half]))
    part = np.ascontiguousarray(a[:half, : half // 2])
    thin = versions(lambda m, x: lambda: m.svd(x[0], full_matrices=False), part)
    compare(f"svd {half} x {half // 2}", thin)
    many = random((500, 16, 16), "f4") + 8 * np.eye(16, dtype="f4")
    compare("inv 500 x 16^2", versions(lambda m, x: lambda: m.inv(x[0]), many))


def small() -> None:
    print("a @ b of 32^2")
    for dtype in ("f4", "i4"):
        a = np.ones((32, 32), dtype)
        if dtype == "i4":
            x = gpuarray.to_gpu(a)
            calls: Calls = {"lathe": lambda x=x: x @ x}  # type: ignore[misc]
        else:
            calls = versions(lambda _, x: lambda: x[0] @ x[0], a)
        compare(str(a.dtype), calls, repeats=1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512 if IS_HOST else 4096)
    size = parser.parse_args().size
    small()
    products(size)
    factors(size // 2)


if __name__ == "__main__":
    main()
