# SPDX-License-Identifier: MIT
"""New arrays of the array API. All are on the current context's device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lathe.array import creation, protocols, rearranging
from lathe.array.gpu_array import GPUArray, to_device
from lathe.array_api.devices import expect_arrays, here
from lathe.native import native


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> GPUArray:
    """An array on the device from another one, numbers, nested sequences, or memory of the host.

    Parameters
    ----------
    copy : bool, optional
        True: new memory in any case. False: a ValueError where new memory is needed.
    """
    here(device)
    shared = isinstance(obj, GPUArray) or hasattr(obj, "__cuda_array_interface__")
    if not shared and hasattr(obj, "__dlpack_device__"):
        shared = int(obj.__dlpack_device__()[0]) != 1
    if shared:
        found = protocols.asarray(obj)
        if dtype is not None and np.dtype(dtype) != found.dtype:
            if copy is False:
                raise ValueError(f"{found.dtype} to {np.dtype(dtype)} needs a copy (copy=False)")
            return found.astype(dtype)
        return found.copy() if copy else found
    if copy is False:
        raise ValueError("what is on the host is copied to the device, and copy=False was given")
    host = np.asarray(_host(obj), dtype)
    if host.dtype == np.object_:
        if isinstance(obj, int):
            raise OverflowError(f"{obj} is too large for the data types")
        raise TypeError(f"no array can be made of {type(obj).__name__}")
    return to_device(host)


def _host(obj: Any) -> Any:
    """Arrays without axes in sequences become numbers."""
    if isinstance(obj, (list, tuple)):
        return [_host(each) for each in obj]
    return obj.get() if isinstance(obj, GPUArray) else obj


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> GPUArray:
    """An array over the memory of another library's, or (`copy`, or from the host) a copy of it.

    Raises
    ------
    BufferError
        For memory of the host without ``device``, or with ``copy=False``.
    """
    here(device)
    if int(x.__dlpack_device__()[0]) == 1 and device is not None:
        if copy is False:
            raise BufferError("memory of the host is copied, and copy=False was given")
        return to_device(np.from_dlpack(x))
    found = protocols.from_dlpack(x)
    return found.copy() if copy else found


def _dtype(dtype: Any, otherwise: Any = np.float64) -> np.dtype[Any]:
    return np.dtype(otherwise if dtype is None else dtype)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> GPUArray:
    """An array whose elements are not set."""
    here(device)
    return GPUArray(shape, _dtype(dtype))


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> GPUArray:
    """An array of zeros."""
    here(device)
    return creation.zeros(shape, _dtype(dtype))


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> GPUArray:
    """An array of ones."""
    here(device)
    return creation.ones(shape, _dtype(dtype))


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> GPUArray:
    """An array of one value, of its type unless given."""
    here(device)
    return GPUArray(shape, _dtype(dtype, np.asarray(fill_value).dtype)).fill(fill_value)


def empty_like(x: GPUArray, /, *, dtype: Any = None, device: Any = None) -> GPUArray:
    """`empty` in the shape and, unless given, the type of `x`."""
    here(device)
    expect_arrays("empty_like", x)
    return creation.empty_like(x, dtype)


def zeros_like(x: GPUArray, /, *, dtype: Any = None, device: Any = None) -> GPUArray:
    """`zeros` in the shape and, unless given, the type of `x`."""
    here(device)
    return creation.zeros_like(x, dtype)


def ones_like(x: GPUArray, /, *, dtype: Any = None, device: Any = None) -> GPUArray:
    """`ones` in the shape and, unless given, the type of `x`."""
    here(device)
    return creation.ones_like(x, dtype)


def full_like(
    x: GPUArray, /, fill_value: Any, *, dtype: Any = None, device: Any = None
) -> GPUArray:
    """`full` in the shape and, unless given, the type of `x`."""
    return empty_like(x, dtype=dtype, device=device).fill(fill_value)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None,
    device: Any = None,
) -> GPUArray:  # fmt: skip
    """From `start` (0 with one argument) by `step` up to `stop`, which is left out."""
    here(device)
    if stop is None:
        start, stop = 0, start
    whole = all(isinstance(each, int) for each in (start, stop, step))
    wanted = _dtype(dtype, np.int64 if whole else np.float64)
    if step == 0:
        raise ZeroDivisionError("arange: step is 0")
    size = -((start - stop) // step) if whole else math.ceil((stop - start) / step)
    made = GPUArray(max(int(size), 0), wanted)
    if made.size == 1:
        made.fill(start)
    elif made.size:
        first, second = wanted.type(start), wanted.type(start + step)
        with np.errstate(over="ignore"):
            native.apply("arange", first, second - first, out=made)
    return made


def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: Any = None, device: Any = None,
    endpoint: bool = True,
) -> GPUArray:  # fmt: skip
    """`num` numbers at equal distances; the last one is `stop`, unless it is left out."""
    here(device)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    exact: np.dtype[Any] = np.dtype(np.complex128 if is_complex else np.float64)
    wanted = _dtype(dtype, exact)
    parts = num - 1 if endpoint else num
    made = GPUArray(num, exact)
    first, last = exact.type(start), exact.type(stop)
    if num:
        made.fill(first)
    if num > 1:
        step = (last - first) / parts
        if step == 0 and last != first:  # the step is too small for the type
            native.apply("arange", exact.type(0), exact.type(1), out=made)
            made = made / parts * (last - first) + first
        else:
            native.apply("arange", first, step, out=made)
        if endpoint:
            made[-1] = last
    if wanted.kind in "iu":
        made = native.apply("floor", made)
    return made.astype(wanted, copy=False)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> GPUArray:
    """A matrix of zeros with ones on diagonal `k`, counted from the main one to the right."""
    columns = n_rows if n_cols is None else n_cols
    made = zeros((n_rows, columns), dtype=dtype, device=device)
    first = k if k >= 0 else -k * columns
    length = min(n_rows + min(k, 0), columns - max(k, 0))
    if length > 0:
        size = made.itemsize
        made._view((length,), ((columns + 1) * size,), first * size, made.dtype).fill(1)
    return made


def meshgrid(*arrays: GPUArray, indexing: str = "xy") -> tuple[GPUArray, ...]:
    """Arrays of one axis as coordinates of a grid, an axis for each."""
    return rearranging.meshgrid(*arrays, indexing=indexing)


def tril(x: GPUArray, /, *, k: int = 0) -> GPUArray:
    """A copy with zeros above diagonal `k` of the last two axes."""
    return rearranging.tril(x, k)


def triu(x: GPUArray, /, *, k: int = 0) -> GPUArray:
    """A copy with zeros below diagonal `k` of the last two axes."""
    return rearranging.triu(x, k)
