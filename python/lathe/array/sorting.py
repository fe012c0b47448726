# SPDX-License-Identifier: MIT
"""Prefixes, sorting and selection of `gpuarray`, with NumPy's names, arguments and results.

Results whose size depends on the values (`unique`, `nonzero`, `extract`) wait for the
device; all others are asynchronous on `stream`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.creation import to_gpu
from lathe.array.gpu_array import GPUArray, Stream
from lathe.native import native


def on_device(value: Any) -> GPUArray:
    """The array itself, or a copy of host values on the device."""
    return value if isinstance(value, GPUArray) else to_gpu(np.asarray(value))


def _flat(a: GPUArray) -> GPUArray:
    """All elements in C order, as one axis."""
    return a if a.ndim == 1 else a.reshape(-1)


def _into(out: GPUArray | None, made: GPUArray, stream: Stream) -> GPUArray:
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError(f"out has shape {out.shape}, the result {made.shape}")
    native.assign_array(out, made, stream)
    return out


def _check_order(kind: str | None, order: Any, stable: bool | None) -> None:
    """All kinds are the stable one."""
    if kind not in (None, "quicksort", "mergesort", "heapsort", "stable"):
        raise ValueError(f"kind must be 'stable' or another of NumPy's, got {kind!r}")
    if order is not None:
        raise ValueError("structures are not sorted: order must be None")


def accumulate(
    name: str,
    a: GPUArray,
    axis: SupportsIndex | None = 0,
    dtype: DTypeLike | None = None,
    stream: Stream = None,
) -> GPUArray:
    """What `name` makes of the elements so far: NumPy's ``np.maximum.accumulate(a, axis)``.

    Parameters
    ----------
    name : str
        ``"add"``, ``"multiply"``, ``"maximum"``, ``"minimum"``, ``"bitwise_or"`` ...: an
        associative operation of two numbers. Floats are combined in another order than NumPy's,
        the same in each run.
    a : GPUArray
    axis : int, optional
        None: all elements as one axis.
    dtype : data type, optional
        Unless given, that of `a`; sums and products of bool and short integers are int64, or
        uint64.

    Raises
    ------
    TypeError
        For an operation that has no prefixes, or that the type does not have.
    """
    if axis is None:
        a, axis = _flat(a), 0
    made: GPUArray = native.accumulate_array(name, a, int(axis), dtype, stream)
    return made


def cumsum(
    a: GPUArray,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: GPUArray | None = None,
    *,
    stream: Stream = None,
) -> GPUArray:
    """Sums of the elements so far, along an axis or (None) of all in C order."""
    return _into(out, accumulate("add", a, axis, dtype, stream), stream)


def cumprod(
    a: GPUArray,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: GPUArray | None = None,
    *,
    stream: Stream = None,
) -> GPUArray:
    """Products of the elements so far, along an axis or (None) of all in C order."""
    return _into(out, accumulate("multiply", a, axis, dtype, stream), stream)


def sort(
    a: GPUArray,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    stream: Stream = None,
) -> GPUArray:
    """A sorted copy, along an axis or (None) of all elements. NaN comes last.

    Always stable, whatever `kind`: -0.0 and 0.0 keep their order.
    """
    _check_order(kind, order, stable)
    if axis is None:
        a, axis = _flat(a), -1
    made: GPUArray = native.sort_array(a, int(axis), stream)
    return made


def argsort(
    a: GPUArray,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    stream: Stream = None,
) -> GPUArray:
    """int64 indices that sort along an axis, of equal elements the first one first."""
    _check_order(kind, order, stable)
    if axis is None:
        a, axis = _flat(a), -1
    made: GPUArray = native.argsort_array(a, int(axis), stream)
    return made


def partition(
    a: GPUArray,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex | None = -1,
    kind: str = "introselect",
    order: None = None,
    *,
    stream: Stream = None,
) -> GPUArray:
    """A copy in which element `kth` is where sorting puts it, smaller ones before it: sorted."""
    size = a.size if axis is None else a.shape[int(axis)]
    for each in np.atleast_1d(np.asarray(kth)):
        if not -size <= int(each) < size:
            raise ValueError(f"kth(={int(each)}) out of bounds ({size})")
    return sort(a, axis, None, order, stream=stream)


def _unique_with_nan(a: GPUArray, return_inverse: bool, stream: Stream) -> tuple[Any, ...]:
    """Values, first indices, inverse and counts, where NaN is unlike NaN."""
    order = native.argsort_array(a, 0, stream)
    ordered = native.take_along(a, order, 0, stream)
    is_first = GPUArray(a.shape, np.bool_, a.allocator).fill(True, stream)
    native.apply("not_equal", ordered[1:], ordered[:-1], out=is_first[1:], stream=stream)
    begins = native.flat_nonzero(is_first, stream)
    values = native.take_along(ordered, begins, 0, stream)
    ends = GPUArray(begins.shape, np.int64, a.allocator).fill(a.size, stream)
    native.assign_array(ends[:-1], begins[1:], stream)
    counts = native.apply("subtract", ends, begins, stream=stream)
    inverse = None
    if return_inverse:
        number = native.apply(
            "subtract", cumsum(is_first, stream=stream), np.int64(1), stream=stream
        )
        inverse = GPUArray(a.shape, np.int64, a.allocator)
        offsets = native.index_offsets([(order, inverse.strides[0], a.size)], stream)
        native.scatter(inverse, offsets, number, stream)
    return values, native.take_along(order, begins, 0, stream), inverse, counts


def unique(
    a: GPUArray,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
    stream: Stream = None,
) -> Any:
    """The values of all elements, each once and sorted. NaNs count as one unless `equal_nan` is
    false, -0.0 and 0.0 in any case.

    Returns
    -------
    values : GPUArray
        Or a tuple with, as asked for, int64 arrays: where each value is first, which value each
        element is (in the shape of `a`), how often each value is there.
    """
    if axis is not None:
        raise ValueError("unique takes all elements (axis=None)")
    if equal_nan or a.dtype.kind not in "fc" or not a.size:
        made = native.unique_array(a, return_index, return_inverse, return_counts, stream)
    else:
        made = _unique_with_nan(_flat(a), return_inverse, stream)
    values, index, inverse, counts = made
    index, counts = index if return_index else None, counts if return_counts else None
    if return_inverse:
        inverse = inverse.reshape(a.shape)
    parts = [each for each in (index, inverse, counts) if each is not None]
    return (values, *parts) if parts else values


def searchsorted(
    a: GPUArray,
    v: Any,
    side: str = "left",
    sorter: GPUArray | None = None,
    *,
    stream: Stream = None,
) -> GPUArray:
    """int64: before which elements of a sorted array those of `v` go to keep it sorted.

    Parameters
    ----------
    a : GPUArray
        One axis, ascending, NaN last.
    v : GPUArray, NumPy array or number
    side : {"left", "right"}
        Of equal elements before the first, or behind the last.
    sorter : GPUArray, optional
        Indices that sort `a`.
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', got {side!r}")
    made: GPUArray = native.search_array(a, on_device(v), side == "right", sorter, stream)
    return made


