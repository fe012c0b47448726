# SPDX-License-Identifier: MIT
"""A reduction in shared memory."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "sum"


def grade(g: Grading) -> None:
    """Two blocks."""
    numbers = np.random.default_rng(8).integers(0, 100, 512).astype(np.float32)
    out = np.full(2, -1, np.float32)
    report = g.launch(2, 256, numbers, out)
    g.results("Each block has its sum", out, numbers.reshape(2, 256).sum(1))
    g.clean("No thread reads a number that another one still adds to")
    split = sum(row.divergent_branches for row in report)
    g.require(
        "Whole warps add or rest",
        split <= 2 * 8,
        f"warps split {split} times at a branch, and 16 times suffice: in the last five steps of "
        "each block, and where thread 0 writes",
    )
    accesses = sum(row.shared_accesses for row in report)
    g.require(
        "Warps go to shared memory no more often than they need",
        accesses <= 2 * 64,
        f"they go there {accesses} times; 90 suffice",
    )
    g.conflict_free("Threads that add are neighbours: no turn is lost at banks", report)


def picture() -> Launch:
    """One block."""
    numbers = np.ones(256, np.float32)
    return Launch(1, 256, (numbers, np.zeros(1, np.float32)), {})
