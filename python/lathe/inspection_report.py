# SPDX-License-Identifier: MIT
"""What the inspector reports: rows by source line, as text, JSON and a page of HTML."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lathe.inspection_findings import Finding, FindingThread

if TYPE_CHECKING:
    from lathe.rooflines import Roofline

__all__ = ["Line", "Report", "line_of"]

_COUNTS = (
    "executions", "lanes", "branches", "divergent_branches", "taken_lanes", "not_taken_lanes",
    "global_accesses", "sectors", "ideal_sectors", "shared_accesses", "bank_conflict_degree",
    "atomics", "atomics_serialised", "barriers", "barrier_ticks", "instructions",
    "thread_instructions", "flops", "double_flops",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """What launches did in one line of a kernel's source. Counts are of warps of 32 threads.

    Attributes
    ----------
    kernel, file : str
    line : int
        From 1.
    text : str
        The line itself, where its file is known.
    by_threads : bool
        The kernel could not run by warps: `executions` and `lanes` count threads, and all others
        are 0.
    executions : int
        Warps that ran code of the line.
    lanes : int
        Their active threads.
    branches, divergent_branches : int
        Conditional branches that warps came to, and those at which threads went different ways.
    taken_lanes, not_taken_lanes : int
        Threads that went to a branch's first target, and all others.
    global_accesses, sectors, ideal_sectors : int
        Loads and stores of global memory by warps, the sectors of 32 bytes that they touched, and
        as many as the bytes would fill.
    shared_accesses, bank_conflict_degree : int
        Loads and stores of shared memory by warps, and the turns that its banks took for them.
    atomics, atomics_serialised : int
        Atomic updates by warps, and the turns that they took where threads meet at an address.
    barriers, barrier_ticks : int
        Arrivals of warps at barriers, and the time they waited, in ticks of the processor's clock.
    instructions, thread_instructions : int
        Instructions of compiled code that warps ran, and the same counted for each thread that took
        part. Of threads, both, where `by_threads`.
    flops, double_flops : int
        Floating-point operations of all threads, as the compiled code has them: a fused
        multiply-add is two. Those of them that are in float64.
    """

    kernel: str
    file: str
    line: int
    text: str = ""
    by_threads: bool = False
    executions: int = 0
    lanes: int = 0
    branches: int = 0
    divergent_branches: int = 0
    taken_lanes: int = 0
    not_taken_lanes: int = 0
    global_accesses: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    shared_accesses: int = 0
    bank_conflict_degree: int = 0
    atomics: int = 0
    atomics_serialised: int = 0
    barriers: int = 0
    barrier_ticks: int = 0
    instructions: int = 0
    thread_instructions: int = 0
    flops: int = 0
    double_flops: int = 0

    @property
    def active(self) -> float:
        """Share of a warp's 32 threads that are active, 0 to 1; 1 is without divergence.

        The mean of the line's instructions.
        """
        return _ratio(self.thread_instructions, self.instructions * (1 if self.by_threads else 32))

    @property
    def divergence(self) -> float:
        """Share of the branches at which threads of a warp went different ways, 0 to 1."""
        return _ratio(self.divergent_branches, self.branches)

    @property
    def sectors_per_access(self) -> float:
        """Sectors of 32 bytes that a warp's load or store of global memory touches."""
        return _ratio(self.sectors, self.global_accesses)

    @property
    def ideal_sectors_per_access(self) -> float:
        """As many sectors as the bytes of an access fill: 4 for 4 bytes a thread."""
        return _ratio(self.ideal_sectors, self.global_accesses)

    @property
    def bank_conflicts(self) -> float:
        """Turns that the banks of shared memory take for an access; 1 is without conflicts."""
        return _ratio(self.bank_conflict_degree, self.shared_accesses)

    @property
    def contention(self) -> float:
        """Turns that an atomic update takes, as its threads meet at addresses; 1 is without."""
        return _ratio(self.atomics_serialised, self.atomics)


