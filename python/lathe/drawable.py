# SPDX-License-Identifier: MIT
"""Arrays of any library as the engine draws them: on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe._lathe import Studio, Texture
from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray, is_on_device
from lathe.draw_styles import drawn_colors

__all__ = ["colors_on_device", "floats_on_device", "on_device", "places_on_device"]


def on_device(studio: Studio, array: Any, what: str, dtype: DTypeLike | None = None) -> GPUArray:
    """Memory on the device is shared, whoever made it. A host array is copied, for which this
    blocks: as `dtype`, or else numbers of 8 bytes as float32 and complex numbers as complex64.

    Raises
    ------
    TypeError
        For what is no array of numbers, named `what`.
    """
    if type(array) is GPUArray:
        return array
    if not isinstance(array, np.ndarray) and is_on_device(array):
        return asarray(array)
    host = None if isinstance(array, str | bytes | Texture) else np.asarray(array)
    if host is None or host.dtype.kind not in "biufc":
        raise TypeError(f"{what}: an array of numbers, got {type(array).__name__}")
    if dtype is None or host.dtype.kind == "c":
        is_narrow = host.dtype.itemsize <= 4
        dtype = np.complex64 if host.dtype.kind == "c" else host.dtype if is_narrow else np.float32
    copy: GPUArray = studio.drawn_memory(host.shape, np.dtype(dtype))
    copy.set(np.ascontiguousarray(host, dtype))
    return copy


def places_on_device(studio: Studio, array: Any, what: str) -> GPUArray:
    """As `on_device`, of positions: those of float64 stay so, others become float32."""
    if not is_on_device(array) and not isinstance(array, str | bytes | Texture):
        array = np.asarray(array)
    is_wide = getattr(array, "dtype", None) == np.float64
    return on_device(studio, array, what, np.float64 if is_wide else np.float32)


def floats_on_device(studio: Studio, array: Any, what: str) -> GPUArray | None:
    """As `on_device`, of what is drawn as float32; None stays None."""
    return None if array is None else on_device(studio, array, what, np.float32)


def colors_on_device(studio: Studio, colors: Any) -> GPUArray | None:
    """As `on_device`, of bytes or floats; None stays None."""
    return None if colors is None else on_device(studio, drawn_colors(colors), "colors")
