# SPDX-License-Identifier: MIT
"""What a step draws: checked at the call, and put into the engine's list."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import Studio, Texture
from lathe.annotate import Annotating
from lathe.array.gpu_array import GPUArray
from lathe.camera import Camera
from lathe.draw_styles import (
    Range,
    arrows_style,
    floats,
    image_style,
    lines_style,
    number,
    plane_of,
    points_style,
    range_of,
    rgba,
    tubes_style,
)
from lathe.draw_surfaces import DrawingSurfaces
from lathe.drawable import (
    colors_on_device,
    floats_on_device,
    on_device,
    places_on_device,
)
from lathe.grip import AXES, COLORS, Gizmo
from lathe.looking import Looking

__all__ = ["Drawing", "View"]


class Drawing(Annotating, DrawingSurfaces, Looking):
    """Drawing calls of a view; each is checked at once and drawn at the end of the frame."""

    def __init__(self, studio: Studio, view: Studio.View) -> None:
        super().__init__(view)
        self._studio = studio
        self._gizmos: dict[str, Gizmo] = {}

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
        contours: float | None = None,
        plane: Sequence[Sequence[float]] | None = None,
        name: str = "",
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
        contours : float, optional
            Lines where the values of one channel, interpolated, are a multiple of this.
        plane : (origin, right, up), optional
            In the space of the orbit camera, for arrays: the lower left corner, and the lower and
            the left side from there, three numbers each. What stands before it hides it.
        name : str
            Of the thing (`View.thing`); unless given, the kind with its number: ``"image"``,
            ``"image 2"``.

        Raises
        ------
        TypeError, ValueError
            At once, for what is no picture or no colormap.
        """
        style = image_style(colormap, range, complex_as, gamma, smooth, y_up, opacity, contours)
        place = None if plane is None else plane_of(plane)
        if type(array) is GPUArray or not isinstance(array, Texture):
            self._view.image(on_device(self._studio, array, "a picture"), place, style, str(name))
            return
        if place is not None:
            raise ValueError("a texture has no plane in space; an array may have one")
        if range is not None and range_of(range)[1]:
            raise ValueError("the range of a texture is two numbers; those of arrays are found")
        if not self._studio.owns(array):
            raise ValueError(f"{array} is of another App, whose OpenGL alone can draw it")
        self._view.image_of_texture(array, style, str(name))

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
        radius: Any = None,
        name: str = "",
    ) -> None:
        """Draws points. Arrays of the App are read where they lie, others are copied (`image`).

        Parameters
        ----------
        positions : (n, 2 to 4)
            Two components lie in the plane of the pan-zoom camera, three in the space of the orbit
            camera; a fourth is not looked at. float64 keeps its digits wherever it lies.
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
        radius : float or (n,), optional
            World units: lit spheres with depth, instead of `size`, `world_size`, `blend` and
            `round`. Of an array each point takes its own; what is not above 0 is not drawn.
        name : str
            Of the thing; see `image`.
        """
        one = float(radius) if isinstance(radius, Real) else None
        style = points_style(size, world_size, color, opacity, blend, colormap, range, round, one)
        places = places_on_device(self._studio, positions, "positions")
        levels = floats_on_device(self._studio, values, "values")
        tints = colors_on_device(self._studio, colors)
        radii = floats_on_device(self._studio, radius, "radii") if one is None else None
        self._view.points(places, levels, tints, radii, style, str(name))

    def lines(
        self,
        positions: Any,
        *,
        values: Any = None,
        colors: Any = None,
        color: Sequence[float] = (0.6, 0.65, 0.7, 1.0),
        opacity: float = 1.0,
        width: float = 1.5,
        fade: float = 0.0,
        colormap: str = "viridis",
        range: Range = (0.0, 1.0),
        segments: bool = False,
        closed: bool = False,
        name: str = "",
    ) -> None:
        """Draws a polyline, or many.

        Parameters
        ----------
        positions : (n, 2 to 4) or (lines, n, 2 to 4)
            Of the App, or any other array, which is copied (`image`).
        values : (n,) or (lines, n), optional
            One a point, through the colormap, `range` giving its ends; blended along a segment.
        colors : (n, 4) or (lines, n, 4), uint8 or float32, optional
            Wins over `values`.
        color : sequence of 3 or 4 floats
            Where neither values nor colours are given.
        opacity : float
        width : float
            In pixels.
        fade : float
            How much of its opacity a line's first point has lost, 0 to 1.
        colormap : str
        range : (float, float), "auto" or (str, str)
            Of `values`; see `image`.
        segments : bool
            Points 0-1, 2-3, ... instead of one line.
        closed : bool
            The last point joins the first.
        name : str
            Of the thing; see `image`.
        """
        style = lines_style(color, opacity, width, fade, colormap, range, segments, closed)
        self._view.lines(
            places_on_device(self._studio, positions, "positions"),
            floats_on_device(self._studio, values, "values"),
            colors_on_device(self._studio, colors),
            style,
            str(name),
        )

    def tubes(
        self,
        positions: Any,
        *,
        radius: Any = 0.01,
        values: Any = None,
        colors: Any = None,
        color: Sequence[float] = (0.72, 0.75, 0.80),
        colormap: str = "viridis",
        range: Range = (0.0, 1.0),
        segments: bool = False,
        closed: bool = False,
        name: str = "",
    ) -> None:
        """Draws lines that are round, lit and thick: stream lines, trails, bonds.

        Parameters
        ----------
        positions : (n, 2 to 4) or (lines, n, 2 to 4)
            See `lines`.
        radius : float, (n,) or (lines, n)
            World units, on the screen half a pixel at least. Of an array each point takes its own,
            between which it changes evenly; a segment is drawn where neither is negative.
        values, colors, color, colormap, range, segments, closed, name
            See `lines`.
        """
        one = float(radius) if isinstance(radius, Real) else None
        style = tubes_style(
            1.0 if one is None else one, color, colormap, range, segments, closed
        )  # fmt: skip
        self._view.tubes(
            places_on_device(self._studio, positions, "positions"),
            floats_on_device(self._studio, values, "values"),
            colors_on_device(self._studio, colors),
            floats_on_device(self._studio, radius, "radii") if one is None else None,
            style,
            str(name),
        )

    def arrows(
        self,
        positions: Any,
        vectors: Any,
        *,
        scale: float = 1.0,
        radius: float | None = None,
        values: Any = None,
        colors: Any = None,
        color: Sequence[float] = (0.72, 0.75, 0.80),
        colormap: str = "viridis",
        range: Range = (0.0, 1.0),
        name: str = "",
    ) -> None:
        """Draws an arrow from each position along its vector.

        Parameters
        ----------
        positions, vectors : (n, 2 to 4)
            See `points`. A vector of length 0, or with NaN, is not drawn.
        scale : float
            An arrow is so many times as long as its vector.
        radius : float, optional
            Of the shafts, in world units. Unless given, in proportion to the length.
        values : (n,), optional
            Through the colormap, `range` giving its ends.
        colors : (n, 4) uint8 or float32, optional
            Wins over `values`.
        color : sequence of 3 or 4 floats
            Where neither values nor colours are given.
        colormap : str
        range : (float, float), "auto" or (str, str)
            Of `values`; see `image`.
        name : str
            Of the thing; see `image`.
        """
        style = arrows_style(scale, radius, color, colormap, range)
        self._view.arrows(
            places_on_device(self._studio, positions, "positions"),
            on_device(self._studio, vectors, "vectors", np.float32),
            floats_on_device(self._studio, values, "values"),
            colors_on_device(self._studio, colors),
            style,
            str(name),
        )

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
        place = floats("position", position, (2, 3))
        at = floats("anchor", anchor, (2,))
        self._view.text(str(text), place, number("size", size), rgba(color), (at[0], at[1]))

    def gizmo(
        self,
        positions: GPUArray,
        index: int,
        *,
        size: float | None = None,
        name: str = "gizmo",
    ) -> NDArray[np.float64]:
        """Draws arrows along the axes and a ball at an element, by which the mouse moves it.

        A drag of an arrow moves the element along that axis, one of the ball parallel to the
        screen. The array gets the new place at once, before this returns, which waits for the
        device.

        Parameters
        ----------
        positions : (n, 2 or 3) GPUArray of float32 or float64
            Places as `points` draws them.
        index : int
            Of the element.
        size : float, optional
            Length of the arrows in world units; unless given, a part of what the camera sees.
        name : str
            Of the arrows; two gizmos of a view have two names.

        Returns
        -------
        (3,) float64
            Where the element is now.

        Raises
        ------
        TypeError
            For what is no array on the device of such numbers.
        ValueError
            For another shape.
        IndexError
            For an element that the array does not have.
        """
        if not isinstance(positions, GPUArray) or positions.dtype.kind != "f":
            raise TypeError("a gizmo moves an element of a GPUArray of float32 or float64")
        if positions.ndim != 2 or positions.shape[1] not in (2, 3):
            raise ValueError(f"positions are (n, 2) or (n, 3), got {positions.shape}")
        if not 0 <= index < positions.shape[0]:
            raise IndexError(f"positions has {positions.shape[0]} elements, got index {index}")
        gizmo = self._gizmos.setdefault(name, Gizmo(name))
        here = gizmo.move(positions, index, self.grip)
        axes = positions.shape[1]
        if size is None:
            camera = self.camera
            size = 0.16 * camera.distance if isinstance(camera, Camera) else 0.12 * camera.height
        place = here[:axes].astype(np.float32)
        self.arrows(
            np.tile(place, (axes, 1)), size * AXES[:axes, :axes], colors=COLORS[:axes], name=name
        )
        self.points(place[None], radius=0.13 * size, color=(0.9, 0.91, 0.94), name=f"{name}.ball")
        return here


class View(Drawing):
    """A tile of an App's picture, with a camera of its own: see `App.views`."""

    @property
    def tile(self) -> tuple[float, float, float, float]:
        """Left, top, width and height in the picture, whose width and height are 1."""
        return self._view.tile
