# SPDX-License-Identifier: MIT
"""What a step draws: checked at the call, and put into the engine's list."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from lathe._lathe import OrbitCamera, PanZoomCamera, Studio, Texture
from lathe.array.gpu_array import GPUArray
from lathe.drawable import on_device
from lathe.native import native

__all__ = ["Drawing", "View"]

BLENDS = ("opaque", "alpha", "additive")
COMPLEX_AS = ("magnitude", "phase", "color")
Range = tuple[float, float] | tuple[str, str] | Literal["auto"]
Ends = tuple[float, float]
Style = TypeVar("Style")


class Drawing:
    """Drawing calls of a view; each is checked at once and drawn at the end of the frame."""

    def __init__(self, studio: Studio, view: Studio.View) -> None:
        self.__studio = studio
        self._view = view

    @property
    def orbit_camera(self) -> OrbitCamera:
        """The camera of points and lines in space."""
        return self._view.orbit_camera

    @property
    def pan_zoom_camera(self) -> PanZoomCamera:
        """The camera of the plane."""
        return self._view.pan_zoom_camera

    def use_camera(self, name: str) -> None:
        """``"orbit"`` or ``"pan_zoom"``: which one the mouse moves and points are seen through."""
        self._view.use_camera(name)

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
            One of `lathe.colormap_names()`, with ``"_r"`` behind it for its reverse.
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
        style = _image_style(colormap, range, complex_as, gamma, smooth, y_up, opacity)
        if type(array) is GPUArray or not isinstance(array, Texture):
            self._view.image(on_device(self.__studio, array, "a picture"), style)
            return
        if range is not None and _range(range)[1]:
            raise ValueError("the range of a texture is two numbers; those of arrays are found")
        if not self.__studio.owns(array):
            raise ValueError(f"{array} is of another App, whose OpenGL alone can draw it")
        self._view.image_of_texture(array, style)

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
        positions : (n, 2 to 4)
            Two components lie in the plane of the pan-zoom camera, three in the space of the orbit
            camera; a fourth is not looked at.
        values : (n,), optional
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
        style = _points_style(size, world_size, color, opacity, blend, colormap, range, round)
        places = on_device(self.__studio, positions, "positions", np.float32)
        levels = tints = None
        if values is not None:
            levels = on_device(self.__studio, values, "values", np.float32)
        if colors is not None:
            tints = on_device(self.__studio, _colors(colors), "colors")
        self._view.points(places, levels, tints, style)

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
        positions : (n, 2 to 4)
            Of the App, or any other array, which is copied (`image`).
        color : sequence of 3 or 4 floats
        fade : float
            How much of its opacity the first point has lost, 0 to 1.
        segments : bool
            Points 0-1, 2-3, ... instead of one line.
        closed : bool
            The last point joins the first.
        """
        rgba = _rgba(color)
        fade = _number("fade", fade)
        places = on_device(self.__studio, positions, "positions", np.float32)
        self._view.lines(places, rgba, fade, bool(segments), bool(closed))

    def text(
        self,
        text: str,
        position: Sequence[float],
        *,
        size: float = 16.0,
        color: Sequence[float] = (0.93, 0.94, 0.96),
        anchor: tuple[float, float] = (0.5, 0.5),
    ) -> None:
        """Writes words in front of all else.

        Parameters
        ----------
        text : str
            A line feed begins a line.
        position : (x, y) or (x, y, z)
            In the plane of the pan-zoom camera, or in the space of the orbit camera.
        size : float
            Of an em, in pixels: 4 to 256.
        color : sequence of 3 or 4 floats
        anchor : (float, float)
            Which point of the text lies there, in parts of its width and height from its top left.

        Raises
        ------
        TypeError, ValueError
            For a position or colour that is none.
        """
        place = _floats("position", position, (2, 3))
        at = _floats("anchor", anchor, (2,))
        self._view.text(str(text), place, _number("size", size), _rgba(color), (at[0], at[1]))

    def title(
        self, text: str, *, size: float = 20.0, color: Sequence[float] = (0.93, 0.94, 0.96)
    ) -> None:
        """Writes a line into the middle of the view's top; see `text`."""
        self._view.title(str(text), _number("size", size), _rgba(color))


