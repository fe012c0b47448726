# SPDX-License-Identifier: MIT
"""What a step draws: checked at the call, and put into the engine's list."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from lathe._lathe import Studio, Texture
from lathe.drawable import in_words, look_at, on_device
from lathe.native import native

__all__ = ["Drawing"]

BLENDS = ("opaque", "alpha", "additive")
COMPLEX_AS = ("magnitude", "phase", "color")
Range = tuple[float, float] | tuple[str, str] | Literal["auto"]
PICTURE_KINDS = "biufc"
FLOATS = (np.float32, np.float64)


class Drawing:
    """Drawing calls of an App; each is checked at once and drawn at the end of the frame."""

    def __init__(self, studio: Studio) -> None:
        self.__studio = studio

    def image(
        self,
        array: Any,
        *,
        colormap: str = "viridis",
        range: Range | None = None,
        complex_as: Literal["magnitude", "phase", "color"] = "magnitude",
        gamma: float = 1.0,
        smooth: bool = False,
        y_up: bool = False,
        opacity: float = 1.0,
    ) -> None:
        """Draws an array or a texture as a picture, as large as fits.

        Parameters
        ----------
        array : (height, width) or (height, width, 1 to 4)
            Numbers. One channel goes through the colormap, three are red, green, blue; a fourth is
            not looked at. An array of the App's is drawn from its own memory. Others are copied, as
            they are now: other arrays on the device there, host arrays to it. Numbers of 8 bytes
            are copied as float32, complex128 as complex64. `stats` counts the bytes.
        colormap : str
            One of `lathe.colormap_names()`.
        range : (float, float), "auto" or (str, str), optional
            Values of the colormap's first and last colour, or of black and full colour.
            ``"auto"``: least and greatest of the array, NaN left out; ``("2%", "98%")``: so many
            percent of its values lie below, by a sample of 65,536 at most. Both are found on the
            device in each step, for arrays. Unless given (0, 255) for uint8, (0, 1) for others;
            the console says once that floats lie outside.
        complex_as : str
            What is seen of complex numbers: ``"magnitude"`` or ``"phase"`` (-π to π) through the
            colormap, or ``"color"``: the phase is the hue, 0 red, the magnitude the brightness.
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
            At once, for what is no picture or no colormap.
        """
        seen = look_at(self.__studio, array, "a picture", textures=True)
        shape = seen.shape
        if len(shape) not in (2, 3) or seen.size == 0 or (len(shape) == 3 and shape[2] > 4):
            raise ValueError(
                f"a picture is (height, width) or (height, width, 1 to 4), got {in_words(seen)}"
            )
        if seen.dtype.kind not in PICTURE_KINDS:
            raise ValueError(
                f"a picture of {seen.dtype} cannot be shown: numbers can, got {in_words(seen)}"
            )
        _check_choice("colormap", colormap, _colormap_names())
        _check_choice("complex_as", complex_as, COMPLEX_AS)
        unless_given = (0.0, 255.0) if seen.dtype == np.uint8 else (0.0, 1.0)
        low, high, in_percent = _range(unless_given if range is None else range)
        gamma, opacity = _number("gamma", gamma), _number("opacity", opacity)
        if isinstance(seen, Texture):
            if in_percent:
                raise ValueError("the range of a texture is two numbers; those of arrays are found")
            self.__studio.image_of_texture(
                seen, colormap, low, high, gamma, bool(smooth), bool(y_up), opacity
            )
            return
        if seen.dtype.kind == "c" and len(shape) == 3 and shape[2] > 1:
            raise ValueError(
                f"a picture of complex numbers is (height, width), got {in_words(seen)}"
            )
        self.__studio.image(
            on_device(self.__studio, seen), colormap, low, high, gamma, bool(smooth), bool(y_up),
            opacity, in_percent, range is None, complex_as,
        )  # fmt: skip

    def points(
        self,
        positions: Any,
        *,
        values: Any = None,
        colors: Any = None,
        size: float = 3.0,
        world_size: bool = False,
        color: Sequence[float] = (0.95, 0.80, 0.55, 1.0),
        opacity: float = 1.0,
        blend: str = "alpha",
        colormap: str = "viridis",
        range: Range = (0.0, 1.0),
        round: bool = True,
    ) -> None:
        """Draws points. Arrays of the App are read where they lie, others are copied (`image`).

        Parameters
        ----------
        positions : (n, 2 to 4) float32 or float64
            Two components lie in the plane of the pan-zoom camera, three in the space of the orbit
            camera; a fourth is not looked at.
        values : (n,) float32 or float64, optional
            Through the colormap, `range` giving its ends.
        colors : (n, 4) uint8 or float32, optional
            Wins over `values`.
        size : float
            Diameter in pixels, or in world units with `world_size`; on the screen at least a pixel.
        world_size : bool
            Perspective makes near points larger. Round opaque ones are balls, lit from the viewer's
            side, that cut each other.
        color : sequence of 3 or 4 floats
            Where neither values nor colours are given.
        opacity : float
        blend : str
            ``"opaque"``: near points hide those behind; ``"alpha"``, in the order of the array; or
            ``"additive"``: light adds up.
        colormap : str
        range : (float, float), "auto" or (str, str)
            Of `values`; see `image`.
        round : bool
            Soft discs; squares, the fastest, otherwise.
        """
        places = self.__positions(positions)
        n = places.shape[0]
        levels = tints = None
        if values is not None:
            levels = look_at(self.__studio, values, "values")
            if levels.shape not in ((n,), (n, 1)) or levels.dtype not in FLOATS:
                raise ValueError(f"values are ({n},) float32, one a point, got {in_words(levels)}")
        if colors is not None:
            tints = look_at(self.__studio, colors, "colors")
            if tints.shape != (n, 4) or tints.dtype not in (np.uint8, *FLOATS):
                raise ValueError(f"colors are ({n}, 4) uint8 or float32, got {in_words(tints)}")
        _check_choice("blend", blend, BLENDS)
        _check_choice("colormap", colormap, _colormap_names())
        rgba = _rgba(color)
        low, high, in_percent = _range(range)
        size, opacity = _number("size", size), _number("opacity", opacity)
        drawn = on_device(self.__studio, places)
        shown = None if levels is None else on_device(self.__studio, levels)
        tinted = None if tints is None else on_device(self.__studio, tints)
        self.__studio.points(
            drawn, shown, tinted, size, bool(world_size), rgba, opacity, blend, colormap, low, high,
            bool(round), in_percent,
        )  # fmt: skip

    def lines(
        self,
        positions: Any,
        *,
        color: Sequence[float] = (0.6, 0.65, 0.7, 1.0),
        fade: float = 0.0,
        segments: bool = False,
        closed: bool = False,
    ) -> None:
        """Draws a polyline, one pixel wide.

        Parameters
        ----------
        positions : (n, 2 to 4) float32 or float64
            Of the App, or any other array, which is copied (`image`).
        color : sequence of 3 or 4 floats
        fade : float
            How much of its opacity the first point has lost, 0 to 1.
        segments : bool
            Points 0-1, 2-3, ... instead of one line.
        closed : bool
            The last point joins the first.
        """
        places = self.__positions(positions)
        rgba = _rgba(color)
        fade = _number("fade", fade)
        self.__studio.lines(
            on_device(self.__studio, places), rgba, fade, bool(segments), bool(closed)
        )

    def __positions(self, positions: Any) -> Any:
        seen = look_at(self.__studio, positions, "positions")
        shape = seen.shape
        if len(shape) != 2 or not shape[0] or not 2 <= shape[1] <= 4 or seen.dtype not in FLOATS:
            raise ValueError(f"positions are (n, 2 to 4) float32, got {in_words(seen)}")
        return seen


@functools.cache
def _colormap_names() -> Sequence[str]:
    return native.colormap_names()


def _check_choice(what: str, name: object, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, got {name!r}")


def _number(what: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{what} is a number, got {value!r}") from None


def _range(value: Any) -> tuple[float, float, bool]:
    """Two numbers, and whether they are percent of the values."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(
                f'range is two numbers, two of percent ("2%", "98%") or "auto", got {value!r}'
            )
        return 0.0, 100.0, True
    try:
        low, high = value
    except (TypeError, ValueError):
        raise TypeError(f"range is two numbers, got {value!r}") from None
    if not isinstance(low, str) or not isinstance(high, str):
        return _number("range", low), _number("range", high), False
    percents = [each.strip() for each in (low, high)]
    try:
        numbers = [float(each.removesuffix("%")) for each in percents]
    except ValueError:
        numbers = []
    if not all(each.endswith("%") for each in percents) or not numbers:
        raise ValueError(f'percent of a range are written as "2%", got {value!r}')
    if not 0 <= numbers[0] < numbers[1] <= 100:
        raise ValueError(f"a range goes up from 0% to 100%, got {value!r}")
    return numbers[0], numbers[1], True


def _rgba(color: Sequence[float]) -> tuple[float, float, float, float]:
    try:
        numbers = [float(c) for c in color]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) not in (3, 4):
        raise ValueError(f"a colour is red, green, blue and perhaps alpha, got {color!r}")
    r, g, b = numbers[:3]
    return r, g, b, numbers[3] if len(numbers) == 4 else 1.0
