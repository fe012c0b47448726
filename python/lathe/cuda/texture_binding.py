# SPDX-License-Identifier: MIT
"""Arrays on the device as what a texture reference reads, for `GPUArray.bind_to_texref`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from lathe.array.extensions import register
from lathe.array.gpu_array import GPUArray
from lathe.cuda import driver


def bind(array: GPUArray, texref: Any, allow_offset: bool) -> float:
    """Makes the reference read the array; returns the offset in elements."""
    offset: int = texref.set_address(array.gpudata, array.nbytes, allow_offset)
    return offset / array.itemsize


def bind_with_format(
    array: GPUArray, texref: Any, channels: int, allow_double_hack: bool, allow_complex_hack: bool,
    allow_offset: bool,
) -> float:  # fmt: skip
    """The same, and sets the format that the array's type has."""
    as_integer = array.dtype.kind in "iu"
    if array.dtype == np.float64 and allow_double_hack:
        if channels != 1:
            raise ValueError("float64 textures have one channel")
        format_, channels, as_integer = driver.array_format.SIGNED_INT32, 2, True
    elif array.dtype == np.complex64 and allow_complex_hack:
        if channels != 1:
            raise ValueError("complex64 textures have one channel")
        format_, channels = driver.array_format.FLOAT, 2
    elif array.dtype == np.complex128 and allow_complex_hack:
        if channels != 1:
            raise ValueError("complex128 textures have one channel")
        format_, channels, as_integer = driver.array_format.SIGNED_INT32, 4, True
    else:
        format_ = driver.dtype_to_array_format(array.dtype)
    offset = bind(array, texref, allow_offset)
    texref.set_format(format_, channels)
    if as_integer:
        texref.set_flags(texref.get_flags() | driver.TRSF_READ_AS_INTEGER)
    return offset


register("textures", sys.modules[__name__])
