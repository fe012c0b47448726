# SPDX-License-Identifier: MIT
"""A wave of the program's time that a slider can follow."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Oscillation", "oscillation"]

WAVES = ("sine", "triangle", "saw", "square", "noise")


@dataclass(frozen=True, slots=True)
class Oscillation:
    """What `oscillation` makes; its str is what a kernel's comment says."""

    wave: str
    period: float
    low: float | None
    high: float | None
    phase: float

    def __str__(self) -> str:
        ends = "" if self.low is None else f"({self.low!r}..{self.high!r})"
        phase = f" phase={self.phase!r}" if self.phase else ""
        return f"{self.wave}{ends} {self.period!r}s{phase}"


def oscillation(
    wave: str = "sine",
    *,
    period: float = 4.0,
    low: float | None = None,
    high: float | None = None,
    phase: float = 0.0,
) -> Oscillation:
    """A wave for `App.bind`: ``app.bind("F", lathe.oscillation("sine", period=4))``.

    Parameters
    ----------
    wave : str
        ``"sine"``, ``"triangle"``, ``"saw"``, ``"square"`` or ``"noise"``. At phase 0 all but noise
        begin low. Noise goes smoothly from one random value to the next within each period, and
        is the same in each run.
    period : float
        Seconds of `App.time`: a paused program's sliders stand still.
    low, high : float, optional
        Both or none; the slider's range unless given. A logarithmic slider goes by factors.
    phase : float
        In periods: 0.5 begins in the middle.

    Returns
    -------
    Oscillation

    Raises
    ------
    ValueError
        For another wave, a period that is not above 0, and unless `low` is below `high`.

    Examples
    --------
    >>> import lathe
    >>> str(lathe.oscillation("sine", period=4, low=0.02, high=0.06))
    'sine(0.02..0.06) 4.0s'
    """
    if wave not in WAVES:
        raise ValueError(f"a wave is one of {', '.join(WAVES)}, got {wave!r}")
    if not period > 0:
        raise ValueError(f"a period is above 0 s, got {period}")
    if (low is None) != (high is None) or (low is not None and high is not None and not low < high):
        raise ValueError(f"low must be below high, got {low} and {high}")
    ends = (None if low is None else float(low), None if high is None else float(high))
    return Oscillation(wave, float(period), *ends, float(phase))
