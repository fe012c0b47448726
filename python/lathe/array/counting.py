# SPDX-License-Identifier: MIT
"""Counts of `gpuarray`, with NumPy's names, arguments and results.

They wait for the device if their size or bins depend on the values; else they are asynchronous on
`stream`.
"""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from lathe.array.creation import to_gpu, zeros
from lathe.array.gpu_array import GPUArray, Stream
from lathe.array.sorting import on_device
from lathe.native import native

__all__ = ["bincount", "histogram"]


def bincount(
    x: GPUArray, weights: Any = None, minlength: SupportsIndex = 0, *, stream: Stream = None
) -> GPUArray:
    """How often each of 0, 1, 2 ... is there, or the sums of weights (float64).

    Sums of weights may differ in their last bits from run to run.

    Raises
    ------
    ValueError
        For negative numbers, several axes, another number of weights.
    TypeError
        For numbers that are no integers.
    """
    length = int(minlength)
    if length < 0:
        raise ValueError("'minlength' must not be negative")
    if x.ndim != 1:
        raise ValueError(f"bincount takes arrays of one axis, got {x.shape}")
    if x.dtype.kind not in "bui":
        raise TypeError(f"bincount counts integers, got {x.dtype}")
    factors = None if weights is None else on_device(weights)
    if factors is not None and factors.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    if x.size:
        least, greatest = native.array_range(x, stream)
        if least < 0:
            raise ValueError("'list' argument must have no negative elements")
        length = max(length, greatest + 1)
    made: GPUArray = native.count_array(x, length, factors, stream)
    return made


def _edges(
    a: GPUArray, bins: Any, range_: Any, stream: Stream
) -> tuple[np.ndarray[Any, Any], bool]:
    """The edges as NumPy makes them of the values' range, and whether they have one distance."""
    if isinstance(bins, str):
        raise TypeError(f"bins is a number or edges, not the rule {bins!r}")
    bins = bins.get() if isinstance(bins, GPUArray) else bins
    is_even = np.ndim(bins) == 0
    sample = np.zeros(0, a.dtype)
    if is_even and range_ is None and a.size:
        sample = np.array(native.array_range(a, stream), a.dtype)
    return np.histogram_bin_edges(sample, bins, range_), is_even


def histogram(
    a: GPUArray,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Any = None,
    *,
    stream: Stream = None,
) -> tuple[GPUArray, GPUArray]:
    """How many values lie in each bin, and the bins' edges, as ``np.histogram`` has them.

    Parameters
    ----------
    a : GPUArray
        All elements count.
    bins : int or sequence
        A number of bins of one width, or ascending edges.
    range : (float, float), optional
        Of the bins; from the least to the greatest value unless given.
    density : bool, optional
        The share of all for each bin, divided by its width.
    weights : array, optional
        Sums of these instead of counts; their last bits may differ from run to run.

    Returns
    -------
    counts : GPUArray
        int64, or of the weights' type, or float64 for a density.
    edges : GPUArray
    """
    if a.dtype.kind == "b":
        a = a.astype(np.uint8)
    if a.dtype.kind == "c":
        raise TypeError("complex numbers have no bins")
    factors = None if weights is None else on_device(weights)
    if factors is not None and factors.shape != a.shape:
        raise ValueError("weights should have the same shape as a.")
    edges, is_even = _edges(a, bins, range, stream)
    edges_there = to_gpu(edges)
    if factors is not None and factors.dtype.kind == "c":
        raise TypeError("weights are real numbers")
    if edges.size < 2:
        counts = zeros(0, np.int64)
    else:
        counts = native.bin_array(a, edges_there, is_even, factors, stream)
    if density:
        host = counts.get() if stream is None else counts.get_async(stream)
        if stream is not None:
            stream.synchronize()
        return to_gpu(host / np.diff(edges) / host.sum()), edges_there
    if factors is not None:
        counts = counts.astype(factors.dtype, stream)
    return counts, edges_there
