# SPDX-License-Identifier: MIT
"""What a step draws: checked at the call, and put into the engine's list."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np

from lathe._lathe import Studio, Texture
from lathe.array.gpu_array import GPUArray
from lathe.draw_styles import (
    ANNOTATION_INK,
    Corner,
    Range,
    corners,
    drawn_colors,
    drawn_indices,
    floats,
    image_style,
    mesh_style,
    number,
    points_style,
    range_of,
    rgba,
    volume_style,
)
from lathe.drawable import on_device
from lathe.looking import Looking

__all__ = ["Drawing", "View"]


class Drawing(Looking):
    """Drawing calls of a view; each is checked at once and drawn at the end of the frame."""

    def __init__(self, studio: Studio, view: Studio.View) -> None:
        super().__init__(view)
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
        name : str
            Of the thing (`View.thing`); unless given, the kind with its number: ``"image"``,
            ``"image 2"``.

        Raises
        ------
        TypeError, ValueError
            At once, for what is no picture or no colormap.
        """
        style = image_style(colormap, range, complex_as, gamma, smooth, y_up, opacity)
        if type(array) is GPUArray or not isinstance(array, Texture):
            self._view.image(on_device(self.__studio, array, "a picture"), style, str(name))
            return
        if range is not None and range_of(range)[1]:
            raise ValueError("the range of a texture is two numbers; those of arrays are found")
        if not self.__studio.owns(array):
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
        radius : float or (n,), optional
            World units: lit spheres with depth, instead of `size`, `world_size`, `blend` and
            `round`. Of an array each point takes its own; what is not above 0 is not drawn.
        name : str
            Of the thing; see `image`.
        """
        one = float(radius) if isinstance(radius, Real) else None
        style = points_style(size, world_size, color, opacity, blend, colormap, range, round, one)
        places = on_device(self.__studio, positions, "positions", np.float32)
        levels = tints = radii = None
        if values is not None:
            levels = on_device(self.__studio, values, "values", np.float32)
        if colors is not None:
            tints = on_device(self.__studio, drawn_colors(colors), "colors")
        if radius is not None and one is None:
            radii = on_device(self.__studio, radius, "radii", np.float32)
        self._view.points(places, levels, tints, radii, style, str(name))

    def lines(
        self,
        positions: Any,
        *,
        color: Sequence[float] = (0.6, 0.65, 0.7, 1.0),
        width: float = 1.5,
        fade: float = 0.0,
        segments: bool = False,
        closed: bool = False,
        name: str = "",
    ) -> None:
        """Draws a polyline.

        Parameters
        ----------
        positions : (n, 2 to 4)
            Of the App, or any other array, which is copied (`image`).
        color : sequence of 3 or 4 floats
        width : float
            In pixels.
        fade : float
            How much of its opacity the first point has lost, 0 to 1.
        segments : bool
            Points 0-1, 2-3, ... instead of one line.
        closed : bool
            The last point joins the first.
        name : str
            Of the thing; see `image`.
        """
        ink = rgba(color)
        numbers = (number("width", width), number("fade", fade))
        places = on_device(self.__studio, positions, "positions", np.float32)
        self._view.lines(places, ink, *numbers, bool(segments), bool(closed), str(name))

    def mesh(
        self,
        vertices: Any,
        triangles: Any,
        *,
        values: Any = None,
        colors: Any = None,
        normals: Any = None,
        color: Sequence[float] = (0.72, 0.75, 0.80),
        opacity: float = 1.0,
        colormap: str = "viridis",
        range: Range = (0.0, 1.0),
        smooth: bool = False,
        wireframe: bool = False,
        name: str = "",
    ) -> None:
        """Draws triangles that share vertices, as a lit surface in space. Both sides are seen.

        Arrays of the App are read where they lie, others are copied (`image`).

        Parameters
        ----------
        vertices : (n, 3)
            Places in the space of the orbit camera.
        triangles : (m, 3) integers
            Three numbers of vertices each, 0 to n - 1. A triangle with another number is not drawn,
            and the console says once that there are such. int32 and uint32 are drawn as they are,
            others are copied as int32.
        values : (n,) or (m,), optional
            One a vertex or one a triangle, through the colormap, `range` giving its ends. Where n
            is m they are the vertices'.
        colors : (n, 4) or (m, 4), uint8 or float32, optional
            Wins over `values`. Alpha counts where `opacity` is below 1.
        normals : (n, 3), optional
            Of the vertices, of any length: the mesh is smooth by these.
        color : sequence of 3 or 4 floats
            Where neither values nor colours are given.
        opacity : float
            Below 1 the triangles are blended over what is there, in the order of the array: one
            that lies behind may be drawn over one in front.
        colormap : str
        range : (float, float), "auto" or (str, str)
            Of `values`; see `image`.
        smooth : bool
            Light by the vertices' normals, which the device computes in each step; otherwise each
            triangle is flat.
        wireframe : bool
            The edges, too, as dark lines.
        name : str
            Of the thing; see `image`.

        Raises
        ------
        TypeError, ValueError
            At once, for what is no mesh.
        """
        style = mesh_style(color, opacity, colormap, range, smooth, wireframe)
        places = on_device(self.__studio, vertices, "vertices", np.float32)
        corners = on_device(self.__studio, drawn_indices(triangles), "triangles")
        levels = tints = directions = None
        if values is not None:
            levels = on_device(self.__studio, values, "values", np.float32)
        if colors is not None:
            tints = on_device(self.__studio, drawn_colors(colors), "colors")
        if normals is not None:
            directions = on_device(self.__studio, normals, "normals", np.float32)
        self._view.mesh(places, corners, levels, tints, directions, style, str(name))

    def volume(
        self,
        array: Any,
        *,
        mode: Literal["mip", "emission", "surface"] = "mip",
        colormap: str = "viridis",
        range: Range | None = None,
        density: float = 4.0,
        level: float = 0.5,
        color: Sequence[float] = (0.9, 0.86, 0.8),
        opacity: float = 1.0,
        bounds: tuple[Corner, Corner] | None = None,
        spacing: Corner = (1.0, 1.0, 1.0),
        name: str = "",
    ) -> None:
        """Draws a volume in the space of the orbit camera, by rays through it.

        What is solid before it hides it, and it covers what lies behind. Between voxels values are
        interpolated; the array is read in its own type, where it lies (`image`).

        Parameters
        ----------
        array : (depth, height, width)
            Real numbers; x counts the last axis, y the middle one, z the first.
        mode : str
            ``"mip"``: the greatest value behind each pixel, through the colormap. ``"emission"``:
            glowing fog, whose values absorb light and have the colormap's colours. ``"surface"``:
            where the values cross `level`, lit.
        colormap : str
            Of mip and emission.
        range : (float, float), "auto" or (str, str), optional
            Of mip and emission; see `image`. What is at or below its low end is not seen, nor is
            NaN.
        density : float
            Of emission: how much a world unit of the range's high end absorbs; what is left of the
            light behind is exp(-density * length).
        level : float
            Of surface: the value there.
        color : sequence of 3 or 4 floats
            Of the surface.
        opacity : float
        bounds : ((x, y, z), (x, y, z)), optional
            Lowest and highest corner of the box that its voxels fill. Unless given, the longest
            side goes from -1 to 1, with the middle at the origin.
        spacing : (float, float, float)
            Sizes of a voxel along x, y and z, relative to each other; without `bounds`.
        name : str
            Of the thing; see `image`.

        Raises
        ------
        TypeError, ValueError
            At once, for what is no volume.
        """
        style = volume_style(
            mode, colormap, range, density, level, color, opacity, bounds, spacing
        )  # fmt: skip
        self._view.volume(on_device(self.__studio, array, "a volume"), style, str(name))

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


class View(Drawing):
    """A tile of an App's picture, with a camera of its own: see `App.views`."""

    @property
    def tile(self) -> tuple[float, float, float, float]:
        """Left, top, width and height in the picture, whose width and height are 1."""
        return self._view.tile
