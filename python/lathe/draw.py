# SPDX-License-Identifier: MIT
"""What a step draws, kept as a list: drawn when CUDA has handed the arrays back to GL, and drawn
again in frames without a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lathe._lathe import Array, Studio, Texture
from lathe.native import native

__all__ = ["DrawList"]

BLENDS = ("opaque", "alpha", "additive")
PICTURE_DTYPES = (
    "float16", "float32", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32"
)  # fmt: skip


class DrawList:
    """Drawing calls of an App; each is checked at once and drawn at the end of the frame."""

    def __init__(self, studio: Studio) -> None:
        self.__studio = studio
        self.__shown: list[Callable[[], None]] = []
        self.__begun: list[Callable[[], None]] | None = None

    def clear(self) -> None:
        """Forgets what was drawn."""
        self.__shown, self.__begun = [], None

    def begin_drawing(self) -> None:
        """A step begins: what it draws takes the place of the last drawing once it ends well."""
        self.end_drawing()
        self.__begun = []

    def end_drawing(self) -> None:
        """The step ended."""
        if self.__begun is not None:
            self.__shown, self.__begun = self.__begun, None

    def drop_drawing(self) -> None:
        """The step failed: the drawing before it stays."""
        self.__begun = None

    def replay(self) -> None:
        """Draws the list; called by the loop."""
        for item in self.__shown:
            item()

    def __add(self, item: Callable[[], None]) -> None:
        (self.__shown if self.__begun is None else self.__begun).append(item)

    def image(
        self,
        array: Array | Texture,
        *,
        colormap: str = "viridis",
        range: tuple[float, float] | None = None,
        gamma: float = 1.0,
        smooth: bool = False,
        y_up: bool = False,
        opacity: float = 1.0,
    ) -> None:
        """Draws an array or a texture as a picture, as large as fits; no copy is made.

        Parameters
        ----------
        array : (height, width) or (height, width, 1 to 4)
            float32, bool or integers of up to 4 bytes. One channel goes through the colormap, three
            are red, green, blue; a fourth is not looked at.
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
        TypeError, ValueError
            At once, for what is no picture, no colormap, or not an array of this App.
        """
        self.__check(array, "a picture", (Array, Texture))
        shape = array.shape
        if len(shape) not in (2, 3) or array.size == 0 or (len(shape) == 3 and shape[2] > 4):
            raise ValueError(
                f"a picture is (height, width) or (height, width, 1 to 4), got {array}"
            )
        if array.dtype.name not in PICTURE_DTYPES:
            raise ValueError(
                f"a picture of {array.dtype} cannot be shown: float16, float32, bool and integers "
                f"of up to 4 bytes can, got {array}"
            )
        _check_choice("colormap", colormap, native.colormap_names())
        unless_given = (0.0, 255.0) if array.dtype == np.uint8 else (0.0, 1.0)
        low, high = _two_numbers("range", unless_given if range is None else range)
        gamma, opacity = _number("gamma", gamma), _number("opacity", opacity)
        self.__add(
            lambda: self.__studio.draw_image(
                array, colormap, low, high, gamma, bool(smooth), bool(y_up), opacity
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
            Diameter in pixels, or in world units with `world_size`; on the screen 1 to 64 pixels.
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
        self.__check(positions, "positions")
        _check_positions(positions)
        n = positions.shape[0]
        if values is not None:
            self.__check(values, "values")
            if values.shape not in ((n,), (n, 1)) or values.dtype != np.float32:
                raise ValueError(f"values are ({n},) float32, one a point, got {values}")
        if colors is not None:
            self.__check(colors, "colors")
            if colors.shape != (n, 4) or colors.dtype not in (np.uint8, np.float32):
                raise ValueError(f"colors are ({n}, 4) uint8 or float32, got {colors}")
        _check_choice("blend", blend, BLENDS)
        _check_choice("colormap", colormap, native.colormap_names())
        rgba = _rgba(color)
        low, high = _two_numbers("range", range)
        size, opacity = _number("size", size), _number("opacity", opacity)
        self.__add(
            lambda: self.__studio.draw_points(
                positions, values, colors, size, bool(world_size), rgba, opacity, blend, colormap,
                low, high, bool(round),
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
        self.__check(positions, "positions")
        _check_positions(positions)
        rgba = _rgba(color)
        fade = _number("fade", fade)
        self.__add(
            lambda: self.__studio.draw_lines(positions, rgba, fade, bool(segments), bool(closed))
        )

    def __check(self, array: object, what: str, kinds: tuple[type, ...] = (Array,)) -> None:
        if not isinstance(array, kinds):
            kind = type(array).__name__
            raise TypeError(f"{what}: an Array of the App, got {kind}; app.asarray(x) makes one")
        assert isinstance(array, Array | Texture)
        if array.size > 0 and not self.__studio.owns(array):
            raise ValueError(
                f"{what}: {array} is of no or another App, whose memory this App's OpenGL cannot "
                "draw; app.zeros() and app.asarray() make arrays that it can"
            )


def _check_choice(what: str, name: object, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, got {name!r}")


def _number(what: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{what} is a number, got {value!r}") from None


def _two_numbers(what: str, value: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = value
    except (TypeError, ValueError):
        raise TypeError(f"{what} is two numbers, got {value!r}") from None
    return _number(what, low), _number(what, high)


def _check_positions(positions: Array) -> None:
    shape = positions.shape
    if len(shape) != 2 or shape[0] == 0 or not 2 <= shape[1] <= 4 or positions.dtype != np.float32:
        raise ValueError(f"positions are (n, 2 to 4) float32, got {positions}")


def _rgba(color: Sequence[float]) -> tuple[float, float, float, float]:
    try:
        numbers = [float(c) for c in color]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) not in (3, 4):
        raise ValueError(f"a colour is red, green, blue and perhaps alpha, got {color!r}")
    r, g, b = numbers[:3]
    return r, g, b, numbers[3] if len(numbers) == 4 else 1.0
