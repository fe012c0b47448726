# SPDX-License-Identifier: MIT
"""The inspector: what kernels do, line by line, and their mistakes, told by the software device.

Numbers and findings come from gpu/inspect; `inspection_report` is what a user reads.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from lathe._lathe import Kernel
from lathe.inspection_findings import HAZARD_BITS, KINDS, fault_finding, finding_of
from lathe.inspection_report import Report, line_of
from lathe.inspection_sources import source_of
from lathe.native import native

__all__ = ["Inspection", "inspect"]

_Key = tuple[str, str, int, str, bool]


_OOB_CODES = (700, 716, 717, 718)  # of a CUresult: illegal and misaligned addresses


def inspect(*kernels: Kernel, find: Sequence[str] = ("races", "uninit", "barriers")) -> Inspection:
    """Counts what kernels do, line by line, and finds their mistakes, from ``with`` to its end.

    Parameters
    ----------
    *kernels : Kernel
        Those to report of; all that are launched, unless given.
    find : sequence of str
        Hazards to look for: ``races``, ``uninit`` (reads of memory that nothing has written) and
        ``barriers``. An empty one counts only, which is several times faster.

    Returns
    -------
    Inspection
        A context manager that gives a `Report`. The report is empty until the block ends.

    Raises
    ------
    lathe.Error
        Where the block begins on a GPU: the inspector needs the software device.
    ValueError
        For another word in `find`.

    Notes
    -----
    The end of the block waits for the launches in it. Kernels are compiled anew at their first
    launch in a block. A hazard ends no launch; an access outside of memory does, and raises as it
    does without the inspector. Memory from before the block counts as written.

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
    return Inspection(kernels, find)


class Inspection:
    """What ``with lathe.inspect()`` is about: begins to count, and fills a `Report` at its end."""

    def __init__(self, kernels: Sequence[Kernel] = (), find: Sequence[str] = KINDS) -> None:
        for kernel in kernels:
            if not isinstance(kernel, Kernel):
                raise TypeError(f"lathe.inspect takes kernels, not {type(kernel).__name__}")
        if isinstance(find, str) or any(word not in KINDS for word in find):
            raise ValueError(f"find is {find!r}, known are {', '.join(KINDS)}")
        self._kernels = tuple(kernels)
        self._hazards = 0
        for word in find:
            self._hazards |= HAZARD_BITS[word]
        self._scopes: list[Any] = []
        self._before: dict[_Key, dict[str, Any]] = {}
        self._found_before: dict[str, int] = {}
        self.report = Report()

    def __enter__(self) -> Report:
        _wait()
        self._scopes.append(native.CountingScope())
        if self._hazards:
            self._scopes.append(native.HazardScope(self._hazards))
        self._before = _counts()
        self._found_before = {key: row["count"] for key, row in _findings().items()}
        return self.report

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        failure = error
        try:
            _wait()
        except native.Error as late:
            failure = error or late
            if error is None:
                raise
        finally:
            self._scopes.clear()
            self._fill(failure)

    def _fill(self, failure: BaseException | None) -> None:
        names = {kernel.name for kernel in self._kernels}
        lines = [
            line_of(row, self._before.get(key, {}))
            for key, row in _counts().items()
            if not names or row["kernel"] in names
        ]
        findings = [
            finding_of(row, row["count"] - self._found_before.get(key, 0))
            for key, row in _findings().items()
            if (not names or row["kernel"] in names)
            and row["count"] > self._found_before.get(key, 0)
        ]
        fault = native.last_fault()
        if isinstance(failure, native.Error) and failure.code in _OOB_CODES and fault is not None:
            findings.append(fault_finding(fault))
        self.report.add(
            lines, findings, lambda kernel, file: source_of(kernel, file, self._kernels)
        )


def _wait() -> None:
    if native.Context.get_current() is not None:
        native.Context.synchronize()


def _counts() -> dict[_Key, dict[str, Any]]:
    return {
        (row["kernel"], row["file"], row["line"], row["inlined_at"], row["by_threads"]): row
        for row in native.line_counts()
    }


def _findings() -> dict[str, dict[str, Any]]:
    def place(thread: dict[str, Any] | None) -> str:
        return "" if thread is None else f"{thread['file']}:{thread['line']}"

    return {
        f"{row['kind']} {row['kernel']} {place(row['first'])} {place(row['second'])}": row
        for row in native.hazard_findings()
    }
