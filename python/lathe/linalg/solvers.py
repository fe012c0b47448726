# SPDX-License-Identifier: MIT
"""Linear equations, inverses and determinants, of stacks of matrices as NumPy has them.

They wait for the device: whether a matrix is singular is known when it is factored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from lathe.array.gpu_array import GPUArray
from lathe.linalg import checks, device, factors, host
from lathe.linalg.products import matmul, matrix_transpose
from lathe.native import native


def solve(a: GPUArray, b: GPUArray, /) -> GPUArray:
    """The x with ``a @ x = b``.

    Parameters
    ----------
    a : GPUArray, (..., n, n)
    b : GPUArray, (n,) or (..., n, k)
        The axes before the last two broadcast.

    Raises
    ------
    LinAlgError
        Where a matrix is singular or not square.
    ValueError
        For shapes that do not fit.
    """
    a, b = checks.inexact("solve", a, b)
    checks.square("solve", a)
    rows = b.shape[-1 if b.ndim == 1 else -2] if b.ndim else None
    if rows != a.shape[-1]:
        raise ValueError(f"solve: shapes {a.shape} and {b.shape} do not fit")
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(f"solve: shapes {a.shape} and {b.shape} do not fit") from None
    if host.does_the_work():
        return host.call(np.linalg.solve, a, b)
    columns = b[:, None] if b.ndim == 1 else b
    made: GPUArray = device.solve(
        a._broadcast_to((*batch, *a.shape[-2:])),
        columns._broadcast_to((*batch, *columns.shape[-2:])),
    )
    return made[..., 0] if b.ndim == 1 else made


def inv(a: GPUArray) -> GPUArray:
    """The inverses of matrices.

    Raises
    ------
    LinAlgError
        Where a matrix is singular or not square.
    """
    (a,) = checks.inexact("inv", a)
    checks.square("inv", a)
    return host.call(np.linalg.inv, a) if host.does_the_work() else device.inv(a)


def slogdet(a: GPUArray) -> checks.SlogdetResult:
    """Signs of determinants, and logarithms of their absolute values: 0 and -inf if singular."""
    (a,) = checks.inexact("slogdet", a)
    checks.square("slogdet", a)
    if host.does_the_work():
        return checks.SlogdetResult(*host.several(np.linalg.slogdet, a))
    return checks.SlogdetResult(*device.slogdet(a))


def det(a: GPUArray) -> GPUArray:
    """The determinants of matrices."""
    (a,) = checks.inexact("det", a)
    checks.square("det", a)
    return host.call(np.linalg.det, a) if host.does_the_work() else device.det(a)


def _cutoff(s: GPUArray, relative: Any) -> Any:
    """Below which singular values count as 0: (..., 1)."""
    if not s.shape[-1]:
        return 0.0
    if isinstance(relative, GPUArray) and relative.ndim:
        relative = relative[..., None]
    return s.max(axis=-1, keepdims=True) * relative


def _reciprocal(s: GPUArray, cutoff: Any) -> GPUArray:
    is_large = s > cutoff
    safe = native.apply("where", is_large, s, 1)
    made: GPUArray = native.apply("where", is_large, 1 / safe, 0).astype(s.dtype, copy=False)
    return made


def _scaled(vectors: GPUArray, factors_: GPUArray) -> GPUArray:
    """Each column of the matrices times its factor."""
    made: GPUArray = vectors * factors_[..., None, :]
    return made


def lstsq(
    a: GPUArray, b: GPUArray, rcond: float | None = None
) -> tuple[GPUArray, GPUArray, int, GPUArray]:
    """The x of least norm that makes ``|a @ x - b|`` least.

    Parameters
    ----------
    a : GPUArray, (m, n)
    b : GPUArray, (m,) or (m, k)
    rcond : float, optional
        Singular values below `rcond` times the largest count as 0; unless given, the type's
        precision times max(m, n).

    Returns
    -------
    x, residuals, rank, s
        As NumPy: `residuals` is empty where the rank is below n or m <= n.
    """
    a, b = checks.inexact("lstsq", a, b)
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise LinAlgError(f"lstsq: a matrix is needed, got shapes {a.shape} and {b.shape}")
    if a.shape[0] != b.shape[0]:
        raise LinAlgError(f"lstsq: shapes {a.shape} and {b.shape} do not fit")
    m, n = a.shape
    if rcond is None:
        rcond = float(np.finfo(a.dtype).eps) * max(m, n)
    if host.does_the_work():
        left, right = native.host_views((a, b))
        x, residuals, rank, s = np.linalg.lstsq(left, right, rcond)
        return host.to_array(x), host.to_array(residuals), int(rank), host.to_array(s)
    u, s, vh = factors.svd(a, full_matrices=False)
    cutoff = _cutoff(s, rcond)
    rank = int((s > cutoff).sum().get())
    columns = b[:, None] if b.ndim == 1 else b
    inner = matmul(matrix_transpose(u.conj()), columns)
    x = matmul(_scaled(matrix_transpose(vh.conj()), _reciprocal(s, cutoff)), inner)
    if rank == n and m > n:
        residuals = (abs(columns - matmul(a, x)) ** 2).sum(axis=0)
    else:
        residuals = GPUArray((0,), s.dtype)
    return (x[:, 0] if b.ndim == 1 else x), residuals, rank, s


_NOT_GIVEN: Any = object()  # None has a meaning of its own


def pinv(
    a: GPUArray, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NOT_GIVEN
) -> GPUArray:
    """Pseudo-inverses by singular values; those below `rtol` times the largest count as 0.

    Parameters
    ----------
    a : GPUArray, (..., m, n)
    rcond, rtol : float or GPUArray, optional
        1e-15 unless given, as in NumPy; ``rtol=None``: the type's precision times max(m, n).
    hermitian : bool
        The matrices are, which is faster.
    """
    (a,) = checks.inexact("pinv", a)
    checks.matrices("pinv", a)
    relative = rcond
    if rcond is None:
        relative = 1e-15 if rtol is _NOT_GIVEN else rtol
    elif rtol is not _NOT_GIVEN:
        raise ValueError("pinv: rtol and rcond cannot both be given")
    if relative is None:
        relative = max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
    if not a.size:
        return GPUArray((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    u, s, vh = factors.svd(a.conj(), full_matrices=False, hermitian=hermitian)
    scaled = _scaled(matrix_transpose(vh), _reciprocal(s, _cutoff(s, relative)))
    return matmul(scaled, matrix_transpose(u))
