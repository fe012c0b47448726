# SPDX-License-Identifier: MIT
"""Products of matrices for the array API and for operators of arrays: each element of a result is
one reduction over views, so nothing but the result is written, and nothing is read again from near
memory. `lathe.linalg` is the place for fast ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lathe.array_api.devices import expect_arrays
from lathe.cuda.array_rearranging import axis_of
from lathe.cuda.array_type import GPUArray
from lathe.native import native


def _product(name: str, a: GPUArray, b: GPUArray) -> GPUArray:
    """Products of what stands in the last axes of two arrays, summed; the others broadcast."""
    wanted = np.result_type(a.dtype, b.dtype)
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, b = (each.astype(wanted, copy=False)._broadcast_to(shape) for each in (a, b))
    if wanted == np.bool_:
        return native.reduce("any", a & b, axis=-1)
    return native.reduce(name, a, b, axis=-1, dtype=wanted)


def matmul(x1: GPUArray, x2: GPUArray, /) -> GPUArray:
    """The product of matrices in the last two axes, or of vectors."""
    expect_arrays("matmul", x1, x2)
    if not x1.ndim or not x2.ndim:
        raise ValueError("matmul: arrays without axes have no product of matrices")
    inner = x2.shape[-2 if x2.ndim > 1 else -1]
    if x1.shape[-1] != inner:
        raise ValueError(
            f"matmul: shapes {x1.shape} and {x2.shape} do not fit: {x1.shape[-1]} is not {inner}"
        )
    rows = x1.reshape(*x1.shape[:-1], 1, inner)
    columns = x2 if x2.ndim == 1 else matrix_transpose(x2)
    if x2.ndim > 1:
        columns = columns.reshape(*columns.shape[:-2], 1, *columns.shape[-2:])
    if x1.ndim == 1:
        columns = columns.reshape(*columns.shape[:-3], *columns.shape[-2:]) if x2.ndim > 1 else x2
        rows = x1
    elif x2.ndim == 1:
        rows = x1
    return _product("dot", rows, columns)


def matrix_transpose(x: GPUArray, /) -> GPUArray:
    """A view with the last two axes exchanged."""
    if x.ndim < 2:
        raise ValueError(f"a matrix has two axes or more, got shape {x.shape}")
    return x.swapaxes(-1, -2)


def vecdot(x1: GPUArray, x2: GPUArray, /, *, axis: int = -1) -> GPUArray:
    """The sums of products along an axis, with the first ones conjugated."""
    expect_arrays("vecdot", x1, x2)
    first, second = (axis_of(axis, each.ndim) for each in (x1, x2))
    if x1.shape[first] != x2.shape[second]:
        raise ValueError(f"vecdot: shapes {x1.shape} and {x2.shape} differ along axis {axis}")
    return _product("vdot", _last(x1, [first]), _last(x2, [second]))


def _last(x: GPUArray, axes: Sequence[int]) -> GPUArray:
    return x.transpose([*(k for k in range(x.ndim) if k not in axes), *axes])


def tensordot(x1: GPUArray, x2: GPUArray, /, *, axes: Any = 2) -> GPUArray:
    """Products summed over several axes: the last and first so many, or those named."""
    expect_arrays("tensordot", x1, x2)
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot: axes is {axes}, the arrays have {x1.ndim} and {x2.ndim}")
        chosen = [list(range(x1.ndim - axes, x1.ndim)), list(range(axes))]
    else:
        chosen = [
            [axis_of(k, each.ndim) for k in (line if isinstance(line, Sequence) else [line])]
            for each, line in zip((x1, x2), axes, strict=True)
        ]
    if [x1.shape[k] for k in chosen[0]] != [x2.shape[k] for k in chosen[1]]:
        raise ValueError(f"tensordot: shapes {x1.shape} and {x2.shape} do not fit along {axes}")
    shapes, flat = [], []
    for each, line in zip((x1, x2), chosen, strict=True):
        shapes.append([each.shape[k] for k in range(each.ndim) if k not in line])
        inner = math.prod(each.shape[k] for k in line)
        flat.append(_last(each, line).reshape(math.prod(shapes[-1]), inner))
    rows, columns = flat
    made = _product("dot", rows.reshape(rows.shape[0], 1, rows.shape[1]), columns)
    return made.reshape(*shapes[0], *shapes[1]) if shapes[0] or shapes[1] else made.reshape(())
