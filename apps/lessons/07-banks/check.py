# SPDX-License-Identifier: MIT
"""Turns that shared memory takes."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "transpose"


def grade(g: Grading) -> None:
    """A matrix of 64 rows and columns, four blocks."""
    matrix = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    out = np.full((64, 64), -1, np.float32)
    report = g.launch((2, 2), (32, 32), matrix, out, np.int32(64))
    g.results("Rows have become columns", out, matrix.T)
    g.coalesced("Global memory is read and written in rows", report)
    g.conflict_free("Each access of shared memory takes one turn", report)
    g.clean("No thread reads a cell before it is written")


def picture() -> Launch:
    """One tile; the picture shows its first rows."""
    matrix = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)
    return Launch(1, (32, 32), (matrix, np.zeros((32, 32), np.float32), np.int32(32)), {})
