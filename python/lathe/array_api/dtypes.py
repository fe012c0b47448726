# SPDX-License-Identifier: MIT
"""Data types of the array API, which are NumPy's, and what is asked about them."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.array_api.devices import here

DType = np.dtype[Any]

bool: DType = np.dtype(np.bool_)
int8: DType = np.dtype(np.int8)
int16: DType = np.dtype(np.int16)
int32: DType = np.dtype(np.int32)
int64: DType = np.dtype(np.int64)
uint8: DType = np.dtype(np.uint8)
uint16: DType = np.dtype(np.uint16)
uint32: DType = np.dtype(np.uint32)
uint64: DType = np.dtype(np.uint64)
float32: DType = np.dtype(np.float32)
float64: DType = np.dtype(np.float64)
complex64: DType = np.dtype(np.complex64)
complex128: DType = np.dtype(np.complex128)


@dataclass(frozen=True, slots=True)
class FloatInfo:
    """What `finfo` says: numbers are Python's floats."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True, slots=True)
class IntegerInfo:
    """What `iinfo` says."""

    bits: int
    max: int
    min: int
    dtype: DType


def _type_of(value: Any) -> DType:
    return value.dtype if isinstance(value, GPUArray) else np.dtype(value)


def astype(
    x: GPUArray, dtype: Any, /, *, copy: builtins.bool = True, device: Any = None
) -> GPUArray:
    """A copy with elements of another type; with ``copy=False`` `x` itself where it has that type.

    Asynchronous. Complex numbers become real ones by their real part, with NumPy's warning left
    out.
    """
    here(device)
    return x.astype(dtype, copy=copy)


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Whether promotion of types leads from one (a data type or an array) to the other."""
    return builtins.bool(np.can_cast(_type_of(from_), to))


def finfo(type: Any, /) -> FloatInfo:
    """Limits of a floating-point type, of its parts for complex ones."""
    found = np.finfo(_type_of(type))
    return FloatInfo(
        found.bits, float(found.eps), float(found.max), float(found.min),
        float(found.smallest_normal), found.dtype,
    )  # fmt: skip


def iinfo(type: Any, /) -> IntegerInfo:
    """Limits of an integer type."""
    found = np.iinfo(_type_of(type))
    return IntegerInfo(found.bits, int(found.max), int(found.min), found.dtype)


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Whether a type is of a kind: a type, one of the standard's words, or a tuple of them."""
    return builtins.bool(np.isdtype(np.dtype(dtype), kind))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The type that arrays, types and Python's numbers have together."""
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    given = [each.dtype if isinstance(each, GPUArray) else each for each in arrays_and_dtypes]
    return np.result_type(*given)
