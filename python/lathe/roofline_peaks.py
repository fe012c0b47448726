# SPDX-License-Identifier: MIT
"""What the device can do at most: measured by kernels that do nothing else."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from lathe.native import native

__all__ = ["Peaks", "measured_peaks"]


@dataclass(frozen=True, slots=True)
class Peaks:
    """Measured on this device, by kernels that do nothing else.

    Attributes
    ----------
    flops, double_flops : float
        Operations a second of fused multiply-adds, in float32 and in float64.
    bandwidth : float
        Bytes a second, read and written, of arrays of 32 MiB.
    cache_bandwidth : float
        The same of arrays of some kilobytes.
    """

    flops: float
    double_flops: float
    bandwidth: float
    cache_bandwidth: float

    def __str__(self) -> str:
        return (
            f"peaks: {self.flops / 1e9:.1f} Gflop/s in float32, {self.double_flops / 1e9:.1f} in "
            f"float64, {self.bandwidth / 1e9:.1f} GB/s of memory, "
            f"{self.cache_bandwidth / 1e9:.1f} of the cache"
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return dataclasses.asdict(self)


def measured_peaks() -> Peaks:
    """Takes about two seconds, once in a process. Waits for the device."""
    return Peaks(**native.device_peaks())
