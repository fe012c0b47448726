# SPDX-License-Identifier: MIT
"""One thread of a launch, line by line: which lines it runs, and what they do to its variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lathe._lathe import Kernel
from lathe.launch_trace import Index, LaunchTrace, Place, SourceTexts, triple

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
    known from behind its declaration on. Arrays and structures show their first 64 bytes; those in
    shared memory show all. Shared memory is looked at again after stores, atomics, calls, fences
    and barriers of the thread: what another warp writes without one may be missed. Lines of
    headers outside of the kernel's folder are left out.

    The other lanes of the thread's warp are followed, too: `ThreadTrace.lane`.

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
        enumerator, a pointer's address; lists for arrays and dicts for structures. Arrays in shared
        memory are of NumPy, read-only.
    changes : dict of str
        Those that are new or have another value after it, with what it calls.
    reads, writes : dict of str
        Elements of variables in shared memory that the line itself reads and writes, by name: their
        indices, of an array with several dimensions as tuples.
    number : int
        Its place in the trace.
    lane : int
        Of the warp. -1 where the step is none of a `ThreadTrace`.
    """

    function: str
    file: str
    line: int
    depth: int
    text: str
    values: dict[str, Any]
    changes: dict[str, Any]
    reads: dict[str, list[Any]] = field(default_factory=dict)
    writes: dict[str, list[Any]] = field(default_factory=dict)
    number: int = 0
    lane: int = -1

    @property
    def after(self) -> dict[str, Any]:
        """Variables after the line."""
        return self.values | self.changes


class ThreadTrace(LaunchTrace[Step]):
    """What a thread did; empty until its launch. Its steps have room of 8 MiB."""

    _function = "lathe.trace_thread"

    def __init__(self, kernel: Kernel, block: Place, thread: Place) -> None:
        super().__init__(kernel, block, thread)
        self._traced: Any = None
        self._texts = SourceTexts("", [])
        self.marks: dict[int, str] = {}
        """Lines at which `run` stops, with a condition or ''."""

    def _follow(self) -> Any:
        return self.kernel.trace_next(self.block, self.thread)

    def _steps_of(self, records: Any, source: list[str]) -> list[Step]:
        self._traced = self._tracer
        self._texts = SourceTexts(records[0]["file"] if records else "", source)
        lane = self.threads.index(self.thread) if records else -1
        return [self._step(row, number, lane) for number, row in enumerate(records)]

    def _step(self, row: dict[str, Any], number: int, lane: int) -> Step:
        return Step(
            text=self._texts.line(row["file"], row["line"]), number=number, lane=lane, **row
        )

    # -- lines and conditions --------------------------------------------------------------------

    def at(self, line: int, file: str | None = None) -> list[Step]:
        """The steps of a line, of a file (its name suffices) where several have one."""
        return [
            step
            for step in self.steps
            if step.line == line and (file is None or Path(step.file).name == Path(file).name)
        ]

    def find(self, condition: str, line: int | None = None, file: str | None = None) -> list[Step]:
        """The steps after which a condition is true.

        Parameters
        ----------
        condition : str
            In CUDA C++, of variables after the line: ``"isnan(u)"``, ``"k > 3 && tile[k] != 0"``.
            Empty: true at each step.
        line : int, optional
            Only steps of this line.
        file : str, optional
            Where the line is of a header: its name.

        Raises
        ------
        lathe.Error
            For a condition that is not understood, and for a name that no step knows.

        Notes
        -----
        A condition has the operators of C++ but assignments and casts, members, elements,
        enumerators, and abs, fabs, floor, ceil, sqrt, min, max, isnan, isinf and isfinite, all of
        which may end in f. Whole numbers have 64 bits and a sign. Where it asks for a variable that
        a step does not know, it is not true there.
        """
        if line is not None and line < 1:
            raise ValueError(f"line is {line}: lines count from 1")
        if self._traced is None:
            return []
        return [self.steps[k] for k in self._traced.find(condition, line or 0, file or "")]

    # -- from step to step -----------------------------------------------------------------------

    def mark(self, line: int, condition: str = "") -> None:
        """Lets `run` stop at a line of the kernel's file, if the condition is true after it."""
        if line < 1:
            raise ValueError(f"line is {line}: lines count from 1")
        self.marks[line] = condition

    def unmark(self, line: int) -> None:
        """Takes the mark of a line away."""
        self.marks.pop(line, None)

    def run(self, step: Step | None = None, back: bool = False) -> Step | None:
        """The next step at a mark behind this one; None where there is no more.

        Parameters
        ----------
        step : Step, optional
            Without it the search begins outside of the trace.
        back : bool
            Search towards the begin of the trace.
        """
        file = self.steps[0].file if self.steps else ""
        stops = {
            found.number
            for line, condition in self.marks.items()
            for found in self.find(condition, line, file)
        }
        if back:
            before = [k for k in stops if step is None or k < step.number]
            return self.steps[max(before)] if before else None
        behind = [k for k in stops if step is None or k > step.number]
        return self.steps[min(behind)] if behind else None

    def over(self, step: Step, back: bool = False) -> Step | None:
        """The next step that is not in a function which the line calls; None at the end.

        With `back` the step before it that is not.
        """
        rest = reversed(self.steps[: step.number]) if back else self.steps[step.number + 1 :]
        return next((other for other in rest if other.depth <= step.depth), None)

    # -- the other lanes -------------------------------------------------------------------------

    @property
    def threads(self) -> list[Place]:
        """``threadIdx`` of the lanes of the thread's warp; empty before the launch."""
        return [] if self._traced is None else list(self._traced.threads)

    def lanes(self, step: Step) -> list[int]:
        """The lanes that are at the step's line together with the thread.

        Of lanes at different places those go on that are at the first one in the code, until they
        reach the others. So runs the software device; a GPU may take another order.
        """
        mask = 0 if self._traced is None else self._traced.active(step.number)
        return [lane for lane in range(32) if mask >> lane & 1]

    def lane(self, lane: int, step: Step) -> Step | None:
        """What another lane does at a step of the thread; None where it is not at the line.

        Variables in shared memory are as the thread itself finds them.
        """
        if not 0 <= lane < 32:
            raise ValueError(f"lane is {lane}: a warp has lanes 0 to 31")
        row = None if self._traced is None else self._traced.lane(lane, step.number)
        return None if row is None else self._step(row, step.number, lane)

    def across(self, name: str, step: Step) -> np.ma.MaskedArray[Any, Any]:
        """A variable after the line in all lanes of the warp; masked where a lane is not there."""
        found = [self.lane(lane, step) for lane in range(32)]
        values = [None if one is None else one.after.get(name) for one in found]
        known = next((value for value in values if value is not None), None)
        if known is None:
            raise KeyError(f"{name!r} has no value after line {step.line}")
        is_number = isinstance(known, bool | int | float | np.number)
        dtype: Any = np.asarray(known).dtype if is_number else object
        filled = np.empty(32, dtype)
        for lane, value in enumerate(values):
            filled[lane] = known if value is None else value
        return np.ma.MaskedArray(filled, mask=[value is None for value in values])

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


