# SPDX-License-Identifier: MIT
"""Kernels of snippets without a loop over the grid: which form a launch has, and its source.

A thread has one element or, if there are many and `independence` allows it, several: then more
bytes are under way at once, which memory needs to be busy. They are neighbours that one access of
16 bytes brings or, if an array begins elsewhere, elements a block's width apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lathe.cuda import driver
from lathe.cuda.c_arguments import VectorArg, dtype_to_ctype
from lathe.cuda.compiler import SourceModule
from lathe.cuda.independence import (
    has_references,
    has_state,
    is_always_set,
    is_changed,
    is_independent,
    is_long,
    is_value_only,
    spread_text,
)
from lathe.cuda.kernel_operands import ACCESS_BYTES, Operands, headers_for, use_of
from lathe.cuda.lanes import has_lanes, lane_types, load_lanes, set_lanes
from lathe.cuda.memoize import context_dependent_memoize

BLOCK = 256
_MOST_APART = 4

_SINGLE = """{headers}{preamble}
extern "C" __global__ void __launch_bounds__({block}) {name}({parameters}, size_t n)
{{
    const unsigned tid = threadIdx.x;
    const unsigned total_threads = gridDim.x * blockDim.x;
    const unsigned cta_start = blockDim.x * blockIdx.x;
    size_t i = (size_t)blockIdx.x * {block} + tid;
    if (i < n) do {{
        {operation};
    }} while (false);
}}
"""

_SEVERAL = """{headers}{preamble}
{types}extern "C" __global__ void __launch_bounds__({block}) {name}({parameters}, size_t n)
{{
{pointers}    const size_t lathe_first = {first};
    if (lathe_first + {reach} < n) {{
        {lanes}#pragma unroll
        for (int lathe_k = 0; lathe_k < {many}; ++lathe_k) {{
            size_t i = lathe_first + lathe_k * {step};
            {operation};
        }}
        {stores}
    }} else {{
        #pragma unroll 1
        for (int lathe_k = 0; lathe_k < {many}; ++lathe_k) {{
            size_t i = lathe_first + lathe_k * {step};
            if (i >= n) break;
            {operation};
        }}
    }}
}}
"""


class Form(NamedTuple):
    """How a kernel gives elements to threads.

    `many` elements to a thread: neighbours, or `apart` by a block's width. `same` has for each
    argument the number of the first one that is the same array: its own unless there is one.
    """

    many: int = 1
    apart: bool = False
    same: tuple[int, ...] = ()


class Snippet:
    """What can be said of a kernel's text before its arrays are known.

    Parameters
    ----------
    call : tuple
        Of `elementwise_source.memoized_kernel`, without the range: arguments, operation, name,
        keep, options, preamble, loop_prep, after_loop.
    constant : frozenset of str
        Names of the arrays that the user has declared ``const``.
    """

    def __init__(self, call: tuple[Any, ...], constant: frozenset[str]) -> None:
        self._arguments, self._operation, self._name, _, self._options, self._preamble = call[:6]
        both = f"{self._operation}\n{self._preamble}"
        spread = spread_text(self._operation, self._preamble)
        own = {"n", "start", "stop", "step"} & {each.name for each in self._arguments}
        around = "".join(call[6:]).strip()
        #: Whether the kernel has to be the one with a loop over the grid.
        self.needs_loop = bool(
            around or own or spread is None or is_changed("i", spread) or has_state(both)
        )
        self._vectors = [k for k, each in enumerate(self._arguments) if isinstance(each, VectorArg)]
        names = [self._arguments[k].name for k in self._vectors]
        uses = [use_of(name, self._operation) for name in names]
        self._indexed = [k for k, use in zip(self._vectors, uses, strict=True) if use[0]]
        by_reference = has_references(both)
        self._written = {
            k
            for k, name, use in zip(self._vectors, names, uses, strict=True)
            if (use[1] or by_reference) and name not in constant
        }
        # Of these nothing but the values counts: they are loaded before the snippet runs.
        self._values = [
            k
            for k in self._indexed
            if k not in self._written
            and has_lanes(self._arguments[k])
            and is_value_only(self._arguments[k].name, self._operation, self._preamble)
        ]
        # Of these the snippet only sets the element: they are stored behind it.
        self._set = [
            k
            for k in self._indexed
            if has_lanes(self._arguments[k])
            and is_always_set(self._arguments[k].name, self._operation, self._preamble)
        ]
        sizes = [self._arguments[k].dtype.itemsize for k in self._indexed]
        is_grouped = (
            not (self.needs_loop or is_long(both))
            and is_independent(self._operation, self._preamble, names)
        )  # fmt: skip
        #: Elements of a thread if there are many.
        self.many = max(ACCESS_BYTES // max(sizes, default=ACCESS_BYTES), 1) if is_grouped else 1
        # Operators of these are texts of the assembler's, across which accesses are not joined.
        self._is_half = any("half" in each or "bfloat" in each for each in self._ctypes())
        #: Of arrays that do not overlap and begin at whole accesses.
        self._plain = self._form_of(list(range(len(self._arguments))), False)

    def form(self, args: Sequence[Any], operands: Operands) -> Form:
        """How a launch with many elements has these arrays."""
        if self._are_plain(args, operands):
            return self._plain
        same = list(range(len(self._arguments)))
        spans: list[tuple[int, int, int]] = []
        for k in self._vectors:
            if not hasattr(args[k], "gpudata"):
                return Form()  # an address: nobody knows how much memory is meant
            begin = int(operands.values[k])
            end = begin + args[k].nbytes
            for other, first, last in spans:
                if end <= first or last <= begin:
                    continue
                if (begin, end) == (first, last) and self._dtype(k) == self._dtype(other):
                    same[k] = same[other]
                elif k in self._written or other in self._written:
                    return Form()
            spans.append((k, begin, end))
        begins = {k: begin for k, begin, _ in spans}
        return self._form_of(same, any(begins[k] % self._access_bytes(k) for k in self._indexed))

    def source(self, form: Form) -> str:
        """The kernel's text; its last parameter is ``size_t n``."""
        declared = [each.declarator() for each in self._arguments]
        pointers, step, first = "", 1, f"threadIdx.x * {form.many}"
        if form.apart:
            step, first = BLOCK, "threadIdx.x"
        lanes, stores = "", ""
        if form.many > 1:
            if not form.apart:
                lanes, stores = self._lanes(form)
            for k in self._vectors:
                ctype = declared[k].rpartition("*")[0].strip()
                pointers += f"    {ctype}* const {self._arguments[k].name} = "
                pointers += f"{self._pointer(k, ctype, form)};\n"
                declared[k] = f"{ctype}* __restrict__ lathe_arg_{self._arguments[k].name}"
        return (_SINGLE if form.many == 1 else _SEVERAL).format(
            headers=headers_for(self._preamble, self._operation, *declared),
            types=lane_types(form.many, True) if lanes else "", lanes=lanes, stores=stores,
            preamble=self._preamble, name=self._name, parameters=", ".join(declared),
            pointers=pointers, block=BLOCK, many=form.many, step=step,
            reach=(form.many - 1) * step, operation=self._operation,
            first=f"(size_t)blockIdx.x * {BLOCK * form.many} + {first}",
        )  # fmt: skip

    def kernel(self, form: Form) -> driver.Function:
        """The prepared kernel, compiled once for a context."""
        return _compiled(self, form)

    def compile(self, form: Form) -> driver.Function:
        """The prepared kernel."""
        options = None if self._options is None else list(self._options)
        module = SourceModule(self.source(form), options=options, no_extern_c=True)
        kernel: driver.Function = module.get_function(self._name)
        kernel.prepare("".join(each.struct_char for each in self._arguments) + "Q")
        return kernel

    def _are_plain(self, args: Sequence[Any], operands: Operands) -> bool:
        """Whether no two arrays overlap and all begin at whole accesses."""
        spans = []
        for k in self._vectors:
            if not hasattr(args[k], "gpudata"):
                return False
            begin = int(operands.values[k])
            if begin % ACCESS_BYTES:
                return False
            spans.append((begin, begin + args[k].nbytes))
        spans.sort()
        return all(one[1] <= next_[0] for one, next_ in pairwise(spans))

    def _form_of(self, same: list[int], is_between: bool) -> Form:
        """The form for arrays of which some are the same, or begin between whole accesses."""
        in_lanes = same == list(range(len(same))) and (
            set(self._indexed) == {*self._values, *self._set}
        )
        apart = (
            is_between
            or (self._is_half and not in_lanes)
            or any(ACCESS_BYTES % self._dtype(k).itemsize for k in self._indexed)
        )
        return Form(min(self.many, _MOST_APART) if apart else self.many, apart, tuple(same))

    def _lanes(self, form: Form) -> tuple[str, str]:
        """What is loaded before the snippet runs for the neighbours, and what is stored behind."""
        alone = [k for k, first in enumerate(form.same) if form.same.count(first) == 1]
        read, written = (
            [self._arguments[k] for k in which if k in alone] for which in (self._values, self._set)
        )
        begin, end = set_lanes(written, "lathe_first", " " * 8)
        return load_lanes(read, "lathe_first", " " * 8) + begin, end

    def _ctypes(self) -> list[str]:
        return [dtype_to_ctype(self._dtype(k)) for k in self._indexed]

    def _dtype(self, k: int) -> np.dtype[Any]:
        dtype: np.dtype[Any] = self._arguments[k].dtype
        return dtype

    def _access_bytes(self, k: int) -> int:
        """Of a thread's neighbours in an array."""
        return self.many * self._dtype(k).itemsize

    def _pointer(self, k: int, ctype: str, form: Form) -> str:
        begin = f"lathe_arg_{self._arguments[form.same[k]].name}"
        if form.apart or k not in self._indexed:
            return begin
        return f"({ctype}*)__builtin_assume_aligned({begin}, {self._access_bytes(k)})"


@lru_cache(maxsize=4096)
def snippet_of(call: tuple[Any, ...], constant: frozenset[str]) -> Snippet:
    """One for all that have the same text, so that it is compiled once."""
    return Snippet(call, constant)


@context_dependent_memoize
def _compiled(snippet: Snippet, form: Form) -> driver.Function:
    return snippet.compile(form)
