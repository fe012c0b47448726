# SPDX-License-Identifier: MIT
"""The sources of reduction kernels made of snippets, and their compiled functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, ScalarArg, VectorArg
from lathe.cuda.compiler import SourceModule
from lathe.cuda.independence import is_long, is_value_only
from lathe.cuda.kernel_operands import ACCESS_BYTES, headers_for, parse_arguments, use_of
from lathe.cuda.lanes import has_lanes, lane_types, load_lanes
from lathe.cuda.memoize import context_dependent_memoize

_SHARED_BYTES = 32 * 1024
RUN = 16  # elements that a thread has under way at once

# Values are kept as bytes, since shared memory has no constructors.
_SHARED = """{headers}{preamble}
{groups_of}typedef {out_type} out_type;
struct lathe_values {{
    unsigned char* at;
    __device__ out_type get(unsigned k) const {{ return ((const out_type*)at)[k]; }}
    __device__ void set(unsigned k, const out_type& value) const {{ ((out_type*)at)[k] = value; }}
}};
extern "C" __global__ void __launch_bounds__({block}) {name}({parameters})
{{
    __shared__ alignas(16) unsigned char lathe_bytes[sizeof(out_type) * {block}];
    const lathe_values lathe_block{{lathe_bytes}};
    const unsigned tid = threadIdx.x;
    const auto lathe_reduce = [&](out_type a, out_type b) -> out_type {{ return ({reduce_expr}); }};
    const auto lathe_map = [&](size_t i) -> out_type {{ return ({map_expr}); }};
    const auto lathe_merge = [&](out_type value) {{
        lathe_block.set(tid, value);
        #pragma unroll
        for (unsigned apart = {block} / 2; apart > 0; apart /= 2) {{
            __syncthreads();
            if (tid < apart)
                lathe_block.set(
                    tid, lathe_reduce(lathe_block.get(tid), lathe_block.get(tid + apart)));
        }}
    }};
    out_type acc = {neutral};
"""

# A round has several groups of neighbours for each thread; what is left goes element by element.
# Elements meet in the same order wherever arrays begin.
_ONE_LAUNCH = """    size_t lathe_at = (start / {whole} + blockIdx.x * (part / {whole})) * {whole};
    const size_t lathe_last = lathe_at + part < stop ? lathe_at + part : stop;
    for (; lathe_at + {round} <= lathe_last; lathe_at += {round}) {{
        #pragma unroll
        for (unsigned lathe_u = 0; lathe_u < {groups}; ++lathe_u) {{
            const size_t lathe_from = lathe_at + (size_t)(lathe_u * {block} + tid) * {group};
            {lanes}const auto lathe_map_one = [&](size_t i) -> out_type {{ return ({map_expr}); }};
            #pragma unroll
            for (unsigned lathe_k = 0; lathe_k < {group}; ++lathe_k)
                acc = lathe_reduce(acc, lathe_map_one(lathe_from + lathe_k));
        }}
    }}
    for (size_t i = lathe_at + tid; i < lathe_last; i += {block})
        acc = lathe_reduce(acc, lathe_map(i));
    lathe_merge(acc);
    if (gridDim.x > 1) {{
        __shared__ bool is_last;
        if (tid == 0) {{
            states[blockIdx.x] = lathe_block.get(0);
            __threadfence();
            is_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
            __threadfence();
        }}
        __syncthreads();
        if (!is_last) return;
        acc = {neutral};
        for (unsigned k = tid; k < gridDim.x; k += {block}) acc = lathe_reduce(acc, states[k]);
        lathe_merge(acc);
        if (tid == 0) *tickets = 0;
    }}
    if (tid == 0) *out = lathe_block.get(0);
}}
"""

_STAGE = """    const size_t first = (size_t)blockIdx.x * {block} * seq_count + tid;
    for (unsigned s = 0; s < seq_count && first + (size_t)s * {block} < n; ++s)
        acc = lathe_reduce(acc, lathe_map(first + (size_t)s * {block}));
    lathe_merge(acc);
    if (tid == 0) out[blockIdx.x] = lathe_block.get(0);
}}
"""


class Loads(NamedTuple):
    """How a thread loads: `groups` at once, each of them `group` neighbours of the arguments
    `values` by one access."""

    values: tuple[int, ...] = ()
    group: int = 1
    groups: int = RUN


def loads_of(
    arguments: Sequence[Argument], map_expr: str, reduce_expr: str, preamble: str
) -> Loads:
    """Groups of 16 bytes of the largest type that is indexed by ``i``.

    Single elements if an array is not read by its values alone. With loops in the text one element
    is work enough for a thread; more would only make the code longer.
    """
    if is_long("\n".join((map_expr, reduce_expr, preamble)), few_rounds=0):
        return Loads(groups=1)
    indexed = tuple(
        k
        for k, each in enumerate(arguments)
        if isinstance(each, VectorArg) and use_of(each.name, map_expr)[0]
    )
    sizes = [arguments[k].dtype.itemsize for k in indexed]
    if not sizes or any(size & (size - 1) for size in sizes):
        return Loads()
    if not all(
        has_lanes(arguments[k]) and is_value_only(arguments[k].name, map_expr, preamble)
        for k in indexed
    ):
        return Loads()
    group = min(max(ACCESS_BYTES // max(sizes), 1), RUN)
    return Loads(indexed, group, RUN // group)


def block_size_for(dtype: np.dtype[Any]) -> int:
    """Threads of a block whose values fit into shared memory."""
    block = 256
    while block > 32 and block * dtype.itemsize > _SHARED_BYTES:
        block //= 2
    return block


def _module(
    out_type: str, block: int, neutral: str, reduce_expr: str, map_expr: str,
    arguments: Sequence[Argument], name: str, options: Sequence[str] | None, preamble: str,
    before: str, after: str, body: str, loads: Loads, aligned: bool = False,
) -> Any:  # fmt: skip
    declared = [each.declarator() for each in arguments]
    lanes = load_lanes((arguments[k] for k in loads.values), "lathe_from", " " * 12)
    text = (_SHARED + body).format(
        headers=headers_for(preamble, out_type, reduce_expr, map_expr, neutral, *declared),
        preamble=preamble, out_type=out_type, block=block, name=name,
        parameters=", ".join([before, *declared, after]), reduce_expr=reduce_expr,
        map_expr=map_expr, neutral=neutral, lanes=lanes, group=loads.group, groups=loads.groups,
        groups_of=lane_types(loads.group, aligned) if lanes else "",
        round=block * loads.group * loads.groups, whole=loads.group if aligned else 1,
    )  # fmt: skip
    given = None if options is None else list(options)
    return SourceModule(text, options=given, no_extern_c=True)


@context_dependent_memoize
def memoized_reduction(
    out_type: str, block: int, neutral: str, reduce_expr: str, map_expr: str,
    arguments: tuple[Argument, ...], name: str, options: tuple[str, ...] | None, preamble: str,
    loads: Loads, aligned: bool,
) -> driver.Function:  # fmt: skip
    """The prepared kernel of one launch: out, the arguments, start, stop, part, tickets, states.

    `aligned`: groups of elements from ``start`` on begin at addresses of their size.
    """
    module = _module(
        out_type, block, neutral, reduce_expr, map_expr, arguments, name, options, preamble,
        "out_type* out", "size_t start, size_t stop, size_t part, unsigned* tickets, "
        "out_type* states", _ONE_LAUNCH, loads, aligned,
    )  # fmt: skip
    kernel: driver.Function = module.get_function(name)
    kernel.prepare("P" + "".join(each.struct_char for each in arguments) + "QQQPP")
    return kernel


def get_reduction_module(
    out_type: str, block_size: int, neutral: str, reduce_expr: str, map_expr: str,
    arguments: str | Sequence[Argument], name: str = "reduce_kernel", keep: bool = False,
    options: Sequence[str] | None = None, preamble: str = "",
) -> Any:  # fmt: skip
    """One stage of a reduction: each block takes ``seq_count`` times `block_size` elements.

    Its kernel takes ``out`` (one value a block), the arguments, and two `unsigned`, ``seq_count``
    and ``n``. `ReductionKernel` has the parameters.
    """
    parsed, _ = parse_arguments(arguments)
    return _module(
        out_type, block_size, neutral, reduce_expr, map_expr, parsed, name, options, preamble,
        "out_type* out", "unsigned seq_count, unsigned n", _STAGE, Loads(),
    )  # fmt: skip


def get_reduction_kernel_and_types(
    stage: int, out_type: str, block_size: int, neutral: str, reduce_expr: str,
    map_expr: str | None = None, arguments: str | Sequence[Argument] | None = None,
    name: str = "reduce_kernel", keep: bool = False, options: Sequence[str] | None = None,
    preamble: str = "",
) -> tuple[driver.Function, list[Argument]]:  # fmt: skip
    """The prepared kernel of one stage, and the parameters between ``out`` and ``seq_count``.

    Stage 1 maps elements; stage 2 reduces what stage 1 has written, its first parameter.
    """
    from lathe.cuda.compyte.dtypes import NAME_TO_DTYPE

    parsed = list(parse_arguments(arguments or ())[0])
    if stage == 2:
        own: Argument = VectorArg(NAME_TO_DTYPE[out_type], "pycuda_reduction_inp")
        parsed, map_expr = [own, *parsed], "pycuda_reduction_inp[i]"
    elif map_expr is None:
        map_expr = f"{next(a.name for a in parsed if isinstance(a, VectorArg))}[i]"
    module = get_reduction_module(
        out_type, block_size, neutral, reduce_expr, map_expr, parsed,
        f"{name}_stage{stage}", keep, options, preamble,
    )  # fmt: skip
    kernel = module.get_function(f"{name}_stage{stage}")
    kernel.prepare("P" + "".join(each.struct_char for each in parsed) + "II")
    return kernel, parsed


__all__ = [
    "DTypeLike",
    "ScalarArg",
    "block_size_for",
    "get_reduction_kernel_and_types",
    "get_reduction_module",
    "memoized_reduction",
]