def steps_of(records: list[dict[str, Any]], source: list[str]) -> list[Step]:
    """Of the lines that ran, as the extension module has them, and the kernel's source."""
    # The kernel stands in its source.
    texts = SourceTexts(records[0]["file"] if records else "", source)
    return [
        Step(text=texts.line(row["file"], row["line"]), number=number, **row)
        for number, row in enumerate(records)
    ]


def _code(step: Step) -> str:
    return "  " * step.depth + step.text.strip()


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


_MOST_ELEMENTS = 3
"""Of an array in shared memory that a line of text shows."""


def _changes(step: Step) -> str:
    words: list[str] = []
    for name, value in step.changes.items():
        before = step.values.get(name)
        if isinstance(value, np.ndarray) and isinstance(before, np.ndarray):
            words += _elements(name, before, value, step.writes.get(name, []))
        else:
            words.append(f"{name} = {_word(value)}")
    return ", ".join(words)


def _elements(
    name: str, before: np.ndarray[Any, Any], after: np.ndarray[Any, Any], own: list[Any]
) -> list[str]:
    """Those that differ, first what the line writes itself."""
    if before.shape != after.shape:
        return [f"{name} = {_word(after)}"]
    old, new = (
        np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize)
        for array in (before, after)
    )
    numbers = np.flatnonzero((old != new).any(axis=1))
    differ = [tuple(map(int, np.unravel_index(k, after.shape))) for k in numbers]
    first = [i if isinstance(i, tuple) else (i,) for i in own]
    differ.sort(key=lambda index: index not in first)
    words = [
        f"{name}{''.join(f'[{k}]' for k in index)} = {_word(after[index])}"
        for index in differ[:_MOST_ELEMENTS]
    ]
    if len(differ) > _MOST_ELEMENTS:
        words.append(f"{len(differ) - _MOST_ELEMENTS} more of {name}")
    return words


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_word(each)}" for key, each in value.items()) + "}"
    if isinstance(value, np.ndarray):
        flat = value.reshape(-1)
        some = [_word(each) for each in flat[:_MOST_ELEMENTS]]
        return "[" + ", ".join(some + ["…"] * (flat.size > _MOST_ELEMENTS)) + "]"
    if isinstance(value, list):
        return "[" + ", ".join(map(_word, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value >= 1 << 32:
        return hex(value)
    return str(value)
