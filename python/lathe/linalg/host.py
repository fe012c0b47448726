# SPDX-License-Identifier: MIT
"""NumPy on the memory of arrays, where the device's memory is the host's: nothing is copied in.

Each function waits for the work issued so far and is done when it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.array.gpu_array import GPUArray, Stream
from lathe.native import native


def does_the_work() -> bool:
    """Whether NumPy factors matrices here, instead of cuSOLVER."""
    return native.host_does_the_work("LATHE_CUSOLVER")


def to_array(values: Any) -> GPUArray:
    """A new array of the device with values that NumPy computed."""
    values = np.asarray(values)
    order = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
    made = GPUArray(values.shape, values.dtype, order=order)
    native.host_views((made,))[0][...] = values
    return made


def call(function: Callable[..., Any], *arrays: GPUArray, **keywords: Any) -> GPUArray:
    """What `function` of NumPy makes of the arrays."""
    return to_array(function(*native.host_views(arrays), **keywords))


def several(
    function: Callable[..., Any], *arrays: GPUArray, **keywords: Any
) -> tuple[GPUArray, ...]:
    """The same for a function that makes several arrays."""
    return tuple(map(to_array, function(*native.host_views(arrays), **keywords)))


def _product(a: NDArray[Any], b: NDArray[Any], out: NDArray[Any], dtype: np.dtype[Any]) -> None:
    if dtype == np.float16:  # sums of float32, as on a GPU, and BLAS has no other
        out[...] = np.matmul(a.astype(np.float32), b.astype(np.float32))
    else:
        np.matmul(a, b, out=out, dtype=dtype, casting="unsafe")


def matmul(a: GPUArray, b: GPUArray, out: GPUArray | None, dtype: Any, stream: Stream) -> GPUArray:
    """`lathe.linalg.matmul` of floating and complex types; others have a kernel."""
    shape = native.product_shape(a, b)
    wanted = np.result_type(a.dtype, b.dtype) if dtype is None else np.dtype(dtype)
    made = GPUArray(shape, wanted, a.allocator) if out is None else out
    if made.shape != shape:
        raise ValueError(
            f"matmul: out has shape {made.shape}, "
            f"the product of {a.shape} and {b.shape} has {shape}"
        )
    if not made.flags.writeable:
        raise ValueError("output array is read-only")
    if not np.can_cast(wanted, made.dtype, "same_kind"):
        raise TypeError(f"matmul: a result of {wanted} cannot be cast to {made.dtype}")
    left, right, result = native.host_views((a, b, made), stream)
    if made.dtype == wanted:
        _product(left, right, result, wanted)
    else:
        between = np.empty(shape, wanted)
        _product(left, right, between, wanted)
        result[...] = between
    return made
