# SPDX-License-Identifier: MIT
"""Where elements are, in which order, which ones there are: indexing, searching, sorting and sets
of the array API. Indices are int64. Results whose size depends on values wait for the device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lathe.array import creation, rearranging, sorting
from lathe.array.gpu_array import GPUArray
from lathe.array.rearranging import axis_of, flip
from lathe.array_api.devices import expect_arrays
from lathe.array_api.dtypes import result_type
from lathe.native import native


class UniqueAll(NamedTuple):
    """What `unique_all` finds."""

    values: GPUArray
    indices: GPUArray
    inverse_indices: GPUArray
    counts: GPUArray


class UniqueCounts(NamedTuple):
    """What `unique_counts` finds."""

    values: GPUArray
    counts: GPUArray


class UniqueInverse(NamedTuple):
    """What `unique_inverse` finds."""

    values: GPUArray
    inverse_indices: GPUArray


def take(x: GPUArray, indices: GPUArray, /, *, axis: int | None = None) -> GPUArray:
    """Elements, or parts along an axis, by their numbers, which are checked."""
    expect_arrays("take", x, indices)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: an axis is needed for {x.ndim} axes")
        axis = 0
    return x[(slice(None),) * axis_of(axis, x.ndim) + (indices,)]


def take_along_axis(x: GPUArray, indices: GPUArray, /, *, axis: int = -1) -> GPUArray:
    """Elements by numbers along an axis, for each place of the other axes."""
    expect_arrays("take_along_axis", x, indices)
    return rearranging.take_along_axis(x, indices, axis)


def argmax(x: GPUArray, /, *, axis: int | None = None, keepdims: bool = False) -> GPUArray:
    """Where the greatest element is, the first of equals."""
    return native.reduce("argmax", x, axis=axis, keepdims=keepdims)


def argmin(x: GPUArray, /, *, axis: int | None = None, keepdims: bool = False) -> GPUArray:
    """Where the least element is, the first of equals."""
    return native.reduce("argmin", x, axis=axis, keepdims=keepdims)


def count_nonzero(x: GPUArray, /, *, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """How many elements are not 0."""
    return native.reduce("count_nonzero", x, axis=axis, keepdims=keepdims)


def nonzero(x: GPUArray, /) -> tuple[GPUArray, ...]:
    """Indices along each axis of what is not 0, in C order."""
    if not x.ndim:
        raise ValueError("nonzero: the array has no axes")
    return sorting.nonzero(x)


def searchsorted(
    x1: GPUArray, x2: Any, /, *, side: str = "left", sorter: GPUArray | None = None
) -> GPUArray:
    """Before which elements of a sorted array those of another one go to keep it sorted."""
    expect_arrays("searchsorted", x1)
    if isinstance(x2, GPUArray):
        wanted = result_type(x1, x2)
        x1, x2 = x1.astype(wanted, copy=False), x2.astype(wanted, copy=False)
    else:
        x2 = np.asarray(x2, result_type(x1, x2))
    return sorting.searchsorted(x1, x2, side, sorter)


def where(condition: GPUArray, x1: Any, x2: Any, /) -> GPUArray:
    """Elements of one where the condition is true, else of the other."""
    expect_arrays("where", condition)
    return native.apply("where", condition, x1, x2)


def sort(
    x: GPUArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> GPUArray:
    """A sorted copy; equal elements keep their order. NaN is greater than all."""
    if not descending:
        return sorting.sort(x, axis)
    return flip(sorting.sort(flip(x, axis), axis), axis).copy("C")


def argsort(
    x: GPUArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> GPUArray:
    """Indices that sort; of equal elements the first one is first. NaN is greater than all."""
    if not descending:
        return sorting.argsort(x, axis)
    found = flip(sorting.argsort(flip(x, axis), axis), axis)
    return (x.shape[axis] - 1) - found


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> GPUArray:
    """Whether each element of one is among those of the other; NaN is not."""
    expect_arrays("isin", x1 if isinstance(x1, GPUArray) else x2)
    wanted = result_type(x1, x2)
    values, among = (
        each.astype(wanted, copy=False)
        if isinstance(each, GPUArray)
        else creation.full((), each, wanted)
        for each in (x1, x2)
    )
    if not among.size or not values.size:
        return creation.full(values.shape, invert, np.bool_)
    ordered = sorting.sort(among.reshape(-1))
    places = native.apply("minimum", sorting.searchsorted(ordered, values), among.size - 1)
    return native.apply("not_equal" if invert else "equal", ordered[places], values)


def _unique(x: GPUArray) -> UniqueAll:
    made = sorting.unique(x, True, True, True, equal_nan=False)
    return UniqueAll(*made)


def unique_all(x: GPUArray, /) -> UniqueAll:
    """The values, sorted, each once (NaNs each for itself), where each one is first, which one each
    element is, how often each is there."""
    return _unique(x)


def unique_counts(x: GPUArray, /) -> UniqueCounts:
    """`unique_all` without indices."""
    return UniqueCounts(*sorting.unique(x, False, False, True, equal_nan=False))


def unique_inverse(x: GPUArray, /) -> UniqueInverse:
    """`unique_all` without first indices and counts."""
    return UniqueInverse(*sorting.unique(x, False, True, False, equal_nan=False))


def unique_values(x: GPUArray, /) -> GPUArray:
    """`unique_all`'s values."""
    return sorting.unique(x, equal_nan=False)
