# SPDX-License-Identifier: MIT
"""Hazards in words: which threads met, at which lines, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["HAZARD_BITS", "KINDS", "Finding", "FindingThread", "fault_finding", "finding_of"]

KINDS = ("races", "uninit", "barriers", "oob")
"""What `lathe.inspect` looks for, and ``lathe inspect --fail-on`` names."""

HAZARD_BITS = {"races": 1 | 2, "uninit": 4 | 8, "barriers": 16, "oob": 0}
"""Of native.HazardScope. Accesses outside of memory are always looked for."""

_KIND_OF = {
    "race_shared": "races",
    "race_global": "races",
    "uninit_shared": "uninit",
    "uninit_global": "uninit",
    "barrier": "barriers",
}
_TITLES = {
    "race_shared": "data race in shared memory",
    "race_global": "data race in global memory",
    "uninit_shared": "read of shared memory that nothing has written",
    "uninit_global": "read of memory that nothing has written",
    "barrier": "threads of a block at different barriers",
    "oob": "access outside of memory",
}


@dataclass(frozen=True, slots=True)
class FindingThread:
    """One thread's part in a finding."""

    file: str
    line: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    access: str
    """``read``, ``write``, ``atomic`` or ``barrier``; empty where it is not known."""

    def __str__(self) -> str:
        what = f"{self.access} by " if self.access else ""
        place = f"{Path(self.file).name}:{self.line}" if self.file else "an unknown line"
        return f"{what}block {_triple(self.block)}, thread {_triple(self.thread)} at {place}"


@dataclass(frozen=True, slots=True)
class Finding:
    """The first example of a hazard between two lines of a kernel.

    Attributes
    ----------
    kind : str
        ``races``, ``uninit``, ``barriers`` or ``oob``.
    title : str
        The kind in words.
    kernel : str
    first, second : FindingThread
        As they ran; `second` is None where one thread suffices.
    memory : str
        Such as ``shared memory`` or ``a 400-byte allocation of device memory``.
    offset, bytes : int
        Of the access, from the start of `memory`.
    message : str
        What happened, and what mends it.
    count : int
        How often it was found between these lines.
    """

    kind: str
    title: str
    kernel: str
    first: FindingThread
    second: FindingThread | None
    memory: str
    offset: int
    bytes: int
    message: str
    count: int

    def __str__(self) -> str:
        times = f", {self.count} times" if self.count > 1 else ""
        lines = [f"{self.kernel}: {self.title}{times}", f"  {self.first}"]
        if self.second is not None:
            lines.append(f"  {self.second}")
        if self.memory:
            lines.append(f"  {self.bytes} bytes at offset {self.offset} of {self.memory}")
        return "\n".join([*lines, f"  {self.message}"])


def finding_of(row: dict[str, Any], count: int) -> Finding:
    """One of native.hazard_findings(), of which `count` are told."""
    first = _thread_of(row["first"])
    assert first is not None
    return Finding(
        _KIND_OF[row["kind"]], _TITLES[row["kind"]], row["kernel"], first,
        _thread_of(row["second"]), row["memory"], row["offset"], row["bytes"], row["message"],
        count,
    )  # fmt: skip


def fault_finding(fault: dict[str, Any]) -> Finding:
    """An access that ended its launch: one of native.last_fault()."""
    place = FindingThread(
        fault["file"], fault["line"], _numbers(fault["block"]), _numbers(fault["thread"]), ""
    )
    return Finding(
        "oob", _TITLES["oob"], fault["kernel"], place, None, "", 0, 0,
        f"{fault['message']}. The launch ended here.", 1,
    )  # fmt: skip


def _thread_of(row: dict[str, Any] | None) -> FindingThread | None:
    if row is None:
        return None
    return FindingThread(
        row["file"], row["line"], _numbers(row["block"]), _numbers(row["thread"]), row["access"]
    )


def _numbers(three: list[int]) -> tuple[int, int, int]:
    x, y, z = three
    return x, y, z


def _triple(three: tuple[int, int, int]) -> str:
    return f"({', '.join(map(str, three))})"
