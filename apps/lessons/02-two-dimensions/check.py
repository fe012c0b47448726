# SPDX-License-Identifier: MIT
"""Rows, columns and edges."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "paint"


def grade(g: Grading) -> None:
    """A picture that no block divides, and one that is a single row."""
    for width, height in ((37, 21), (50, 1)):
        picture = np.full((height, width), -1, np.float32)
        grid = (-(-width // 16), -(-height // 16))
        report = g.launch(grid, (16, 16), picture, np.int32(width), np.int32(height))
        wanted = 1000 * np.arange(height)[:, None] + np.arange(width)
        title = f"Each element is its own, in {width} columns and {height} rows"
        g.results(title, picture, wanted.astype(np.float32), name="picture")
        if height > 1:
            g.coalesced("Threads beside each other write beside each other", report, 1.9)
    g.clean("No two threads write one element")


def picture() -> Launch:
    """Two by two blocks on 13 columns and 6 rows."""
    out = np.full((6, 13), -1, np.float32)
    arguments = (out, np.int32(13), np.int32(6))
    return Launch((2, 2), (8, 4), arguments, {0: "picture"}, columns=13, spare=39)
