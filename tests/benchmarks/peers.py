# SPDX-License-Identifier: MIT
"""Whom array benchmarks stand beside, and how they are compared: by turns, in one run."""

from __future__ import annotations

import importlib
import os
import random
import statistics
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("LATHE_SOFT_MODE", "warp")  # no first launches by single threads

import lathe.cuda.autoprimaryctx
from lathe.cuda import driver

Calls = dict[str, Callable[[], object]]  # by who does it

ROUNDS = 9


def wait() -> None:
    """For all work in the primary context, which the others use, too."""
    driver.Context.synchronize()


def on_gpu() -> bool:
    """Whether the device is hardware: then NumPy on the host is no peer."""
    return "software" not in lathe.cuda.autoprimaryctx.device.name()


def library(name: str) -> Any:
    """CuPy or PyTorch where it is installed and has a GPU, else None."""
    try:
        module = importlib.import_module(name)
        return module if module.cuda.is_available() else None
    except Exception:  # whatever a half installed library raises
        return None


def pycuda(*modules: str) -> Any:
    """These of PyCUDA's modules in the context that the others use, or None: it is optional.

    Results' memory comes from `pool`, which is PyCUDA's.
    """
    if not on_gpu():
        return None
    try:
        importlib.import_module("pycuda.autoprimaryctx")
        found = {name: importlib.import_module(f"pycuda.{name}") for name in modules}
        tools = importlib.import_module("pycuda.tools")
        return SimpleNamespace(**found, pool=tools.DeviceMemoryPool())
    except Exception as why:  # whatever a half installed library raises
        if not isinstance(why, ModuleNotFoundError):
            print(f"PyCUDA is left out: {type(why).__name__}: {why}")
        return None


def seconds(calls: Calls, repeats: int = 1) -> dict[str, float]:
    """Of one call: the median over rounds in which each has a turn of `repeats` calls.

    The order of the turns is another one in each round: after a long call of another library the
    host's caches are cold, and always the same call would pay for it.
    """
    times: dict[str, list[float]] = {who: [] for who in calls}
    order = random.Random(1)
    for round_ in range(ROUNDS + 2):
        for who in order.sample(list(calls), len(calls)):
            wait()
            begin = time.perf_counter()
            for _ in range(repeats):
                calls[who]()
            wait()
            if round_ > 1:
                times[who].append((time.perf_counter() - begin) / repeats)
    return {who: statistics.median(each) for who, each in times.items()}


def compare(
    title: str, calls: Calls, amount: float = 0, unit: str = "GB/s", repeats: int = 1
) -> None:
    """Prints a line: the time of each, and `amount` a second in 1e9, or 1e12 for ``TFLOP/s``."""
    scale = 1e12 if unit.startswith("T") else 1e9
    parts = []
    for who, took in seconds(calls, repeats).items():
        rate = f" ({amount / took / scale:.4g} {unit})" if amount else ""
        parts.append(f"{who} {1e6 * took:.5g} us{rate}")
    print(f"{title:34}", "   ".join(parts), flush=True)
