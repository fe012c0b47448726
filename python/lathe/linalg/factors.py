# SPDX-License-Identifier: MIT
"""Factors of matrices, of stacks of them as NumPy has them: Cholesky, QR, SVD, eigenvectors.

Signs, and phases, of vectors are the library's: cuSOLVER's on a GPU, else NumPy's.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lathe.array.creation import to_gpu
from lathe.array.gpu_array import GPUArray
from lathe.linalg import checks, device, host
from lathe.native import native


def cholesky(a: GPUArray, /, *, upper: bool = False) -> GPUArray:
    """The lower triangular L with ``a = L @ L^H``, or with `upper` the U with ``a = U^H @ U``.

    Raises
    ------
    LinAlgError
        Where a matrix is not positive definite, or not square.
    """
    (a,) = checks.inexact("cholesky", a)
    checks.square("cholesky", a)
    if host.does_the_work():
        return host.call(np.linalg.cholesky, a, upper=upper)
    return device.cholesky(a, upper)


def qr(a: GPUArray, mode: Literal["reduced", "complete", "r", "raw"] = "reduced") -> Any:
    """Orthogonal columns Q and upper triangular R with ``a = Q @ R``.

    Parameters
    ----------
    a : GPUArray, (..., m, n)
    mode : {"reduced", "complete", "r", "raw"}
        Q of min(m, n) columns, or of m; R alone; or reflectors (transposed) and their factors.
    """
    (a,) = checks.inexact("qr", a)
    checks.matrices("qr", a)
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"qr: unrecognized mode {mode!r}")
    if not host.does_the_work():
        made = device.qr(a, mode)
    elif mode == "r":
        return host.call(np.linalg.qr, a, mode=mode)
    else:
        made = host.several(np.linalg.qr, a, mode=mode)
    return checks.QRResult(*made) if mode in ("reduced", "complete") else made


def eig(a: GPUArray, /) -> checks.EigResult:
    """Eigenvalues, in no order, and eigenvectors (columns) of any square matrices.

    Both are complex, whatever the values are (NumPy makes them real where all are). cuSOLVER finds
    those of more than 64 rows on a GPU (from CUDA 12.6 on), and NumPy all others: the matrices are
    copied to the host and the results back.

    Raises
    ------
    LinAlgError
        For infinities and NaN, or where they do not converge.
    """
    a = _any_square("eig", a)
    if not host.does_the_work() and (made := device.eig(a, vectors=True)) is not None:
        return checks.EigResult(made[0], made[1])
    values, vectors = np.linalg.eig(a.get())
    return checks.EigResult(_as_complex(values), _as_complex(vectors))


def eigvals(a: GPUArray, /) -> GPUArray:
    """The eigenvalues of `eig` alone."""
    a = _any_square("eigvals", a)
    if not host.does_the_work() and (made := device.eig(a, vectors=False)) is not None:
        return made[0]
    return _as_complex(np.linalg.eigvals(a.get()))


def _any_square(name: str, a: GPUArray) -> GPUArray:
    (a,) = checks.inexact(name, a)
    checks.square(name, a)
    return a


def _as_complex(values: NDArray[Any]) -> GPUArray:
    return to_gpu(values.astype(np.result_type(values.dtype, np.complex64)))


def eigh(a: GPUArray, UPLO: Literal["L", "U"] = "L") -> checks.EighResult:
    """Eigenvalues, ascending, and eigenvectors (columns) of Hermitian matrices.

    Parameters
    ----------
    a : GPUArray, (..., n, n)
    UPLO : {"L", "U"}
        Which triangle is read.
    """
    a = _hermitian("eigh", a, UPLO)
    if host.does_the_work():
        return checks.EighResult(*host.several(np.linalg.eigh, a, UPLO=UPLO))
    return checks.EighResult(*device.eigh(a, UPLO.upper() == "L", vectors=True))


def eigvalsh(a: GPUArray, UPLO: Literal["L", "U"] = "L") -> GPUArray:
    """The eigenvalues of `eigh` alone."""
    a = _hermitian("eigvalsh", a, UPLO)
    if host.does_the_work():
        return host.call(np.linalg.eigvalsh, a, UPLO=UPLO)
    return device.eigh(a, UPLO.upper() == "L", vectors=False)[0]


def _hermitian(name: str, a: GPUArray, uplo: str) -> GPUArray:
    if uplo.upper() not in ("L", "U"):
        raise ValueError(f"{name}: UPLO must be 'L' or 'U', got {uplo!r}")
    (a,) = checks.inexact(name, a)
    checks.square(name, a)
    return a


def svd(
    a: GPUArray, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Singular values S, descending, with ``a = U @ diag(S) @ Vh``.

    Parameters
    ----------
    a : GPUArray, (..., m, n)
    full_matrices : bool
        U is (m, m) and Vh (n, n); else they have min(m, n) columns and rows.
    compute_uv : bool
        False: the singular values alone.
    hermitian : bool
        The matrices are; then `eigh` does it.
    """
    (a,) = checks.inexact("svd", a)
    checks.matrices("svd", a)
    if hermitian:
        checks.square("svd", a)
        return _svd_of_hermitian(a, compute_uv)
    if not host.does_the_work():
        made = device.svd(a, full_matrices, compute_uv)
    elif not compute_uv:
        return host.call(np.linalg.svdvals, a)
    else:
        made = host.several(np.linalg.svd, a, full_matrices=full_matrices)
    return checks.SVDResult(*made) if compute_uv else made


def _svd_of_hermitian(a: GPUArray, compute_uv: bool) -> Any:
    if not compute_uv:
        values = abs(eigvalsh(a))
        return np.sort(values, axis=-1)[..., ::-1]
    values, vectors = eigh(a)
    order = np.argsort(abs(values), axis=-1)[..., ::-1]
    if values.ndim > 1:
        count, n = values.size // values.shape[-1] if values.size else 0, values.shape[-1]
        rows = _range(count)[:, None]
        flat = order.reshape(count, n)
        values = values.reshape(count, n)[rows, flat].reshape(values.shape)
        columns = vectors.swapaxes(-1, -2).reshape(count, n, n)[rows, flat]
        vectors = columns.reshape(vectors.shape).swapaxes(vectors.ndim - 1, vectors.ndim - 2)
    else:
        values, vectors = values[order], vectors[:, order]
    signs = native.apply("where", values < 0, -1, 1).astype(values.dtype)
    vh = (vectors * signs[..., None, :]).conj()
    return checks.SVDResult(vectors, abs(values), vh.swapaxes(vh.ndim - 1, vh.ndim - 2))


def _range(count: int) -> GPUArray:
    from lathe.array.creation import arange

    return arange(count, dtype=np.int64)


def svdvals(x: GPUArray, /) -> GPUArray:
    """The singular values of `svd` alone."""
    made: GPUArray = svd(x, compute_uv=False)
    return made
