# SPDX-License-Identifier: MIT
"""What lies under a place of a view."""

from __future__ import annotations

from dataclasses import dataclass

from lathe._lathe import Studio

__all__ = ["Picked", "PickedThread"]


@dataclass(frozen=True)
class PickedThread:
    """A thread of a kernel.

    Attributes
    ----------
    kernel : str
        Name of the ``__global__`` function.
    block, thread : (int, int, int)
        ``blockIdx`` and ``threadIdx``: x, y, z.
    """

    kernel: str
    block: tuple[int, int, int]
    thread: tuple[int, int, int]


@dataclass(frozen=True)
class Picked:
    """A thing under a place of a view, and where in it.

    Attributes
    ----------
    item : str
        Name of the thing.
    kind : str
        The call that draws it.
    index : int or tuple of int
        Of the point, of a line's point at which the segment begins, which of several lines has two
        numbers, of the arrow, the triangle or the instance; of a picture or a height field its row
        and column; of a volume its layer, row and column.
    value : float, tuple of float or None
        What the colormap gets, or a picture's channels. In a triangle the values of its corners
        are blended. None where the thing has no values, and of textures.
    position : (float, float, float)
        Of the point; where the ray meets what has a surface, or comes nearest to a line; in a
        volume where its picture is: the greatest value, the surface, or the middle of the fog. Of a
        picture in the plane: column and row with their fractions, and 0.
    thread : PickedThread or None
        To which the element belongs, by the last kernel that was given its array to write: of the
        positions, triangles, heights, voxels or the picture; if that is not known, of the values,
        then of colours and other arrays. None unless the launch had one thread for each element of
        its array, as ``kernel.over(shape)`` has, and if two ways to count the threads fit. What
        writes an array otherwise, such as ``a[:] = 0``, does not count.
    """

    item: str
    kind: str
    index: int | tuple[int, ...]
    value: float | tuple[float, ...] | None
    position: tuple[float, float, float]
    thread: PickedThread | None = None


def picked_from(found: Studio.Picked | None) -> Picked | None:
    """The engine's answer as a value of Python's."""
    if found is None:
        return None
    x, y, z = found.position
    thread = None
    if found.thread is not None:
        kernel, block, index = found.thread
        thread = PickedThread(
            kernel, (block[0], block[1], block[2]), (index[0], index[1], index[2])
        )
    return Picked(found.item, found.kind, found.index, found.value, (x, y, z), thread)
