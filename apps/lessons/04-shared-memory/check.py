# SPDX-License-Identifier: MIT
"""A tile, and a barrier between its writers and its readers."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "smooth"


def grade(g: Grading) -> None:
    """Four blocks of 64 threads."""
    numbers = np.random.default_rng(4).random(256, np.float32)
    out = np.full(256, -1, np.float32)
    report = g.launch(4, 64, numbers, out, np.int32(256))
    wide = np.pad(numbers, 1)
    g.results("Each number is the mean of three", out, (wide[:-2] + wide[1:-1] + wide[2:]) / 3,
              tolerance=1e-5)  # fmt: skip
    g.clean("No thread reads a cell before it is written")
    accesses = sum(row.global_accesses for row in report)
    g.require(
        "Each number comes from global memory once",
        accesses <= 24,
        f"warps go to global memory {accesses} times, and 24 suffice: 8 to load, 8 to store, and "
        "one at each end of a block",
    )


def picture() -> Launch:
    """One block."""
    numbers = np.arange(64, dtype=np.float32)
    return Launch(1, 64, (numbers, np.zeros(64, np.float32), np.int32(64)), {0: "in", 1: "out"})
