# SPDX-License-Identifier: MIT
"""What explains the things of a view."""

from __future__ import annotations

from collections.abc import Sequence

from lathe._lathe import Studio
from lathe.draw_styles import ANNOTATION_INK, corners, number, rgba

__all__ = ["Annotating"]


class Annotating:
    """Titles, axes, colour bars, legends and scale bars of a view."""

    _view: Studio.View

    def title(
        self, text: str, *, size: float = 20.0, color: Sequence[float] = (0.93, 0.94, 0.96)
    ) -> None:
        """Writes a line into the middle of the view's top; see `text`."""
        self._view.title(str(text), number("size", size), rgba(color))

    def axes(
        self,
        labels: Sequence[str] = ("x", "y", "z"),
        *,
        bounds: tuple[Sequence[float], Sequence[float]] | None = None,
        grid: bool = True,
        size: float = 13.0,
        color: Sequence[float] = ANNOTATION_INK,
    ) -> None:
        """Draws axes with ticks at round numbers.

        In space they are a box around what is drawn, with a grid on its far sides; in the plane
        they lie at the view's left and lower side. Those of a picture count its elements.

        Parameters
        ----------
        labels : (str, str, str)
            With their units; two will do in the plane.
        bounds : ((x, y, z), (x, y, z)), optional
            Lowest and highest corner of the box in space. Unless given, the box goes around what is
            drawn, up to whole ticks, and the frame waits for the device to find that.
        grid : bool
        size : float
            Of the numbers, in pixels.
        color : sequence of 3 or 4 floats
        """
        names = [str(each) for each in labels]
        if len(names) not in (2, 3) or isinstance(labels, str):
            raise ValueError(f"labels are three words, got {labels!r}")
        box = None if bounds is None else corners(bounds)
        x, y, z = (*names, "")[:3]
        self._view.axes((x, y, z), box, bool(grid), number("size", size), rgba(color))

    def colorbar(
        self,
        thing: str,
        *,
        label: str = "",
        size: float = 13.0,
        color: Sequence[float] = ANNOTATION_INK,
    ) -> None:
        """Explains the colours of a thing's values, at the view's right side.

        Parameters
        ----------
        thing : str
            Name of a thing that is drawn in this step, too. One without values has no bar.
        label : str
        size : float
            Of the numbers, in pixels.
        color : sequence of 3 or 4 floats

        Notes
        -----
        Where the device finds the range (``range="auto"``), the frame waits for it.
        """
        self._view.colorbar(str(thing), str(label), number("size", size), rgba(color))

    def legend(self, *, size: float = 13.0, color: Sequence[float] = ANNOTATION_INK) -> None:
        """Lists the names of things with their colours, in the upper left corner."""
        self._view.legend(number("size", size), rgba(color))

    def scale_bar(
        self,
        unit: str = "",
        *,
        per_unit: float = 1.0,
        size: float = 13.0,
        color: Sequence[float] = ANNOTATION_INK,
    ) -> None:
        """Draws a round length, in the lower left corner.

        Parameters
        ----------
        unit : str
            "mm", for example.
        per_unit : float
            So many of them are one unit of the plane or of space, or an element of a picture.
        size : float
            Of the number, in pixels.
        color : sequence of 3 or 4 floats

        Notes
        -----
        In space it is right as far away as the camera's target.
        """
        if not number("per_unit", per_unit) > 0:
            raise ValueError(f"per_unit is above 0, got {per_unit!r}")
        self._view.scale_bar(str(unit), float(per_unit), number("size", size), rgba(color))
