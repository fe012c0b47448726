# SPDX-License-Identifier: MIT
"""What a CUDA array is made of: sizes in elements, the kind of number, channels of an element."""

from __future__ import annotations

from dataclasses import dataclass

from lathe.cuda.constants import array_format


@dataclass(slots=True)
class ArrayDescriptor:
    """A CUDA array of one or two dimensions.

    Attributes
    ----------
    width : int
        Elements of a row.
    height : int
        Rows; 0 for one dimension.
    format : array_format
    num_channels : int
        Numbers of an element: 1, 2 or 4.
    """

    width: int = 0
    height: int = 0
    format: int = array_format.FLOAT
    num_channels: int = 1


@dataclass(slots=True)
class ArrayDescriptor3D:
    """A CUDA array of one to three dimensions, of layers, or of the faces of a cube.

    Attributes
    ----------
    width, height, format, num_channels
        Those of `ArrayDescriptor`.
    depth : int
        Slices; 0 for one or two dimensions. With ``array3d_flags.LAYERED`` the layers, with
        ``CUBEMAP`` the faces: six, or a multiple of it with both.
    flags : int
        Of `array3d_flags`: ``SURFACE_LDST`` where surfaces read and write the array,
        ``TEXTURE_GATHER`` where kernels call ``tex2Dgather``.
    """

    width: int = 0
    height: int = 0
    depth: int = 0
    format: int = array_format.FLOAT
    num_channels: int = 1
    flags: int = 0
