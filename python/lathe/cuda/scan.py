# SPDX-License-Identifier: MIT
"""Prefix sums by an operator of one's own, under PyCUDA's names; with PyOpenCL's general one.

One pass over the data, whatever the operator; it must be associative and need not commute.
Numbers are combined in the same order each time, so floats give the same bits in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.gpu_array import GPUArray
from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, ScalarArg, VectorArg, parse_c_arg
from lathe.cuda.compiler import SourceModule
from lathe.cuda.memoize import context_dependent_memoize
from lathe.cuda.scan_source import source_of, state_bytes, tile_shape, vector_of
from lathe.cuda.scan_text import Text, check_fetches, group_of, is_vector


@context_dependent_memoize
def _module(text: Text, options: tuple[str, ...] | None) -> SourceModule:
    return SourceModule(
        source_of(text), options=None if options is None else list(options), no_extern_c=True
    )


def _pointer(array: Any) -> Any:
    """Where an array of any kind begins."""
    if hasattr(array, "gpudata"):
        memory = array.gpudata  # knows its context, which a launch looks at
        return np.uintp(memory) if isinstance(memory, int) else memory
    return np.uintp(array.__cuda_array_interface__["data"][0])


def _address(given: Any) -> int:
    """Of an array of any kind, or of memory."""
    memory = getattr(given, "gpudata", None)
    if memory is not None:
        return int(memory)
    return int(given) if getattr(given, "dtype", None) is None else int(_pointer(given))


def _is_contiguous(array: Any) -> bool:
    flags = getattr(array, "flags", None)
    if flags is not None and hasattr(flags, "forc"):
        return bool(flags.forc)
    return getattr(array, "__cuda_array_interface__", {}).get("strides") is None


def _argument(argument: Argument, given: Any) -> Any:
    if is_vector(argument):
        dtype = getattr(given, "dtype", None)
        if dtype is not None and np.dtype(dtype) != argument.dtype:
            raise TypeError(
                f"argument '{argument.name}' is of {argument.dtype}, got an array of {dtype}"
            )
        if dtype is not None and not _is_contiguous(given):
            raise RuntimeError(f"argument '{argument.name}': a scan takes contiguous arrays")
        return np.uintp(int(given)) if dtype is None else _pointer(given)
    if argument.dtype.kind == "V":
        return np.asarray(given, argument.dtype)[()]
    return argument.dtype.type(given)


def _parsed(arguments: str | Sequence[Argument]) -> tuple[Argument, ...]:
    if isinstance(arguments, str):
        return tuple(parse_c_arg(each) for each in arguments.split(",") if each.strip())
    return tuple(arguments)


def _scratch(size: int, stream: Any) -> tuple[np.uintp, Any]:
    """Memory for work on the stream, and who has it: that of arrays on the default stream, whose
    order their pool keeps, which costs no call of the driver."""
    if stream is None:
        array = GPUArray(size, np.uint8)
        return np.uintp(array.ptr), array
    memory = driver.mem_alloc_async(size, stream)
    return np.uintp(int(memory)), memory


def _run(
    text: Text, options: tuple[str, ...] | None, given: Sequence[Any], count: int, stream: Any
) -> None:
    if count == 0:
        return
    if count > np.iinfo(text.index_dtype).max:
        raise ValueError(f"{count} elements are beyond index_dtype, {text.index_dtype}")
    module = _module(text, options)
    values = [_argument(*each) for each in zip(text.arguments, given, strict=True)]
    threads, _ = tile_shape(text)
    bytes_, numbers = state_bytes(text, count)
    state, _state = _scratch(bytes_, stream)
    driver.memset_d8_async(int(state), 0, bytes_, stream)
    wants_last = text.uses("last_item")
    place, _items = np.uintp(0), None
    if wants_last:
        place, _items = _scratch(count * text.dtype.itemsize, stream)
    module.get_function("scan")(
        *values, np.int64(count), place, state, *map(np.uint32, numbers),
        block=(threads, 1, 1), grid=(numbers[0], 1), stream=stream,
    )  # fmt: skip
    if wants_last:
        blocks = min(-(-count // threads), 4096)
        module.get_function("finish")(
            *values, np.int64(count), place, block=(threads, 1, 1), grid=(blocks, 1), stream=stream
        )


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
        _run(text, self._options, args, size, stream or queue)

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
        if not _is_contiguous(input_ary):
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
        if (int(_pointer(input_ary)) | int(_pointer(output_ary))) % (vector * self.dtype.itemsize):
            vector = 1
        text = self._make(np.int32 if count < 2**31 else np.int64, vector)
        _run(text, self._options, (input_ary, output_ary), count, stream or queue)
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
