# SPDX-License-Identifier: MIT
"""Elementwise functions of `gpuarray`, and what it says of shapes and launches."""

from __future__ import annotations

import sys
from typing import Any

from lathe.array.extensions import register
from lathe.array.gpu_array import GPUArray, Stream
from lathe.cuda import driver
from lathe.native import native

_Out = GPUArray | None


def logical_and(x1: Any, x2: Any, /, out: _Out = None, *, allocator: Any = None) -> GPUArray:
    """Whether both are true, elementwise."""
    return native.apply("logical_and", x1, x2, out=out)


def logical_or(x1: Any, x2: Any, /, out: _Out = None, *, allocator: Any = None) -> GPUArray:
    """Whether one is true, elementwise."""
    return native.apply("logical_or", x1, x2, out=out)


def logical_not(x: Any, /, out: _Out = None, *, allocator: Any = None) -> GPUArray:
    """Whether it is false, elementwise."""
    return native.apply("logical_not", x, out=out)


def if_positive(
    criterion: GPUArray, then_: Any, else_: Any, out: _Out = None, stream: Stream = None
) -> GPUArray:
    """Elements of `then_` where `criterion` is above 0, else of `else_`."""
    return native.apply("where", criterion > 0, then_, else_, out=out, stream=stream)


def where(
    criterion: Any, then_: Any, else_: Any, out: _Out = None, stream: Stream = None
) -> GPUArray:
    """Elements of `then_` where `criterion` is true, else of `else_`."""
    return native.apply("where", criterion, then_, else_, out=out, stream=stream)


def maximum(a: Any, b: Any, out: _Out = None, stream: Stream = None) -> GPUArray:
    """The greater one, elementwise. A number wins over NaN, as in PyCUDA (NumPy's `fmax`)."""
    return native.apply("fmax", a, b, out=out, stream=stream)


def minimum(a: Any, b: Any, out: _Out = None, stream: Stream = None) -> GPUArray:
    """The smaller one, elementwise. A number wins over NaN, as in PyCUDA (NumPy's `fmin`)."""
    return native.apply("fmin", a, b, out=out, stream=stream)


def transpose(a: GPUArray, axes: Any = None) -> GPUArray:
    """`a.transpose(axes)`."""
    return a.transpose(axes)


def reshape(a: GPUArray, *shape: Any, **keywords: Any) -> GPUArray:
    """`a.reshape(*shape)`."""
    return a.reshape(*shape, **keywords)


def splay(n: int, dev: Any = None) -> tuple[tuple[int, int], tuple[int, int, int]]:
    """A grid and a block for a loop over `n` elements, as PyCUDA chooses them.

    Parameters
    ----------
    n : int
    dev : Device, optional
        That of the current context unless given.
    """
    device = dev or driver.Context.get_device()
    most = 4 * 8 * device.get_attribute(driver.device_attribute.MULTIPROCESSOR_COUNT)
    if n < 32:
        blocks, threads = 1, 32
    elif n < most * 32:
        blocks, threads = (n + 31) // 32, 32
    elif n < most * 128:
        groups = (n + 31) // 32
        blocks, threads = most, -(-groups // most) * 32
    else:
        blocks, threads = most, 128
    return (blocks, 1), (threads, 1, 1)


register("launches", sys.modules[__name__])
