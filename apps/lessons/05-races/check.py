# SPDX-License-Identifier: MIT
"""Counts that threads share."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "count"


def grade(g: Grading) -> None:
    """Four blocks of 64 threads and 256 values."""
    values = np.random.default_rng(5).integers(0, 8, 256).astype(np.int32)
    bins = np.zeros(8, np.int32)
    report = g.launch(4, 64, values, bins, np.int32(256))
    g.results("Each bin has its count", bins, np.bincount(values, minlength=8), name="bins")
    g.clean("No count is lost by two threads at one bin")
    least = min((row.active for row in report if row.global_accesses), default=0.0)
    g.require(
        "All threads count",
        least > 0.9,
        f"in a line that reads values only {least:.0%} of the threads of a warp take part",
    )


def picture() -> Launch:
    """One warp and 8 bins."""
    values = np.random.default_rng(1).integers(0, 8, 32).astype(np.int32)
    return Launch(1, 32, (values, np.zeros(8, np.int32), np.int32(32)), {0: "values", 1: "bins"})
