# SPDX-License-Identifier: MIT
"""The roofline of kernels: how fast they compute, beside what the device can do.

`roofline_peaks` measures the device, and `roofline_picture` draws.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lathe._lathe import Kernel
from lathe.inspection import inspect
from lathe.inspection_report import Line, Report
from lathe.native import native
from lathe.roofline_peaks import Peaks, measured_peaks

__all__ = ["KernelRate", "Roofline", "add_roofline", "rates_of", "roofline", "timed"]

_SECONDS = 0.5
_ROUNDS = 3


def roofline(run: Callable[[], object], *kernels: Kernel) -> Report:
    """Counts what kernels compute and measures how fast, beside the device's own peaks.

    Parameters
    ----------
    run : callable
        Makes the launches. It is called several times: first to compile and to be timed, for half
        a second and at least three times, then once under the inspector.
    *kernels : Kernel
        Those to report of; all that are launched, unless given.

    Returns
    -------
    Report
        As `lathe.inspect` gives it, with counts alone; its `roofline` has a `KernelRate` for each
        kernel. Text, JSON and HTML have it, too.

    Raises
    ------
    lathe.Error
        On a GPU: the inspector needs the software device.

    Notes
    -----
    It waits for the device. Bytes are those of the sectors of 32 bytes that warps touch, whether
    they come from memory or from a cache; atomics are left out. Floating-point operations are
    those of the compiled code: a fused multiply-add is two.

    Examples
    --------
    >>> import lathe
    >>> saxpy = lathe.kernel('''__global__ void saxpy(float* y, const float* x, int n) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     if (i < n) y[i] = 2 * x[i] + y[i]; }''')
    >>> x, y = lathe.zeros(1 << 16), lathe.zeros(1 << 16)
    >>> report = lathe.roofline(lambda: saxpy[512, 128](y, x, 1 << 16), saxpy)
    >>> rate = report.roofline.kernels[0]
    >>> rate.flops, rate.bytes, report.roofline.bound(rate)  # two operations for each three floats
    (131072, 786432, 'memory')
    """
    seconds = _best_seconds(run)
    with inspect(*kernels, find=()) as report:
        run()
    add_roofline(report, seconds)
    return report


@dataclass(frozen=True, slots=True)
class KernelRate:
    """What the launches of a kernel did, and how long they took.

    Attributes
    ----------
    kernel : str
    flops : int
        Floating-point operations of all launches.
    double_flops : int
        Those of them that are in float64.
    bytes : int
        Of the sectors of global memory that warps touched.
    seconds : float
        Of all launches without the inspector; 0 where they were not timed.
    """

    kernel: str
    flops: int
    double_flops: int
    bytes: int
    seconds: float

    @property
    def intensity(self) -> float:
        """Operations for each byte; infinite without memory."""
        if not self.bytes:
            return math.inf if self.flops else 0.0
        return self.flops / self.bytes

    @property
    def flops_per_second(self) -> float:
        """The rate that was reached."""
        return self.flops / self.seconds if self.seconds else 0.0

    @property
    def bytes_per_second(self) -> float:
        """The bandwidth that was reached."""
        return self.bytes / self.seconds if self.seconds else 0.0

    @property
    def is_double(self) -> bool:
        """Whether most of the operations are in float64."""
        return 2 * self.double_flops > self.flops


class Roofline:
    """Kernels beside the peaks of the device."""

    def __init__(self, kernels: Iterable[KernelRate], peaks: Peaks) -> None:
        self.kernels: tuple[KernelRate, ...] = tuple(kernels)
        """Those with operations or memory, the one that takes longest first."""
        self.peaks = peaks

    def peak_flops(self, rate: KernelRate) -> float:
        """The flat part of the kernel's roof: of float64 where it mostly has that."""
        return self.peaks.double_flops if rate.is_double else self.peaks.flops

    def roof(self, rate: KernelRate) -> float:
        """Operations a second that memory and arithmetic allow at the kernel's intensity."""
        return min(self.peak_flops(rate), rate.intensity * self.peaks.bandwidth)

    def bound(self, rate: KernelRate) -> str:
        """``memory`` or ``arithmetic``: which part of the roof is above the kernel."""
        by_memory = rate.intensity * self.peaks.bandwidth < self.peak_flops(rate)
        return "memory" if by_memory else "arithmetic"

    def share(self, rate: KernelRate) -> float:
        """What the kernel reaches of its roof; more than 1 where a cache serves it.

        Of a kernel without operations that of the bandwidth.
        """
        if not rate.flops:
            return rate.bytes_per_second / self.peaks.bandwidth
        return rate.flops_per_second / self.roof(rate)

    def __str__(self) -> str:
        head = ("kernel", "flops/byte", "Gflop/s", "GB/s", "of the roof", "bound by")
        rows = [head, *map(self._cells, self.kernels)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
            for row in rows
        ]
        return "\n".join(["roofline", *lines, str(self.peaks)])

    def _cells(self, rate: KernelRate) -> tuple[str, ...]:
        timed = rate.seconds > 0
        return (
            rate.kernel,
            f"{rate.intensity:.3g}" if rate.bytes else "no memory",
            f"{rate.flops_per_second / 1e9:.2f}" if timed and rate.flops else "",
            f"{rate.bytes_per_second / 1e9:.2f}" if timed and rate.bytes else "",
            f"{self.share(rate):.0%}" if timed else "",
            self.bound(rate),
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "peaks": self.peaks.to_dict(),
            "kernels": [
                {
                    "kernel": rate.kernel,
                    "flops": rate.flops,
                    "double_flops": rate.double_flops,
                    "bytes": rate.bytes,
                    "seconds": rate.seconds,
                    "intensity": rate.intensity if rate.bytes else None,
                    "flops_per_second": rate.flops_per_second,
                    "bytes_per_second": rate.bytes_per_second,
                    "bound": self.bound(rate),
                    "share": self.share(rate) if rate.seconds else None,
                }
                for rate in self.kernels
            ],
        }

    def to_svg(self) -> str:
        """A picture: roofs, and a point for each kernel that was timed."""
        from lathe.roofline_picture import svg

        return svg(self)


