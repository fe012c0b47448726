# SPDX-License-Identifier: MIT
"""What OpenGL draws of an array: its own memory if it is the App's, else one copy of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from lathe._lathe import Studio, Texture
from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray, is_on_device

__all__ = ["Drawables"]

# What OpenGL has no form for, as what it has.
_CONVERTED = {np.dtype(np.float64): np.dtype(np.float32)}


class Drawables:
    """The copies that an App draws. A step's first copy goes to the memory of the last step's first
    one, and so on, so that a loop allocates nothing."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._copies: list[GPUArray] = []
        self._used = 0

    def begin_step(self) -> None:
        """The copies of the step before may be written again."""
        del self._copies[self._used :]
        self._used = 0

    def look_at(self, array: Any, what: str, textures: bool = False) -> Any:
        """`array` with NumPy's `shape`, `dtype` and `size`; memory of other libraries is shared.
        `textures`: these are well, too.

        Raises
        ------
        TypeError, ValueError
            For what is no array, and for another App's texture.
        """
        if isinstance(array, Texture) and textures:
            if not self._studio.owns(array):
                raise ValueError(
                    f"{what}: {array} is of another App, whose OpenGL alone can draw it"
                )
            return array
        if not isinstance(array, np.ndarray) and is_on_device(array):
            return asarray(array)
        host = None if isinstance(array, str | bytes | Texture) else np.asarray(array)
        if host is None or host.dtype.kind not in "biuf":
            raise TypeError(f"{what}: an array of numbers, got {type(array).__name__}")
        return host

    def of(self, seen: Any) -> GPUArray:
        """What to draw of an array that `look_at` gave. Copies in the order of the default stream;
        blocks for a host array only."""
        drawn_as = _CONVERTED.get(seen.dtype, seen.dtype)
        if isinstance(seen, GPUArray) and drawn_as == seen.dtype and self._studio.owns(seen):
            return seen
        copy = self._memory(seen.shape, drawn_as)
        if isinstance(seen, np.ndarray):
            copy.set(np.ascontiguousarray(seen, drawn_as))
        else:
            copy[...] = seen  # cast on the way
        return copy

    def _memory(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> GPUArray:
        at, self._used = self._used, self._used + 1
        if at < len(self._copies):
            old = self._copies[at]
            if old.shape == shape and old.dtype == dtype:
                return old
            self._copies[at] = self._studio.array(list(shape), dtype)
        else:
            self._copies.append(self._studio.array(list(shape), dtype))
        return self._copies[at]


def in_words(seen: Any) -> str:
    """Shape and type of an array, for messages."""
    return f"an array of shape {tuple(seen.shape)} and {seen.dtype}"
