# SPDX-License-Identifier: MIT
"""Warps whose threads agree."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "mix"


def _grow(x: np.ndarray) -> np.ndarray:
    for _ in range(16):
        x = x * 1.01 + 0.5
    return x


def _shrink(x: np.ndarray) -> np.ndarray:
    for _ in range(16):
        x = np.sqrt(x + 2)
    return x


def grade(g: Grading) -> None:
    """Four blocks of 64 threads, 8 warps."""
    numbers = np.random.default_rng(6).random(256, np.float32)
    out = np.full(256, -1, np.float32)
    report = g.launch(4, 64, numbers, out, np.int32(256))
    wide, even = numbers.astype(np.float64), np.arange(256) % 2 == 0
    wanted = np.where(even, _grow(wide), _shrink(wide))
    g.results("Even elements grow, odd ones shrink", out, wanted, tolerance=1e-4)
    share, line = g.worst(report, lambda row: row.divergence, lambda row: row.branches)
    g.require(
        "The threads of a warp agree at each branch",
        share == 0,
        f"line {line}: at {share:.0%} of the branches threads of one warp go different ways",
    )
    g.full_warps("Warps have all their threads active", report)
    loops = sum(row.executions for row in report if "1.01f" in row.text or "sqrtf(" in row.text)
    g.require(
        "No warp computes both ways",
        loops <= 8 * 16 + 32,
        f"the lines of the two loops ran {loops} times by warps, and 128 times suffice",
    )
    g.clean()


def picture() -> Launch:
    """Two warps."""
    numbers = np.arange(64, dtype=np.float32)
    return Launch(1, 64, (numbers, np.zeros(64, np.float32), np.int32(64)), {0: "in", 1: "out"})
