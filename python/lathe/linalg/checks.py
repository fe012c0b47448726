# SPDX-License-Identifier: MIT
"""What the functions here ask of their arguments, with NumPy's errors, and names of results."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from lathe.array.gpu_array import GPUArray


class EigResult(NamedTuple):
    eigenvalues: GPUArray
    eigenvectors: GPUArray


class EighResult(NamedTuple):
    eigenvalues: GPUArray
    eigenvectors: GPUArray


class QRResult(NamedTuple):
    Q: GPUArray
    R: GPUArray


class SlogdetResult(NamedTuple):
    sign: GPUArray
    logabsdet: GPUArray


class SVDResult(NamedTuple):
    U: GPUArray
    S: GPUArray
    Vh: GPUArray


def arrays(name: str, *given: Any) -> tuple[GPUArray, ...]:
    """The arguments, which must be arrays of the device with numbers."""
    for each in given:
        if not isinstance(each, GPUArray):
            raise TypeError(f"{name}: expected a GPUArray, got {type(each).__name__}")
        if each.dtype.kind not in "?biufc":
            raise TypeError(f"{name}: expected numbers, got {each.dtype}")
    return given


def inexact(name: str, *given: Any) -> tuple[GPUArray, ...]:
    """The arguments in their common type that matrices are factored in: float32 or more."""
    arrays(name, *given)
    if any(each.dtype == np.float16 for each in given):
        raise TypeError(f"{name}: array type float16 is unsupported in linalg")
    wanted = np.result_type(*(_inexact(each.dtype) for each in given))
    return tuple(each.astype(wanted, copy=False) for each in given)


def _inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def matrices(name: str, a: GPUArray) -> None:
    if a.ndim < 2:
        raise LinAlgError(
            f"{name}: {a.ndim}-dimensional array of shape {a.shape} given, "
            "it must have two dimensions or more"
        )


def square(name: str, a: GPUArray) -> None:
    matrices(name, a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError(f"{name}: the last two sizes must be the same, got shape {a.shape}")


def real_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 for complex64, float64 for complex128, else the type itself."""
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
