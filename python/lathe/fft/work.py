# SPDX-License-Identifier: MIT
"""A transform as both ways of computing it take it: checked, with all lengths and axes."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lathe.array.gpu_array import GPUArray

Kind = Literal["complex", "real", "to_real"]
_NORMS = (None, "backward", "ortho", "forward")
_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


@dataclass(frozen=True, slots=True)
class Work:
    """`kind`: complex to complex, real to complex, complex to real. Axes count from the front."""

    kind: Kind
    is_inverse: bool
    sizes: tuple[int, ...]
    axes: tuple[int, ...]
    norm: str | None

    @property
    def scale(self) -> float:
        """What the sums are multiplied with."""
        count = float(np.prod([float(n) for n in self.sizes]))
        norm = self.norm if not self.is_inverse else _SWAPPED[self.norm]
        if norm == "ortho":
            return float(1 / np.sqrt(count))
        return 1 / count if norm == "forward" else 1.0

    @property
    def passes(self) -> list[tuple[Kind, int, int]]:
        """One axis after the other in NumPy's order: kind, length, axis."""
        pairs = list(zip(self.sizes, self.axes, strict=True))
        if self.kind == "to_real":
            *others, last = pairs
            return [*(("complex", *each) for each in others), ("to_real", *last)]
        made: list[tuple[Kind, int, int]] = [("complex", *each) for each in reversed(pairs)]
        if self.kind == "real":
            made[0] = ("real", *pairs[-1])
        return made

    def shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Of the result."""
        made = list(shape)
        for kind, size, axis in self.passes:
            made[axis] = size // 2 + 1 if kind == "real" else size
        return tuple(made)

    def dtype(self, given: np.dtype[Any]) -> np.dtype[Any]:
        """Of the result: NumPy's."""
        if self.kind != "to_real":
            return np.result_type(given, 1j)
        if len(self.axes) > 1:
            given = np.result_type(given, 1j)
        real = given if given.kind != "c" else np.dtype(f"f{given.itemsize // 2}")
        return np.result_type(real, 1.0)


def swapped(norm: str | None) -> str:
    """The norm of the other direction."""
    check_norm(norm)
    return _SWAPPED[norm]


def check_norm(norm: str | None) -> None:
    if norm not in _NORMS:
        raise ValueError(f'norm is "backward", "ortho" or "forward", got {norm!r}')


def _axis(axis: Any, ndim: int) -> int:
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    return number % ndim


def plan(a: GPUArray, kind: Kind, is_inverse: bool, s: Any, axes: Any, norm: str | None) -> Work:
    """Of lengths `s` and axes as NumPy's functions take them; either may be None.

    Raises
    ------
    ValueError
        For lengths below 1, as many lengths as there are no axes, norms that there are none of.
    TypeError
        For real transforms of complex numbers, and what is no array of numbers on the device.
    numpy.exceptions.AxisError
        For axes that are not there.
    """
    if not isinstance(a, GPUArray):
        raise TypeError(
            f"expected a GPUArray, got {type(a).__name__}: lathe.cuda.gpuarray.to_gpu makes one"
        )
    if a.dtype.kind not in "biufc":
        raise TypeError(f"transforms are of numbers, got {a.dtype}")
    if kind == "real" and a.dtype.kind == "c":
        raise TypeError(f"a real transform takes real numbers, got {a.dtype}")
    check_norm(norm)
    if axes is None:
        if s is not None:
            warnings.warn(
                "`axes` should not be None where `s` is given (deprecated in NumPy 2.0)",
                DeprecationWarning,
                stacklevel=4,
            )
        axes = range(-a.ndim if s is None else -len(s), 0)
    chosen = tuple(_axis(k, a.ndim) for k in axes)
    if not chosen:
        if kind == "complex":
            return Work(kind, is_inverse, (), (), norm)
        raise IndexError("a real transform needs at least one axis")
    if s is None:
        sizes = [a.shape[k] for k in chosen]
        if kind == "to_real":
            sizes[-1] = (sizes[-1] - 1) * 2
    else:
        if len(s) != len(chosen):
            raise ValueError(f"{len(s)} lengths were given for {len(chosen)} axes")
        sizes = [operator.index(n) for n in s]
        sizes = [a.shape[k] if n == -1 else n for n, k in zip(sizes, chosen, strict=True)]
    for size in sizes:
        if size < 1:
            raise ValueError(f"Invalid number of FFT data points ({size}) specified.")
    return Work(kind, is_inverse, tuple(sizes), chosen, norm)


def check_out(out: GPUArray, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raises TypeError or ValueError for an array that cannot take the result."""
    if not isinstance(out, GPUArray):
        raise TypeError(f"out must be a GPUArray, got {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"output array has wrong shape: {out.shape}, the result has {shape}")
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(f"a result of {dtype} cannot be cast to {out.dtype}")
    if not out.flags.writeable:
        raise ValueError("output array is read-only")
