# SPDX-License-Identifier: MIT
"""Grades of kernels: from their results and from the inspector's counts, never from time."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.compute import asarray, kernel
from lathe.inspection import inspect
from lathe.inspection_report import Line, Report
from lathe.learn.lesson import Lesson
from lathe.native import native

__all__ = ["Criterion", "Grade", "Grading", "grade"]


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that a kernel should do, whether it does, and if not, why."""

    title: str
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """All criteria of a lesson."""

    lesson: str
    criteria: tuple[Criterion, ...]

    @property
    def passed(self) -> bool:
        """Whether there are criteria, and each of them passed."""
        return bool(self.criteria) and all(each.passed for each in self.criteria)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "lesson": self.lesson,
            "passed": self.passed,
            "criteria": [dataclasses.asdict(each) for each in self.criteria],
        }

    def __str__(self) -> str:
        lines = []
        for each in self.criteria:
            lines.append(f"  {'PASS' if each.passed else 'FAIL'}  {each.title}")
            if each.reason:
                lines.append(f"        {each.reason}")
        return "\n".join([*lines, f"{self.lesson}: {'PASS' if self.passed else 'FAIL'}"])


class _Ended(Exception):
    """No more can be graded."""


class Grading:
    """What ``grade(g)`` of a lesson's ``check.py`` calls.

    Each call of `results`, `clean` or `require` adds a criterion. A kernel that does not compile,
    and a launch that ends with a fault, end the grading with a criterion of their own.
    """

    def __init__(self, source: str, entry: str) -> None:
        self.source = source
        self.criteria: list[Criterion] = []
        self._findings: list[Any] = []
        self._entry = entry

    def compile(self) -> None:
        """Compiles the source; `grade` does it."""
        try:
            self._kernel = kernel(self.source + "\n", self._entry)
        except native.CompileError as error:
            first = str(error.diagnostics[0]) if error.diagnostics else str(error)
            self._end("The kernel compiles", first)

    def launch(
        self, grid: Sequence[int] | int, block: Sequence[int] | int, *arguments: Any
    ) -> Report:
        """Runs the kernel under the inspector.

        Parameters
        ----------
        grid, block : int or sequence of int
        *arguments : NumPy arrays and scalars
            Arrays are copied to the device, and what the kernel left in them comes back.

        Returns
        -------
        Report
            Counts by line; hazards are kept for `clean`.
        """
        there = [asarray(a.copy()) if isinstance(a, np.ndarray) else a for a in arguments]
        inspection = inspect(self._kernel)
        try:
            with inspection as report:
                self._kernel[_dim(grid), _dim(block)](*there)
        except native.Error as error:
            found = [each for each in inspection.report.findings if each.kind == "oob"]
            why = f"line {found[0].first.line}: {found[0].message}" if found else str(error)
            self._end("Threads stay inside the arrays", why)
        self._findings += report.findings
        for mine, theirs in zip(arguments, there, strict=True):
            if isinstance(mine, np.ndarray):
                mine[...] = theirs.get()
        return report

    def require(self, title: str, passed: bool, reason: str = "") -> None:
        """A criterion; `reason` is told if it failed."""
        self.criteria.append(Criterion(title, bool(passed), "" if passed else reason))

    def results(
        self,
        title: str,
        got: NDArray[Any],
        wanted: NDArray[Any],
        *,
        tolerance: float = 0.0,
        name: str = "out",
    ) -> None:
        """A criterion: all elements are as they should be, within a relative tolerance."""
        wrong = ~np.isclose(got, wanted, rtol=tolerance, atol=tolerance)
        reason = ""
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            place = "".join(f"[{i}]" for i in at)
            reason = (
                f"{int(wrong.sum())} of {wrong.size} are wrong; the first is {name}{place}, which "
                f"is {got[at]:g} and should be {wanted[at]:g}"
            )
        self.require(title, not wrong.any(), reason)

    def clean(self, title: str = "No thread disturbs another") -> None:
        """A criterion: the inspector found no hazard in any launch so far."""
        if not self._findings:
            return self.require(title, True)
        first = self._findings[0]
        lines = sorted({each.line for each in (first.first, first.second) if each is not None})
        where = " and ".join(f"line {line}" for line in lines)
        self.require(title, False, f"{first.title}, {where}: {first.message}")

    def worst(
        self, report: Report, measure: Callable[[Line], float], counted: Callable[[Line], int]
    ) -> tuple[float, int]:
        """The greatest `measure` of lines that `counted` anything, and that line; (0, 0) of none.

        Lines are those of the student's file.
        """
        rows = [(measure(row), row.line) for row in report if counted(row)]
        return max(rows, default=(0.0, 0))

    def coalesced(self, title: str, report: Report, at_most: float = 1.25) -> None:
        """A criterion: no line touches more sectors than `at_most` times what its bytes fill."""
        ratio, line = self.worst(
            report,
            lambda row: row.sectors / max(row.ideal_sectors, 1),
            lambda row: row.global_accesses,
        )
        if not line:
            return self.require(title, False, "no line reads or writes global memory")
        row = report.line(line)
        self.require(
            title,
            ratio <= at_most,
            f"line {line}: an access of a warp touches {row.sectors_per_access:.0f} sectors where "
            f"{row.ideal_sectors_per_access:.0f} would do; its threads are far apart in memory",
        )

    def full_warps(self, title: str, report: Report, at_least: float = 0.95) -> None:
        """A criterion: in each line that writes or reads memory, warps have all threads active."""
        rows = [
            (row.active, row.line) for row in report if row.global_accesses or row.shared_accesses
        ]
        share, line = min(rows, default=(0.0, 0))
        if not line:
            return self.require(title, False, "no line reads or writes memory")
        self.require(
            title,
            share >= at_least,
            f"line {line}: {share:.0%} of the threads of its warps take part, the rest waits",
        )

    def conflict_free(self, title: str, report: Report, at_most: float = 1.05) -> None:
        """A criterion: shared memory is used, and no access takes more turns than `at_most`."""
        turns, line = self.worst(
            report, lambda row: row.bank_conflicts, lambda row: row.shared_accesses
        )
        reason = (
            f"line {line}: an access takes {turns:.0f} turns, as threads of a warp meet at a bank"
            if line
            else "the kernel does not use shared memory"
        )
        self.require(title, bool(line) and turns <= at_most, reason)

    def _end(self, title: str, reason: str) -> None:
        self.require(title, False, reason)
        raise _Ended


def grade(lesson: Lesson, source: str) -> Grade:
    """Grades a kernel's source.

    Returns
    -------
    Grade

    Raises
    ------
    lathe.Error
        On a GPU: the inspector needs the software device.

    Notes
    -----
    It runs the kernel here and waits for it. A kernel that does not end is for
    `lathe.learn.apart.grade_apart`.
    """
    check = lesson.check()
    grading = Grading(source, check.KERNEL)
    with contextlib.suppress(_Ended):
        grading.compile()
        check.grade(grading)
    return Grade(lesson.name, tuple(grading.criteria))


def _dim(size: Sequence[int] | int) -> Any:
    return size if isinstance(size, int) else tuple(size)
