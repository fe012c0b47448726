# SPDX-License-Identifier: MIT
"""Linear algebra: large products and factors, and what a small product costs the host.

    python tests/benchmarks/bench_linalg.py [--size N]

Beside NumPy on the software device, beside CuPy and PyTorch where these are installed and a GPU is.
All take turns; the fastest round of each counts, the device's work included.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lathe.cuda.autoprimaryctx  # noqa: F401
from lathe import linalg
from lathe.cuda import driver, gpuarray
from lathe.native import native

ROUNDS = 7
IS_HOST = native.host_does_the_work("LATHE_CUBLAS")
Calls = dict[str, Callable[[], object]]


def library(name: str) -> Any:
    """The module where it is installed and has a GPU, else None."""
    try:
        module = importlib.import_module(name)
        return module if module.cuda.is_available() else None
    except Exception:  # whatever a half installed library raises
        return None


TORCH, CUPY = (None, None) if IS_HOST else (library("torch"), library("cupy"))


def wait() -> None:
    driver.Context.synchronize()  # one context: the others' work, too


def fastest(calls: Calls, repeat: int) -> dict[str, float]:
    """Seconds of one call, by turns."""
    best = dict.fromkeys(calls, float("inf"))
    for round_ in range(ROUNDS + 1):
        for name, call in calls.items():
            wait()
            begin = time.perf_counter()
            for _ in range(repeat):
                call()
            wait()
            if round_:
                best[name] = min(best[name], (time.perf_counter() - begin) / repeat)
    return best


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


def row(title: str, times: dict[str, float], work: float = 0, unit: float = 1e3) -> None:
    cells = (
        f"{who} {unit * t:9.3f}" + (f" ({work / t * 1e-12:6.2f} TFLOP/s)" if work else "")
        for who, t in times.items()
    )
    print(f"  {title:28}" + "   ".join(cells))


def random(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def products(size: int) -> None:
    print("products, milliseconds")
    for dtype in ("f4", "f2", "f8", "c8"):
        if IS_HOST and dtype == "f2":
            continue
        a, b = random((size, size), dtype), random((size, size), dtype, 1)
        work = 2 * size**3 * (4 if dtype == "c8" else 1)
        times = fastest(versions(lambda _, x: lambda: x[0] @ x[1], a, b), 3)
        row(f"{np.dtype(dtype)} {size}^2", times, work)
        if dtype == "f4" and not IS_HOST:
            left, right = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
            with linalg.allow_tf32():
                tf32 = fastest({"lathe": lambda x=left, y=right: x @ y}, 3)  # type: ignore[misc]
            row("  with TF32", tf32, work)
            row("  a.T @ b", fastest(versions(lambda _, x: lambda: x[0].T @ x[1], a, b), 3), work)
    batch, n = (8, 256) if IS_HOST else (64, 1024)
    a, b = random((batch, n, n), "f4"), random((batch, n, n), "f4", 1)
    times = fastest(versions(lambda _, x: lambda: x[0] @ x[1], a, b), 3)
    row(f"float32 {batch} x {n}^2", times, 2 * batch * n**3)
    a, b = random((n, n), "f4") > 0, random((n, n), "f4", 1) > 0
    x, y = gpuarray.to_gpu(a.astype("i4")), gpuarray.to_gpu(b.astype("i4"))
    row(f"int32 {n}^2", fastest({"lathe": lambda: x @ y}, 3), 2 * n**3)


def factors(size: int) -> None:
    print("factors, milliseconds")
    a, b = random((size, size), "f4") + size * np.eye(size, dtype="f4"), random((size, 8), "f4")
    row(f"solve {size}", fastest(versions(lambda m, x: lambda: m.solve(*x), a, b), 1))
    row(f"inv {size}", fastest(versions(lambda m, x: lambda: m.inv(x[0]), a), 1))
    spd = a @ a.T + np.eye(size, dtype="f4")
    row(f"cholesky {size}", fastest(versions(lambda m, x: lambda: m.cholesky(x[0]), spd), 1))
    row(f"qr {size}", fastest(versions(lambda m, x: lambda: m.qr(x[0]), a), 1))
    half = size // 2
    row(f"eigh {half}", fastest(versions(lambda m, x: lambda: m.eigh(x[0]), spd[:half, :half]), 1))
    part = np.ascontiguousarray(a[:half, : half // 2])
    row(
        f"svd {half} x {half // 2}",
        fastest(versions(lambda m, x: lambda: m.svd(x[0], full_matrices=False), part), 1),
    )
    many = random((500, 16, 16), "f4") + 8 * np.eye(16, dtype="f4")
    row("inv 500 x 16^2", fastest(versions(lambda m, x: lambda: m.inv(x[0]), many), 1))


def small() -> None:
    print("a @ b of 32^2, microseconds")
    for dtype in ("f4", "i4"):
        a = np.ones((32, 32), dtype)
        if dtype == "i4":
            x = gpuarray.to_gpu(a)
            calls: Calls = {"lathe": lambda x=x: x @ x}  # type: ignore[misc]
        else:
            calls = versions(lambda _, x: lambda: x[0] @ x[0], a)
        row(str(a.dtype), fastest(calls, 1000), unit=1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512 if IS_HOST else 4096)
    size = parser.parse_args().size
    small()
    products(size)
    factors(size // 2)


if __name__ == "__main__":
    main()
