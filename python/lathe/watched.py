# SPDX-License-Identifier: MIT
"""A line of an App's kernel that is watched while the program runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import Kernel
from lathe.line_values import Place, question_of, thread_at

if TYPE_CHECKING:
    from lathe._lathe import Studio

__all__ = ["Watched", "WatchedLine"]


@dataclass(slots=True)
class WatchedLine:
    """What is known of a watched line by now.

    Attributes
    ----------
    kernel : str
        Whose launches are looked at; empty until that is known.
    line : int
        From 1, of the kernel's present text: it moves with its text.
    problem : str
        Of the line or of an expression; empty where there is none.
    is_ready : bool
        The code for it is compiled, or a problem is known.
    known : dict of str
        Variables that have a value after the line, with their types.
    launches : int
        That were looked at, this App's lines before this one included.
    values : ndarray of float64
        The expression for each thread of the last of them, with the axes z, y, x without leading
        ones of size 1; NaN where a thread has no value. Empty before the first launch.
    visits : ndarray of uint32
        How often each thread came to the line.
    marked : ndarray of bool
        Which threads meet the condition.
    block : tuple of int
        blockDim of that launch, x first.
    """

    kernel: str
    line: int
    problem: str
    is_ready: bool
    known: dict[str, str]
    launches: int
    values: NDArray[np.float64]
    visits: NDArray[np.uint32]
    marked: NDArray[np.bool_]
    block: tuple[int, int, int]

    def thread_at(self, *index: int) -> tuple[Place, Place]:
        """``blockIdx`` and ``threadIdx`` of an element, for `lathe.trace_thread`: x first."""
        return thread_at(index, self.block)


class Watched:
    """The line that an App watches."""

    _studio: Studio

    def watch_line(
        self,
        kernel: Kernel,
        line: int,
        show: str = "",
        mark: str = "",
        pause: bool = False,
        visit: int | None = None,
    ) -> None:
        """Watches a line of a live kernel from now on, for all threads of its launches.

        Parameters
        ----------
        kernel : Kernel
            Of this App's `kernel`.
        line : int
            From 1, of the kernel's text; in the kernel, or in a function that it calls.
        show : str
            An expression in CUDA C++ of variables after the line, which are numbers: ``"u"``,
            ``"u * u + v * v"``. Without it, how often a thread comes to the line.
        mark : str
            A condition of the same kind: ``"isnan(u)"``.
        pause : bool
            Pause the program at the first launch in which a thread meets the condition.
        visit : int, optional
            Of a line that a thread comes to several times, the values of this time, from 1.
            Without it the last ones.

        Raises
        ------
        ValueError
            For a kernel of no App, and for a line or a visit below 1.

        Notes
        -----
        The code for it is compiled beside the frames. Launches that are looked at are made with
        code that is not optimised, and wait for the device; with `pause` all of them are, else as
        many as take half of the time. `watched_line` has the result, as the studio's panel *Values*
        does. `lathe.values_at` looks at one launch of the script's choice.
        """
        visit = question_of(kernel, line, visit)
        if kernel.slot is None:
            raise ValueError(
                "app.watch_line takes a kernel of app.kernel(); lathe.values_at, others"
            )
        self._studio.watch_line(kernel.slot, kernel.name, line, show, mark, pause, visit)

    def unwatch_line(self) -> None:
        """Watches no line any more."""
        self._studio.watch_no_line()

    @property
    def watched_line(self) -> WatchedLine | None:
        """What is known of the line by now; None where none is watched."""
        found = self._studio.watched_line()
        return None if found is None else _watched(found)


def _watched(found: dict[str, Any]) -> WatchedLine:
    threads = found.pop("threads", (0, 0, 0))
    shape = threads[next((k for k in range(2) if threads[k] > 1), 2) :]
    marked = np.zeros(shape, bool)
    marked.flat[np.frombuffer(found.pop("marked", b""), "uint64")] = True
    return WatchedLine(
        values=np.frombuffer(found.pop("shown", b""), "float64").reshape(shape),
        visits=np.frombuffer(found.pop("visits", b""), "uint32").reshape(shape),
        marked=marked,
        block=found.pop("block", (0, 0, 0)),
        **found,
    )
