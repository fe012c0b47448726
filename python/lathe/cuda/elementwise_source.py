# SPDX-License-Identifier: MIT
"""The sources of elementwise kernels, and their compiled functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, ScalarArg, dtype_to_ctype
from lathe.cuda.compiler import SourceModule
from lathe.cuda.kernel_operands import headers_for, parse_arguments
from lathe.cuda.memoize import context_dependent_memoize

_COUNT = (ScalarArg(np.uintp, "n"),)
_RANGE = tuple(ScalarArg(np.intp, name) for name in ("start", "stop", "step"))

_HEAD = """{headers}{preamble}
extern "C" __global__ void {name}({parameters})
{{
    const unsigned tid = threadIdx.x;
    const unsigned total_threads = gridDim.x * blockDim.x;
    const unsigned cta_start = blockDim.x * blockIdx.x;
    {index} i;
    {loop_prep};
"""
_LOOP = """    for (i = cta_start + tid; i < n; i += total_threads) {{
        {operation};
    }}
    {after_loop};
}}
"""
_RANGE_LOOP = """    const long stride = step * (long)total_threads;
    for (i = start + step * (long)(cta_start + tid); step < 0 ? i > stop : i < stop; i += stride) {{
        {operation};
    }}
    {after_loop};
}}
"""


def _declared(argument: Argument) -> str:
    if argument in _COUNT + _RANGE:
        return f"{'size_t' if argument in _COUNT else 'long'} {argument.name}"
    return argument.declarator()


def _module(
    arguments: str | Sequence[Argument], operation: str, name: str, keep: bool,
    options: Sequence[str] | None, preamble: str, loop_prep: str, after_loop: str, in_range: bool,
) -> Any:  # fmt: skip
    parsed, constant = parse_arguments(arguments)
    own = _RANGE if in_range else _COUNT
    if not any(each in parsed for each in own):
        parsed += own
    declared = [("const " if each.name in constant else "") + _declared(each) for each in parsed]
    text = (_HEAD + (_RANGE_LOOP if in_range else _LOOP)).format(
        headers=headers_for(preamble, operation, loop_prep, after_loop, *declared),
        preamble=preamble, name=name, parameters=", ".join(declared),
        index="long" if in_range else "size_t", operation=operation, loop_prep=loop_prep,
        after_loop=after_loop,
    )  # fmt: skip
    given = None if options is None else list(options)
    return SourceModule(text, options=given, keep=keep, no_extern_c=True)


def get_elwise_module(
    arguments: str | Sequence[Argument], operation: str, name: str = "kernel", keep: bool = False,
    options: Sequence[str] | None = None, preamble: str = "", loop_prep: str = "",
    after_loop: str = "",
) -> Any:  # fmt: skip
    """A module whose kernel runs `operation` for ``i`` below its last parameter, ``size_t n``.

    `ElementwiseKernel` has the parameters.
    """
    return _module(
        arguments, operation, name, keep, options, preamble, loop_prep, after_loop, False
    )


def get_elwise_range_module(
    arguments: str | Sequence[Argument], operation: str, name: str = "kernel", keep: bool = False,
    options: Sequence[str] | None = None, preamble: str = "", loop_prep: str = "",
    after_loop: str = "",
) -> Any:  # fmt: skip
    """The same for ``i`` from ``start`` to ``stop`` by ``step``, the last parameters (`long`)."""
    return _module(arguments, operation, name, keep, options, preamble, loop_prep, after_loop, True)


@context_dependent_memoize
def memoized_kernel(
    arguments: tuple[Argument, ...], operation: str, name: str, keep: bool,
    options: tuple[str, ...] | None, preamble: str, loop_prep: str, after_loop: str,
    use_range: bool,
) -> tuple[Any, driver.Function, tuple[Argument, ...]]:  # fmt: skip
    """Module, prepared kernel and all its parameters: compiled once for a context."""
    module = _module(
        arguments, operation, name, keep, options, preamble, loop_prep, after_loop, use_range
    )
    own = _RANGE if use_range else _COUNT
    parsed = arguments if any(each in arguments for each in own) else arguments + own
    kernel = module.get_function(name)
    kernel.prepare("".join(each.struct_char for each in parsed))
    return module, kernel, parsed


def get_elwise_kernel_and_types(
    arguments: str | Sequence[Argument], operation: str, name: str = "kernel", keep: bool = False,
    options: Sequence[str] | None = None, use_range: bool = False, preamble: str = "",
    loop_prep: str = "", after_loop: str = "",
) -> tuple[driver.Function, tuple[Argument, ...]]:  # fmt: skip
    """The prepared kernel, and its parameters with ``n`` or ``start``, ``stop`` and ``step``."""
    parsed, _ = parse_arguments(arguments)
    given = None if options is None else tuple(options)
    return memoized_kernel(
        parsed, operation, name, False, given, preamble, loop_prep, after_loop, bool(use_range)
    )[1:]


def get_elwise_kernel(
    arguments: str | Sequence[Argument], operation: str, name: str = "kernel", keep: bool = False,
    options: Sequence[str] | None = None, **kwargs: Any,
) -> driver.Function:  # fmt: skip
    """The prepared kernel; launched by ``prepared_call(grid, block, *arguments, n)``."""
    return get_elwise_kernel_and_types(arguments, operation, name, keep, options, **kwargs)[0]


__all__ = [
    "dtype_to_ctype",
    "get_elwise_kernel",
    "get_elwise_kernel_and_types",
    "get_elwise_module",
    "get_elwise_range_module",
    "memoized_kernel",
]
