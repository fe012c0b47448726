# SPDX-License-Identifier: MIT
"""Which frequencies the elements of transforms are, and their order."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from lathe.cuda.gpuarray import GPUArray, to_gpu

_Axes = SupportsIndex | Sequence[SupportsIndex] | None


def fftfreq(n: int, d: float = 1.0) -> GPUArray:
    """float64 frequencies of the elements of a transform of `n` samples, `d` apart.

    Raises
    ------
    ValueError
        For an `n` that is no integer.
    """
    return to_gpu(np.fft.fftfreq(_count(n), d))


def rfftfreq(n: int, d: float = 1.0) -> GPUArray:
    """The same of `rfft`: those that are not negative."""
    return to_gpu(np.fft.rfftfreq(_count(n), d))


def _count(n: Any) -> int:
    try:
        return operator.index(n)
    except TypeError:
        raise ValueError(f"n should be an integer, got {n!r}") from None


def _rolled(x: GPUArray, axes: _Axes, shift: Any) -> GPUArray:
    from lathe.cuda.array_rearranging import roll

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
