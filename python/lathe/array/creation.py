# SPDX-License-Identifier: MIT
"""New arrays: empty, filled, copied from the host, joined."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.gpu_array import GPUArray, Stream, to_device
from lathe.native import native


def to_gpu(ary: Any, allocator: Any = None) -> GPUArray:
    """A copy of a host array on the device.

    Parameters
    ----------
    ary : array_like
    allocator : callable, optional
        From bytes to device memory; a pool of the context unless given.
    """
    return to_device(ary, allocator)


def to_gpu_async(ary: Any, allocator: Any = None, stream: Stream = None) -> GPUArray:
    """The same without waiting: page-locked memory must stay as it is until `stream` has come so
    far."""
    return to_device(ary, allocator, stream, async_=True)


def zeros(
    shape: Any, dtype: DTypeLike = np.float64, allocator: Any = None, order: str = "C"
) -> GPUArray:
    """An array of zeros."""
    made = GPUArray(shape, dtype, allocator, order=order)
    native.clear_array(made)
    return made


def ones(
    shape: Any, dtype: DTypeLike = np.float64, allocator: Any = None, order: str = "C"
) -> GPUArray:
    """An array of ones."""
    return GPUArray(shape, dtype, allocator, order=order).fill(1)


def full(
    shape: Any, value: Any, dtype: DTypeLike | None = None, allocator: Any = None, order: str = "C"
) -> GPUArray:
    """An array of one value, of that value's type unless given."""
    return GPUArray(shape, dtype or np.asarray(value).dtype, allocator, order=order).fill(value)


def empty_like(other_ary: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """An array of the same shape, contents undefined.

    Parameters
    ----------
    other_ary : GPUArray
    dtype : data type, optional
        That of `other_ary` unless given.
    order : {"C", "F", "A", "K"}
        "A": F if `other_ary` is, "K": its order of axes.
    """
    other = other_ary
    wanted = other.dtype if dtype is None else np.dtype(dtype)
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K', got {order!r}")
    flags = other.flags
    if order == "K" and not flags.forc:
        axes = sorted(range(other.ndim), key=lambda k: -abs(other.strides[k]))
        made = GPUArray([other.shape[k] for k in axes], wanted, other.allocator)
        return made.transpose([axes.index(k) for k in range(other.ndim)])
    is_f = order == "F" or (order in "AK" and flags.f_contiguous and not flags.c_contiguous)
    return GPUArray(other.shape, wanted, other.allocator, order="F" if is_f else "C")


def zeros_like(other_ary: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """`empty_like`, of zeros."""
    made = empty_like(other_ary, dtype, order)
    native.clear_array(made)
    return made


def ones_like(other_ary: GPUArray, dtype: DTypeLike | None = None, order: str = "K") -> GPUArray:
    """`empty_like`, of ones."""
    return empty_like(other_ary, dtype, order).fill(1)


def arange(
    *range_: Any, dtype: DTypeLike | None = None, stream: Stream = None, **named: Any
) -> GPUArray:
    """``arange([start,] stop[, step])``: numbers from `start` up to, without, `stop`.

    Parameters
    ----------
    start, stop, step : number
        By position, or by keyword as in PyCUDA.
    dtype : data type, optional
        That of the arguments unless given, with a warning if that is not float32. PyCUDA also takes
        a `numpy.dtype` behind the positional arguments.
    """
    if range_ and isinstance(range_[-1], np.dtype):
        range_, dtype = range_[:-1], range_[-1]
    start, stop, step = _range_of(range_, named)
    if step == 0:
        raise ZeroDivisionError("arange: step must not be 0")
    wanted = np.dtype(dtype) if dtype is not None else np.array([start, stop, step]).dtype
    if dtype is None and wanted != np.float32:
        warnings.warn(f"dtype not given, it is {wanted}", stacklevel=2)
    size = max(int(np.ceil((stop - start) / step)), 0)
    made = GPUArray(size, wanted)
    first: Any = wanted.type(start)
    second: Any = wanted.type(start + step)
    native.apply("arange", first, second - first, out=made, stream=stream)
    return made


def _range_of(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Start, stop and step of `arange`."""
    if len(given) > 3:
        raise TypeError(f"arange takes 1 to 3 positional arguments, got {len(given)}")
    by_position = ("stop",) if len(given) == 1 else ("start", "stop", "step")
    if len(given) == 1 and "stop" in named:
        by_position = ("start",)
    values: dict[str, Any] = {"start": 0, "step": 1} | dict(zip(by_position, given, strict=False))
    for name, value in named.items():
        if name not in ("start", "stop", "step"):
            raise TypeError(f"arange() got an unexpected keyword argument '{name}'")
        if name in by_position[: len(given)]:
            raise TypeError(f"arange() got {name} twice, by position and by keyword")
        values[name] = value
    if "stop" not in values:
        raise TypeError("arange() needs stop, the end of the range")
    return values["start"], values["stop"], values["step"]


def _common(arrays: Sequence[GPUArray], function: str) -> np.dtype[Any]:
    if not arrays:
        raise ValueError(f"need at least one array to {function}")
    for each in arrays:
        if not isinstance(each, GPUArray):
            raise TypeError(f"{function}: expected arrays on the device, got {type(each).__name__}")
    if all(each.dtype == arrays[0].dtype for each in arrays):
        return arrays[0].dtype
    return np.result_type(*(each.dtype for each in arrays))


def concatenate(arrays: Sequence[GPUArray], axis: int = 0, allocator: Any = None) -> GPUArray:
    """Arrays one after the other along an axis that exists."""
    wanted = _common(arrays, "concatenate")
    first = arrays[0]
    if not -first.ndim <= axis < first.ndim:
        raise np.exceptions.AxisError(axis, first.ndim)
    axis %= first.ndim
    for number, each in enumerate(arrays):
        fits = each.ndim == first.ndim and all(
            k == axis or n == first.shape[k] for k, n in enumerate(each.shape)
        )
        if not fits:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match "
                f"exactly: array 0 has shape {first.shape}, array {number} {each.shape}"
            )
    shape = list(first.shape)
    shape[axis] = sum(each.shape[axis] for each in arrays)
    made = GPUArray(shape, wanted, allocator or first.allocator)
    begin = 0
    for each in arrays:
        part: list[Any] = [slice(None)] * first.ndim
        part[axis] = slice(begin, begin + each.shape[axis])
        made[tuple(part)] = each
        begin += each.shape[axis]
    return made


def stack(arrays: Sequence[GPUArray], axis: int = 0, allocator: Any = None) -> GPUArray:
    """Arrays of one shape along a new axis."""
    wanted = _common(arrays, "stack")
    first = arrays[0]
    if any(each.shape != first.shape for each in arrays):
        shapes = ", ".join(str(each.shape) for each in arrays)
        raise ValueError(f"all input arrays must have the same shape, got {shapes}")
    if not -first.ndim - 1 <= axis <= first.ndim:
        raise np.exceptions.AxisError(axis, first.ndim + 1)
    axis %= first.ndim + 1
    shape = list(first.shape)
    shape.insert(axis, len(arrays))
    made = GPUArray(shape, wanted, allocator or first.allocator)
    for number, each in enumerate(arrays):
        made[(slice(None),) * axis + (number,)] = each
    return made
