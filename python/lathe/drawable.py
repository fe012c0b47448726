# SPDX-License-Identifier: MIT
"""What can be drawn, as the engine takes it: arrays on the device, and textures of the App."""

from __future__ import annotations

from typing import Any

import numpy as np

from lathe._lathe import Studio, Texture
from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray, is_on_device

__all__ = ["in_words", "look_at", "on_device"]


def look_at(studio: Studio, array: Any, what: str, textures: bool = False) -> Any:
    """`array` with NumPy's `shape`, `dtype` and `size`; memory of other libraries is shared.
    `textures`: these are well, too.

    Raises
    ------
    TypeError, ValueError
        For what is no array, and for another App's texture.
    """
    if type(array) is GPUArray:
        return array
    if isinstance(array, Texture) and textures:
        if not studio.owns(array):
            raise ValueError(f"{what}: {array} is of another App, whose OpenGL alone can draw it")
        return array
    if not isinstance(array, np.ndarray) and is_on_device(array):
        return asarray(array)
    host = None if isinstance(array, str | bytes | Texture) else np.asarray(array)
    if host is None or host.dtype.kind not in "biufc":
        raise TypeError(f"{what}: an array of numbers, got {type(array).__name__}")
    return host


def on_device(studio: Studio, seen: Any) -> Any:
    """What the engine draws of an array that `look_at` gave: itself, but of a host array a copy,
    for which this blocks."""
    if not isinstance(seen, np.ndarray):
        return seen
    wanted = seen.dtype if seen.dtype.itemsize <= 4 else np.dtype(np.float32)
    if seen.dtype.kind == "c":
        wanted = np.dtype(np.complex64)
    copy = studio.drawn_memory(seen.shape, wanted)
    copy.set(np.ascontiguousarray(seen, wanted))
    return copy


def in_words(seen: Any) -> str:
    """Shape and type of an array, for messages."""
    return f"an array of shape {tuple(seen.shape)} and {seen.dtype}"
