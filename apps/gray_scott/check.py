# SPDX-License-Identifier: MIT
"""The kernel against a double-precision NumPy run of the same scheme, on Pearson's grid."""

from pathlib import Path

import numpy as np
from gray_scott import DIFFUSION_U, DIFFUSION_V, DT, PATTERNS, first_state

import lathe
from lathe.checks import Report

CELLS = 256
CELL_WIDTH = 2.5 / CELLS
HERE = Path(__file__).resolve().parent

# Differences that rounding explains. float64: 1000 steps of some ten roundings of 1e-16, in
# another order by fused multiply-adds, grow to about 1e-14. float32: the same run in NumPy's
# float32 differs from float64 by 2e-6 to 1e-5 over Pearson's classes; ten times that is allowed.
LIMIT = {np.float64: 1e-11, np.float32: 1e-4}


def reference(u, v, steps, feed, kill):
    """The scheme in NumPy, float64."""
    a, b = DIFFUSION_U / CELL_WIDTH**2, DIFFUSION_V / CELL_WIDTH**2

    def laplace(x):
        return np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1) - 4 * x

    for _ in range(steps):
        reaction = u * v * v
        u, v = (
            u + DT * (a * laplace(u) - reaction + feed * (1 - u)),
            v + DT * (b * laplace(v) + reaction - (feed + kill) * v),
        )
    return u, v


def on_device(source, dtype, u, v, steps, feed, kill):
    """The scheme by the experiment's own kernel."""
    name = {np.float32: "float", np.float64: "double"}[dtype]
    step = lathe.kernel(source, "step", options=[f"-DREAL={name}"])
    now = [lathe.asarray(u, dtype), lathe.asarray(v, dtype)]
    then = [lathe.zeros(u.shape, dtype), lathe.zeros(v.shape, dtype)]
    launch = step.over(u.shape, (32, 8))
    for _ in range(steps):
        launch(
            *now, *then, CELLS, CELLS, feed, kill,
            DIFFUSION_U / CELL_WIDTH**2, DIFFUSION_V / CELL_WIDTH**2, DT,
        )  # fmt: skip
        now, then = then, now
    return [x.get().astype(np.float64) for x in now]


def check(report: Report) -> None:
    steps = report.setting("steps", 1000)
    pattern = report.setting("pattern", "theta")
    feed, kill = PATTERNS[pattern]
    source = HERE / "gray_scott.cu"
    u, v = first_state(CELLS, drops=1)
    report.say(f"  {pattern}: feed {feed}, kill {kill}, {CELLS} x {CELLS} cells, {steps} steps")
    expected = reference(u, v, steps, feed, kill)
    for dtype in (np.float64, np.float32):
        got = on_device(source, dtype, u, v, steps, feed, kill)
        for name, have, want in zip("uv", got, expected, strict=True):
            report.within(
                f"{np.dtype(dtype)} {name}, largest difference from NumPy",
                np.abs(have - want).max(),
                LIMIT[dtype],
            )
    uniform = on_device(source, np.float32, np.ones_like(u), np.zeros_like(v), 10, feed, kill)
    report.within("u = 1, v = 0 stays as it is", np.abs(uniform[0] - 1).max() + uniform[1].max(), 0)
