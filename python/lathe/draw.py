# SPDX-License-Identifier: MIT
"""What a step draws, kept as a list: drawn when CUDA has handed the arrays back to GL, and drawn
again in frames without a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lathe._lathe import Array, Studio

__all__ = ["DrawList"]


class DrawList:
    """Drawing calls of an App; each is checked at once and drawn at the end of the frame."""

    def __init__(self, studio: Studio) -> None:
        self.__studio = studio
        self.__items: list[Callable[[], None]] = []

    def clear(self) -> None:
        """Forgets what was drawn; each step begins with it."""
        self.__items.clear()

    def replay(self) -> None:
        """Draws the list; called by the loop."""
        for item in self.__items:
            item()

    def image(
        self,
        array: Array,
        *,
        colormap: str = "viridis",
        range: tuple[float, float] | None = None,
        gamma: float = 1.0,
        smooth: bool = False,
        y_up: bool = False,
        opacity: float = 1.0,
    ) -> None:
        """Draws an array as a picture, as large as fits; no copy is made.

        Parameters
        ----------
        array : (height, width) or (height, width, 1 to 4)
            float32, bool or integers of up to 4 bytes. One channel goes through the colormap, three
            are red, green, blue, a fourth is opacity.
        colormap : str
            One of `lathe.colormap_names()`.
        range : (float, float)
            Values of the colormap's first and last colour, or of black and full colour;
            (0, 255) for uint8, (0, 1) for others unless given.
        gamma : float
            The value in the range becomes value**(1 / gamma).
        smooth : bool
            Interpolate between elements; sharp squares otherwise.
        y_up : bool
            Row 0 at the bottom.
        opacity : float
            Over what is drawn already.

        Raises
        ------
        ValueError
            For a shape that is no picture.
        """
        shape = array.shape
        if len(shape) not in (2, 3) or array.size == 0 or (len(shape) == 3 and shape[2] > 4):
            raise ValueError(
                f"a picture is (height, width) or (height, width, 1 to 4), got {array}"
            )
        low, high = range or ((0.0, 255.0) if array.dtype == np.uint8 else (0.0, 1.0))
        self.__items.append(
            lambda: self.__studio.draw_image(
                array, colormap, low, high, gamma, smooth, y_up, opacity
            )
        )

    def points(
        self,
        positions: Array,
        *,
        values: Array | None = None,
        colors: Array | None = None,
        size: float = 3.0,
        world_size: bool = False,
        color: Sequence[float] = (0.95, 0.80, 0.55, 1.0),
        opacity: float = 1.0,
        blend: str = "alpha",
        colormap: str = "viridis",
        range: tuple[float, float] = (0.0, 1.0),
        round: bool = True,
    ) -> None:
        """Draws points straight from an array.

        Parameters
        ----------
        positions : (n, 2 to 4) float32
            Two components lie in the plane of the pan-zoom camera, three in the space of the orbit
            camera; a fourth is not looked at.
        values : (n,) float32, optional
            Through the colormap, `range` giving its ends.
        colors : (n, 4) uint8 or float32, optional
            Wins over `values`.
        size : float
            Diameter in pixels, or in world units with `world_size`.
        color : sequence of 3 or 4 floats
            Where neither values nor colours are given.
        opacity : float
        blend : str
            ``"opaque"``, ``"alpha"``, or ``"additive"``: light adds up.
        colormap : str
        range : (float, float)
        round : bool
            Soft discs; squares, the fastest, otherwise.
        """
        _check_positions(positions)
        rgba = _rgba(color)
        self.__items.append(
            lambda: self.__studio.draw_points(
                positions, values, colors, size, world_size, rgba, opacity, blend, colormap,
                range[0], range[1], round,
            )
        )  # fmt: skip

    def lines(
        self,
        positions: Array,
        *,
        color: Sequence[float] = (0.6, 0.65, 0.7, 1.0),
        fade: float = 0.0,
        segments: bool = False,
        closed: bool = False,
    ) -> None:
        """Draws a polyline, one pixel wide.

        Parameters
        ----------
        positions : (n, 2 to 4) float32
        color : sequence of 3 or 4 floats
        fade : float
            How much of its opacity the first point has lost, 0 to 1.
        segments : bool
            Points 0-1, 2-3, ... instead of one line.
        closed : bool
            The last point joins the first.
        """
        _check_positions(positions)
        rgba = _rgba(color)
        self.__items.append(
            lambda: self.__studio.draw_lines(positions, rgba, fade, segments, closed)
        )


def _check_positions(positions: Array) -> None:
    shape = positions.shape
    if len(shape) != 2 or not 2 <= shape[1] <= 4 or positions.dtype != np.float32:
        raise ValueError(f"positions are (n, 2 to 4) float32, got {positions}")


def _rgba(color: Sequence[float]) -> tuple[float, float, float, float]:
    if len(color) not in (3, 4):
        raise ValueError(f"a colour is red, green, blue and perhaps alpha, got {tuple(color)}")
    r, g, b = (float(c) for c in color[:3])
    return r, g, b, float(color[3]) if len(color) == 4 else 1.0
