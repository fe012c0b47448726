# SPDX-License-Identifier: MIT
"""The picture of a step: threads above, memory below, and lines from the ones to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lathe.learn.trace import Step, Trace

if TYPE_CHECKING:
    from lathe.draw import View

__all__ = ["Picture", "words_of"]

Cells = NDArray[np.float32]

_BLOCKS = np.array(
    [(88, 166, 232), (95, 196, 138), (226, 176, 78), (199, 125, 224), (240, 120, 110),
     (92, 200, 205)], np.float32,
)  # fmt: skip
_EMPTY = np.array((38, 43, 52), np.float32)
_NOBODY = np.array((74, 36, 42), np.float32)
_BAD = np.array((240, 82, 92), np.float32)
_DIM = (0.60, 0.64, 0.70)
_WARPS = 8
_ROWS = 34
_HEAD = 52.0  # pixels, for two lines of text


class Picture:
    """Draws the steps of a trace, one after the other."""

    def __init__(self, trace: Trace, lines: list[str]) -> None:
        self.trace = trace
        self.lines = lines
        launch = trace.launch
        block = launch.block if not isinstance(launch.block, int) else (launch.block,)
        grid = launch.grid if not isinstance(launch.grid, int) else (launch.grid,)
        self.threads = int(np.prod(block))
        self.blocks = int(np.prod(grid))
        self.steps = [s for s in trace.steps if s.name or s.site.what == "barrier"]
        shared = [s for s in self.steps if s.name == "shared"]
        self.shared_from = {
            b: min(int(s.cells[s.blocks == b].min()) for s in shared if (s.blocks == b).any())
            for b in {int(b) for s in shared for b in s.blocks}
        }
        self.sizes = {name: array.size for name, array in trace.arrays.items()}
        if shared:
            self.sizes["shared"] = 1 + max(int(self._cells(s).max()) for s in shared)

    def draw(self, view: View, number: int, aspect: float, pixels: float) -> None:
        """The step `number`, in a picture `pixels` high and `aspect` times as wide."""
        from lathe.camera import PlaneCamera

        top = 0.0
        step = self.steps[number] if self.steps else None
        self.gap = min(max((34 / aspect - 5.5 - self._rows()) / (1 + len(self.sizes)), 0.0), 3.0)
        top = self._threads(view, step, top)
        self.touched: list[tuple[Cells, NDArray[np.int64]]] = []
        for name, size in self.sizes.items():
            top = self._memory(view, name, size, number, top)
        self._lines(view, step)
        height = max((1.0 - top) / (1 - _HEAD / pixels), 34 / aspect)
        head = _HEAD * height / pixels
        view.camera = PlaneCamera(center=(15.5, head - height / 2), height=height)
        view.text(words_of(step, number, len(self.steps), self.lines), (-0.5, 0.8 * head),
                  size=13, anchor=(0, 0))  # fmt: skip

    # -- parts -------------------------------------------------------------------------------------

    def _threads(self, view: View, step: Step | None, top: float) -> float:
        """Rows of 32 threads; those at work in the colour of their block."""
        count = min(self.blocks * self.threads, 32 * _WARPS)
        number = np.arange(count)
        view.text(f"threads, {self.blocks} block{'s' * (self.blocks > 1)} of {self.threads}",
                  (-0.5, top - 0.9), size=12, color=_DIM, anchor=(0, 0.5))  # fmt: skip
        self.thread_places = _places(number, 32, top - 2.0)
        active = np.zeros(count, bool)
        if step is not None:
            at = step.blocks * self.threads + step.threads
            active[at[at < count]] = True
        tint = self._tints(number // self.threads, number % self.threads)
        _squares(view, self.thread_places, np.where(active[:, None], tint, 0.30 * tint + 8))
        rows = -(-count // 32)
        if rows <= 4:
            for i in range(0, count, 4):
                x, y = self.thread_places[i]
                view.text(str(i % self.threads), (float(x), float(y)), size=8,
                          color=(1, 1, 1) if active[i] else _DIM)  # fmt: skip
        more = self.blocks * self.threads - count
        if more > 0:
            view.text(f"and {more // 32} more warps", (31.5, top - 0.9), size=12, color=_DIM,
                      anchor=(1, 0.5))  # fmt: skip
        return top - 2.0 - rows - 0.6 - self.gap

    def _memory(self, view: View, name: str, size: int, number: int, top: float) -> float:
        """An array as rows of cells: written ones in the colour of who wrote them."""
        columns = 32 if name == "shared" else self.trace.launch.columns
        spare = 0 if name == "shared" else self.trace.launch.spare
        size = min(size, columns * _ROWS)
        first = top - (2.7 if name == "shared" else 2.0)  # banks have numbers below the title
        places = _places(np.arange(size), columns, first)
        tints = np.tile(_EMPTY, (size, 1))
        if spare:
            tints[size - spare :] = _NOBODY
        for step in self.steps[:number]:
            if step.name == name and step.site.what != "read":
                self._paint(tints, step, 0.45, size - spare)
        now = self.steps[number] if self.steps else None
        label = f"{name}: a column is a bank" if name == "shared" else name
        if now is not None and now.name == name:
            self._paint(tints, now, 1.0, size - spare)
            if name == "shared":
                self._banks(view, now, first)
            else:
                self._sectors(view, now, size, columns, first)
        view.text(label, (-0.5, top - 0.7), size=12, color=_DIM, anchor=(0, 0.5))
        _squares(view, places, tints)
        if now is not None and now.name == name:
            self.touched.append((places, self._cells(now)))
        return first - -(-size // columns) - 0.4 - self.gap

    def _paint(self, tints: Cells, step: Step, strength: float, end: int) -> None:
        cells = self._cells(step)
        there = cells < len(tints)
        tint = strength * self._tints(step.blocks, step.threads)
        tints[cells[there]] = tint[there]
        outside = cells[there & (cells >= end)]
        tints[outside] = max(strength, 0.8) * _BAD

    def _sectors(self, view: View, step: Step, size: int, columns: int, top: float) -> None:
        """A bar below the eight cells of each sector, bright where the first warp touches it."""
        if columns % 8:
            return
        bars = np.arange(-(-size // 8)) * 8
        touched = np.isin(bars // 8, np.unique(self._cells(step)[self._first_warp(step)] // 8))
        left = _places(bars, columns, top) + np.array((-0.42, -0.47))
        ends = np.stack([left, left + np.array((7.84, 0))], 1).reshape(-1, 2).astype(np.float32)
        tint = np.where(touched[:, None], (255, 255, 255, 255), (70, 78, 92, 255))
        view.lines(ends, colors=np.repeat(tint, 2, 0).astype(np.uint8), width=1.6, segments=True)

    def _banks(self, view: View, step: Step, top: float) -> None:
        """Above each bank, how many addresses the first warp wants of it."""
        cells = np.unique(self._cells(step)[self._first_warp(step)])
        turns = np.bincount(cells % 32, minlength=32)
        for bank in np.flatnonzero(turns):
            tint = (0.37, 0.77, 0.54) if turns[bank] == 1 else (0.94, 0.40, 0.43)
            view.text(str(turns[bank]), (float(bank), top + 0.72), size=9, color=tint)

    def _lines(self, view: View, step: Step | None) -> None:
        """From the threads of the first warp at work to what they touch."""
        if step is None or not self.touched:
            return
        places, cells = self.touched[0]
        at = step.blocks * self.threads + step.threads
        keep = self._first_warp(step) & (cells < len(places)) & (at < len(self.thread_places))
        ends = np.stack([self.thread_places[at[keep]], places[cells[keep]]], 1)
        if not len(ends):
            return
        tint = np.full((len(ends), 4), 190.0)
        tint[:, :3] = self._tints(step.blocks[keep], step.threads[keep])
        view.lines(ends.reshape(-1, 2).astype(np.float32), segments=True, width=1.2, opacity=0.75,
                   colors=np.repeat(tint, 2, 0).astype(np.uint8))  # fmt: skip

    def _rows(self) -> float:
        """Rows that threads and arrays take, with their titles."""
        rows = 2.6 + -(-min(self.blocks * self.threads, 32 * _WARPS) // 32)
        for name, size in self.sizes.items():
            columns = 32 if name == "shared" else self.trace.launch.columns
            rows += (3.1 if name == "shared" else 2.4) + min(-(-size // columns), _ROWS)
        return rows

    # -- numbers -----------------------------------------------------------------------------------

    def _cells(self, step: Step) -> NDArray[np.int64]:
        if step.name != "shared":
            return step.cells
        return step.cells - np.array([self.shared_from[int(b)] for b in step.blocks], np.int64)

    def _first_warp(self, step: Step) -> NDArray[np.bool_]:
        warps = step.blocks * 1024 + step.threads // 32
        return np.asarray(warps == warps.min())

    def _tints(self, blocks: NDArray[np.int64], threads: NDArray[np.int64]) -> Cells:
        """A colour for each block; of one block alone, for each warp."""
        which = blocks if self.blocks > 1 else threads // 32
        return _BLOCKS[which % len(_BLOCKS)]


def words_of(step: Step | None, number: int, count: int, lines: list[str]) -> str:
    """What happens in a step, in two lines of text."""
    if step is None:
        return "no thread touches memory"
    line = step.site.line
    source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    what = {"read": "read", "write": "write to", "atomic": "update"}.get(step.site.what)
    threads = len(step.threads)
    if what is None:
        happens = f"all {threads} threads have come to the barrier"
    else:
        happens = f"{threads} thread{'s' * (threads > 1)} {what} {step.name}"
    return f"step {number + 1} of {count}: {happens}\nline {line}: {source[:52]}"


def _places(cells: NDArray[np.int64], columns: int, top: float) -> Cells:
    return np.stack([cells % columns, top - cells // columns], 1).astype(np.float32)


def _squares(view: View, places: Cells, tints: Cells) -> None:
    colors = np.full((len(places), 4), 255, np.uint8)
    colors[:, :3] = np.clip(tints, 0, 255)
    view.points(places, colors=colors, size=0.84, world_size=True, round=False)
