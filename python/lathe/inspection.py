# SPDX-License-Identifier: MIT
"""The inspector: what kernels do, line by line, told by the software device as they run.

The numbers come from gpu/inspect; `inspection_report` is what a user reads.
"""

from __future__ import annotations

import types
from typing import Any

from lathe._lathe import Kernel
from lathe.inspection_report import Report, line_of
from lathe.inspection_sources import source_of
from lathe.native import native

__all__ = ["Inspection", "inspect"]

_Key = tuple[str, str, int, str, bool]


def inspect(*kernels: Kernel) -> Inspection:
    """Counts what kernels do, line by line, from ``with`` to its end.

    Parameters
    ----------
    *kernels : Kernel
        Those to report of; all that are launched, unless given.

    Returns
    -------
    Inspection
        A context manager that gives a `Report`. The report is empty until the block ends.

    Raises
    ------
    lathe.Error
        Where the block begins on a GPU: the inspector needs the software device.

    Notes
    -----
    The end of the block waits for the launches in it, as ``kernel`` errors do. Kernels are
    compiled anew at their first launch in a block.

    Examples
    --------
    >>> import lathe
    >>> kernel = lathe.kernel('''__global__ void spread(float* x) {
    ...     x[8 * threadIdx.x] = 1; }''')
    >>> x = lathe.zeros(256)
    >>> with lathe.inspect(kernel) as report:
    ...     kernel[1, 32](x)
    >>> report.line(2).sectors_per_access  # each thread writes a sector of its own
    32.0
    """
    return Inspection(kernels)


class Inspection:
    """What ``with lathe.inspect()`` is about: begins to count, and fills a `Report` at its end."""

    def __init__(self, kernels: tuple[Kernel, ...] = ()) -> None:
        for kernel in kernels:
            if not isinstance(kernel, Kernel):
                raise TypeError(f"lathe.inspect takes kernels, not {type(kernel).__name__}")
        self._kernels = kernels
        self._scope: Any = None
        self._before: dict[_Key, dict[str, Any]] = {}
        self.report = Report()

    def __enter__(self) -> Report:
        _wait()
        self._scope = native.CountingScope()
        self._before = _counts()
        return self.report

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        try:
            _wait()
        except native.Error:
            if error is None:
                raise
        finally:
            self._scope = None
            self._fill()

    def _fill(self) -> None:
        names = {kernel.name for kernel in self._kernels}
        lines = [
            line_of(row, self._before.get(key, {}))
            for key, row in _counts().items()
            if not names or row["kernel"] in names
        ]
        self.report.add(lines, lambda kernel, file: source_of(kernel, file, self._kernels))


def _wait() -> None:
    if native.Context.get_current() is not None:
        native.Context.synchronize()


def _counts() -> dict[_Key, dict[str, Any]]:
    return {
        (row["kernel"], row["file"], row["line"], row["inlined_at"], row["by_threads"]): row
        for row in native.line_counts()
    }
