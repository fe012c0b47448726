# SPDX-License-Identifier: MIT
"""Checks of what a script gives to drawing calls, and the styles made of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from lathe._lathe import Studio
from lathe.native import native

BLENDS = ("opaque", "alpha", "additive")
VOLUME_MODES = ("mip", "emission", "surface", "slices")
COMPLEX_AS = ("magnitude", "phase", "color")
Range = tuple[float, float] | tuple[str, str] | Literal["auto"]
ANNOTATION_INK = (0.72, 0.75, 0.80)
Ends = tuple[float, float]
Corner = tuple[float, float, float]
Style = TypeVar("Style")


def kept(make: Callable[..., Style]) -> Callable[..., Style]:
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


@kept
def image_style(
    colormap: str, range: Range | None, complex_as: str, gamma: float, smooth: bool, y_up: bool,
    opacity: float, contours: float | None,
) -> Studio.ImageStyle:  # fmt: skip
    check_colormap(colormap)
    check_choice("complex_as", complex_as, COMPLEX_AS)
    numbers, percentiles = (None, None) if range is None else range_of(range)
    return native.Studio.ImageStyle(
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        complex_as=complex_as,
        gamma=number("gamma", gamma),
        smooth=bool(smooth),
        y_up=bool(y_up),
        opacity=number("opacity", opacity),
        contours=spacing_of(contours),
    )


@kept
def points_style(
    size: float, world_size: bool, color: Sequence[float], opacity: float, blend: str,
    colormap: str, range: Range, round: bool, radius: float | None,
) -> Studio.PointsStyle:  # fmt: skip
    check_choice("blend", blend, BLENDS)
    check_colormap(colormap)
    numbers, percentiles = range_of(range)
    return native.Studio.PointsStyle(
        size=number("size", size),
        world_size=bool(world_size),
        color=rgba(color),
        opacity=number("opacity", opacity),
        blend=blend,
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        round=bool(round),
        radius=radius,
    )


@kept
def lines_style(
    color: Sequence[float], opacity: float, width: float, fade: float, colormap: str, range: Range,
    segments: bool, closed: bool,
) -> Studio.LinesStyle:  # fmt: skip
    check_colormap(colormap)
    numbers, percentiles = range_of(range)
    return native.Studio.LinesStyle(
        color=rgba(color),
        opacity=number("opacity", opacity),
        width=number("width", width),
        fade=number("fade", fade),
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        segments=bool(segments),
        closed=bool(closed),
    )


@kept
def tubes_style(
    radius: float, color: Sequence[float], colormap: str, range: Range, segments: bool,
    closed: bool,
) -> Studio.TubesStyle:  # fmt: skip
    check_colormap(colormap)
    numbers, percentiles = range_of(range)
    return native.Studio.TubesStyle(
        radius=radius,
        color=rgba(color),
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        segments=bool(segments),
        closed=bool(closed),
    )


@kept
def arrows_style(
    scale: float, radius: float | None, color: Sequence[float], colormap: str, range: Range
) -> Studio.ArrowsStyle:
    check_colormap(colormap)
    numbers, percentiles = range_of(range)
    return native.Studio.ArrowsStyle(
        scale=number("scale", scale),
        radius=0.0 if radius is None else number("radius", radius),
        color=rgba(color),
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
    )


@kept
def mesh_style(
    color: Sequence[float], opacity: float, colormap: str, range: Range, smooth: bool,
    lit: bool, wireframe: bool, contours: float | None = None, scale: float = 1.0,
    texture_filter: str = "linear", texture_wrap: str = "repeat",
) -> Studio.MeshStyle:  # fmt: skip
    check_colormap(colormap)
    check_choice("texture_filter", texture_filter, ("linear", "nearest"))
    check_choice("texture_wrap", texture_wrap, ("repeat", "clamp"))
    numbers, percentiles = range_of(range)
    return native.Studio.MeshStyle(
        color=rgba(color),
        opacity=number("opacity", opacity),
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        smooth=bool(smooth),
        lit=bool(lit),
        wireframe=bool(wireframe),
        contours=spacing_of(contours),
        scale=number("scale", scale),
        texture_is_linear=texture_filter == "linear",
        texture_repeats=texture_wrap == "repeat",
    )


@kept
def volume_style(
    mode: str, colormap: str, range: Range | None, density: float, level: float,
    color: Sequence[float], opacity: float, bounds: tuple[Sequence[float], Sequence[float]] | None,
    spacing: Sequence[float], slices: Sequence[float | None],
) -> Studio.VolumeStyle:  # fmt: skip
    check_choice("mode", mode, VOLUME_MODES)
    check_colormap(colormap)
    numbers, percentiles = (None, None) if range is None else range_of(range)
    return native.Studio.VolumeStyle(
        mode=mode,
        colormap=colormap,
        range=numbers,
        percentiles=percentiles,
        opacity=number("opacity", opacity),
        density=number("density", density),
        level=number("level", level),
        color=rgba(color),
        bounds=None if bounds is None else corners(bounds),
        spacing=triple("spacing", spacing),
        slices=triple("slices", [-1.0 if each is None else each for each in slices]),
    )


def check_colormap(name: object) -> None:
    if not isinstance(name, str) or not native.is_colormap(name):
        check_choice("colormap", name, native.colormap_names())


def check_choice(what: str, name: object, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, got {name!r}")


def number(what: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{what} is a number, got {value!r}") from None


def spacing_of(contours: float | None) -> float:
    """0 where there are none."""
    if contours is None:
        return 0.0
    spacing = number("contours", contours)
    if not spacing > 0:
        raise ValueError(f"contours is the spacing of values, above 0, got {contours!r}")
    return spacing


def range_of(value: Any) -> tuple[Ends | None, Ends | None]:
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
        return (number("range", low), number("range", high)), None
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


def drawn_colors(colors: Any) -> Any:
    """Host arrays become bytes or floats of 32 bits; the engine looks at those on the device."""
    host = np.asarray(colors) if isinstance(colors, list | tuple) else colors
    if not isinstance(host, np.ndarray) or host.dtype == np.uint8:
        return host
    if host.dtype.kind != "f":
        raise TypeError(f"colors are uint8 or floats, got {host.dtype}")
    return host.astype(np.float32, copy=False)


def drawn_indices(triangles: Any) -> Any:
    """Host arrays become integers of 4 bytes; the engine looks at those on the device."""
    host = np.asarray(triangles) if isinstance(triangles, list | tuple) else triangles
    if not isinstance(host, np.ndarray) or host.dtype == np.uint32:
        return host
    if host.dtype.kind not in "iu":
        raise TypeError(f"triangles are integers, numbers of vertices, got {host.dtype}")
    return host.astype(np.int32, copy=False)


def floats(what: str, value: Sequence[float], counts: tuple[int, ...]) -> list[float]:
    wanted = " or ".join(str(count) for count in counts)
    try:
        numbers = [float(each) for each in value]
    except (TypeError, ValueError):
        raise TypeError(f"{what} is {wanted} numbers, got {value!r}") from None
    if len(numbers) not in counts:
        raise ValueError(f"{what} is {wanted} numbers, got {value!r}")
    return numbers


def triple(what: str, value: Sequence[float]) -> Corner:
    x, y, z = floats(what, value, (3,))
    return x, y, z


def corners(bounds: tuple[Sequence[float], Sequence[float]]) -> tuple[Corner, Corner]:
    """Lowest and highest corner of a box."""
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise TypeError(f"bounds are two corners of three numbers, got {bounds!r}") from None
    lowest, highest = triple("bounds", low), triple("bounds", high)
    if not all(least <= most for least, most in zip(lowest, highest, strict=True)):
        raise ValueError(f"bounds go from the lowest corner to the highest, got {bounds!r}")
    return lowest, highest


def ground(bounds: tuple[Sequence[float], Sequence[float]]) -> tuple[Ends, Ends]:
    """Two places on the ground."""
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise TypeError(f"bounds are two places of two numbers, got {bounds!r}") from None
    (x, y), (right, far) = floats("bounds", low, (2,)), floats("bounds", high, (2,))
    return (x, y), (right, far)


def plane_of(plane: Sequence[Sequence[float]]) -> tuple[Corner, Corner, Corner]:
    """A corner and two sides that span an area."""
    try:
        origin, right, up = (triple("plane", each) for each in plane)
    except (TypeError, ValueError):
        raise ValueError(
            f"plane is a corner and two sides of three numbers each, got {plane!r}"
        ) from None
    if not np.any(np.cross(right, up)):
        raise ValueError(f"the sides of a plane span an area, got {right} and {up}")
    return origin, right, up


def rgba(color: Sequence[float]) -> tuple[float, float, float, float]:
    try:
        numbers = [float(c) for c in color]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) not in (3, 4):
        raise ValueError(f"a colour is red, green, blue and perhaps alpha, got {color!r}")
    r, g, b = numbers[:3]
    return r, g, b, numbers[3] if len(numbers) == 4 else 1.0
