# SPDX-License-Identifier: MIT
"""What matrices are made of: arrays of the host or the device, checked, in the types wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda import driver, gpuarray
from lathe.cuda.gpuarray import GPUArray
from lathe.native import native

Stream = driver.Stream | None
Shape = tuple[int, int]

_VALUES = tuple(np.dtype(c) for c in "fdFD")


def value_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Of a matrix whose values are `dtype`: the nearest of the four that there are.

    Raises
    ------
    TypeError
        For what is no number.
    """
    wanted = np.dtype(dtype)
    if wanted in _VALUES:
        return wanted
    if wanted.kind in "biu":
        return np.dtype(np.float64)
    if wanted == np.float16:
        return np.dtype(np.float32)
    raise TypeError(
        f"sparse matrices are of float32, float64, complex64 or complex128, got {wanted}"
    )


def index_type(shape: Shape, nnz: int, dtype: DTypeLike | None = None) -> np.dtype[Any]:
    """int32 where sizes and number of nonzeros allow it, unless `dtype` is given."""
    is_small = max(*shape, nnz) < 2**31 - 1
    if dtype is None:
        return np.dtype(np.int32 if is_small else np.int64)
    wanted = np.dtype(dtype)
    if wanted not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise TypeError(f"indices are int32 or int64, got {wanted}")
    if wanted == np.int32 and not is_small:
        raise ValueError(f"int32 indices do not reach {nnz} nonzeros of shape {shape}")
    return wanted


def shape_of(shape: Any) -> Shape:
    """Two sizes.

    Raises
    ------
    ValueError
        For another number of them, or negative ones.
    """
    sizes = tuple(int(n) for n in shape)
    if len(sizes) != 2 or min(sizes) < 0:
        raise ValueError(f"a matrix has two sizes that are not negative, got {shape}")
    return sizes[0], sizes[1]


def is_on_device(value: Any) -> bool:
    return isinstance(value, GPUArray) or hasattr(value, "__cuda_array_interface__")


def host_or_device(value: Any, what: str) -> Any:
    """A GPUArray, or a NumPy array, of one axis."""
    array = gpuarray.asarray(value) if is_on_device(value) else np.asarray(value)
    if array.ndim != 1:
        raise ValueError(f"{what} must have one axis, got shape {array.shape}")
    return array


def to_device(array: Any, dtype: np.dtype[Any], copy: bool = False) -> GPUArray:
    """On the device, of a type, without gaps."""
    if not isinstance(array, GPUArray):
        return gpuarray.to_gpu(np.ascontiguousarray(array, dtype))
    if array.dtype != dtype:
        return array.astype(dtype)
    return array.copy("C") if copy or not array.flags.c_contiguous else array


def extremes(array: Any) -> tuple[int, int]:
    """The least and the greatest of integers; waits where they are on the device."""
    if array.dtype.kind not in "iu":
        if array.size == 0:
            return 0, -1
        raise TypeError(f"indices are integers, got {array.dtype}")
    if array.size == 0:
        return 0, -1
    if isinstance(array, GPUArray):
        least, greatest = native.array_range(array)
        return int(least), int(greatest)
    return int(array.min()), int(array.max())


def check_range(array: Any, size: int, axis: str) -> None:
    """Raises ValueError for indices that are not of `size` rows or columns."""
    least, greatest = extremes(array)
    if least < 0:
        raise ValueError(f"{axis} index {least} is negative")
    if greatest >= size:
        raise ValueError(f"{axis} index {greatest} is out of range: there are {size} {axis}s")


def check_starts(starts: Any, rows: int, nnz: int) -> None:
    """Raises ValueError for row starts that do not rise from 0 to `nnz`."""
    if starts.size != rows + 1:
        raise ValueError(f"indptr has {starts.size} elements, {rows} rows want {rows + 1}")
    ends = starts[:: max(rows, 1)]
    ends = ends.get() if isinstance(ends, GPUArray) else ends
    if int(ends[0]) != 0 or int(ends[-1]) != nnz:
        raise ValueError(f"indptr goes from 0 to {nnz}, got {int(ends[0])} to {int(ends[-1])}")
    if not bool((starts[1:] >= starts[:-1]).all()):
        raise ValueError("indptr must not fall")
