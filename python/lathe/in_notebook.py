# SPDX-License-Identifier: MIT
"""An App that is a cell of a notebook: it runs between the cells, and a cell that is executed again
finds it."""

from __future__ import annotations

import base64
import re
import sys
import time
import traceback
import weakref
from typing import TYPE_CHECKING, Any, Self

from lathe._lathe import Broadcast
from lathe.loop import Loop
from lathe.native import native

if TYPE_CHECKING:
    import asyncio

    from lathe.broadcast.notebook import Cell

__all__ = ["InNotebook", "is_notebook"]

_GLOBAL = re.compile(r"__global__[^;{(]*?(\w+)\s*\(")
_MOST_LINES = 20  # at a time
_IDLE_TURNS = 5  # of the event loop, without a message
_MOST_TAKING = 0.02  # seconds between two frames
_apps: dict[str, weakref.ref[InNotebook]] = {}


def is_notebook() -> bool:
    """Whether this process runs the cells of a notebook, in an event loop that goes on between."""
    return getattr(_shell(), "kernel", None) is not None


def _shell() -> Any:
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _living() -> list[InNotebook]:
    return [app for known in _apps.values() if (app := known()) is not None]


def _note_cell(*_: Any) -> None:
    """A cell begins, or has ended."""
    for app in _living():
        app._studio.begin_part()


class InNotebook(Loop):
    """A `Loop` that may be a cell of a notebook."""

    _cell: Cell | None = None
    _seen_lines = 0
    _running: asyncio.Task[None] | None = None

    @classmethod
    def _known_in_notebook(cls, title: str) -> Self | None:
        known = _apps.get(title)
        app = None if known is None else known()
        if not isinstance(app, cls) or app._steps.is_over:
            return None
        app.__dict__["_reloading"] = True
        return app

    def _open_cell(self, width: int, height: int) -> Broadcast | None:
        if not is_notebook():
            return None
        try:
            from lathe.broadcast.notebook import Cell
        except ModuleNotFoundError as error:
            print(
                f"lathe: a notebook shows stills; for live cells: pip install {error.name}",
                file=sys.stderr,
            )
            return None
        broadcast: Broadcast = native.Broadcast()
        self._cell = Cell(broadcast, (width, height))
        return broadcast

    def _note_in_notebook(self, title: str) -> None:
        if self._cell is None:
            return
        self._studio.console.keep_from_terminal()  # which would stand below another cell
        if not _apps:
            for event in ("pre_run_cell", "post_run_cell"):
                _shell().events.register(event, _note_cell)
        _apps[title] = weakref.ref(self)

    def _name_in_notebook(self, text: str, entry: str) -> str:
        """Of a kernel's source: that of its function, by which another cell replaces it."""
        if self._cell is None or (first := _GLOBAL.search(text)) is None:
            return ""
        return f"{entry or first[1]}.cu"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """What a notebook shows: the live cell, or the last picture."""
        if self._cell is not None:
            self._go_on()
            return self._cell.bundle()
        if not self._studio.headless or self._steps.frames == 0:
            return None
        png: bytes = native.png_of(self._studio.screenshot(self._studio.has_ui))
        return {"text/plain": repr(self), "image/png": base64.b64encode(png).decode()}

    def _go_on(self) -> None:
        """Frames come between the cells from now on."""
        import asyncio

        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().create_task(self._run_between_cells())

    async def _run_between_cells(self) -> None:
        try:
            await self.run_async()
        except Exception:  # nobody awaits this
            traceback.print_exc()

    def _turn(self) -> str:
        """Without a frame function a cell has no steps, and rests."""
        self._steps.simulates = self._cell is None or "frame" in self._functions
        try:
            return super()._turn()
        finally:
            self._steps.simulates = True

    async def _let_others_run(self) -> None:
        """Until all that pages have sent is taken: a turn of the loop has few of its messages."""
        import asyncio

        await super()._let_others_run()
        if self._cell is None:
            return
        idle, end = 0, time.monotonic() + _MOST_TAKING
        while idle < _IDLE_TURNS and time.monotonic() < end:
            taken = self._cell.messages
            await asyncio.sleep(0)
            idle = idle + 1 if self._cell.messages == taken else 0

    def _before_frame(self) -> None:
        if self._cell is not None:
            self._print_lines()
        super()._before_frame()

    def _print_lines(self) -> None:
        """New lines of the console, below the cell. The log prints its own."""
        console = self._studio.console
        if (count := console.written - self._seen_lines) == 0:
            return
        self._seen_lines = console.written
        for source, level, text in console.lines[-min(count, _MOST_LINES) :]:
            if source != "log":
                print(text, file=sys.stderr if level == "error" else sys.stdout)
