# SPDX-License-Identifier: MIT
"""NumPy arrays in host memory that the device knows, or that is aligned.

Each array's `base` is the allocation. Kernels take arrays in managed memory, and parts and views of
them, as pointers; page-locked ones where they were made with ``host_alloc_flags.DEVICEMAP``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.native import native

_Shape = SupportsIndex | tuple[SupportsIndex, ...]
_Array = NDArray[Any]


def _made(shape: Any, dtype: DTypeLike, order: Any, memory: Callable[[int], Any]) -> _Array:
    sizes = tuple(shape) if np.iterable(shape) else (shape,)
    if min(sizes, default=0) < 0:
        raise ValueError(f"negative dimensions are not allowed, got {sizes}")
    kind = np.dtype(dtype)
    bytes_ = math.prod(int(n) for n in sizes) * kind.itemsize
    if bytes_ > sys.maxsize:
        raise ValueError(f"array is too big, got {sizes} of {kind}: {bytes_} bytes")
    return np.ndarray(sizes, kind, buffer=memory(bytes_), order=order)


def _order(array: _Array) -> str:
    if array.flags.c_contiguous:
        return "C"
    if array.flags.f_contiguous:
        return "F"
    raise ValueError(
        "could not detect array order: the array is not contiguous, "
        f"its shape is {array.shape}, its strides are {array.strides}"
    )


def _like(array: Any) -> tuple[_Shape, DTypeLike, str]:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"array must be a numpy.ndarray, got {array!r}")
    return array.shape, array.dtype, _order(array)


def _zeroed(array: _Array) -> _Array:
    array.fill(0)
    return array


def pagelocked_empty(
    shape: _Shape, dtype: DTypeLike, order: str = "C", mem_flags: int = 0
) -> _Array:
    """An array in page-locked memory: copies run at full speed, and asynchronously with a stream.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : data type
    order : {"C", "F"}
    mem_flags : host_alloc_flags

    Raises
    ------
    MemoryError
        Where there is not enough.
    """
    return _made(shape, dtype, order, lambda n: native.PagelockedHostAllocation(n, int(mem_flags)))


def pagelocked_zeros(
    shape: _Shape, dtype: DTypeLike, order: str = "C", mem_flags: int = 0
) -> _Array:
    """`pagelocked_empty`, filled with zeros."""
    return _zeroed(pagelocked_empty(shape, dtype, order, mem_flags))


def pagelocked_empty_like(array: _Array, mem_flags: int = 0) -> _Array:
    """`pagelocked_empty` of the shape, type and order of a contiguous array."""
    return pagelocked_empty(*_like(array), mem_flags)


def pagelocked_zeros_like(array: _Array, mem_flags: int = 0) -> _Array:
    """`pagelocked_empty_like`, filled with zeros."""
    return _zeroed(pagelocked_empty_like(array, mem_flags))


def aligned_empty(
    shape: _Shape, dtype: DTypeLike, order: str = "C", alignment: int = 4096
) -> _Array:
    """An array whose address is a multiple of `alignment`, a power of two.

    Raises
    ------
    ValueError
        For another alignment.
    """
    return _made(shape, dtype, order, lambda n: native.AlignedHostAllocation(n, alignment))


def aligned_zeros(
    shape: _Shape, dtype: DTypeLike, order: str = "C", alignment: int = 4096
) -> _Array:
    """`aligned_empty`, filled with zeros."""
    return _zeroed(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array: _Array, alignment: int = 4096) -> _Array:
    """`aligned_empty` of the shape, type and order of a contiguous array."""
    return aligned_empty(*_like(array), alignment)


def aligned_zeros_like(array: _Array, alignment: int = 4096) -> _Array:
    """`aligned_empty_like`, filled with zeros."""
    return _zeroed(aligned_empty_like(array, alignment))


def managed_empty(shape: _Shape, dtype: DTypeLike, order: str = "C", mem_flags: int = 0) -> _Array:
    """An array in memory that host and device both address.

    Synchronise before the host reads what a kernel writes.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : data type
    order : {"C", "F"}
    mem_flags : mem_attach_flags
        GLOBAL, or 0 for the same; HOST: no device touches it until ``a.base.attach``.

    Raises
    ------
    MemoryError
        Where there is not enough.
    ValueError
        For other flags.
    """
    flags = int(mem_flags) or 1
    if flags not in (1, 2):
        raise ValueError(f"mem_flags must be mem_attach_flags.GLOBAL or HOST, got {mem_flags}")
    return _made(shape, dtype, order, lambda n: native.ManagedAllocation(n, flags))


def managed_zeros(shape: _Shape, dtype: DTypeLike, order: str = "C", mem_flags: int = 0) -> _Array:
    """`managed_empty`, filled with zeros."""
    return _zeroed(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array: _Array, mem_flags: int = 0) -> _Array:
    """`managed_empty` of the shape, type and order of a contiguous array."""
    return managed_empty(*_like(array), mem_flags)


def managed_zeros_like(array: _Array, mem_flags: int = 0) -> _Array:
    """`managed_empty_like`, filled with zeros."""
    return _zeroed(managed_empty_like(array, mem_flags))


def register_host_memory(ary: _Array, flags: int = 0) -> _Array:
    """Page-locks an array: copies run at full speed, and asynchronously with a stream.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous, with elements.
    flags : mem_host_register_flags
        DEVICEMAP: kernels take the array that is returned, and parts of it.

    Returns
    -------
    numpy.ndarray
        The same memory, shape and type. Its `base` is a `RegisteredHostMemory`, which keeps `ary`
        and ends the page-lock with the last array over it, or by ``unregister()``.

    Raises
    ------
    LogicError
        Where memory of it is registered already.
    TypeError, ValueError
        For what is no such array, or other flags.
    """
    memory: Any = native.RegisteredHostMemory(ary, int(flags))
    return np.ndarray(ary.shape, ary.dtype, buffer=memory, strides=ary.strides)