class Report:
    """What an inspection found; empty until its block ends."""

    def __init__(self) -> None:
        self.rows: tuple[Line, ...] = ()
        """Sorted by kernel, file and line."""
        self.findings: tuple[Finding, ...] = ()
        """Hazards, each pair of lines once."""
        self.roofline: Roofline | None = None
        """Of `lathe.roofline`: how fast the kernels are beside the device's peaks."""
        self._sources: dict[tuple[str, str], list[str]] = {}

    def __iter__(self) -> Iterator[Line]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def line(self, number: int, kernel: str | None = None, file: str | None = None) -> Line:
        """The row of a line, of a kernel or a file (its name suffices) where several have one.

        Raises
        ------
        KeyError
            Where no launch came to such a line.
        """
        found = [
            row
            for row in self.rows
            if row.line == number
            and kernel in (None, row.kernel)
            and (file is None or Path(row.file).name == Path(file).name)
        ]
        if not found:
            raise KeyError(f"no launch came to line {number}")
        return _sum(found)

    def add(
        self,
        lines: Sequence[Line],
        findings: Sequence[Finding],
        texts: Callable[[str, str], tuple[str, list[str]]],
    ) -> None:
        """Takes lines of one inlining each, and who knows their files and their text."""
        groups: dict[tuple[str, str, int], list[Line]] = {}
        for line in lines:
            if line.executions or line.instructions:
                groups.setdefault((line.kernel, line.file, line.line), []).append(line)
        rows = []
        found: dict[tuple[str, str], tuple[str, list[str]]] = {}
        for (kernel, file, number), group in sorted(groups.items()):
            path, source = found.get((kernel, file)) or texts(kernel, file)
            found[kernel, file] = path, source
            self._sources[kernel, path] = source
            text = source[number - 1] if 0 < number <= len(source) else ""
            rows.append(dataclasses.replace(_sum(group), file=path, text=text))
        self.rows = tuple(rows)
        self.findings = tuple(
            dataclasses.replace(
                finding,
                first=_in_file(finding.kernel, finding.first, found),
                second=finding.second and _in_file(finding.kernel, finding.second, found),
            )
            for finding in findings
        )

    def source(self, kernel: str, file: str) -> list[str]:
        """Lines of a file that a kernel was compiled from; empty where it is not known."""
        return self._sources.get((kernel, file), [])

    def __str__(self) -> str:
        if not self.rows and not self.findings:
            return "no launch was inspected"
        parts = [str(finding) for finding in self.findings]
        for title, rows in self._groups().items():
            parts.append("\n".join([title, *_side_by_side([_HEAD, *map(_cells, rows)])]))
        if self.roofline is not None:
            parts.append(str(self.roofline))
        return "\n\n".join(parts)

    def _groups(self) -> dict[str, list[Line]]:
        groups: dict[str, list[Line]] = {}
        for row in self.rows:
            note = ", counted thread by thread" if row.by_threads else ""
            groups.setdefault(f"{row.kernel}, {row.file}{note}", []).append(row)
        return groups

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "findings": [dataclasses.asdict(finding) for finding in self.findings],
            "lines": [dataclasses.asdict(row) for row in self.rows],
        } | ({"roofline": self.roofline.to_dict()} if self.roofline is not None else {})

    def to_json(self, indent: int | None = 2) -> str:
        """An object with ``findings`` and ``lines``: all that `Finding` and `Line` have.

        ``roofline`` comes with them where there is one.
        """
        return json.dumps(self.to_dict(), indent=indent)

    def to_html(self, title: str = "Lathe inspector") -> str:
        """A page that needs no other file."""
        from lathe.inspection_page import page

        return page(self, title)


_HEAD = (
    "line", "warps", "active", "sectors/ideal", "banks", "divergent", "atomics", "source",
)  # fmt: skip


def _cells(row: Line) -> tuple[str, ...]:
    return (
        str(row.line),
        str(row.executions),
        f"{row.active:.0%}",
        f"{row.sectors_per_access:.1f}/{row.ideal_sectors_per_access:.1f}"
        if row.global_accesses
        else "",
        f"{row.bank_conflicts:.1f}" if row.shared_accesses else "",
        f"{row.divergence:.0%}" if row.branches else "",
        f"{row.contention:.1f}" if row.atomics else "",
        row.text.strip(),
    )


def _in_file(
    kernel: str, thread: FindingThread, found: dict[tuple[str, str], tuple[str, list[str]]]
) -> FindingThread:
    known = found.get((kernel, thread.file))
    return dataclasses.replace(thread, file=known[0]) if known else thread


def _side_by_side(lines: list[tuple[str, ...]]) -> list[str]:
    """Numbers to the right; the last column is source."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(_HEAD) - 1)]
    return [
        "  ".join(
            [*(cell.rjust(w) for cell, w in zip(line, widths, strict=False)), line[-1]]
        ).rstrip()
        for line in lines
    ]


def line_of(row: dict[str, Any], before: dict[str, Any]) -> Line:
    """A line of native.line_counts(), less what had been counted before."""
    counts = {name: row[name] - before.get(name, 0) for name in _COUNTS}
    return Line(
        row["kernel"], row["file"], row["line"], by_threads=row["by_threads"], **counts
    )  # fmt: skip


def _sum(lines: list[Line]) -> Line:
    first = lines[0]
    counts = {name: sum(getattr(line, name) for line in lines) for name in _COUNTS}
    by_threads = any(line.by_threads for line in lines)
    return Line(first.kernel, first.file, first.line, first.text, by_threads, **counts)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
