# SPDX-License-Identifier: MIT
"""Arrays as files of pictures."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.native import native

__all__ = ["save_exr"]

_MOST_CHANNELS = 4


def save_exr(file: str | os.PathLike[str], numbers: Any) -> None:
    """Writes an array as an OpenEXR file, which keeps each number as it is.

    Parameters
    ----------
    file : str or path
        Missing folders are made.
    numbers : (height, width) or (height, width, 1 to 4) array_like
        Real numbers, on the device or on the host, the top row first. float16 stays so, others are
        written as float32. One channel is named Y, more are R, G, B and A. EXR readers take colours
        as linear light.

    Raises
    ------
    TypeError
        For complex numbers and structures.
    ValueError
        For another shape, and for no numbers.
    lathe.Error
        Where the file cannot be written.

    Notes
    -----
    Waits for the kernels that write an array of the device.
    """
    array = numbers.get() if isinstance(numbers, GPUArray) else np.asarray(numbers)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"an EXR file has real numbers, got {array.dtype}")
    shape = array.shape
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or array.size == 0 or array.shape[2] > _MOST_CHANNELS:
        raise ValueError(
            f"a picture is (height, width) or (height, width, 1 to 4 channels), got {shape}"
        )
    if array.dtype != np.float16:
        array = array.astype(np.float32, copy=False)
    native.save_exr(file, np.ascontiguousarray(array))
