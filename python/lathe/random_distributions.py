# SPDX-License-Identifier: MIT
"""The distributions of `lathe.random.Generator`: parameters as NumPy checks them, and fills."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.gpu_array import GPUArray
from lathe.native import native

Size = int | Sequence[int] | None


def shape_of(size: Size) -> tuple[int, ...]:
    if size is None:
        return ()
    if isinstance(size, Sequence):
        return tuple(operator.index(each) for each in size)
    return (operator.index(size),)


def _number(name: str, value: Any) -> float:
    if isinstance(value, GPUArray) or np.ndim(value) != 0:
        raise TypeError(f"{name} must be a number, got an array of shape {np.shape(value)}")
    return float(value)


def _not_negative(name: str, value: Any) -> float:
    number = _number(name, value)
    if math.copysign(1.0, number) < 0 and not math.isnan(number):
        raise ValueError(f"{name} < 0, got {number}")
    return number


class Distributions:
    """What fills arrays; `lathe.random.Generator` says where the numbers come from."""

    _native: native.RandomGenerator

    def _target(self, size: Size, dtype: DTypeLike | None, out: GPUArray | None) -> GPUArray:
        if out is None:
            return GPUArray(shape_of(size), np.dtype(np.float64 if dtype is None else dtype))
        if not isinstance(out, GPUArray):
            raise TypeError(f"out must be a GPUArray, got {type(out).__name__}")
        if dtype is not None and out.dtype != np.dtype(dtype):
            raise TypeError(
                "Supplied output array has the wrong type. "
                f"Expected {np.dtype(dtype)}, got {out.dtype}"
            )
        if size is not None and shape_of(size) != tuple(out.shape):
            raise ValueError(f"size must match out.shape, got {size} and {out.shape}")
        return out

    def random(
        self,
        size: Size = None,
        dtype: DTypeLike | None = None,
        out: GPUArray | None = None,
        *,
        stream: Any = None,
    ) -> GPUArray:
        """Uniform numbers in [0, 1).

        Parameters
        ----------
        size : int or sequence of int, optional
            The shape, ``()`` unless given.
        dtype : data type
            float16, float32 or float64 (unless given), with 11, 24 and 53 random bits, or complex64
            or complex128, both parts uniform.
        out : GPUArray, optional
            Filled instead of a new array; may have any strides.
        stream : Stream, optional

        Raises
        ------
        TypeError
            For other types.
        """
        target = self._target(size, dtype, out)
        self._native.uniform(target, 0.0, 1.0, stream)
        return target

    def uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        size: Size = None,
        *,
        dtype: DTypeLike = np.float64,
        stream: Any = None,
    ) -> GPUArray:
        """Uniform numbers in [low, high); rounding may give `high`.

        Raises
        ------
        OverflowError
            Where ``high - low`` is no finite number.
        """
        first, last = _number("low", low), _number("high", high)
        if not math.isfinite(last - first):
            raise OverflowError("high - low range exceeds valid bounds")
        target = self._target(size, dtype, None)
        self._native.uniform(target, first, last, stream)
        return target

    def standard_normal(
        self,
        size: Size = None,
        dtype: DTypeLike | None = None,
        out: GPUArray | None = None,
        *,
        stream: Any = None,
    ) -> GPUArray:
        """Normal numbers with mean 0 and standard deviation 1.

        Those of complex types have a real and an imaginary part of variance 1/2. By G. Box and
        M. Muller's method: float16 and float32 reach 6.7 deviations, float64 8.6.
        """
        target = self._target(size, dtype, out)
        self._native.normal(target, 0.0, 1.0, stream)
        return target

    def normal(
        self,
        loc: float = 0.0,
        scale: float = 1.0,
        size: Size = None,
        *,
        dtype: DTypeLike = np.float64,
        stream: Any = None,
    ) -> GPUArray:
        """Normal numbers with mean `loc` and standard deviation `scale`.

        Raises
        ------
        ValueError
            For a `scale` below 0.
        """
        mean, deviation = _number("loc", loc), _not_negative("scale", scale)
        target = self._target(size, dtype, None)
        self._native.normal(target, mean, deviation, stream)
        return target

    def lognormal(
        self,
        mean: float = 0.0,
        sigma: float = 1.0,
        size: Size = None,
        *,
        dtype: DTypeLike = np.float64,
        stream: Any = None,
    ) -> GPUArray:
        """Numbers whose logarithm is normal, with that mean and standard deviation."""
        middle, deviation = _number("mean", mean), _not_negative("sigma", sigma)
        target = self._target(size, dtype, None)
        self._native.log_normal(target, middle, deviation, stream)
        return target

    def standard_exponential(
        self,
        size: Size = None,
        dtype: DTypeLike | None = None,
        out: GPUArray | None = None,
        *,
        stream: Any = None,
    ) -> GPUArray:
        """Exponential numbers with mean 1."""
        target = self._target(size, dtype, out)
        self._native.exponential(target, 1.0, stream)
        return target

    def exponential(
        self,
        scale: float = 1.0,
        size: Size = None,
        *,
        dtype: DTypeLike = np.float64,
        stream: Any = None,
    ) -> GPUArray:
        """Exponential numbers with mean `scale`, which is not below 0 (ValueError)."""
        mean = _not_negative("scale", scale)
        target = self._target(size, dtype, None)
        self._native.exponential(target, mean, stream)
        return target

    def standard_gamma(
        self,
        shape: float,
        size: Size = None,
        dtype: DTypeLike | None = None,
        out: GPUArray | None = None,
        *,
        stream: Any = None,
    ) -> GPUArray:
        """Gamma numbers of that shape, which is not below 0 (ValueError), and scale 1."""
        wanted = _not_negative("shape", shape)
        target = self._target(size, dtype, out)
        self._native.gamma(target, wanted, 1.0, stream)
        return target

    def gamma(
        self,
        shape: float,
        scale: float = 1.0,
        size: Size = None,
        *,
        dtype: DTypeLike = np.float64,
        stream: Any = None,
    ) -> GPUArray:
        """Gamma numbers of that shape and scale, neither below 0 (ValueError)."""
        wanted, factor = _not_negative("shape", shape), _not_negative("scale", scale)
        target = self._target(size, dtype, None)
        self._native.gamma(target, wanted, factor, stream)
        return target

    def poisson(
        self,
        lam: float = 1.0,
        size: Size = None,
        *,
        dtype: DTypeLike = np.int64,
        stream: Any = None,
    ) -> GPUArray:
        """Poisson numbers with mean `lam`, of an integer or floating type that holds them.

        Raises
        ------
        ValueError
            For a mean below 0, NaN, or beyond 9.2e18.
        """
        mean = _number("lam", lam)
        if not mean >= 0:
            raise ValueError("lam < 0 or lam is NaN")
        if mean > 2.0**63 - math.sqrt(2.0**63) * 10:
            raise ValueError("lam value too large")
        target = self._target(size, dtype, None)
        self._native.poisson(target, mean, stream)
        return target

    def integers(
        self,
        low: int,
        high: int | None = None,
        size: Size = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
        *,
        stream: Any = None,
    ) -> GPUArray:
        """Integers from `low` to `high`, without it unless `endpoint`, all as likely as each other.

        Parameters
        ----------
        low, high : int
            ``integers(n)`` begins at 0.
        size : int or sequence of int, optional
        dtype : integer type or bool
        endpoint : bool
        stream : Stream, optional

        Raises
        ------
        ValueError
            Where there is no such integer, or `dtype` does not hold them.
        TypeError
            For other types.
        """
        first, last = (0, low) if high is None else (low, high)
        first, last = operator.index(first), operator.index(last) - (not endpoint)
        kind = np.dtype(dtype)
        if kind.kind not in "iub":
            raise TypeError(f"Unsupported dtype {kind!r} for integers")
        least, most = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
        if first < least:
            raise ValueError(f"low is out of bounds for {kind}")
        if last > most:
            raise ValueError(f"high is out of bounds for {kind}")
        if first > last:
            raise ValueError("low > high" if endpoint else "low >= high")
        target = self._target(size, kind, None)
        self._native.integers(target, first % 2**64, last - first, stream)
        return target
