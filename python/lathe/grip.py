# SPDX-License-Identifier: MIT
"""What the mouse has hold of, and arrows to move an element by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lathe._lathe import Studio
from lathe.array.gpu_array import GPUArray

__all__ = ["Gizmo", "Grip", "grip_from"]

AXES = np.eye(3, dtype=np.float32)
COLORS = np.array([[0.93, 0.36, 0.38, 1], [0.42, 0.80, 0.46, 1], [0.36, 0.60, 0.95, 1]], np.float32)


@dataclass(frozen=True, slots=True)
class Grip:
    """An element of a thing that the mouse has hold of.

    Attributes
    ----------
    item : str
        Name of the thing.
    index : int or tuple of int
        Of the element, as `Picked.index`.
    position : (float, float, float)
        Of the element, when it was taken: a point's or an arrow's own, else where the mouse took
        it.
    target : (float, float, float)
        Where the mouse wants it: moved from there parallel to the screen.
    along : (float, float, float)
        Where the mouse wants it on the lines through `position` along x, y and z, each by itself.
    """

    item: str
    index: int | tuple[int, ...]
    position: tuple[float, float, float]
    target: tuple[float, float, float]
    along: tuple[float, float, float]


def grip_from(found: Studio.Grip | None) -> Grip | None:
    """The engine's answer as a value of Python's."""
    if found is None:
        return None
    return Grip(found.item, found.index, found.position, found.target, found.along)


class Gizmo:
    """Arrows along x, y and z and a ball between them, at an element of an array of positions."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._begin: np.ndarray[Any, Any] | None = None  # the element, when it was taken

    def move(
        self, array: GPUArray, index: int, grip: Callable[[str], Grip | None]
    ) -> np.ndarray[Any, Any]:
        """Moves the element as the mouse wants; returns where it is. Waits for the device."""
        ball, arrow = grip(f"{self._name}.ball"), grip(self._name)
        here = np.zeros(3)
        here[: array.shape[1]] = array[index].get()
        if ball is None and arrow is None:
            self._begin = None
            return here
        if self._begin is None:
            self._begin = here
        here = self._begin.copy()
        if ball is not None:
            here += np.subtract(ball.target, ball.position)
        if arrow is not None:
            axis = int(np.ravel(arrow.index)[0])
            here[axis] += arrow.along[axis] - arrow.position[axis]
        array[index] = here[: array.shape[1]].astype(array.dtype)
        return here
