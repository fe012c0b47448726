# SPDX-License-Identifier: MIT
"""Kernels from a snippet for one element, under PyCUDA's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lathe import _lathe as native
from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, ScalarArg, VectorArg, dtype_to_ctype
from lathe.cuda.canned_elementwise import (
    get_arange_kernel,
    get_axpbyz_kernel,
    get_axpbz_kernel,
    get_binary_func_kernel,
    get_binary_func_scalar_kernel,
    get_binary_minmax_kernel,
    get_binary_op_kernel,
    get_conj_kernel,
    get_copy_kernel,
    get_fill_kernel,
    get_fmod_kernel,
    get_frexp_kernel,
    get_if_positive_kernel,
    get_imag_kernel,
    get_ldexp_kernel,
    get_logical_not_kernel,
    get_modf_kernel,
    get_pow_array_kernel,
    get_rdivide_elwise_kernel,
    get_real_kernel,
    get_reverse_kernel,
    get_scalar_op_kernel,
    get_unary_func_kernel,
    get_where_kernel,
)
from lathe.cuda.canned_lookups import (
    get_linear_combination_kernel,
    get_put_kernel,
    get_take_kernel,
    get_take_put_kernel,
)
from lathe.cuda.elementwise_forms import BLOCK, Form, snippet_of
from lathe.cuda.elementwise_source import (
    get_elwise_kernel,
    get_elwise_kernel_and_types,
    get_elwise_module,
    get_elwise_range_module,
    memoized_kernel,
)
from lathe.cuda.kernel_operands import (
    gather,
    give_back,
    parse_arguments,
    processors,
    vectors_of,
)
from lathe.cuda.memoize import context_dependent_memoize

_Slice = slice  # the call has an argument of this name


@context_dependent_memoize
def _most_blocks() -> int:
    """Of kernels with a loop over the grid: enough to keep the device busy."""
    return 1 << 31 if native.lone_threads() else processors() * 32


@context_dependent_memoize
def _busy_threads() -> int:
    """With fewer threads than these a thread has one element. Threads that take turns on a
    processor gain nothing by several."""
    return 1 << 62 if native.lone_threads() else processors() * 2048


class ElementwiseKernel:
    """Runs a snippet for each element of arrays.

    Parameters
    ----------
    arguments : str or sequence of Argument
        As in C: ``"float *z, const float *x, float a"``; pointers take a `GPUArray`, others
        numbers.
    operation : str
        Statements for element ``i``, a `size_t` (`long` in a range): ``"z[i] = a * x[i]"``.
        They also see ``n``, the number of elements, ``tid``, ``total_threads`` and ``cta_start``.
    name : str
        Of the kernel, for tools.
    keep : bool
        Accepted, does nothing.
    options : sequence of str, optional
        For the compiler.
    preamble, loop_prep, after_loop : str
        Code before the kernel, and before and after its loop.

    Notes
    -----
    Arrays that are indexed by ``[i]`` must have one shape. They may have any strides: those that do
    not lie as the first one does are copied before, and after where the snippet may have written
    them. Of large arrays a thread has several elements if nobody can tell
    (`lathe.cuda.independence` says when). It is compiled at the first call of each form, once for a
    context; sources are cached on disk.
    """

    def __init__(
        self, arguments: str | Sequence[Argument], operation: str, name: str = "kernel",
        keep: bool = False, options: Sequence[str] | None = None, preamble: str = "",
        loop_prep: str = "", after_loop: str = "", **kwargs: str,
    ) -> None:  # fmt: skip
        self.arguments, self._constant = parse_arguments(arguments)
        self.operation = operation
        self._text = "\n".join((loop_prep, operation, after_loop))
        self._call = (
            self.arguments, operation, name, False, None if options is None else tuple(options),
            preamble, kwargs.pop("loop_prep", loop_prep), kwargs.pop("after_loop", after_loop),
        )  # fmt: skip
        if kwargs:
            raise TypeError(f"unexpected argument '{next(iter(kwargs))}'")
        self._snippet = snippet_of(self._call, self._constant)
        self._vectors = vectors_of(self.arguments, self._text)
        if not self._vectors:
            raise RuntimeError("ElementwiseKernel can only be used with a vector argument")

    def generate_stride_kernel_and_types(
        self, use_range: bool
    ) -> tuple[driver.Function, tuple[Argument, ...]]:
        """The compiled kernel and its parameters, ``n`` or the range's three included."""
        _, kernel, arguments = memoized_kernel(*self._call, bool(use_range))
        if not any(isinstance(each, VectorArg) for each in arguments):
            raise RuntimeError("ElementwiseKernel can only be used with a vector argument")
        return kernel, arguments

    def get_texref(self, name: str, use_range: bool = False) -> Any:
        """A texture reference that the preamble declares."""
        return memoized_kernel(*self._call, bool(use_range))[0].get_texref(name)

    def __call__(
        self, *args: Any, range: _Slice | None = None, slice: _Slice | None = None,
        stream: driver.Stream | None = None, broadcast: bool = False,
    ) -> None:  # fmt: skip
        """Runs the snippet; asynchronous.

        Parameters
        ----------
        *args
            Arrays and numbers, in the order of `arguments`.
        range : slice, optional
            The values of ``i``: start, stop and step, as they are.
        slice : slice, optional
            The same, as Python reads it for an array of the first one's size.
        stream : Stream, optional
        broadcast : bool
            Arrays that are only read are broadcast to the common shape, as NumPy does.

        Raises
        ------
        ValueError
            For arrays of different shapes.
        TypeError
            For arrays of other types than the arguments say.
        """
        if range is not None and slice is not None:
            raise TypeError("may not specify both range and slice keyword arguments")
        operands = gather(
            self.arguments, self._vectors, self._constant, self._text, args, stream, broadcast,
            same_shape=range is None,
        )  # fmt: skip
        if operands.model is None:
            raise TypeError("no array among the arguments: give it as a GPUArray")
        if slice is not None:
            range = _Slice(*slice.indices(operands.size))
        if range is None:
            steps, numbers = operands.size, [operands.size]
        else:
            step = 1 if range.step is None else int(range.step)
            if range.stop is None or step == 0:
                raise ValueError(f"a range needs a stop, and a step that is not 0, got {range}")
            start = 0 if range.start is None else int(range.start)
            steps = max((int(range.stop) - start + step - (1 if step > 0 else -1)) // step, 0)
            numbers = [start, int(range.stop), step]
        if not steps:
            return
        snippet = self._snippet
        if range is not None or snippet.needs_loop:
            kernel = memoized_kernel(*self._call, range is not None)[1]
            blocks = min(-(-steps // BLOCK), _most_blocks())
        else:
            is_large = snippet.many > 1 and steps >= snippet.many * _busy_threads()
            form = snippet.form(args, operands) if is_large else Form()
            kernel = snippet.kernel(form)
            blocks = -(-steps // (BLOCK * form.many))
        kernel.prepared_async_call((blocks, 1), (BLOCK, 1, 1), stream, *operands.values, *numbers)
        give_back(operands, stream)


__all__ = [
    "ElementwiseKernel",
    "ScalarArg",
    "VectorArg",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "get_arange_kernel",
    "get_axpbyz_kernel",
    "get_axpbz_kernel",
    "get_binary_func_kernel",
    "get_binary_func_scalar_kernel",
    "get_binary_minmax_kernel",
    "get_binary_op_kernel",
    "get_conj_kernel",
    "get_copy_kernel",
    "get_elwise_kernel",
    "get_elwise_kernel_and_types",
    "get_elwise_module",
    "get_elwise_range_module",
    "get_fill_kernel",
    "get_fmod_kernel",
    "get_frexp_kernel",
    "get_if_positive_kernel",
    "get_imag_kernel",
    "get_ldexp_kernel",
    "get_linear_combination_kernel",
    "get_logical_not_kernel",
    "get_modf_kernel",
    "get_pow_array_kernel",
    "get_put_kernel",
    "get_rdivide_elwise_kernel",
    "get_real_kernel",
    "get_reverse_kernel",
    "get_scalar_op_kernel",
    "get_take_kernel",
    "get_take_put_kernel",
    "get_unary_func_kernel",
    "get_where_kernel",
]
