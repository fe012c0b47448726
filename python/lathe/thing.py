# SPDX-License-Identifier: MIT
"""What a view shows, by name."""

from __future__ import annotations

from collections.abc import Sequence

from lathe._lathe import Studio
from lathe.draw_styles import check_colormap, number, rgba

__all__ = ["Thing"]


class Thing:
    """A thing of a view: how it is shown, from the next frame on, whatever its call says.

    A setting of None is as the call says. What a kind of thing does not have is not looked at.
    """

    def __init__(self, view: Studio.View, name: str, kind: str, count: int) -> None:
        self._view = view
        self._name, self._kind, self._count = name, kind, count

    @property
    def _settings(self) -> Studio.ThingSettings:
        return self._view.settings(self._name)

    @property
    def name(self) -> str:
        """As given to the call, or the kind with its number: ``"points"``, ``"points 2"``."""
        return self._name

    @property
    def kind(self) -> str:
        """The call that draws it: ``"points"``, ``"image"``, ``"lines"`` and so on."""
        return self._kind

    @property
    def count(self) -> int:
        """Points, elements or triangles, when this object was asked for."""
        return self._count

    def count_not_finite(self) -> tuple[int, int]:
        """How many of its numbers are NaN, and how many infinite.

        Of the values that go through the colormap, or of the elements of a picture or a volume, as
        they are now; an element with a NaN in one of its channels counts as NaN. What is NaN is
        magenta, what is infinite cyan. In volumes NaN is not seen, and what is infinite has the
        colour of the range's end. Waits for the device.
        """
        return self._view.not_finite(self._name)

    @property
    def shown(self) -> bool:
        """False hides it."""
        return self._settings.shown

    @shown.setter
    def shown(self, shown: bool) -> None:
        self._settings.shown = bool(shown)

    @property
    def clipped(self) -> bool:
        """False: the view's clip planes (`View.clip`) leave it whole."""
        return self._settings.clipped

    @clipped.setter
    def clipped(self, clipped: bool) -> None:
        self._settings.clipped = bool(clipped)

    @property
    def opacity(self) -> float | None:
        """0 to 1."""
        return self._settings.opacity

    @opacity.setter
    def opacity(self, opacity: float | None) -> None:
        self._settings.opacity = None if opacity is None else number("opacity", opacity)

    @property
    def size(self) -> float | None:
        """Diameter of points, radius of spheres and tubes, width of lines, size of letters.

        Scale of arrows and instances.
        """
        return self._settings.size

    @size.setter
    def size(self, size: float | None) -> None:
        self._settings.size = None if size is None else number("size", size)

    @property
    def color(self) -> tuple[float, float, float, float] | None:
        """Red, green, blue and perhaps alpha; instead of values and colours, too."""
        return self._settings.color

    @color.setter
    def color(self, color: Sequence[float] | None) -> None:
        self._settings.color = None if color is None else rgba(color)

    @property
    def colormap(self) -> str | None:
        """One of `lathe.colormap_names()`."""
        return self._settings.colormap

    @colormap.setter
    def colormap(self, name: str | None) -> None:
        if name is not None:
            check_colormap(name)
        self._settings.colormap = name

    @property
    def range(self) -> tuple[float, float] | None:
        """Values of the colormap's first and last colour."""
        return self._settings.range

    @range.setter
    def range(self, ends: tuple[float, float] | None) -> None:
        if ends is not None:
            low, high = ends
            ends = (number("range", low), number("range", high))
        self._settings.range = ends

    def __repr__(self) -> str:
        return f"<lathe.Thing {self._name!r}: {self._kind}, {self._count}>"
