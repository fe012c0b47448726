# SPDX-License-Identifier: MIT
"""Each thread has a cell of its own."""

from __future__ import annotations

import numpy as np

from lathe.learn import Grading, Launch

KERNEL = "sign"


def grade(g: Grading) -> None:
    """Two shapes of launches, so that no number of the launch is written into the kernel."""
    for blocks, threads in ((4, 64), (3, 96)):
        out = np.full(blocks * threads, -1, np.int32)
        report = g.launch(blocks, threads, out)
        wanted = [1000 * b + t for b in range(blocks) for t in range(threads)]
        title = f"Each cell has its thread's signature ({blocks} blocks of {threads})"
        g.results(title, out, np.array(wanted))
    g.full_warps("Each thread writes, none does the work of others", report)
    g.clean()


def picture() -> Launch:
    """Three blocks, which fit into the picture."""
    out = np.full(96, -1, np.int32)
    return Launch(3, 32, (out,), {0: "out"})
