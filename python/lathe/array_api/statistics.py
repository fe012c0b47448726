# SPDX-License-Identifier: MIT
"""Reductions and sums so far of the array API."""

from __future__ import annotations

from typing import Any

import numpy as np

from lathe.array import creation, rearranging, sorting
from lathe.array.gpu_array import GPUArray
from lathe.native import native


def _reduce(
    name: str, x: GPUArray, axis: Any, keepdims: bool, dtype: Any = None, parameter: float = 0
) -> GPUArray:
    return native.reduce(
        name, x, axis=axis, dtype=dtype, keepdims=keepdims, parameter=float(parameter)
    )


def all(x: GPUArray, /, *, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """Whether no element is 0."""
    return _reduce("all", x, axis, keepdims)


def any(x: GPUArray, /, *, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """Whether an element is not 0."""
    return _reduce("any", x, axis, keepdims)


def max(x: GPUArray, /, *, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """The greatest element; NaN where there is one."""
    return _reduce("max", x, axis, keepdims)


def min(x: GPUArray, /, *, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """The least element; NaN where there is one."""
    return _reduce("min", x, axis, keepdims)


def mean(x: GPUArray, /, *, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """The arithmetic mean."""
    return _reduce("mean", x, axis, keepdims)


def sum(x: GPUArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> GPUArray:
    """The sum, in 64 bits for integers unless a type is given."""
    return _reduce("sum", x, axis, keepdims, dtype)


def prod(
    x: GPUArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False
) -> GPUArray:
    """The product, in 64 bits for integers unless a type is given."""
    return _reduce("prod", x, axis, keepdims, dtype)


def std(
    x: GPUArray, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> GPUArray:
    """The standard deviation; squares are divided by the number of elements less `correction`."""
    return _reduce("std", x, axis, keepdims, None, correction)


def var(
    x: GPUArray, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> GPUArray:
    """The variance, with `std`'s correction."""
    return _reduce("var", x, axis, keepdims, None, correction)


def cumulative_sum(
    x: GPUArray, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> GPUArray:
    """The sums of the elements so far along an axis, with a 0 before them if wanted."""
    return _cumulative("add", x, axis, dtype, include_initial)


def cumulative_prod(
    x: GPUArray, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> GPUArray:
    """The products of the elements so far along an axis, with a 1 before them if wanted."""
    return _cumulative("multiply", x, axis, dtype, include_initial)


def _cumulative(name: str, x: GPUArray, axis: int | None, dtype: Any, initial: bool) -> GPUArray:
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"an axis is needed for an array of {x.ndim} axes")
        x, axis = x.reshape(-1), 0
    axis = rearranging.axis_of(axis, x.ndim)
    made = sorting.accumulate(name, x, axis, None if dtype is None else np.dtype(dtype))
    if not initial:
        return made
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    edge = creation.full(shape, int(name == "multiply"), made.dtype)
    return creation.concatenate([edge, made], axis)


def diff(
    x: GPUArray, /, *, axis: int = -1, n: int = 1, prepend: GPUArray | None = None,
    append: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """Each element less the one before it along an axis, `n` times."""
    return rearranging.diff(x, n, axis, prepend, append)
