# SPDX-License-Identifier: MIT
"""Apps in cells of notebooks, by anywidget.

Its widgets need no extension of JupyterLab, the classic notebook, VS Code or Colab.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from lathe.broadcast.readable import readable
from lathe.native import native

if TYPE_CHECKING:
    from lathe._lathe import Broadcast, Viewer

__all__ = ["Cell"]


def _script() -> str:
    here = Path(__file__).parent
    return (here / "viewer.js").read_text() + (here / "notebook.js").read_text()


class Cell(anywidget.AnyWidget):
    """Shows a `Broadcast` in the output of a cell.

    Parameters
    ----------
    broadcast : Broadcast
    size : (int, int)
        Width and height in units of the page.
    """

    _esm = _script()
    size = traitlets.Tuple(traitlets.Int(), traitlets.Int()).tag(sync=True)

    def __init__(self, broadcast: Broadcast, size: tuple[int, int]) -> None:
        super().__init__(size=size)
        self._broadcast = broadcast
        self._viewer: Viewer | None = None
        self._sending: asyncio.Task[None] | None = None
        self.messages = 0  # that came from pages
        self.on_msg(self._receive)

    def _receive(self, _: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        self.messages += 1
        if content.get("begin"):
            self._begin()
        text = content.get("text")
        if self._viewer is not None:
            try:
                if isinstance(text, str):
                    self._viewer.receive(text)
                elif content.get("bytes"):
                    self._viewer.receive_bytes(b"".join(map(bytes, buffers)))
            except native.Error as error:
                print(f"lathe: {error}", file=sys.stderr)

    def _begin(self) -> None:
        """A page shows the cell: for the first time, or once more."""
        self.end()
        self._viewer = self._broadcast.connect()
        self._sending = asyncio.get_running_loop().create_task(self._send_all(self._viewer))

    def end(self) -> None:
        """The pages get no frames any more."""
        if self._viewer is not None:
            self._viewer.leave()
        if self._sending is not None:
            self._sending.cancel()
        self._viewer = self._sending = None

    async def _send_all(self, viewer: Viewer) -> None:
        while True:
            await readable(viewer.signal)
            for packet in viewer.take():
                if isinstance(packet, str):
                    self.send({"text": packet})
                else:
                    self.send({"frame": True}, buffers=[packet])

    def bundle(self) -> Any:
        """What the output of a cell holds: the widget, and a still where no kernel runs."""
        data, *rest = as_pair(self._repr_mimebundle_())
        with contextlib.suppress(native.Error):
            still = self._broadcast.still(0.0)
            if still is not None:
                data["image/png"] = base64.b64encode(still).decode()
        return (data, *rest) if rest else data


def as_pair(bundle: Any) -> tuple[Any, ...]:
    """Data and metadata of a bundle, or the data alone."""
    return bundle if isinstance(bundle, tuple) else (bundle,)
