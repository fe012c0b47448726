# SPDX-License-Identifier: MIT
"""Sectors that a warp touches."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "twice"


def grade(g: Grading) -> None:
    """Four blocks of 64 threads and 2048 numbers."""
    numbers = np.arange(2048, dtype=np.float32)
    out = np.full(2048, -1, np.float32)
    report = g.launch(4, 64, numbers, out, np.int32(2048))
    g.results("Each number is doubled", out, 2 * numbers)
    g.coalesced("A warp touches no more sectors than it needs", report)
    g.full_warps("All threads work", report)
    accesses = sum(row.global_accesses for row in report)
    g.require(
        "Each number is doubled once",
        accesses <= 128,
        f"warps go to memory {accesses} times, and 128 suffice: some threads repeat the work of "
        "others",
    )
    g.clean()


def picture() -> Launch:
    """One warp and 128 numbers."""
    numbers = np.arange(128, dtype=np.float32)
    arguments = (numbers, np.zeros(128, np.float32), np.int32(128))
    return Launch(1, 32, arguments, {0: "in", 1: "out"})
