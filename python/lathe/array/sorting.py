# SPDX-License-Identifier: MIT
"""Prefixes, sorting, selection and counts of `gpuarray`, with NumPy's names, arguments and results.

Results whose size depends on the values (`unique`, `nonzero`, `extract`, `bincount`, `histogram`
without a range) wait for the device; all others are asynchronous on `stream`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.creation import to_gpu, zeros
from lathe.array.gpu_array import GPUArray, Stream
from lathe.native import native


def _on_device(value: Any) -> GPUArray:
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
    made: GPUArray = native.search_array(a, _on_device(v), side == "right", sorter, stream)
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
    condition = _on_device(condition)
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


def bincount(
    x: GPUArray, weights: Any = None, minlength: SupportsIndex = 0, *, stream: Stream = None
) -> GPUArray:
    """How often each of 0, 1, 2 ... is there, or the sums of weights (float64).

    Sums of weights may differ in their last bits from run to run.

    Raises
    ------
    ValueError
        For negative numbers, several axes, another number of weights.
    TypeError
        For numbers that are no integers.
    """
    length = int(minlength)
    if length < 0:
        raise ValueError("'minlength' must not be negative")
    if x.ndim != 1:
        raise ValueError(f"bincount takes arrays of one axis, got {x.shape}")
    if x.dtype.kind not in "bui":
        raise TypeError(f"bincount counts integers, got {x.dtype}")
    factors = None if weights is None else _on_device(weights)
    if factors is not None and factors.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    if x.size:
        least, greatest = native.array_range(x, stream)
        if least < 0:
            raise ValueError("'list' argument must have no negative elements")
        length = max(length, greatest + 1)
    made: GPUArray = native.count_array(x, length, factors, stream)
    return made


def _edges(
    a: GPUArray, bins: Any, range_: Any, stream: Stream
) -> tuple[np.ndarray[Any, Any], bool]:
    """The edges as NumPy makes them of the values' range, and whether they have one distance."""
    if isinstance(bins, str):
        raise TypeError(f"bins is a number or edges, not the rule {bins!r}")
    bins = bins.get() if isinstance(bins, GPUArray) else bins
    is_even = np.ndim(bins) == 0
    sample = np.zeros(0, a.dtype)
    if is_even and range_ is None and a.size:
        sample = np.array(native.array_range(a, stream), a.dtype)
    return np.histogram_bin_edges(sample, bins, range_), is_even


def histogram(
    a: GPUArray,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Any = None,
    *,
    stream: Stream = None,
) -> tuple[GPUArray, GPUArray]:
    """How many values lie in each bin, and the bins' edges, as ``np.histogram`` has them.

    Parameters
    ----------
    a : GPUArray
        All elements count.
    bins : int or sequence
        A number of bins of one width, or ascending edges.
    range : (float, float), optional
        Of the bins; from the least to the greatest value unless given.
    density : bool, optional
        The share of all for each bin, divided by its width.
    weights : array, optional
        Sums of these instead of counts; their last bits may differ from run to run.

    Returns
    -------
    counts : GPUArray
        int64, or of the weights' type, or float64 for a density.
    edges : GPUArray
    """
    if a.dtype.kind == "b":
        a = a.astype(np.uint8)
    if a.dtype.kind == "c":
        raise TypeError("complex numbers have no bins")
    factors = None if weights is None else _on_device(weights)
    if factors is not None and factors.shape != a.shape:
        raise ValueError("weights should have the same shape as a.")
    edges, is_even = _edges(a, bins, range, stream)
    on_device = to_gpu(edges)
    if factors is not None and factors.dtype.kind == "c":
        raise TypeError("weights are real numbers")
    if edges.size < 2:
        counts = zeros(0, np.int64)
    else:
        counts = native.bin_array(a, on_device, is_even, factors, stream)
    if density:
        host = counts.get() if stream is None else counts.get_async(stream)
        if stream is not None:
            stream.synchronize()
        return to_gpu(host / np.diff(edges) / host.sum()), on_device
    if factors is not None:
        counts = counts.astype(factors.dtype, stream)
    return counts, on_device


__all__ = [
    "accumulate",
    "argsort",
    "bincount",
    "compress",
    "cumprod",
    "cumsum",
    "extract",
    "flatnonzero",
    "histogram",
    "nonzero",
    "partition",
    "searchsorted",
    "sort",
    "unique",
]
