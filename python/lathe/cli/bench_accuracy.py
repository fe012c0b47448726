# SPDX-License-Identifier: MIT
"""``lathe bench accuracy``: the largest errors of functions of arrays, beside CUDA's bounds.

An error is the number of floating-point numbers between the result and the correctly rounded one,
as the CUDA C++ Programming Guide counts it ("Mathematical Functions", maximum ulp error). float32
is compared with float64 of the host, float64 with long double, of which there are more bits on x86
only. All numbers of float16 are looked at.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.cli.messages import choose_device, load_engine, parse_count
from lathe.cli.tables import markdown_row, where_and_when

__all__ = ["BOUNDS", "Worst", "bench_accuracy", "measure"]

Host = NDArray[Any]

# Name of NumPy or SciPy: bounds of float32 and float64 from the CUDA C++ Programming Guide,
# "Mathematical Functions", standard functions. sqrt and division are correctly rounded by default.
BOUNDS: dict[str, tuple[int, int]] = {
    "sqrt": (0, 0), "cbrt": (1, 1), "exp": (2, 1), "exp2": (2, 1), "expm1": (1, 1), "log": (1, 1),
    "log2": (1, 1), "log10": (2, 1), "log1p": (1, 1), "sin": (2, 2), "cos": (2, 2), "tan": (4, 2),
    "arcsin": (2, 2), "arccos": (2, 2), "arctan": (2, 2), "sinh": (3, 2), "cosh": (2, 1),
    "tanh": (2, 1), "arcsinh": (3, 3), "arccosh": (4, 3), "arctanh": (3, 2), "erf": (2, 2),
    "erfc": (4, 5), "gamma": (5, 10), "gammaln": (6, 4), "rint": (0, 0), "floor": (0, 0),
    "ceil": (0, 0), "trunc": (0, 0), "divide": (0, 0), "fmod": (0, 0), "arctan2": (3, 2),
    "hypot": (3, 2), "power": (4, 2),
}  # fmt: skip
BINARY = ("divide", "fmod", "arctan2", "hypot", "power")
# Between these the logarithm of gamma goes through zero, and has no bound.
_LEFT_OUT = {
    "float16": (-10.001, -2.264),
    "float32": (-10.001, -2.264),
    "float64": (-23.0001, -2.2637),
}


# The nearest double is the nearest result of these in double, too.
_EXACT = ("sqrt", "divide", "fmod", "rint", "floor", "ceil", "trunc")
_OF_C = {"erf": "erfl", "erfc": "erfcl", "gamma": "tgammal", "gammaln": "lgammal"}


def _function_of_c(name: str) -> Callable[[float], float]:
    """The host's, in long double; ctypes rounds its result to double."""
    found = getattr(ctypes.CDLL(ctypes.util.find_library("m")), _OF_C[name])
    found.argtypes, found.restype = [ctypes.c_longdouble], ctypes.c_longdouble
    made: Callable[[float], float] = found
    return made


@dataclass(frozen=True, slots=True)
class Worst:
    """The largest error of a function, in ulp, and where it is; `wrong` results are NaN or not
    where the other one is."""

    error: int
    at: tuple[float, ...]
    wrong: int


def _ordered(x: Host) -> Host:
    """Numbers of which neighbours differ by 1; both zeros are 0."""
    bits = x.view({2: np.int16, 4: np.int32, 8: np.int64}[x.itemsize]).astype(np.int64)
    low = -(1 << (8 * x.itemsize - 1))
    return np.where(bits < 0, low - bits, bits)


def _reference(name: str, given: list[Host], dtype: np.dtype[Any]) -> Host:
    if name in _OF_C:
        function = _function_of_c(name)
        exact = [function(x) for x in given[0].astype(np.float64).tolist()]
        return np.array(exact, np.float64).astype(dtype)
    wide = np.longdouble if dtype == np.float64 and name not in _EXACT else np.float64
    made: Host = getattr(np, name)(*(each.astype(wide) for each in given))
    return made.astype(dtype)


