# SPDX-License-Identifier: MIT
"""Expressions of arrays as one kernel: `lathe.fuse`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from lathe.native import native

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class Fuse:
    """Operations of `GPUArray` recorded, and evaluated together by one kernel.

    ``with lathe.fuse:`` records what this thread says in the block, ``@lathe.fuse`` each call of a
    function. Operators, comparisons, functions (`cumath`, NumPy's), `where`, `clip`, `astype`,
    copies, in-place operators and most reductions are recorded. All else evaluates first what has
    been recorded: `get()`, printing, kernels, views of what has no memory yet, ``a[...] = b``. The
    outermost block evaluates when it ends, also by an exception.

    Arrays have the type, shape, order of axes and the bits that they have without it. Those that
    nobody refers to any more when the kernel is launched are not written.

    Raises
    ------
    TypeError
        For functions that do not end when they return: generators and coroutines.

    Examples
    --------
    >>> import lathe
    >>> import numpy as np
    >>> from lathe.cuda import cumath, gpuarray
    >>> a = gpuarray.to_gpu(np.array([3.0, 5.0], np.float32))
    >>> b = gpuarray.to_gpu(np.array([4.0, 12.0], np.float32))
    >>> with lathe.fuse:
    ...     c = 2 * a + 3 * b
    >>> c
    GPUArray([18., 46.], dtype=float32)
    >>> @lathe.fuse
    ... def length(x, y):
    ...     return cumath.sqrt(x * x + y * y)
    >>> length(a, b)
    GPUArray([ 5., 13.], dtype=float32)
    """

    __slots__ = ()

    def __enter__(self) -> None:
        native.fuse_begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        native.fuse_end()

    def __call__(self, function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            raise TypeError("fuse is not for generators and coroutines: use it in the body")
        begin, end = native.fuse_begin, native.fuse_end

        @functools.wraps(function)
        def fused(*given: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
            begin()
            try:
                return function(*given, **named)
            finally:
                end()

        return fused


fuse = Fuse()
