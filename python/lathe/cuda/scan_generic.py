# SPDX-License-Identifier: MIT
"""PyOpenCL's general scan, in CUDA C++: input, segments and output are expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, parse_c_arg
from lathe.cuda.scan_launch import pointer, run
from lathe.cuda.scan_text import Text, check_fetches, group_of, is_vector

__all__ = ["GenericScanKernel"]


def _address(given: Any) -> int:
    """Of an array of any kind, or of memory."""
    memory = getattr(given, "gpudata", None)
    if memory is not None:
        return int(memory)
    return int(given) if getattr(given, "dtype", None) is None else int(pointer(given))


def _parsed(arguments: str | Sequence[Argument]) -> tuple[Argument, ...]:
    if isinstance(arguments, str):
        return tuple(parse_c_arg(each) for each in arguments.split(",") if each.strip())
    return tuple(arguments)


class GenericScanKernel:
    """A scan whose input, segments and output are expressions: PyOpenCL's, in CUDA C++.

    Parameters
    ----------
    dtype : data type
        Of what is scanned; structures by their registered names.
    arguments : str or sequence of Argument
        ``"const float *x, int *y, float factor"``.
    input_expr : str
        The value of element `i`, of the arguments and `N`, the number of elements.
    scan_expr : str
        The associative operator on `a` and `b`, `b` behind `a`; with ``across_seg_boundary``, true
        where a segment begins with or within `b`.
    neutral : str or None
        What ``prev_item`` is at the first element, and at the first of a segment.
    output_statement : str
        Run for every `i`, with `item`, the inclusive prefix, `prev_item`, that of the element
        before, and `last_item`. It must not change what is read of other elements.
    is_segment_start_expr : str, optional
        True for an `i` at which a segment begins. `scan_expr` says what that means:
        ``"across_seg_boundary ? b : a + b"``.
    input_fetch_exprs : sequence of (name, argument, offset)
        ``("x_before", "x", -1)`` is ``x[i - 1]`` by that name in all expressions, ``x[0]`` at
        `i` = 0. Offsets are 0 or -1.
    index_dtype : data type
        Of `i` and `N`: int32 or int64.
    name_prefix, devices
        Accepted as PyOpenCL does; unused.
    options : sequence of str, optional
        For the compiler.
    preamble : str
        Put before the kernel.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        arguments: str | Sequence[Argument],
        input_expr: str,
        scan_expr: str,
        neutral: str | None,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[tuple[str, str, int]] | None = None,
        index_dtype: DTypeLike = np.int32,
        name_prefix: str = "scan",
        options: Sequence[str] | None = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        parsed = _parsed(arguments)
        if not any(is_vector(each) for each in parsed):
            raise ValueError("a scan wants at least one array among its arguments")
        index = np.dtype(index_dtype)
        if index not in (np.dtype(np.int32), np.dtype(np.int64)):
            raise ValueError(f"index_dtype is int32 or int64, got {index}")
        self.dtype = np.dtype(dtype)
        self._options = None if options is None else tuple(options)
        self._text = Text(
            self.dtype, parsed, input_expr, scan_expr, neutral, output_statement,
            is_segment_start_expr, check_fetches(parsed, input_fetch_exprs or ()), index, preamble,
        )  # fmt: skip
        self._grouped = replace(self._text, group=group_of(self._text))
        self._group_bytes = [
            (k, self._grouped.group * parsed[k].dtype.itemsize) for k in self._grouped.indexed()
        ]
        self._written: set[int] | None = None  # if arrays must not share memory
        if self._grouped.mixes_arrays():
            self._written = self._text.written()
            group = self._grouped.group if self._text.is_independent() else 1
            self._grouped = replace(self._grouped, group=group, apart=group > 1)
        if neutral is None and self._text.uses("prev_item"):
            raise ValueError("prev_item wants a neutral element")

    def __call__(
        self,
        *args: Any,
        size: int | None = None,
        stream: driver.Stream | None = None,
        queue: driver.Stream | None = None,
        allocator: Any = None,
    ) -> None:
        """Scans. Asynchronous on `stream`, for which `queue` is another word.

        Parameters
        ----------
        *args
            Arrays without gaps, or addresses, and numbers, as declared.
        size : int, optional
            Elements; those of the first array unless given.

        Raises
        ------
        TypeError
            For another number of arguments, or an array of another type.
        RuntimeError
            For an array with gaps.
        CompileError
            At the first call, where an expression is wrong.
        """
        arguments = self._text.arguments
        if len(args) != len(arguments):
            raise TypeError(f"expected {len(arguments)} arguments, got {len(args)}")
        if size is None:
            arrays = zip(arguments, args, strict=True)
            first = next(given for argument, given in arrays if is_vector(argument))
            if not hasattr(first, "size"):
                raise TypeError("size= is wanted where the first array is an address")
            size = int(first.size)
        is_grouped = self._begins_at_groups(args) and not self._share_memory(args)
        text = self._grouped if is_grouped else self._text
        run(text, self._options, args, size, stream or queue)

    def _begins_at_groups(self, args: Sequence[Any]) -> bool:
        if self._grouped.group == 1:
            return False
        return not any(_address(args[k]) % bytes_ for k, bytes_ in self._group_bytes)

    def _share_memory(self, args: Sequence[Any]) -> bool:
        """Whether an array that may be written lies where another one does. An address may."""
        if self._written is None:
            return False
        spans: list[tuple[int, int, bool]] = []
        for k, argument in enumerate(self._text.arguments):
            if not is_vector(argument):
                continue
            if not hasattr(args[k], "size"):
                return True
            begin, written = _address(args[k]), k in self._written
            end = begin + int(args[k].size) * argument.dtype.itemsize
            if any(a < end and begin < b and (w or written) for a, b, w in spans):
                return True
            spans.append((begin, end, written))
        return False
