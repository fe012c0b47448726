# SPDX-License-Identifier: MIT
"""cuSOLVER's factors made into NumPy's results. Arguments have been checked and have their type.

The library has matrices by columns, one after the other: arrays (count, columns, rows).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from lathe.array.creation import arange
from lathe.array.gpu_array import GPUArray
from lathe.linalg.checks import real_type
from lathe.linalg.products import eye
from lathe.native import native

_Batch = tuple[int, ...]


def _by_columns(a: GPUArray) -> GPUArray:
    """A copy as the library has it."""
    *batch, rows, columns = a.shape
    copied: GPUArray = native.copy_array(a.swapaxes(-1, -2), "C")
    return copied.reshape(math.prod(batch), columns, rows)


def _matrices(by_columns: GPUArray, batch: _Batch) -> GPUArray:
    """The same memory as NumPy has it."""
    _, columns, rows = by_columns.shape
    return by_columns.reshape(*batch, columns, rows).swapaxes(-1, -2)


# Matrices up to this size are factored all in one call where there are several: NVIDIA names about
# 100 as where its batched LU stops to pay.
_SMALL = 128


def _are_small(by_columns: GPUArray) -> bool:
    return by_columns.shape[0] > 1 and by_columns.shape[1] <= _SMALL


def _info(count: int) -> GPUArray:
    made = GPUArray((count,), np.int32)
    native.clear_array(made)
    return made


def _check(info: GPUArray, problem: str) -> None:
    """Waits for the device."""
    found = info.get()
    if (found > 0).any():
        first = int(np.argmax(found > 0))
        which = f" (number {first} of {found.size})" if found.size > 1 else ""
        raise LinAlgError(f"{problem}{which}")


def _triangle(a: GPUArray, lower: bool) -> GPUArray:
    """The matrices with zeros in place of the other triangle."""
    rows = arange(a.shape[-2], dtype=np.int64)[:, None]
    columns = arange(a.shape[-1], dtype=np.int64)[None, :]
    kept = rows >= columns if lower else rows <= columns
    made: GPUArray = native.apply("where", kept, a, 0)
    return made


def _lu(a: GPUArray) -> tuple[GPUArray, GPUArray, GPUArray]:
    lu = _by_columns(a)
    count, n, _ = lu.shape
    is_small, info = _are_small(lu), _info(count)
    pivots = GPUArray((count, n), np.int32 if is_small else np.int64)
    (native.factor_many_lu if is_small else native.factor_lu)(lu, pivots, info)
    return lu, pivots, info


def solve(a: GPUArray, b: GPUArray) -> GPUArray:
    """Both have the same axes before the last two."""
    if not b.size:
        return GPUArray(b.shape, b.dtype)
    lu, pivots, info = _lu(a)
    right = _by_columns(b)
    _check(info, "Singular matrix")
    if pivots.dtype == np.int32:
        native.solve_many_by_lu(lu, pivots, right)
    else:
        native.solve_by_lu(lu, pivots, right, _info(len(info)))
    return _matrices(right, b.shape[:-2])


def inv(a: GPUArray) -> GPUArray:
    return solve(a, eye(a.shape[-1], a.dtype)._broadcast_to(a.shape))


def _diagonal_and_sign(a: GPUArray) -> tuple[GPUArray, GPUArray]:
    """Of U, (count, n), and whether rows changed places an odd number of times: 1, -1."""
    lu, pivots, _ = _lu(a)
    count, n, _ = lu.shape
    diagonal = lu._view((count, n), (lu.strides[0], lu.strides[1] + lu.strides[2]), 0, lu.dtype)
    moved = pivots != arange(1, n + 1, dtype=np.int64)
    return diagonal, 1 - 2 * (moved.sum(axis=-1) % 2)


def det(a: GPUArray) -> GPUArray:
    batch = a.shape[:-2]
    if not a.size:
        return GPUArray(batch, a.dtype).fill(1)
    diagonal, sign = _diagonal_and_sign(a)
    made: GPUArray = diagonal.prod(axis=-1) * sign.astype(a.dtype)
    return made.reshape(batch)


def slogdet(a: GPUArray) -> tuple[GPUArray, GPUArray]:
    batch, real = a.shape[:-2], real_type(a.dtype)
    if not a.size:
        return GPUArray(batch, a.dtype).fill(1), GPUArray(batch, real).fill(0)
    diagonal, sign = _diagonal_and_sign(a)
    size = abs(diagonal)
    unit = native.apply("where", size == 0, 0, diagonal / native.apply("where", size == 0, 1, size))
    sign = unit.astype(a.dtype, copy=False).prod(axis=-1) * sign.astype(a.dtype)
    return sign.reshape(batch), np.log(size).sum(axis=-1).reshape(batch)


def cholesky(a: GPUArray, upper: bool) -> GPUArray:
    if not a.size:
        return GPUArray(a.shape, a.dtype)
    # With `upper` NumPy reads the upper triangle: that of the conjugates' transpose is the lower.
    factor = _by_columns(a.conj().swapaxes(-1, -2) if upper else a)
    info = _info(len(factor))
    many = _are_small(factor)
    (native.factor_many_cholesky if many else native.factor_cholesky)(factor, info)
    _check(info, "Matrix is not positive definite")
    made = _triangle(_matrices(factor, a.shape[:-2]), lower=True)
    return made.conj().swapaxes(-1, -2) if upper else made


def qr(a: GPUArray, mode: str) -> Any:
    *before, m, n = a.shape
    batch, k = tuple(before), min(m, n)
    factored = _by_columns(a)
    count = len(factored)
    tau, info = GPUArray((count, k), a.dtype), _info(count)
    if a.size:
        native.factor_qr(factored, tau, info)
    if mode == "raw":
        return factored.reshape(*batch, n, m), tau.reshape(*batch, k)
    columns = m if mode == "complete" else k
    r = _triangle(_matrices(factored, batch)[..., :columns, :], lower=False)
    if mode == "r":
        return r
    q = GPUArray((count, columns, m), a.dtype)
    if not a.size:
        made = _matrices(q, batch)
        if made.size:
            made[...] = eye(m, a.dtype)[:, :columns]
        return made, r
    native.clear_array(q)
    q[:, :k, :] = factored[:, :k, :]
    native.expand_q(q, tau, info)
    return _matrices(q, batch), r


def eigh(a: GPUArray, lower: bool, vectors: bool) -> tuple[GPUArray, GPUArray]:
    batch, n = a.shape[:-2], a.shape[-1]
    made = _by_columns(a)
    values, info = GPUArray((len(made), n), real_type(a.dtype)), _info(len(made))
    if a.size:
        is_done = _are_small(made) and native.eigen_of_many_hermitian(
            made, values, info, lower, vectors
        )
        if not is_done:
            native.eigen_of_hermitian(made, values, info, lower, vectors)
        _check(info, "Eigenvalues did not converge")
    return values.reshape(*batch, n), _matrices(made, batch)


# Matrices up to this size are the host's for eigenvalues of any matrix: cuSOLVER's way there goes
# through the host as well, and has more of a beginning.
_FEW_ROWS = 64


def eig(a: GPUArray, vectors: bool) -> tuple[GPUArray, ...] | None:
    """Values, and vectors where they are wanted.

    None where it is for the host: small matrices, a library before CUDA 12.6.
    """
    batch, n = a.shape[:-2], a.shape[-1]
    if n <= _FEW_ROWS:
        return None
    if not bool(np.isfinite(a).all()):
        raise LinAlgError("Array must not contain infs or NaNs")
    made, complex_type = _by_columns(a), np.result_type(a.dtype, np.complex64)
    values, info = GPUArray((len(made), n), complex_type), _info(len(made))
    right = GPUArray(made.shape, a.dtype) if vectors else None
    if not native.eigen_of_any(made, values, right, info):
        return None
    _check(info, "Eigenvalues did not converge")
    in_shape = values.reshape(*batch, n)
    if right is None:
        return (in_shape,)
    return in_shape, _matrices(right if a.dtype.kind == "c" else _paired(values, right), batch)


def _paired(values: GPUArray, columns: GPUArray) -> GPUArray:
    """Complex vectors of pairs that have two real columns each: v = x + iy, then x - iy."""
    count, n = values.shape
    sign = np.sign(values.imag)
    first = arange(n, dtype=np.int64) - (sign < 0).astype(np.int64)
    second = arange(n, dtype=np.int64) + (sign > 0).astype(np.int64)
    which = arange(count, dtype=np.int64)[:, None]
    real, imag = columns[which, first], columns[which, second]
    made: GPUArray = real + (sign.astype(values.dtype) * 1j)[..., None] * imag
    return made


# Stacks of square matrices up to this size have their singular values in one call.
_SMALL_SVD = 32


def svd(a: GPUArray, full_matrices: bool, vectors: bool) -> Any:
    """Jacobi's method where it converges, gesvd where not: that says of NaN what it says."""
    *before, m, n = a.shape
    batch, k = tuple(before), min(m, n)
    if not a.size:
        return _svd_by_gesvd(a, full_matrices, vectors)
    is_wide = m < n
    made = _by_columns(a.conj().swapaxes(-1, -2) if is_wide else a)
    count, columns, rows = made.shape
    values, info = GPUArray((count, k), real_type(a.dtype)), _info(count)
    is_full = full_matrices or (count > 1 and rows <= _SMALL_SVD)
    u = GPUArray((count, rows if is_full else columns, rows), a.dtype)
    v = GPUArray((count, columns, columns), a.dtype)
    native.singular_values_by_jacobi(made, values, u, v, info, vectors)
    if (info.get() != 0).any() or not np.isfinite(values.sum().get()):
        return _svd_by_gesvd(a, full_matrices, vectors)
    s = values.reshape(*batch, k)
    if not vectors:
        return s
    left, right = _matrices(u, batch), _matrices(v, batch)
    if not full_matrices:
        left = left[..., :k]
    if is_wide:
        left, right = right, left
    return left, s, right.conj().swapaxes(-1, -2)


def _svd_by_gesvd(a: GPUArray, full_matrices: bool, vectors: bool) -> Any:
    *before, m, n = a.shape
    batch, k = tuple(before), min(m, n)
    # The library wants as many rows as columns: a^H = V S U^H.
    is_wide = m < n
    made = _by_columns(a.conj().swapaxes(-1, -2) if is_wide else a)
    count, columns, rows = made.shape
    values, info = GPUArray((count, k), real_type(a.dtype)), _info(count)
    u = vh = None
    if vectors:
        u = GPUArray((count, rows if full_matrices else columns, rows), a.dtype)
        vh = GPUArray((count, columns, columns), a.dtype)
    if a.size:
        native.singular_values(made, values, u, vh, info)
        _check(info, "SVD did not converge")
    elif u is not None and vh is not None:
        for each in (u, vh):
            if each.size:
                each[...] = eye(each.shape[-1], a.dtype)[: each.shape[-2]]
    s = values.reshape(*batch, k)
    if u is None or vh is None:
        return s
    left, right = _matrices(u, batch), _matrices(vh, batch)
    if is_wide:
        left, right = right.conj().swapaxes(-1, -2), left.conj().swapaxes(-1, -2)
    return left, s, right