def _samples(name: str, dtype: np.dtype[Any], count: int, seed: int) -> Iterator[list[Host]]:
    """Batches of arguments: bit patterns at even distances, random ones, and ordinary numbers."""
    random = np.random.default_rng(seed)
    word = np.dtype(f"u{dtype.itemsize}")
    numbers = 2 if name in BINARY else 1
    if dtype == np.float16 and numbers == 1:
        yield [np.arange(1 << 16, dtype=np.uint32).astype(word).view(dtype)]
        return
    if numbers == 1:
        step = (1 << (8 * dtype.itemsize)) // count
        start = int(random.integers(step))
        yield [
            (np.arange(count, dtype=np.uint64) * np.uint64(step) + np.uint64(start))
            .astype(word)
            .view(dtype)
        ]
    yield [
        random.integers(0, np.iinfo(word).max, count, word, True).view(dtype)
        for _ in range(numbers)
    ]
    for size in (1.0, 30.0):
        yield [(random.standard_normal(count) * size).astype(dtype) for _ in range(numbers)]


def measure(name: str, dtype: Any, count: int = 1 << 16, seed: int = 1) -> Worst:
    """The largest error of a function on the current device.

    Of four times `count` arguments, or three times as many pairs.

    Parameters
    ----------
    name : str
        Of `BOUNDS`.
    dtype : float16, float32 or float64
    """
    from lathe.array.gpu_array import to_device
    from lathe.native import native

    kind = np.dtype(dtype)
    worst, wrong = 0, 0
    at: tuple[float, ...] = (math.nan,)
    for given in _samples(name, kind, count, seed):
        if name == "gammaln":
            low, high = _LEFT_OUT[kind.name]
            given = [given[0][~((given[0] > low) & (given[0] < high))]]
        # Quiet ones: C's hypot(inf, x) is NaN for a signaling NaN alone.
        given = [np.where(np.isnan(each), kind.type(np.nan), each) for each in given]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            wanted = _reference(name, given, kind)
        got: Host = native.apply(name, *(to_device(each) for each in given)).get()
        is_nan = np.isnan(wanted)
        wrong += int((np.isnan(got) != is_nan).sum())
        there = ~is_nan & ~np.isnan(got)
        errors = np.zeros(wanted.shape, np.float64)
        ours, theirs = _ordered(got[there]), _ordered(wanted[there])
        apart = np.sign(ours) * np.sign(theirs) < 0  # the difference of these may not fit
        distance = np.abs(np.where(apart, ours.astype(np.float64) - theirs, 0))
        errors[there] = np.where(apart, distance, np.abs(ours - theirs))
        place = int(errors.argmax()) if errors.size else 0
        if errors.size and errors[place] > worst:
            worst, at = int(errors[place]), tuple(float(each[place]) for each in given)
    return Worst(worst, at, wrong)


def bench_accuracy(arguments: argparse.Namespace) -> int:
    """Prints a table of the current device, as plain text or as docs/measurements has it."""
    count = parse_count("--samples", arguments.samples)
    choose_device(arguments.device)
    load_engine()
    from lathe.array_api.devices import here

    title = (
        f"device    {here().name()}, {4 * count} arguments a function; "
        "errors in ulp, CUDA's bounds in brackets"
    )
    at = "largest error of float32 at"
    if arguments.markdown:
        head = markdown_row(("function", "float16", "float32", "float64", at))
        print(
            f"{where_and_when(arguments.command_line)}\n\n{title}\n\n{head}\n|---|---|---|---|---|"
        )
    else:
        print(f"{title}\n{'':10} {'float16':>9} {'float32':>14} {'float64':>14}   {at}")
    for name, (single, double) in BOUNDS.items():
        half, worst, wide = (
            measure(name, each, count) for each in (np.float16, np.float32, np.float64)
        )
        where = ", ".join(f"{x:.9g}" for x in worst.at) if worst.error else ""
        cells = [f"{_text(each)} ({bound})" for each, bound in ((worst, single), (wide, double))]
        if arguments.markdown:
            print(markdown_row((f"`{name}`", _text(half), *cells, where)))
        else:
            print(f"{name:10} {_text(half):>9} {cells[0]:>14} {cells[1]:>14}   {where}")
    return 0


def _text(found: Worst) -> str:
    return f"{found.error}" + (f" and {found.wrong} NaN" if found.wrong else "")
