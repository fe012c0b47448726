# SPDX-License-Identifier: MIT
"""Arrays and kernels without a window: device memory alone, no OpenGL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from lathe._lathe import Array, Kernel
from lathe.ending import watch_launches
from lathe.native import native

__all__ = ["asarray", "kernel", "zeros"]


def zeros(shape: int | Sequence[int], dtype: DTypeLike = np.float32) -> Array:
    """A zeroed array in device memory.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : data type
        bool, integers, float16 to float64, complex64, complex128.

    Raises
    ------
    lathe.MemoryError
        Where the device has not enough memory.
    """
    return native.empty(shape, dtype)


def asarray(data: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy of `data` in device memory. Blocks until the copy is done.

    Parameters
    ----------
    data : array_like
    dtype : data type, optional
        Of the result; that of ``numpy.asarray(data)`` unless given.
    """
    host = np.asarray(data, dtype=dtype)
    array = native.empty(host.shape, host.dtype)
    array.set(host)
    return array


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
        return native.compile_kernel(source, entry, list(options), str(path), [path.parent])
    return native.compile_kernel(text, entry, list(options))
