# SPDX-License-Identifier: MIT
"""Tables of measurements: as plain text for a terminal, as Markdown for docs/measurements."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Table", "as_markdown", "as_text", "markdown_row", "percentile", "where_and_when"]


@dataclass(slots=True)
class Table:
    """A table with a line above it, and perhaps one below."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    note: str = ""


def as_text(table: Table) -> list[str]:
    """Lines with columns side by side."""
    lines = [table.head, *table.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.head))]
    text = ["  ".join(map(_placed, line, widths)).rstrip() for line in lines]
    return [table.title, *text, *([table.note] if table.note else [])]


def as_markdown(table: Table) -> list[str]:
    """Lines of a Markdown table."""
    rule = "|" + "---|" * len(table.head)
    lines = [markdown_row(table.head), rule, *(markdown_row(row) for row in table.rows)]
    return [table.title, "", *lines, *(["", table.note] if table.note else [])]


def markdown_row(cells: Sequence[str]) -> str:
    """One row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def percentile(values: Sequence[float], share: float) -> float:
    """The greatest of the values that have at most `share` (0 to 1) of all below them."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _placed(cell: str, width: int) -> str:
    """Numbers to the right, words to the left."""
    return cell.rjust(width) if cell.replace(".", "").isdecimal() else cell.ljust(width)


def where_and_when(command: str) -> str:
    """Date, machine and command, as each table of docs/measurements has them above it."""
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    return (
        f"Date {datetime.date.today()}. Machine: {_processor()}, {cores} processors, "
        f"load {load:.1f} at the start. Command: `{command}`."
    )


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    names = [line for line in text.splitlines() if line.startswith("model name")]
    return names[0].partition(":")[2].strip() if names else platform.machine()
