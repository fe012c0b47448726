# SPDX-License-Identifier: MIT
"""A further window of an App."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import Input, Studio
from lathe.array.gpu_array import GPUArray
from lathe.draw import Drawing, View
from lathe.picking import Picked, picked_from
from lathe.tiles import Tiled

__all__ = ["SideWindow"]


class SideWindow(Drawing, Tiled):
    """A window beside that of an App: `App.open_window` makes it.

    It draws in the App's frames, and closing it does not end the App. Once it is closed, what is
    drawn in it is shown nowhere.
    """

    def __init__(self, studio: Studio, window: Studio.SideWindow) -> None:
        super().__init__(studio, window.views[0])
        self._studio = studio
        self._tiles = self._window = window
        self._views = [View(studio, window.views[0])]

    @property
    def window_title(self) -> str:
        """By which `App.open_window` finds it again."""
        return self._window.title

    @property
    def is_open(self) -> bool:
        """False from the frame on that finds it closed, by the user or by `close`."""
        return self._window.is_open

    def close(self) -> None:
        """Closes it, at the begin of the next frame."""
        self._window.close()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its picture in pixels."""
        width, height = self._window.size
        return width, height

    @property
    def input(self) -> Input:
        """Keys and mouse of this frame, in this window."""
        return self._window.input

    @property
    def picked(self) -> Picked | None:
        """The thing under the mouse, as it was drawn last, or None; see `View.pick`."""
        return picked_from(self._window.picked)

    @property
    def selected(self) -> dict[str, GPUArray]:
        """What lay in the rectangle that was drawn last with the mouse: see `View.select`."""
        return dict(self._window.selected)

    def screenshot(self) -> NDArray[np.uint8]:
        """The picture as it is now.

        Within a frame, the frame is shown; its other steps come in the next one.

        Returns
        -------
        (height, width, 3) uint8
            Top row first. Waits for GL.

        Raises
        ------
        lathe.Error
            Where it is closed.
        """
        self._studio.steps.show_now()
        return self._window.screenshot()
