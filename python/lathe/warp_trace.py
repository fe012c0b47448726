# SPDX-License-Identifier: MIT
"""One warp of a launch over time: which of its lanes run a line, and which memory they access."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lathe._lathe import Kernel
from lathe.launch_trace import Index, LaunchTrace, SourceTexts, triple

__all__ = ["WarpStep", "WarpTrace", "trace_warp"]


def trace_warp(kernel: Kernel, block: Index = 0, thread: Index = 0) -> WarpTrace:
    """Follows one warp of the next launch of `kernel` in a ``with`` block.

    Parameters
    ----------
    kernel : Kernel
        One whose source is known: of `lathe.kernel`, `App.kernel`, or a `SourceModule`.
    block : int or sequence of int
        The warp's block, x first: ``blockIdx``.
    thread : int or sequence of int
        One of the warp's threads: ``threadIdx``. In a row, 32 is in the second warp.

    Returns
    -------
    WarpTrace
        A context manager that gives itself. It has no steps until the launch.

    Raises
    ------
    lathe.Error
        Where the kernel's source is not known.
    lathe.CompileError

    Notes
    -----
    It works on a GPU and on the software device. The kernel is compiled once more, optimised as it
    runs, with code that writes down what the warp does. The launch itself is made with that code,
    and waits for the device. Launches after it are as usual.

    Lanes at one place of the code are one step. Of lanes at different places those go on that are
    at the first one, until they reach the others. So runs the software device; a GPU may take
    another order. The compiler moves and joins instructions: a line may come in pieces.

    Local memory, constants and textures are left out.

    Examples
    --------
    >>> import lathe
    >>> kernel = lathe.kernel('''__global__ void spread(float* x) {
    ...     x[8 * threadIdx.x] = 1; }''')
    >>> with lathe.trace_warp(kernel) as trace:
    ...     kernel[1, 32](lathe.zeros(256))
    >>> trace.accesses[0].sectors  # each lane writes a sector of its own
    32
    """
    return WarpTrace(kernel, triple(block, "block"), triple(thread, "thread"))


@dataclass(frozen=True, slots=True)
class WarpStep:
    """Lanes of the warp do something together.

    Attributes
    ----------
    event : str
        ``line`` (the code comes to a line), ``read``, ``write``, ``atomic`` or ``barrier``.
    function, file : str
    line : int
        From 1.
    text : str
        The line itself, where its file is known.
    mask : int
        Bit k says that lane k takes part.
    memory : str
        Of an access: ``global`` or ``shared``.
    bytes : int
        That each lane accesses.
    addresses : dict of int
        By lane. Those of shared memory count from the beginning of its window.
    sectors, ideal_sectors : int
        Of global memory: sectors of 32 bytes that are touched, and as many as the bytes would fill.
    turns : int
        Of shared memory: turns that its banks take.
    """

    event: str
    function: str
    file: str
    line: int
    text: str
    mask: int
    memory: str = ""
    bytes: int = 0
    addresses: dict[int, int] = field(default_factory=dict)
    sectors: int = 0
    ideal_sectors: int = 0
    turns: int = 0

    @property
    def lanes(self) -> list[int]:
        """Those that take part."""
        return [lane for lane in range(32) if self.mask >> lane & 1]

    def __str__(self) -> str:
        picture = "".join("█" if self.mask >> lane & 1 else "·" for lane in range(32))
        words = self.text.strip()
        if self.memory:
            cost = (
                f"{self.turns} turn{'s' * (self.turns != 1)}"
                if self.memory == "shared"
                else f"{self.sectors}/{self.ideal_sectors} sectors"
            )
            words = f"  {self.event}, {self.memory}, {self.bytes} bytes: {cost}"
        elif self.event == "barrier":
            words = "  barrier"
        return f"{self.line:5}  {picture}  {words}".rstrip()


class WarpTrace(LaunchTrace[WarpStep]):
    """What a warp did; empty until its launch. Of a lane 8192 steps are kept."""

    _function = "lathe.trace_warp"

    def _follow(self) -> Any:
        return self.kernel.trace_warp_next(self.block, self.thread)

    def _steps_of(self, records: Any, source: list[str]) -> list[WarpStep]:
        # The kernel stands in its source.
        texts = SourceTexts(records[0]["file"] if records else "", source)
        return [WarpStep(text=texts.line(row["file"], row["line"]), **row) for row in records]

    @property
    def accesses(self) -> list[WarpStep]:
        """Steps that read, write or update memory."""
        return [step for step in self.steps if step.memory]

    def at(self, line: int) -> list[WarpStep]:
        """The steps of a line."""
        return [step for step in self.steps if step.line == line]

    def __str__(self) -> str:
        where = f"{self._name}, block {self.block}, the warp of thread {self.thread}"
        if not self.steps:
            return f"{where}: no step (no launch had such a warp)"
        lines = [where, *map(str, self.steps)]
        if self.is_cut:
            lines.append("  ...  more steps than there was room for")
        return "\n".join(lines)
