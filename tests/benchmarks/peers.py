# SPDX-License-Identifier: MIT
"""Whom array benchmarks stand beside, and how they are compared: by turns, in one run."""

from __future__ import annotations

import importlib
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("LATHE_SOFT_MODE", "warp")  # no first launches by single threads

import lathe.cuda.autoprimaryctx
from lathe.cuda import driver

Work = tuple[Callable[[], object], Callable[[], object]]  # what is measured, and what waits for it

ROUNDS = 9


def nothing() -> None:
    """NumPy is done when it returns."""


def wait() -> None:
    """For all of lathe's work."""
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


def compare(title: str, amount: float, unit: str, cases: dict[str, Work], repeats: int = 1) -> None:
    """A line: of each, the median time of a call and billions of `amount` a second.

    A round is a turn of each: `repeats` calls that follow each other, then a wait.
    """
    times: dict[str, list[float]] = {who: [] for who in cases}
    for work, finish in cases.values():
        for _ in range(2):
            work()
            finish()
    for _ in range(ROUNDS):
        for who, (work, finish) in cases.items():
            begin = time.perf_counter()
            for _ in range(repeats):
                work()
            finish()
            times[who].append((time.perf_counter() - begin) / repeats)
    parts = []
    for who, each in times.items():
        middle = statistics.median(each)
        parts.append(f"{who} {1e6 * middle:.1f} us {amount / middle / 1e9:.1f} {unit}")
    print(f"{title:32}", "   ".join(parts), flush=True)
