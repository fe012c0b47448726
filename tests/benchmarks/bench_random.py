# SPDX-License-Identifier: MIT
"""How many random numbers a device makes in a second, by distribution and type.

    python tests/benchmarks/bench_random.py [--count 268435456] [--rounds 9]

G numbers/s and the GB/s that they are in memory: median of the rounds, each a few fills between two
events, after one that compiles. The target on an H200 is 1,000 G/s of uniform float32. Uniform ones
of CuPy, PyTorch and PyCUDA (XORWOW) stand beside them where these are installed and a GPU is.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from peers import Calls, compare, library, on_gpu, pycuda

import lathe.cuda.driver as cuda
from lathe.cuda import curandom, gpuarray
from lathe.native import native
from lathe.random import Generator

FILLS = 4
Fill = Callable[[Any], object]


def seconds(fill: Fill, target: Any, rounds: int) -> float:
    """Of one fill."""
    fill(target)
    begin, end = cuda.Event(), cuda.Event()
    measured = []
    for _ in range(rounds):
        begin.record()
        for _ in range(FILLS):
            fill(target)
        end.record()
        end.synchronize()
        measured.append(1e-3 * begin.time_till(end) / FILLS)
    return statistics.median(measured)


def report(name: str, fill: Fill, dtype: str, count: int, rounds: int) -> None:
    target = gpuarray.empty(count, np.dtype(dtype))
    took = seconds(fill, target, rounds)
    rate = count / took / 1e9
    print(f"{name:24} {dtype:11} {rate:10.3f} G/s {rate * np.dtype(dtype).itemsize:10.1f} GB/s")


def beside_others(count: int) -> None:
    """Uniform float32 by everyone in turn."""
    target, rng = gpuarray.empty(count, np.float32), Generator(1)
    calls: Calls = {"lathe": lambda: rng.random(out=target)}
    if torch := library("torch"):
        tensor = torch.empty(count, device="cuda")
        calls["torch"] = lambda: tensor.uniform_()
    if cupy := library("cupy"):
        generator = cupy.random.default_rng(1)
        array = cupy.empty(count, np.float32)
        calls["cupy"] = lambda: generator.random(dtype=np.float32, out=array)
    if theirs := pycuda("gpuarray", "curandom"):
        data = theirs.gpuarray.empty(count, np.float32)
        xorwow = theirs.curandom.XORWOWRandomNumberGenerator()
        calls["pycuda"] = lambda: xorwow.fill_uniform(data)
    compare("uniform float32", calls, count, "G/s", repeats=FILLS)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=2**28)
    options.add_argument("--rounds", type=int, default=9)
    given = options.parse_args()
    raw = native.RandomGenerator(1, 0, 0)
    rng = Generator(1)
    cases: list[tuple[str, Fill, list[str]]] = [
        ("uniform", lambda to: rng.random(out=to), ["float16", "float32", "float64", "complex64"]),
        ("bits", lambda to: raw.bits(to), ["uint8", "uint32", "uint64"]),
        ("normal", lambda to: rng.standard_normal(out=to), ["float16", "float32", "float64"]),
        ("log-normal", lambda to: raw.log_normal(to, 0.0, 1.0), ["float32", "float64"]),
        ("exponential", lambda to: rng.standard_exponential(out=to), ["float32", "float64"]),
        ("gamma 0.5", lambda to: rng.standard_gamma(0.5, out=to), ["float32", "float64"]),
        ("gamma 3", lambda to: rng.standard_gamma(3, out=to), ["float32", "float64"]),
        ("poisson 2", lambda to: raw.poisson(to, 2.0), ["int32", "int64"]),
        ("poisson 100", lambda to: raw.poisson(to, 100.0), ["int32", "int64"]),
        ("integers below 100", lambda to: raw.integers(to, 0, 99), ["int8", "int32", "int64"]),
        ("integers below 3 * 2^62", lambda to: raw.integers(to, 0, 3 * 2**62 - 1), ["uint64"]),
        ("shuffle", lambda to: rng.shuffle(to), ["float32"]),
    ]
    for kind in (
        curandom.XORWOWRandomNumberGenerator,
        curandom.MRG32k3aRandomNumberGenerator,
        curandom.Sobol32RandomNumberGenerator,
        curandom.Sobol64RandomNumberGenerator,
    ):
        name = kind.__name__.removesuffix("RandomNumberGenerator")
        made = kind()
        cases.append((f"{name} uniform", made.fill_uniform, ["float32", "float64"]))
        cases.append((f"{name} normal", made.fill_normal, ["float32", "float64"]))
    print(f"{cuda.Context.get_device().name()}: {given.count} numbers")
    for name, fill, dtypes in cases:
        for dtype in dtypes:
            report(name, fill, dtype, given.count, given.rounds)
    if on_gpu():
        beside_others(given.count)


if __name__ == "__main__":
    main()