class View(Drawing):
    """A tile of an App's picture, with a camera of its own: see `App.views`."""

    @property
    def tile(self) -> tuple[float, float, float, float]:
        """Left, top, width and height in the picture, whose width and height are 1."""
        return self._view.tile


def _kept(make: Callable[..., Style]) -> Callable[..., Style]:
    """Makes each style once: a loop draws with the same ones again and again."""
    kept = functools.lru_cache(maxsize=256)(make)

    @functools.wraps(make)
    def get(*given: Any) -> Style:
        try:
            return kept(*given)
        except TypeError:  # an argument without a hash, a list for example, or a mistake
            pass
        return make(*given)

    return get


@_kept
def _image_style(
    colormap: str, range: Range | None, complex_as: str, gamma: float, smooth: bool, y_up: bool,
    opacity: float,
) -> Studio.ImageStyle:  # fmt: skip
    _check_colormap(colormap)
    _check_choice("complex_as", complex_as, COMPLEX_AS)
    numbers, percentiles = (None, None) if range is None else _range(range)
    return native.Studio.ImageStyle(
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        complex_as=complex_as,
        gamma=_number("gamma", gamma),
        smooth=bool(smooth),
        y_up=bool(y_up),
        opacity=_number("opacity", opacity),
    )


@_kept
def _points_style(
    size: float, world_size: bool, color: Sequence[float], opacity: float, blend: str,
    colormap: str, range: Range, round: bool,
) -> Studio.PointsStyle:  # fmt: skip
    _check_choice("blend", blend, BLENDS)
    _check_colormap(colormap)
    numbers, percentiles = _range(range)
    return native.Studio.PointsStyle(
        size=_number("size", size),
        world_size=bool(world_size),
        color=_rgba(color),
        opacity=_number("opacity", opacity),
        blend=blend,
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        round=bool(round),
    )


def _check_colormap(name: object) -> None:
    if not isinstance(name, str) or not native.is_colormap(name):
        _check_choice("colormap", name, native.colormap_names())


def _check_choice(what: str, name: object, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, got {name!r}")


def _number(what: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{what} is a number, got {value!r}") from None


def _range(value: Any) -> tuple[Ends | None, Ends | None]:
    """Two numbers, or percent of the values."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(
                f'range is two numbers, two of percent ("2%", "98%") or "auto", got {value!r}'
            )
        return None, (0.0, 100.0)
    try:
        low, high = value
    except (TypeError, ValueError):
        raise TypeError(f"range is two numbers, got {value!r}") from None
    if not isinstance(low, str) or not isinstance(high, str):
        return (_number("range", low), _number("range", high)), None
    percents = [each.strip() for each in (low, high)]
    try:
        numbers = [float(each.removesuffix("%")) for each in percents]
    except ValueError:
        numbers = []
    if not all(each.endswith("%") for each in percents) or not numbers:
        raise ValueError(f'percent of a range are written as "2%", got {value!r}')
    if not 0 <= numbers[0] < numbers[1] <= 100:
        raise ValueError(f"a range goes up from 0% to 100%, got {value!r}")
    return None, (numbers[0], numbers[1])


def _colors(colors: Any) -> Any:
    """Host arrays become bytes or floats of 32 bits; the engine looks at those on the device."""
    host = np.asarray(colors) if isinstance(colors, list | tuple) else colors
    if not isinstance(host, np.ndarray) or host.dtype == np.uint8:
        return host
    if host.dtype.kind != "f":
        raise TypeError(f"colors are uint8 or floats, got {host.dtype}")
    return host.astype(np.float32, copy=False)


def _floats(what: str, value: Sequence[float], counts: tuple[int, ...]) -> list[float]:
    wanted = " or ".join(str(count) for count in counts)
    try:
        numbers = [float(each) for each in value]
    except (TypeError, ValueError):
        raise TypeError(f"{what} is {wanted} numbers, got {value!r}") from None
    if len(numbers) not in counts:
        raise ValueError(f"{what} is {wanted} numbers, got {value!r}")
    return numbers


def _rgba(color: Sequence[float]) -> tuple[float, float, float, float]:
    try:
        numbers = [float(c) for c in color]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) not in (3, 4):
        raise ValueError(f"a colour is red, green, blue and perhaps alpha, got {color!r}")
    r, g, b = numbers[:3]
    return r, g, b, numbers[3] if len(numbers) == 4 else 1.0
