# SPDX-License-Identifier: MIT
"""Reductions from snippets, under PyCUDA's names. One launch: the last block takes what the others
have left, in a fixed order, so that results are the same bits each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.gpu_array import GPUArray
from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, VectorArg, dtype_to_ctype
from lathe.cuda.canned_reductions import (
    get_all_kernel,
    get_any_kernel,
    get_dot_kernel,
    get_minmax_kernel,
    get_minmax_neutral,
    get_subset_dot_kernel,
    get_subset_minmax_kernel,
    get_subset_sum_kernel,
    get_sum_kernel,
)
from lathe.cuda.kernel_operands import Operands, gather, parse_arguments, vectors_of
from lathe.cuda.reduction_source import (
    RUN,
    block_size_for,
    get_reduction_kernel_and_types,
    get_reduction_module,
    loads_of,
    memoized_reduction,
)
from lathe.native import native

_MOST_BLOCKS = 1024


class ReductionKernel:
    """Reduces arrays to one value by two snippets.

    Parameters
    ----------
    dtype_out : data type
        Of the result and of all between; structures as well.
    neutral : str
        In C: what changes nothing, ``"0"`` for a sum.
    reduce_expr : str
        Of two values ``a`` and ``b``, associative and commutative: ``"a + b"``.
    map_expr : str, optional
        The value of element ``i``; that of the first array unless given.
    arguments : str or sequence of Argument
        As of an `ElementwiseKernel`: ``"const float *x, float *y"``.
    name : str
        Of the kernel, for tools.
    keep : bool
        Accepted, does nothing.
    options : sequence of str, optional
        For the compiler.
    preamble : str
        Code before the kernel.
    allocator : callable, optional
        For results.

    Notes
    -----
    Arrays that are indexed by ``[i]`` must have one shape, and may have any strides: those that do
    not lie as the first one does are copied before. Compiled at the first call, once for a context.
    """

    def __init__(
        self, dtype_out: DTypeLike, neutral: str, reduce_expr: str, map_expr: str | None = None,
        arguments: str | Sequence[Argument] | None = None, name: str = "reduce_kernel",
        keep: bool = False, options: Sequence[str] | None = None, preamble: str = "",
        allocator: Callable[[int], Any] | None = None,
    ) -> None:  # fmt: skip
        if arguments is None:
            raise ValueError("a reduction needs arguments, such as 'const float *x'")
        self.dtype_out = np.dtype(dtype_out)
        self.arguments, self._constant = parse_arguments(arguments)
        vectors = [each for each in self.arguments if isinstance(each, VectorArg)]
        if not vectors:
            raise RuntimeError("ReductionKernel can only be used with a vector argument")
        self._map = f"{vectors[0].name}[i]" if map_expr is None else map_expr
        self._vectors = vectors_of(self.arguments, self._map)
        self._allocator = allocator
        self._block = block_size_for(self.dtype_out)
        self._loads = loads_of(self.arguments, self._map, reduce_expr, preamble)
        self._group_bytes = [
            (k, self._loads.group * self.arguments[k].dtype.itemsize) for k in self._loads.values
        ]
        self._call = (
            dtype_to_ctype(self.dtype_out), self._block, str(neutral), reduce_expr, self._map,
            self.arguments, name, None if options is None else tuple(options), preamble,
            self._loads,
        )  # fmt: skip

    def __call__(
        self, *args: Any, stream: driver.Stream | None = None, out: Any = None,
        allocator: Callable[[int], Any] | None = None, kernel_wrapper: Any = None,
        range: slice | None = None, slice: slice | None = None,
    ) -> Any:  # fmt: skip
        """Reduces; asynchronous.

        Parameters
        ----------
        *args
            Arrays and numbers, in the order of `arguments`.
        stream : Stream, optional
        out : GPUArray, optional
            One element of `dtype_out` that takes the result.
        allocator : callable, optional
            For the result; the first array's unless given.
        kernel_wrapper : callable, optional
            Takes a prepared call and its arguments and makes the call.
        range, slice : slice, optional
            The values of ``i``, as `ElementwiseKernel` has them. Steps are 1.

        Returns
        -------
        GPUArray
            Without axes, or `out`.

        Raises
        ------
        ValueError
            For arrays of different shapes, or an `out` of another type or size.
        """
        operands = gather(
            self.arguments, self._vectors, self._constant, self._map, args, stream,
            same_shape=range is None,
        )  # fmt: skip
        if operands.model is None:
            raise TypeError("no array among the arguments: give it as a GPUArray")
        start, stop = 0, operands.size
        if range is not None or slice is not None:
            start, stop, step = _bounds(range, slice, operands.size)
            if step != 1:
                raise ValueError("reductions over a range go by steps of 1")
        if out is None:
            out = GPUArray((), self.dtype_out, allocator or self._allocator)
        elif out.size != 1 or out.dtype != self.dtype_out:
            raise ValueError(
                f"out must be one element of {self.dtype_out}, got {out.dtype} {tuple(out.shape)}"
            )
        count = max(stop - start, 0)
        round_ = self._block * RUN
        rounds = max(-(-count // round_), 1)
        part = -(-rounds // _MOST_BLOCKS) * round_
        parts = max(-(-count // part), 1)
        tickets, states = native.reduction_scratch(parts * self.dtype_out.itemsize, stream)
        kernel = memoized_reduction(*self._call, self._is_aligned(operands, start))
        launch = kernel.prepared_async_call
        given = (
            (parts, 1), (self._block, 1, 1), stream, out.gpudata, *operands.values,
            start, stop, part, tickets, states,
        )  # fmt: skip
        if kernel_wrapper is None:
            launch(*given)
        else:
            kernel_wrapper(launch, *given)
        return out

    def _is_aligned(self, operands: Operands, start: int) -> bool:
        if self._loads.group == 1 or start % self._loads.group:
            return False
        return not any(int(operands.values[k]) % bytes_ for k, bytes_ in self._group_bytes)


def _bounds(given: slice | None, relative: slice | None, count: int) -> tuple[int, int, int]:
    if relative is not None:
        if given is not None:
            raise TypeError("may not specify both range and slice keyword arguments")
        return relative.indices(count)
    assert given is not None
    if given.stop is None:
        raise ValueError(f"a range needs a stop, got {given}")
    return int(given.start or 0), int(given.stop), 1 if given.step is None else int(given.step)


__all__ = [
    "ReductionKernel",
    "get_all_kernel",
    "get_any_kernel",
    "get_dot_kernel",
    "get_minmax_kernel",
    "get_minmax_neutral",
    "get_reduction_kernel_and_types",
    "get_reduction_module",
    "get_subset_dot_kernel",
    "get_subset_minmax_kernel",
    "get_subset_sum_kernel",
    "get_sum_kernel",
]