def rates_of(rows: Sequence[Line], seconds: dict[str, float]) -> list[KernelRate]:
    """Sums over the lines of each kernel; `seconds` by their names."""
    rates = []
    for kernel in dict.fromkeys(row.kernel for row in rows):
        own = [row for row in rows if row.kernel == kernel]
        rates.append(
            KernelRate(
                kernel,
                flops=sum(row.flops for row in own),
                double_flops=sum(row.double_flops for row in own),
                bytes=32 * sum(row.sectors for row in own),
                seconds=seconds.get(kernel, 0.0),
            )
        )
    found = [rate for rate in rates if rate.flops or rate.bytes]
    return sorted(found, key=lambda rate: -rate.seconds)


@contextlib.contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Fills in the seconds of each kernel's launches in the block when that ends."""
    seconds: dict[str, float] = {}
    scope = native.TimingScope()
    before = _all_seconds()
    try:
        yield seconds
    finally:
        if native.Context.get_current() is not None:
            native.Context.synchronize()
        del scope
        for kernel, total in _all_seconds().items():
            if total > before.get(kernel, 0.0):
                seconds[kernel] = total - before.get(kernel, 0.0)


def add_roofline(report: Report, seconds: dict[str, float]) -> None:
    """Gives a report its roofline; measures the device's peaks, once in a process."""
    report.roofline = Roofline(rates_of(report.rows, seconds), measured_peaks())


def _best_seconds(run: Callable[[], object]) -> dict[str, float]:
    """Of each kernel in the fastest of several rounds."""
    best: dict[str, float] = {}
    begin, rounds = time.monotonic(), 0
    while rounds < _ROUNDS or time.monotonic() - begin < _SECONDS:
        with timed() as seconds:
            run()
        for kernel, spent in seconds.items():
            best[kernel] = min(best.get(kernel, math.inf), spent)
        rounds += 1
    return best


def _all_seconds() -> dict[str, float]:
    return {row["kernel"]: row["seconds"] for row in native.launch_times()}
