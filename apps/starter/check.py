"""The kernel against what is known of it: how fast a wave fades, and that no heat is lost."""

from pathlib import Path

import numpy as np
from starter import first_state

import lathe
from lathe.checks import Report

CELLS = 256
SOURCE = Path(__file__).resolve().with_name("starter.cu")


def after(plate: np.ndarray, steps: int, rate: float) -> np.ndarray:
    """The plate after some steps (an even number) of the kernel."""
    step = lathe.kernel(SOURCE, "step").over(plate.shape, (32, 8))
    now, then = lathe.asarray(plate, np.float32), lathe.zeros(plate.shape, np.float32)
    for _ in range(steps):
        step(now, then, CELLS, CELLS, rate)
        now, then = then, now
    return now.get().astype(np.float64)


def check(report: Report) -> None:
    steps = report.setting("steps", 400)
    rate = report.setting("rate", 0.2)
    report.say(f"  {CELLS} x {CELLS} cells, {steps} steps, rate {rate}")

    # A step multiplies a wave of k periods by 1 - 4 rate sin^2(pi k / cells).
    for k in (1, 5, 20):
        wave = np.cos(2 * np.pi * k * np.arange(CELLS) / CELLS)
        faded = wave * (1 - 4 * rate * np.sin(np.pi * k / CELLS) ** 2) ** steps
        for name, plate, expected in (
            ("across", wave[None, :].repeat(CELLS, 0), faded[None, :]),
            ("down", wave[:, None].repeat(CELLS, 1), faded[:, None]),
        ):
            difference = np.abs(after(plate, steps, rate) - expected).max()
            # Each step rounds numbers of at most 1, by 6e-8, now up and now down.
            report.within(f"a wave of {k} periods {name}", difference, 3e-8 * steps)

    plate = first_state(CELLS)
    lost = abs(after(plate, steps, rate).sum() / plate.sum() - 1)
    report.within("heat that is lost", lost, 1e-5)