def nonzero(a: GPUArray, *, stream: Stream = None) -> tuple[GPUArray, ...]:
    """int64 indices along each axis of what is not zero, in C order."""
    return tuple(native.nonzero_array(a, stream))


def flatnonzero(a: GPUArray, *, stream: Stream = None) -> GPUArray:
    """int64 indices in C order of what is not zero."""
    made: GPUArray = native.flat_nonzero(a, stream)
    return made


def extract(condition: GPUArray, arr: GPUArray, *, stream: Stream = None) -> GPUArray:
    """The elements, in C order, where `condition`, of the same size, is not zero: ``a[mask]``."""
    made: GPUArray = native.compress_array(_flat(condition), _flat(arr), stream)
    return made


def compress(
    condition: Any,
    a: GPUArray,
    axis: SupportsIndex | None = None,
    out: GPUArray | None = None,
    *,
    stream: Stream = None,
) -> GPUArray:
    """Slices along an axis (elements, where it is None) where `condition`, of one axis, is true.

    A short condition leaves out what lies behind it.
    """
    condition = on_device(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if axis is None:
        a, axis = _flat(a), 0
    along = range(a.ndim)[int(axis)] if -a.ndim <= int(axis) < a.ndim else None
    if along is None:
        raise ValueError(f"axis {int(axis)} is out of bounds for array of dimension {a.ndim}")
    if condition.size > a.shape[along]:
        raise IndexError(f"condition has {condition.size} elements, the axis {a.shape[along]}")
    if a.ndim == 1:
        return _into(out, extract(condition, a[: condition.size], stream=stream), stream)
    picked: GPUArray = a[(slice(None),) * along + (flatnonzero(condition, stream=stream),)]
    return _into(out, picked, stream)


__all__ = [
    "accumulate",
    "argsort",
    "compress",
    "cumprod",
    "cumsum",
    "extract",
    "flatnonzero",
    "nonzero",
    "partition",
    "searchsorted",
    "sort",
    "unique",
]
