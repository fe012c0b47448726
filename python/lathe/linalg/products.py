# SPDX-License-Identifier: MIT
"""Products of arrays, and the parts of matrices, with NumPy's names and arguments."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.creation import stack
from lathe.array.gpu_array import GPUArray, Stream
from lathe.array.numpy_functions import moveaxis
from lathe.linalg import checks
from lathe.native import native


@contextlib.contextmanager
def allow_tf32(allowed: bool = True) -> Iterator[None]:
    """float32 products in TF32 within a ``with`` block: faster on a GPU, ten bits of mantissa.

    Of all threads of the process. Without it they have float32's accuracy.
    """
    before = native.is_tf32_allowed()
    native.allow_tf32(allowed)
    try:
        yield
    finally:
        native.allow_tf32(before)


def matmul(
    a: GPUArray,
    b: GPUArray,
    /,
    out: GPUArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    stream: Stream = None,
) -> GPUArray:
    """The product of matrices: ``a @ b``.

    Parameters
    ----------
    a, b : GPUArray
        ``(..., m, k)`` and ``(..., k, n)``; the axes before the last two broadcast. An array of one
        dimension is a row on the left and a column on the right.
    out : GPUArray, optional
        Of the result's shape; may be `a` or `b`.
    dtype : data type, optional
        To compute in; the operands' common type unless given. float16 is summed in float32.
    stream : Stream, optional

    Raises
    ------
    ValueError
        For shapes that do not fit.
    ImportError
        On a GPU, for floating and complex types, where cuBLAS is not installed.
    """
    checks.arrays("matmul", a, b)
    made: GPUArray = native.matmul(a, b, out, dtype, stream)
    return made


def vecdot(x1: GPUArray, x2: GPUArray, /, *, axis: int = -1) -> GPUArray:
    """Sums of the products of elements along an axis; those of `x1` are conjugated."""
    checks.arrays("vecdot", x1, x2)
    if not x1.ndim or not x2.ndim or x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: shapes {x1.shape} and {x2.shape} do not fit along axis {axis}")
    left, right = moveaxis(x1.conj(), axis, -1), moveaxis(x2, axis, -1)
    return matmul(left[..., None, :], right[..., :, None])[..., 0, 0]


def outer(x1: GPUArray, x2: GPUArray, /) -> GPUArray:
    """The products of each element of `x1` with each one of `x2`, both of one dimension."""
    checks.arrays("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"outer: arrays must have one dimension, got shapes {x1.shape} and {x2.shape}"
        )
    made: GPUArray = x1[:, None] * x2[None, :]
    return made


def dot(a: GPUArray, b: GPUArray, out: GPUArray | None = None) -> GPUArray:
    """NumPy's ``dot``: sums over the last axis of `a` and the last but one of `b`."""
    checks.arrays("dot", a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return matmul(a, b, out)
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else -1]:
        raise ValueError(f"dot: shapes {a.shape} and {b.shape} do not fit")
    made = tensordot(a, b, (-1, -2 if b.ndim > 1 else -1))
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError(f"dot: out has shape {out.shape}, the result {made.shape}")
    native.assign_array(out, made)
    return out


def inner(a: GPUArray, b: GPUArray, /) -> GPUArray:
    """Sums over the last axes of both."""
    checks.arrays("inner", a, b)
    if not a.ndim or not b.ndim:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"inner: shapes {a.shape} and {b.shape} differ in the last axis")
    return tensordot(a, b, (-1, -1))


def tensordot(a: GPUArray, b: GPUArray, /, axes: Any = 2) -> GPUArray:
    """Sums over several axes, by one product of matrices.

    Parameters
    ----------
    a, b : GPUArray
    axes : int or pair of sequences of int
        The last so many of `a` with the first of `b`, or which of `a` with which of `b`.

    Raises
    ------
    ValueError
        Where their sizes differ.
    """
    checks.arrays("tensordot", a, b)
    if isinstance(axes, Sequence):
        of_a, of_b = ([operator.index(k) for k in np.atleast_1d(each)] for each in axes)
    else:
        of_a, of_b = list(range(-axes, 0)), list(range(axes))
    if len(of_a) != len(of_b) or any(
        not -a.ndim <= i < a.ndim or not -b.ndim <= j < b.ndim or a.shape[i] != b.shape[j]
        for i, j in zip(of_a, of_b, strict=True)
    ):
        raise ValueError(f"tensordot: shapes {a.shape} and {b.shape} do not fit along axes {axes}")
    of_a, of_b = [i % a.ndim for i in of_a], [j % b.ndim for j in of_b]
    rest_a = [k for k in range(a.ndim) if k not in of_a]
    rest_b = [k for k in range(b.ndim) if k not in of_b]
    shape_a, shape_b = [a.shape[k] for k in rest_a], [b.shape[k] for k in rest_b]
    summed = int(np.prod([a.shape[k] for k in of_a], dtype=np.int64))
    left = a.transpose(rest_a + of_a).reshape(int(np.prod(shape_a, dtype=np.int64)), summed)
    right = b.transpose(of_b + rest_b).reshape(summed, int(np.prod(shape_b, dtype=np.int64)))
    return matmul(left, right).reshape(*shape_a, *shape_b)


def matrix_transpose(x: GPUArray, /) -> GPUArray:
    """The last two axes exchanged; a view."""
    checks.arrays("matrix_transpose", x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: shape {x.shape} has no two axes")
    return x.swapaxes(x.ndim - 2, x.ndim - 1)


def diagonal(x: GPUArray, /, *, offset: int = 0) -> GPUArray:
    """The diagonals of the last two axes; a view."""
    checks.matrices("diagonal", *checks.arrays("diagonal", x))
    rows, columns = x.shape[-2:]
    size = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    strides = [*x.strides[:-2], x.strides[-2] + x.strides[-1]]
    start = max(-offset, 0) * x.strides[-2] + max(offset, 0) * x.strides[-1] if size else 0
    return x._view([*x.shape[:-2], size], strides, start, x.dtype)


def trace(x: GPUArray, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> GPUArray:
    """The sums of the diagonals of the last two axes."""
    made: GPUArray = diagonal(x, offset=offset).sum(axis=-1, dtype=dtype)
    return made


def eye(n: int, dtype: DTypeLike) -> GPUArray:
    made = GPUArray((n, n), dtype)
    native.clear_array(made)
    if n:
        diagonal(made).fill(1)
    return made


def matrix_power(a: GPUArray, n: int) -> GPUArray:
    """Square matrices multiplied with themselves; their inverses for negative `n`."""
    from lathe.linalg.solvers import inv

    checks.square("matrix_power", *checks.arrays("matrix_power", a))
    n = operator.index(n)
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        made: GPUArray = GPUArray(a.shape, a.dtype)
        made[...] = eye(a.shape[-1], a.dtype)
        return made
    result = None
    while True:
        if n & 1:
            result = a.copy() if result is None else matmul(result, a)
        n >>= 1
        if not n:
            assert result is not None
            return result
        a = matmul(a, a)


def cross(x1: GPUArray, x2: GPUArray, /, *, axis: int = -1) -> GPUArray:
    """Vector products of vectors of three elements."""
    checks.arrays("cross", x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            f"cross: vectors must have 3 elements, got shapes {x1.shape} and {x2.shape}"
        )
    x, y = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    parts = [x[..., i] * y[..., j] - x[..., j] * y[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return stack(parts, axis)
