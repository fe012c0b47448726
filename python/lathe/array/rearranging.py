# SPDX-License-Identifier: MIT
"""Elements of arrays in other places: rolled, tiled, repeated, taken along an axis, triangles, and
differences of neighbours. NumPy's names, arguments and results; all on the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lathe.array.creation import concatenate, to_gpu
from lathe.array.gpu_array import GPUArray
from lathe.native import native


def axis_of(axis: Any, dimensions: int) -> int:
    """An axis counted from the front.

    Raises
    ------
    numpy.exceptions.AxisError
        Where there is none of that number.
    """
    number = int(np.asarray(axis).item()) if not isinstance(axis, int) else axis
    if not -dimensions <= number < dimensions:
        raise np.exceptions.AxisError(number, dimensions)
    return number % dimensions


def axes_of(axis: Any, dimensions: int) -> tuple[int, ...]:
    """The axes of a number or a sequence; all for None. Each may be there once."""
    if axis is None:
        return tuple(range(dimensions))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = tuple(axis_of(each, dimensions) for each in given)
    if len(set(found)) != len(found):
        raise ValueError("repeated axis")
    return found


def counted(size: int) -> GPUArray:
    """int64: 0, 1, 2 ... on the device."""
    made = GPUArray(size, np.int64)
    if size:
        native.apply("arange", 0, 1, out=made)
    return made


def _along(a: GPUArray, axis: int, entry: Any) -> GPUArray:
    return a[(slice(None),) * axis + (entry,)]


def flip(a: GPUArray, axis: Any = None) -> GPUArray:
    """A view in which axes run backwards."""
    axes = axes_of(axis, a.ndim)
    return a[tuple(slice(None, None, -1 if k in axes else 1) for k in range(a.ndim))]


def roll(a: GPUArray, shift: Any, axis: Any = None) -> GPUArray:
    """A copy in which elements move along axes; what leaves at one end comes in at the other."""
    if axis is None:
        if np.ndim(shift):
            shift = sum(int(each) for each in np.ravel(shift))
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    shifts, axes = np.broadcast_arrays(shift, axis)
    if shifts.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    by: dict[int, int] = {}
    for each, k in zip(shifts.ravel().tolist(), axes.ravel().tolist(), strict=True):
        k = axis_of(k, a.ndim)
        by[k] = by.get(k, 0) + each
    made = a
    for k, each in by.items():
        distance = each % a.shape[k] if a.shape[k] else 0
        if distance:
            parts = [_along(made, k, slice(-distance, None)), _along(made, k, slice(-distance))]
            made = concatenate(parts, k)
    return made.copy() if made is a else made


def tile(A: GPUArray, reps: Any) -> GPUArray:
    """The array beside itself, so often along each axis; new axes come in front."""
    times = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    times = tuple(int(n) for n in times)
    if any(n < 0 for n in times):
        raise ValueError("negative dimensions are not allowed")
    dimensions = max(A.ndim, len(times))
    times = (1,) * (dimensions - len(times)) + times
    sizes = (1,) * (dimensions - A.ndim) + A.shape
    source = A.reshape(*(n for size in sizes for n in (1, size))) if dimensions else A
    split = tuple(n for pair in zip(times, sizes, strict=True) for n in pair)
    whole = source._broadcast_to(split).copy("C")
    return whole.reshape(tuple(n * size for n, size in zip(times, sizes, strict=True)))


def repeat(a: GPUArray, repeats: Any, axis: Any = None) -> GPUArray:
    """Each element several times in a row.

    Parameters
    ----------
    repeats : int or array of int
        How often: all, or each along the axis. An array on the device is waited for.
    axis : int, optional
        None: all elements as one axis.
    """
    if axis is None:
        a, axis = a.ravel(), 0
    axis = axis_of(axis, a.ndim)
    often = np.asarray(repeats.get() if isinstance(repeats, GPUArray) else repeats)
    if often.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {often.dtype} to dtype('int64')")
    if often.size and often.min() < 0:
        raise ValueError("repeats may not contain negative values.")
    size = a.shape[axis]
    if often.ndim > 1 or (often.size != 1 and often.size != size):
        raise ValueError(f"repeats has shape {often.shape}, the axis {size} elements")
    if often.size == 1:
        wide = a.reshape(*a.shape[: axis + 1], 1, *a.shape[axis + 1 :])
        each = int(often.item())
        split = (*a.shape[: axis + 1], each, *a.shape[axis + 1 :])
        shape = (*a.shape[:axis], size * each, *a.shape[axis + 1 :])
        return wide._broadcast_to(split).copy("C").reshape(shape)
    return _along(a, axis, np.repeat(np.arange(size), often))


def take_along_axis(arr: GPUArray, indices: GPUArray, axis: Any = -1) -> GPUArray:
    """Elements by indices along one axis; the other axes of both go together, and broadcast."""
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.ravel(), 0
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    axis = axis_of(axis, arr.ndim)
    entries: list[Any] = []
    for k in range(arr.ndim):
        line = [1] * arr.ndim
        line[k] = arr.shape[k]
        entries.append(indices if k == axis else np.arange(arr.shape[k]).reshape(line))
    return arr[tuple(entries)]


def _below(rows: int, columns: int, k: int) -> GPUArray:
    """Of a matrix, whether an element is on diagonal `k` or below."""
    return counted(rows).reshape(rows, 1) >= counted(columns).reshape(1, columns) - int(k)


def tril(m: GPUArray, k: int = 0) -> GPUArray:
    """A copy with zeros above diagonal `k` of the last two axes."""
    return native.apply("where", _below(*_matrix(m), k), m, m.dtype.type(0))


def triu(m: GPUArray, k: int = 0) -> GPUArray:
    """A copy with zeros below diagonal `k` of the last two axes."""
    return native.apply("where", _below(*_matrix(m), k - 1), m.dtype.type(0), m)


def _matrix(m: GPUArray) -> tuple[int, int]:
    if m.ndim < 2:
        raise ValueError(f"an array of two or more axes is wanted, got shape {m.shape}")
    return m.shape[-2], m.shape[-1]


def diff(
    a: GPUArray, n: int = 1, axis: Any = -1, prepend: Any = None, append: Any = None
) -> GPUArray:
    """Each element less the one before it along an axis, `n` times; of bool whether they differ."""
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if not a.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = axis_of(axis, a.ndim)
    if n == 0:
        return a
    parts = [_edge(prepend, a, axis), a, _edge(append, a, axis)]
    made = a if prepend is None and append is None else concatenate(
        [each for each in parts if each is not None], axis
    )  # fmt: skip
    how = "not_equal" if made.dtype == np.bool_ else "subtract"
    for _ in range(n):
        made = native.apply(
            how, _along(made, axis, slice(1, None)), _along(made, axis, slice(None, -1))
        )
    return made


def _edge(value: Any, a: GPUArray, axis: int) -> GPUArray | None:
    if value is None:
        return None
    edge = value if isinstance(value, GPUArray) else to_gpu(np.asarray(value))
    if edge.ndim == 0:
        return edge._broadcast_to((*a.shape[:axis], 1, *a.shape[axis + 1 :]))
    return edge


def unstack(x: GPUArray, /, *, axis: Any = 0) -> tuple[GPUArray, ...]:
    """Views of the parts along an axis."""
    if not x.ndim:
        raise ValueError("Input array must be at least 1-d.")
    axis = axis_of(axis, x.ndim)
    return tuple(_along(x, axis, k) for k in range(x.shape[axis]))


def broadcast_arrays(*args: GPUArray) -> tuple[GPUArray, ...]:
    """Views of all in the shape that they have together."""
    shape = np.broadcast_shapes(*(each.shape for each in args))
    return tuple(each if each.shape == shape else each._broadcast_to(shape) for each in args)


def meshgrid(
    *xi: GPUArray, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[GPUArray, ...]:
    """Arrays of one axis as coordinates of a grid, an axis for each."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    axes = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        axes[:2] = [1, 0]
    lines = []
    for each, k in zip(xi, axes, strict=True):
        shape = [1] * len(xi)
        shape[k] = -1
        lines.append(each.reshape(shape))
    made: Sequence[GPUArray] = lines if sparse else broadcast_arrays(*lines)
    return tuple(each.copy("C") for each in made) if copy else tuple(made)


__all__ = [
    "broadcast_arrays", "diff", "flip", "meshgrid", "repeat", "roll", "take_along_axis", "tile",
    "tril", "triu", "unstack",
]  # fmt: skip
