# SPDX-License-Identifier: MIT
"""Norms, ranks and condition numbers, with NumPy's names and arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.array.numpy_functions import expand_dims, moveaxis
from lathe.linalg import checks, factors
from lathe.linalg.solvers import inv


def _floating(x: GPUArray) -> GPUArray:
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def vector_norm(
    x: GPUArray, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> GPUArray:
    """Norms of vectors along axes (None: all elements as one vector).

    Parameters
    ----------
    ord : float
        inf and -inf: the largest and the least absolute value, 0: how many are not 0, else the
        root of the sum of powers.
    """
    (x,) = checks.arrays("vector_norm", x)
    x = _floating(x)
    keywords: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if not isinstance(ord, int | float | np.number):
        raise ValueError(f"vector_norm: ord must be a number, got {ord!r}")
    if ord == 0:
        made: GPUArray = (x != 0).sum(**keywords).astype(checks.real_type(x.dtype))
        return made
    size = abs(x)
    if ord == np.inf:
        made = size.max(**keywords)
    elif ord == -np.inf:
        made = size.min(**keywords)
    elif ord == 1:
        made = size.sum(**keywords)
    elif ord == 2:
        made = np.sqrt((size * size).sum(**keywords))
    else:
        made = (size**ord).sum(**keywords) ** (1 / ord)
    return made


def _matrix_norm(x: GPUArray, ord: Any) -> Any:
    """Over the last two axes."""
    size = abs(x)
    if ord in ("fro", "f", None):
        return np.sqrt((size * size).sum(axis=(-2, -1)))
    if ord in (1, -1, np.inf, -np.inf):
        sums = size.sum(axis=-2 if abs(ord) == 1 else -1)
        return sums.max(axis=-1) if ord > 0 else sums.min(axis=-1)
    if ord in (2, -2, "nuc"):
        values = factors.svdvals(x)
        if ord == "nuc":
            return values.sum(axis=-1)
        return values.max(axis=-1) if ord == 2 else values.min(axis=-1)
    raise ValueError(f"Invalid norm order {ord!r} for matrices")


def matrix_norm(x: GPUArray, /, *, keepdims: bool = False, ord: Any = "fro") -> GPUArray:
    """Norms of the matrices in the last two axes: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    (x,) = checks.arrays("matrix_norm", x)
    return norm(x, ord, (-2, -1), keepdims)


def norm(x: GPUArray, ord: Any = None, axis: Any = None, keepdims: bool = False) -> GPUArray:
    """A norm of a vector or a matrix; without `ord` the root of the sum of squares.

    Parameters
    ----------
    axis : int or pair of int, optional
        One: norms of vectors, two: of matrices. Unless given, the array is one of them.
    """
    (x,) = checks.arrays("norm", x)
    x = _floating(x)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            return vector_norm(x, keepdims=keepdims)
        axes = tuple(range(x.ndim))
    else:
        axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    if any(not -x.ndim <= k < x.ndim for k in axes):
        raise np.exceptions.AxisError(f"norm: axis {axis} is out of bounds for shape {x.shape}")
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = (k % x.ndim for k in axes)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    made: GPUArray = _matrix_norm(moveaxis(x, (rows, columns), (-2, -1)), ord)
    return expand_dims(made, tuple(sorted((rows, columns)))) if keepdims else made


def matrix_rank(
    A: GPUArray,
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> GPUArray:
    """How many singular values are above `tol`, or above `rtol` times the largest.

    Unless given `rtol` is the type's precision times the larger size.
    """
    (a,) = checks.inexact("matrix_rank", A)
    if a.ndim < 2:
        nonzero: GPUArray = (a != 0).any().astype(np.int64)
        return nonzero
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if not a.size:
        made = GPUArray(a.shape[:-2], np.int64)
        return made.fill(0)
    s = factors.svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        relative = max(a.shape[-2:]) * float(np.finfo(s.dtype).eps) if rtol is None else rtol
        if isinstance(relative, GPUArray) and relative.ndim:
            relative = relative[..., None]
        tol = s.max(axis=-1, keepdims=True) * relative
    elif isinstance(tol, GPUArray) and tol.ndim:
        tol = tol[..., None]
    ranks: GPUArray = (s > tol).sum(axis=-1).astype(np.int64, copy=False)
    return ranks


def cond(x: GPUArray, p: Any = None) -> GPUArray:
    """Condition numbers: how much an error of a right side may grow in a solution."""
    (x,) = checks.inexact("cond", x)
    checks.matrices("cond", x)
    if p in (None, 2, -2):
        s = factors.svdvals(x)
        ratio: GPUArray = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
        return ratio
    checks.square("cond", x)
    made: GPUArray = norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))
    return made
