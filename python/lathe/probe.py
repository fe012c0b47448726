# SPDX-License-Identifier: MIT
"""The value of one element of a thing, step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import Studio

__all__ = ["Probe"]


class Probe:
    """Records a value in each step, as long as it is kept: see `View.probe`."""

    def __init__(self, probe: Studio.Probe) -> None:
        self._probe = probe

    @property
    def thing(self) -> str:
        """Name of the thing."""
        return self._probe.thing

    @property
    def index(self) -> int:
        """Of the element, in C order."""
        return self._probe.index

    @property
    def values(self) -> NDArray[np.float64]:
        """(n,) float64: one for each step since the probe was made that has ended.

        NaN where no such thing was drawn, or it had no value there. A step ends with its frame, or
        when the next one begins. Waits for the device.
        """
        return self._probe.values()

    def __repr__(self) -> str:
        return f"<lathe.Probe {self.thing!r}[{self.index}]: {self._probe.steps} steps>"
