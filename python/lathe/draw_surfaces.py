# SPDX-License-Identifier: MIT
"""Drawing calls of what has surfaces: meshes, their instances, height fields and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np

from lathe._lathe import Studio
from lathe.draw_styles import (
    Corner,
    Range,
    drawn_indices,
    ground,
    mesh_style,
    number,
    volume_style,
)
from lathe.drawable import (
    colors_on_device,
    floats_on_device,
    on_device,
    places_on_device,
)

__all__ = ["DrawingSurfaces"]


class DrawingSurfaces:
    """Each call is checked at once and drawn at the end of the frame."""

    _studio: Studio
    _view: Studio.View

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
        lit: bool = True,
        wireframe: bool = False,
        contours: float | None = None,
        texture: Any = None,
        texcoords: Any = None,
        texture_filter: Literal["linear", "nearest"] = "linear",
        texture_wrap: Literal["repeat", "clamp"] = "repeat",
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
            Below 1 the triangles are blended over what is there, each pixel from back to front,
            whatever the order of triangles and calls; of more than eight layers the nearest.
        colormap : str
        range : (float, float), "auto" or (str, str)
            Of `values`; see `image`.
        smooth : bool
            Light by the vertices' normals, which the device computes in each step; otherwise each
            triangle is flat.
        lit : bool
            False: colours as they are, for what has its own light.
        wireframe : bool
            The edges, too, as dark lines.
        contours : float, optional
            Lines where the values of vertices are a multiple of this.
        texture : (height, width) or (height, width, 1 to 4), optional
            Real numbers: a picture on the mesh, instead of `values` and `colors`. One channel goes
            through the colormap, `range` giving its ends; three are red, green, blue, of 0 to 255
            for uint8 and 0 to 1 for others; a fourth is alpha, which counts where `opacity` is
            below 1. It is lit as all colours are. A pick's value is the element there.
        texcoords : (n, 2), optional
            With a texture: where each vertex lies in it. (0, 0) is the lower left corner of the
            picture, (1, 1) the upper right one, as OBJ files and PyVista have it.
        texture_filter : str
            ``"linear"``: interpolated, and averaged where several elements fall into a pixel, 4 × 4
            at most; ``"nearest"``: sharp squares.
        texture_wrap : str
            Beyond 0 to 1: ``"repeat"``, or ``"clamp"``, where the outermost elements go on.
        name : str
            Of the thing; see `image`.

        Raises
        ------
        TypeError, ValueError
            At once, for what is no mesh.
        """
        if texture is not None and (values is not None or colors is not None):
            raise ValueError("a mesh has a texture, or values or colors, not both")
        style = mesh_style(
            color, opacity, colormap, range, smooth, lit, wireframe, contours, 1.0,
            texture_filter, texture_wrap,
        )  # fmt: skip
        picture = None if texture is None else on_device(self._studio, texture, "a texture")
        places = places_on_device(self._studio, vertices, "vertices")
        corners = on_device(self._studio, drawn_indices(triangles), "triangles")
        levels = floats_on_device(self._studio, values, "values")
        tints = colors_on_device(self._studio, colors)
        directions = floats_on_device(self._studio, normals, "normals")
        in_picture = floats_on_device(self._studio, texcoords, "texcoords")
        self._view.mesh(
            places, corners, levels, tints, directions, picture, in_picture, style, str(name)
        )

    def instances(
        self,
        vertices: Any,
        triangles: Any,
        positions: Any,
        *,
        rotations: Any = None,
        directions: Any = None,
        scale: Any = 1.0,
        values: Any = None,
        colors: Any = None,
        normals: Any = None,
        color: Sequence[float] = (0.72, 0.75, 0.80),
        opacity: float = 1.0,
        colormap: str = "viridis",
        range: Range = (0.0, 1.0),
        smooth: bool = False,
        lit: bool = True,
        wireframe: bool = False,
        name: str = "",
    ) -> None:
        """Draws one mesh at many places.

        Parameters
        ----------
        vertices, triangles, normals, smooth, lit, wireframe, opacity
            The mesh; see `mesh`.
        positions : (n, 3)
            Where the mesh's origin goes.
        rotations : (n, 4), optional
            Quaternions x, y, z, w, as SciPy has them; their length does not matter.
        directions : (n, 3), optional
            Instead of rotations: the mesh's z axis turns there, while its y axis stays as near to
            the orbit camera's up axis as it can.
        scale : float, (n,) or (n, 3)
            Of all, of each, or of each along the mesh's axes. What is not above 0 is not drawn.
        values : (n,), optional
            One an instance, through the colormap, `range` giving its ends.
        colors : (n, 4) uint8 or float32, optional
            Wins over `values`.
        color : sequence of 3 or 4 floats
            Where neither values nor colours are given.
        colormap : str
        range : (float, float), "auto" or (str, str)
            Of `values`; see `image`.
        name : str
            Of the thing; see `image`.

        Raises
        ------
        TypeError, ValueError
            At once, for what cannot be drawn.
        """
        if rotations is not None and directions is not None:
            raise ValueError("instances have rotations or directions, not both")
        one = float(scale) if isinstance(scale, Real) else None
        style = mesh_style(
            color, opacity, colormap, range, smooth, lit, wireframe, None,
            1.0 if one is None else one,
        )  # fmt: skip
        given = directions if rotations is None else rotations
        turns = floats_on_device(self._studio, given, "rotations")
        each = 3 if rotations is None else 4
        if turns is not None and (turns.ndim != 2 or turns.shape[1] != each):
            what = "directions" if rotations is None else "rotations"
            raise ValueError(f"{what} are (n, {each}), got an array of shape {turns.shape}")
        self._view.instances(
            places_on_device(self._studio, vertices, "vertices"),
            on_device(self._studio, drawn_indices(triangles), "triangles"),
            places_on_device(self._studio, positions, "positions"),
            floats_on_device(self._studio, values, "values"),
            colors_on_device(self._studio, colors),
            floats_on_device(self._studio, normals, "normals"),
            turns,
            floats_on_device(self._studio, scale, "scale") if one is None else None,
            style,
            str(name),
        )

    def height_field(
        self,
        heights: Any,
        *,
        scale: float = 1.0,
        bounds: tuple[Sequence[float], Sequence[float]] | None = None,
        values: Any = None,
        colors: Any = None,
        color: Sequence[float] | None = None,
        opacity: float = 1.0,
        colormap: str = "viridis",
        range: Range = "auto",
        lit: bool = True,
        wireframe: bool = False,
        contours: float | None = None,
        name: str = "",
    ) -> None:
        """Draws an array of heights as a smooth surface over the ground.

        Columns go along x; rows come towards the viewer, along z, where the orbit camera's up is y,
        and go along y where that is z.

        Parameters
        ----------
        heights : (rows, columns)
            NaN leaves a hole.
        scale : float
            World units of a height of 1.
        bounds : ((float, float), (float, float)), optional
            Where the first column and row lie on the ground, and where the last ones do. Unless
            given, the longer side goes from -1 to 1 and the elements are square.
        values : (rows, columns), optional
            Through the colormap. Unless these, colours or a colour are given, the heights are.
        colors : (rows, columns, 4) uint8 or float32, optional
            Wins over `values`.
        color : sequence of 3 or 4 floats, optional
        opacity : float
            See `mesh`.
        colormap : str
        range : (float, float), "auto" or (str, str)
            Of `values`, or of the heights; see `image`.
        lit : bool
            See `mesh`.
        wireframe : bool
        contours : float, optional
            Lines where the values, or the heights, are a multiple of this.
        name : str
            Of the thing; see `image`.

        Raises
        ------
        TypeError, ValueError
            At once, for what is no height field.
        """
        ink = (0.72, 0.75, 0.80) if color is None else color
        style = mesh_style(ink, opacity, colormap, range, True, lit, wireframe, contours)
        self._view.height_field(
            on_device(self._studio, heights, "heights", np.float32),
            floats_on_device(self._studio, values, "values"),
            colors_on_device(self._studio, colors),
            number("scale", scale),
            None if bounds is None else ground(bounds),
            color is None,
            style,
            str(name),
        )

    def volume(
        self,
        array: Any,
        *,
        mode: Literal["mip", "emission", "surface", "slices"] = "mip",
        colormap: str = "viridis",
        range: Range | None = None,
        density: float = 4.0,
        level: float = 0.5,
        color: Sequence[float] = (0.9, 0.86, 0.8),
        opacity: float = 1.0,
        bounds: tuple[Corner, Corner] | None = None,
        spacing: Corner = (1.0, 1.0, 1.0),
        slices: tuple[float | None, float | None, float | None] = (0.5, 0.5, 0.5),
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
            where the values cross `level`, lit. ``"slices"``: three planes through the place
            `slices`, one across each axis; NaN leaves a hole.
        colormap : str
            Of all but the surface.
        range : (float, float), "auto" or (str, str), optional
            Of all but the surface; see `image`. What is at or below its low end is not seen in mip
            and emission, nor is NaN.
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
        slices : (float, float, float)
            Where they cut x, y and z, in parts of the volume's sides. None: not at all.
        name : str
            Of the thing; see `image`.

        Raises
        ------
        TypeError, ValueError
            At once, for what is no volume.
        """
        style = volume_style(
            mode, colormap, range, density, level, color, opacity, bounds, spacing, slices
        )  # fmt: skip
        self._view.volume(on_device(self._studio, array, "a volume"), style, str(name))
