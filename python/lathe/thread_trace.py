# SPDX-License-Identifier: MIT
"""One thread of a launch, line by line: which lines it runs, and what they do to its variables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lathe._lathe import Kernel
from lathe.launch_trace import Index, LaunchTrace, SourceTexts, triple

__all__ = ["Step", "ThreadTrace", "steps_of", "trace_thread"]


def trace_thread(kernel: Kernel, block: Index = 0, thread: Index = 0) -> ThreadTrace:
    """Follows one thread of the next launch of `kernel` in a ``with`` block.

    Parameters
    ----------
    kernel : Kernel
        One whose source is known: of `lathe.kernel`, `App.kernel`, or a `SourceModule`.
    block : int or sequence of int
        The thread's block, x first: ``blockIdx``.
    thread : int or sequence of int
        The thread in its block: ``threadIdx``.

    Returns
    -------
    ThreadTrace
        A context manager that gives itself. It has no steps until the launch.

    Raises
    ------
    lathe.Error
        Where the kernel's source is not known.
    lathe.CompileError

    Notes
    -----
    It works on a GPU and on the software device. The kernel is compiled once more, without
    optimisation, and the launch itself is made with that code: it reads and writes the same memory
    and the same ``__constant__`` and ``__device__`` variables. The last bits of floating-point
    numbers may differ, because the compiler joins no multiplications with additions then. The
    launch waits for the device. Launches after it are as usual.

    Variables are found by the DWARF that NVRTC writes (DWARF standard version 2). A variable is
    known from behind its declaration on. Arrays and structures show their first 64 bytes. Lines of
    headers outside of the kernel's folder are left out.

    Examples
    --------
    >>> import lathe
    >>> kernel = lathe.kernel('''__global__ void halve(int* out, int n) {
    ...     int rounds = 0;
    ...     while (n > 1) {
    ...         n /= 2;
    ...         rounds += 1;
    ...     }
    ...     out[threadIdx.x] = rounds; }''')
    >>> out = lathe.zeros(4, "int32")
    >>> with lathe.trace_thread(kernel, thread=3) as trace:
    ...     kernel[1, 4](out, 5)
    >>> [step.changes for step in trace.at(4)]  # what the line does each time
    [{'n': 2}, {'n': 1}]
    """
    return ThreadTrace(kernel, triple(block, "block"), triple(thread, "thread"))


@dataclass(slots=True)
class Step:
    """A line that the thread runs.

    Attributes
    ----------
    function : str
        As the source spells it.
    file : str
    line : int
        From 1.
    depth : int
        Calls around it: 0 in the kernel itself.
    text : str
        The line itself, where its file is known.
    values : dict of str
        Variables before the line, by name: bool, int, float, ``numpy.float32``, the name of an
        enumerator, a pointer's address; lists for arrays and dicts for structures.
    changes : dict of str
        Those that are new or have another value after it, with what it calls.
    """

    function: str
    file: str
    line: int
    depth: int
    text: str
    values: dict[str, Any]
    changes: dict[str, Any]


class ThreadTrace(LaunchTrace[Step]):
    """What a thread did; empty until its launch. Its steps have room of 8 MiB."""

    _function = "lathe.trace_thread"

    def _follow(self) -> Any:
        return self.kernel.trace_next(self.block, self.thread)

    def _steps_of(self, records: Any, source: list[str]) -> list[Step]:
        return steps_of(records, source)

    def at(self, line: int, file: str | None = None) -> list[Step]:
        """The steps of a line, of a file (its name suffices) where several have one."""
        return [
            step
            for step in self.steps
            if step.line == line and (file is None or Path(step.file).name == Path(file).name)
        ]

    def __str__(self) -> str:
        where = f"{self._name}, block {self.block}, thread {self.thread}"
        if not self.steps:
            return f"{where}: no step (no launch had such a thread)"
        width = min(60, max(len(_code(step)) for step in self.steps))
        lines = [
            f"{step.line:5}  {_short(_code(step), width):{width}}  {_changes(step)}".rstrip()
            for step in self.steps
        ]
        if self.is_cut:
            lines.append("  ...  more steps than there was room for")
        return "\n".join([where, *lines])


_Record = tuple[str, str, int, int, dict[str, Any], dict[str, Any]]


def steps_of(records: list[_Record], source: list[str]) -> list[Step]:
    """Of the lines that ran, as the extension module has them, and the kernel's source."""
    texts = SourceTexts(records[0][1] if records else "", source)  # the kernel stands in its source
    return [
        Step(function, file, line, depth, texts.line(file, line), values, changes)
        for function, file, line, depth, values, changes in records
    ]


def _code(step: Step) -> str:
    return "  " * step.depth + step.text.strip()


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _changes(step: Step) -> str:
    return ", ".join(f"{name} = {_word(value)}" for name, value in step.changes.items())


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_word(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_word, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value >= 1 << 32:
        return hex(value)
    return str(value)
