# SPDX-License-Identifier: MIT
"""cuFFT on arrays of any strides, axes and lengths. All of it is asynchronous on the stream.

cuFFT takes up to three axes at once, which must be the last ones, without gaps. Others are moved
there by a copy, except for one axis with few before it, which it takes as it lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lathe.array.creation import zeros
from lathe.array.gpu_array import GPUArray, Stream
from lathe.fft.work import Work
from lathe.native import native

_MOST_AXES = 3
_MOST_CALLS = 8  # for one axis with others on both sides


def _is_fit(a: GPUArray) -> bool:
    """Without gaps, and as aligned as cuFFT wants it: as complex numbers, also where it is real."""
    item = a.itemsize if a.dtype.kind == "c" else 2 * a.itemsize
    return a.flags.c_contiguous and a.ptr % item == 0


def _in_c_order(a: GPUArray, stream: Stream) -> GPUArray:
    return a if _is_fit(a) else native.copy_array(a, "C", stream)


def _with_length(a: GPUArray, axis: int, size: int, stream: Stream) -> GPUArray:
    """Cut, or filled up with zeros."""
    have = a.shape[axis]
    front = (slice(None),) * axis
    if size <= have:
        return a if size == have else a[(*front, slice(size))]
    made = GPUArray((*a.shape[:axis], size, *a.shape[axis + 1 :]), a.dtype)
    native.fill_array(made, 0, stream)
    if a.size:
        native.assign_array(made[(*front, slice(have))], a, stream)
    return made


def _moved(a: GPUArray, axes: Sequence[int]) -> tuple[GPUArray, list[int]]:
    """A view with these axes last, and the axes that make it the array again."""
    order = [k for k in range(a.ndim) if k not in axes] + list(axes)
    return a.transpose(order), [order.index(k) for k in range(a.ndim)]


def _last_axes(
    a: GPUArray, count: int, sizes: Sequence[int], dtype: np.dtype[Any], inverse: bool,
    stream: Stream,
) -> GPUArray:  # fmt: skip
    """Of the last `count` axes of an array in C order; `sizes` of reals."""
    ends = list(sizes)
    if dtype.kind == "c" and a.dtype.kind != "c":
        ends[-1] = sizes[-1] // 2 + 1
    out = GPUArray((*a.shape[: a.ndim - count], *ends), dtype)
    steps = (1, math.prod(a.shape[a.ndim - count :]), 1, math.prod(ends))
    native.run_fft(a, out, sizes, steps, math.prod(a.shape[: a.ndim - count]), inverse, stream)
    return out


def _as_it_lies(a: GPUArray, axis: int, inverse: bool, stream: Stream) -> GPUArray:
    """Of one axis of an array in C order: neighbours along it are `inner` elements apart."""
    size, inner = a.shape[axis], math.prod(a.shape[axis + 1 :])
    out = GPUArray(a.shape, a.dtype)
    parts, results = a.reshape(-1, size, inner), out.reshape(-1, size, inner)
    for k in range(parts.shape[0]):
        native.run_fft(parts[k], results[k], (size,), (inner, 1, inner, 1), inner, inverse, stream)
    return out


def _complex(a: GPUArray, axes: Sequence[int], inverse: bool, stream: Stream) -> GPUArray:
    """Complex to complex along different axes."""
    left = sorted(axes)
    while left:
        group, left = left[-_MOST_AXES:], left[:-_MOST_AXES]
        before = math.prod(a.shape[: group[0]])
        is_last = group[-1] == a.ndim - 1
        if len(group) == 1 and not is_last and before <= _MOST_CALLS and _is_fit(a):
            a = _as_it_lies(a, group[0], inverse, stream)
            continue
        view, back = _moved(a, group)
        source = _in_c_order(view, stream)
        sizes = source.shape[a.ndim - len(group) :]
        a = _last_axes(source, len(group), sizes, a.dtype, inverse, stream).transpose(back)
    return a


def _from_reals(a: GPUArray, axes: Sequence[int], stream: Stream) -> GPUArray:
    """Real to complex along different axes, of which the last one is halved."""
    group, others = axes[-_MOST_AXES:], axes[:-_MOST_AXES]
    view, back = _moved(a, group)
    source = _in_c_order(view, stream)
    dtype = np.result_type(a.dtype, 1j)
    sizes = source.shape[a.ndim - len(group) :]
    made = _last_axes(source, len(group), sizes, dtype, False, stream).transpose(back)
    return _complex(made, others, False, stream)


def _to_reals(a: GPUArray, axis: int, size: int, stream: Stream) -> GPUArray:
    """Complex to real along an axis that has ``size // 2 + 1`` elements."""
    view, back = _moved(a, (axis,))
    source: GPUArray = native.copy_array(view, "C", stream)  # which cuFFT overwrites
    # NumPy does not look at the imaginary parts of what must be real, for cuFFT they must be 0.
    real = np.dtype(f"f{a.dtype.itemsize // 2}")
    parts = source.view(real)
    native.fill_array(parts[..., 1], 0, stream)
    if size % 2 == 0:
        native.fill_array(parts[..., size + 1], 0, stream)
    return _last_axes(source, 1, (size,), real, True, stream).transpose(back)


def _computed(a: GPUArray, work: Work, stream: Stream) -> GPUArray:
    pairs = list(zip(work.sizes, work.axes, strict=True))
    if len(set(work.axes)) < len(pairs):  # an axis twice: one after the other, as NumPy does
        for kind, size, axis in work.passes:
            a = _with_length(a, axis, size // 2 + 1 if kind == "to_real" else size, stream)
            if kind == "to_real":
                a = _to_reals(a, axis, size, stream)
            elif kind == "real":
                a = _from_reals(a, (axis,), stream)
            else:
                a = _complex(a, (axis,), work.is_inverse, stream)
        return a
    for number, (size, axis) in enumerate(pairs):
        is_halved = work.kind == "to_real" and number == len(pairs) - 1
        a = _with_length(a, axis, size // 2 + 1 if is_halved else size, stream)
    if work.kind == "real":
        return _from_reals(a, work.axes, stream)
    if work.kind == "complex":
        return _complex(a, work.axes, work.is_inverse, stream)
    a = _complex(a, work.axes[:-1], True, stream)
    return _to_reals(a, work.axes[-1], work.sizes[-1], stream)


def transform(a: GPUArray, work: Work, stream: Stream) -> GPUArray:
    """Of the result's shape; float32 or complex64 where NumPy has float16."""
    kind = "c" if work.kind != "real" else "f"
    given = np.dtype(np.float32) if a.dtype == np.float16 else a.dtype
    wanted = np.result_type(given, 1j if kind == "c" else 1.0)
    if not a.size:
        return zeros(work.shape(a.shape), work.dtype(given), a.allocator)
    source: GPUArray = native.cast_array(a, wanted, stream) if a.dtype != wanted else a
    made = _computed(source, work, stream)
    if made is a:  # no axis at all
        made = native.copy_array(a, "C", stream)
    if work.scale != 1:
        native.apply("multiply", made, work.scale, out=made, stream=stream)
    return made
