# SPDX-License-Identifier: MIT
"""Which frequencies the elements of transforms are, and their order."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.array.creation import to_gpu
from lathe.array.gpu_array import GPUArray
from lathe.native import native

_Axes = SupportsIndex | Sequence[SupportsIndex] | None


def fftfreq(
    n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: native.Device | None = None
) -> GPUArray:
    """Frequencies of the elements of a transform of `n` samples, `d` apart; float64 unless said.

    Raises
    ------
    ValueError
        For an `n` that is no integer, a `dtype` without fractions, or a device that is not current.
    """
    return _made(np.fft.fftfreq(_count(n), d), dtype, device)


def rfftfreq(
    n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: native.Device | None = None
) -> GPUArray:
    """The same of `rfft`: those that are not negative."""
    return _made(np.fft.rfftfreq(_count(n), d), dtype, device)


def _made(values: NDArray[Any], dtype: DTypeLike | None, device: native.Device | None) -> GPUArray:
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise ValueError(f"frequencies are floating-point numbers, got dtype {np.dtype(dtype)}")
    made = to_gpu(values if dtype is None else values.astype(dtype))
    if device is not None and device != made.device:
        raise ValueError(f"the array is on {made.device!r}, not on {device!r}")
    return made


def _count(n: Any) -> int:
    try:
        return operator.index(n)
    except TypeError:
        raise ValueError(f"n should be an integer, got {n!r}") from None


def _rolled(x: GPUArray, axes: _Axes, shift: Any) -> GPUArray:
    from lathe.array.rearranging import roll

    if axes is None:
        numbers = list(range(x.ndim))
    else:
        numbers = [operator.index(k) for k in (axes if isinstance(axes, Sequence) else (axes,))]
    for axis in numbers:
        if not -x.ndim <= axis < x.ndim:
            raise np.exceptions.AxisError(axis, x.ndim)
        x = roll(x, shift(x.shape[axis]), axis)
    return x


def fftshift(x: GPUArray, axes: _Axes = None) -> GPUArray:
    """A copy with the zero frequency in the middle of the axes, of all unless given."""
    return _rolled(x, axes, lambda n: n // 2)


def ifftshift(x: GPUArray, axes: _Axes = None) -> GPUArray:
    """A copy with the zero frequency first again: what `fftshift` did, undone."""
    return _rolled(x, axes, lambda n: -(n // 2))
