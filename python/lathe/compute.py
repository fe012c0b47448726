# SPDX-License-Identifier: MIT
"""Arrays and kernels without a window: device memory alone, no OpenGL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe._lathe import Kernel
from lathe.array import creation, protocols
from lathe.array.gpu_array import GPUArray
from lathe.ending import watch_launches
from lathe.inspection_sources import remember_source
from lathe.native import native

__all__ = ["Array", "arange", "asarray", "empty", "kernel", "zeros"]

Array = GPUArray
Shape = int | Sequence[int]


def zeros(shape: Shape, dtype: DTypeLike = np.float32) -> Array:
    """A zeroed array in device memory.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : data type
        bool, integers, float16 to float64, complex64, complex128; structures.

    Raises
    ------
    lathe.MemoryError
        Where the device has not enough memory.
    """
    return creation.zeros(shape, dtype)


def empty(shape: Shape, dtype: DTypeLike = np.float32) -> Array:
    """The same, contents undefined."""
    return GPUArray(shape, dtype)


def arange(*range_: Any, dtype: DTypeLike | None = None) -> Array:
    """``arange([start,] stop[, step])``: numbers from `start` up to, without, `stop`; of the type
    that NumPy finds for them unless given."""
    return creation.arange(*range_, dtype=dtype or np.array(range_).dtype)


def asarray(data: Any, dtype: DTypeLike | None = None) -> Array:
    """An array in device memory: `data` itself, a view of its memory, or a copy from the host.

    Parameters
    ----------
    data : array, object with ``__cuda_array_interface__`` or ``__dlpack__``, array_like
        Memory of PyTorch, CuPy, JAX and Numba on the device is shared, and kept. What is on the
        host is copied; that blocks.
    dtype : data type, optional
        Of the result; that of `data` unless given.
    """
    return protocols.asarray(data, dtype)


def kernel(
    file_or_source: str | Path,
    entry: str = "",
    *,
    options: Sequence[str] = (),
) -> Kernel:
    """Compiles CUDA C++ now, for calls that need no live editing.

    Parameters
    ----------
    file_or_source : str or Path
        A file, or the source itself (text with a line break or a brace).
    entry : str
        The ``__global__`` function; the first one unless given.
    options : sequence of str
        For NVRTC, such as ``-DN=64``.

    Raises
    ------
    lathe.CompileError
        With ``diagnostics`` and ``log``.
    """
    watch_launches()
    text = str(file_or_source)
    if isinstance(file_or_source, Path) or not ("\n" in text or "{" in text):
        path = Path(file_or_source)
        source = path.read_text()
        remember_source(source, path)
        return native.compile_kernel(source, entry, list(options), str(path), [path.parent])
    made = native.compile_kernel(text, entry, list(options))
    remember_source(text)
    return made
