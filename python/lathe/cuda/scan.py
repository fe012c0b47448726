# SPDX-License-Identifier: MIT
"""Prefix sums by an operator of one's own, under PyCUDA's names; with PyOpenCL's general one.

One pass over the data, whatever the operator; it must be associative and need not commute.
Numbers are combined in the same order each time, so floats give the same bits in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, ScalarArg, VectorArg
from lathe.cuda.scan_generic import GenericScanKernel
from lathe.cuda.scan_launch import is_contiguous, pointer, run
from lathe.cuda.scan_source import vector_of
from lathe.cuda.scan_text import Text


class _ScanKernel:
    """What both of PyCUDA's kernels share; `_output` is what is stored."""

    _output = "item"
    _wants_neutral = False

    def __init__(
        self,
        dtype: DTypeLike,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: Sequence[str] | None = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        if neutral is None and self._wants_neutral:
            raise ValueError("an exclusive scan wants a neutral element")
        self.dtype = np.dtype(dtype)
        self._options = None if options is None else tuple(options)
        self._make: Callable[[type, int], Text] = lambda index, vector: Text(
            self.dtype,
            (VectorArg(self.dtype, "scan_input"), VectorArg(self.dtype, "scan_output")),
            "scan_input[i]",
            scan_expr,
            None if neutral is None else str(neutral),
            f"scan_output[i] = {self._output}",
            None,
            (),
            np.dtype(index),
            preamble,
            vector,
        )

    def __call__(
        self,
        input_ary: Any,
        output_ary: Any = None,
        allocator: Any = None,
        stream: driver.Stream | None = None,
        queue: driver.Stream | None = None,
    ) -> Any:
        """Scans an array of one axis and returns the output. Asynchronous on `stream`.

        Parameters
        ----------
        input_ary : array
            Of the kernel's type, without gaps.
        output_ary : array or "new", optional
            The input itself unless given.
        allocator : callable, optional
            For a new output.
        stream, queue : Stream, optional
            Two words for the same.

        Raises
        ------
        ValueError
            For arrays of several axes, or two shapes.
        TypeError
            For another type.
        RuntimeError
            For arrays with gaps.
        """
        if len(input_ary.shape) != 1:
            raise ValueError(
                f"a scan takes arrays of one axis, got {tuple(input_ary.shape)}: "
                "its method cumsum takes an axis, ravel() makes one of all"
            )
        if np.dtype(input_ary.dtype) != self.dtype:
            raise TypeError(f"the kernel is of {self.dtype}, got an array of {input_ary.dtype}")
        if not is_contiguous(input_ary):
            raise RuntimeError("a scan takes contiguous arrays")
        if output_ary is None:
            output_ary = input_ary
        elif isinstance(output_ary, str):
            if output_ary != "new":
                raise ValueError(f"output_ary is an array or 'new', got {output_ary!r}")
            output_ary = _empty_like(input_ary, allocator)
        if tuple(output_ary.shape) != tuple(input_ary.shape):
            raise ValueError(
                f"input and output have two shapes, {tuple(input_ary.shape)} and "
                f"{tuple(output_ary.shape)}"
            )
        count = int(input_ary.size)
        if count == 0:
            return output_ary
        vector = vector_of(self.dtype)
        if (int(pointer(input_ary)) | int(pointer(output_ary))) % (vector * self.dtype.itemsize):
            vector = 1
        text = self._make(np.int32 if count < 2**31 else np.int64, vector)
        run(text, self._options, (input_ary, output_ary), count, stream or queue)
        return output_ary


def _empty_like(array: Any, allocator: Any) -> Any:
    if allocator is None:
        allocator = getattr(array, "allocator", None)
    if allocator is None:
        return type(array)(array.shape, array.dtype)
    return type(array)(array.shape, array.dtype, allocator=allocator)


class InclusiveScanKernel(_ScanKernel):
    """Prefixes with their own element: of 1, 2, 3 by ``a+b`` 1, 3, 6.

    Parameters
    ----------
    dtype : data type
    scan_expr : str
        The associative operator on `a` and `b`: ``"a+b"``, ``"max(a,b)"``.
    neutral : optional
        Not needed.
    name_prefix, devices
        Accepted as PyCUDA does; unused.
    options : sequence of str, optional
        For the compiler.
    preamble : str
        Put before the kernel.
    """


class ExclusiveScanKernel(_ScanKernel):
    """Prefixes of the elements before: of 1, 2, 3 by ``a+b`` with neutral 0: 0, 1, 3.

    Parameters are those of `InclusiveScanKernel`, `neutral` is needed.
    """

    _output = "prev_item"
    _wants_neutral = True


__all__ = [
    "Argument",
    "ExclusiveScanKernel",
    "GenericScanKernel",
    "InclusiveScanKernel",
    "ScalarArg",
    "VectorArg",
]
