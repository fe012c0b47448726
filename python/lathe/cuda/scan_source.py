# SPDX-License-Identifier: MIT
"""The kernels of `scan`: an expression, a type and statements around gpu/kernels/lathe_scan.hpp."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from lathe.cuda.c_arguments import Argument, dtype_to_ctype
from lathe.cuda.scan_text import Text, is_vector
from lathe.native import native


def vector_of(dtype: np.dtype[Any]) -> int:
    """Elements of one access of 16 bytes, or 1 for types that do not fill it."""
    return min(16 // dtype.itemsize, 8) if dtype.itemsize in (1, 2, 4, 8) else 1


def _value_bytes(text: Text) -> int:
    """Of what is scanned; with segments, of a value and its flag."""
    return text.dtype.itemsize if text.segment_expr is None else max(text.dtype.itemsize, 4) * 2


def tile_shape(text: Text) -> tuple[int, int]:
    """Threads of a block, and how often each has its neighbours."""
    return native.scan_shape(_value_bytes(text), text.neighbours)


def _head(text: Text) -> str:
    dtypes = [text.dtype, *(each.dtype for each in text.arguments)]
    names = " ".join(dtype_to_ctype(each) for each in dtypes)
    lines = []
    if "complex" in names:
        lines.append("#include <pycuda-complex.hpp>")
    if re.search(r"\bhalf\b", names):
        lines.append("#include <cuda_fp16.h>")
    if "bfloat16" in names:
        lines.append("#include <cuda_bf16.h>")
    lines += [
        "#include <lathe_scan.hpp>",
        text.preamble,
        f"typedef {dtype_to_ctype(text.dtype)} scan_type;",
        f"typedef {dtype_to_ctype(text.index_dtype)} index_type;",
    ]
    return "\n".join(lines) + "\n"


def _fetched(text: Text) -> str:
    """Declarations of what is fetched for element i."""
    made = ""
    types = {each.name: each for each in text.arguments}
    for name, argument, offset in text.fetches:
        ctype = dtype_to_ctype(types[argument].dtype)
        place = "i" if offset == 0 else f"i > 0 ? i {offset} : 0"
        made += f"const {ctype} {name} = {argument}[{place}];\n"
    return made


_FORM = """
struct Form {
    typedef %(value)s Value;
    static const int kThreads = %(threads)d, kVector = %(vector)d, kRows = %(rows)d;
    %(members)s
    index_type N;
    scan_type* lathe_items;
    __device__ __forceinline__ scan_type combine_values(const scan_type& a, const scan_type& b,
                                                        bool across_seg_boundary) const {
        return %(scan)s;
    }
    __device__ __forceinline__ Value combine(const Value& a, const Value& b) const {
        %(combine)s
    }
    __device__ __forceinline__ bool begins_at(index_type i) const {
        %(fetched)s
        return %(begins)s;
    }
    __device__ __forceinline__ scan_type input_of(index_type i) const {
        %(fetched)s
        return %(input)s;
    }
    __device__ __forceinline__ Value read_of(index_type i) const {
        Value made;
        %(read)s
        return made;
    }
    __device__ __forceinline__ Value read_one(long long at) const {
        return read_of((index_type)at);
    }
    __device__ __forceinline__ void read(long long at, Value (&v)[kVector]) const {
        %(read_all)s
    }
    __device__ __forceinline__ void put(index_type i, const scan_type& item,
                                        const scan_type& prev_item,
                                        const scan_type& last_item) const {
        %(fetched)s
        %(output)s
    }
    __device__ __forceinline__ void write_of(index_type i, const Value& v, const Value& before,
                                             bool first) const {
        %(write)s
    }
    __device__ __forceinline__ void write_one(long long at, const Value& v, const Value& before,
                                              bool first) const {
        write_of((index_type)at, v, before, first);
    }
    __device__ __forceinline__ void write(long long at, const Value (&v)[kVector],
                                          const Value& before, bool first) const {
        %(write_all)s
    }
};
"""

_KERNELS = """
extern "C" __global__ void __launch_bounds__(%(threads)d, 512 / %(threads)d) scan(%(parameters)s,
        long long lathe_count, scan_type* lathe_items, char* lathe_state, unsigned lathe_tiles,
        unsigned lathe_groups) {
    Form lathe_form;
    %(set)s
    lathe_form.N = (index_type)lathe_count;
    lathe_form.lathe_items = lathe_items;
    lathe::ScanState lathe_all;
    lathe_all.memory = lathe_state;
    lathe_all.tiles = lathe_tiles;
    lathe_all.groups = lathe_groups;
    lathe_all.rows = 1;
    lathe::scan_tile(lathe_form, lathe_count, lathe_all);
}
"""

# After the scan, for statements that want the last item.
_FINISH = """
extern "C" __global__ void finish(%(parameters)s, long long lathe_count, scan_type* lathe_items) {
    Form lathe_form;
    %(set)s
    lathe_form.N = (index_type)lathe_count;
    const long long lathe_step = (long long)gridDim.x * blockDim.x, lathe_first = threadIdx.x;
    for (long long lathe_at = lathe_first + (long long)blockIdx.x * blockDim.x;
         lathe_at < lathe_count; lathe_at += lathe_step) {
        const bool begins = lathe_at == 0 || lathe_form.begins_at((index_type)lathe_at);
        lathe_form.put((index_type)lathe_at, lathe_items[lathe_at],
                       begins ? (scan_type)(%(neutral)s) : lathe_items[lathe_at - 1],
                       lathe_items[lathe_count - 1]);
    }
}
"""


def _declared(argument: Argument, apart: bool) -> str:
    declared = argument.declarator()
    return declared.replace("*", "* __restrict__ ") if apart and is_vector(argument) else declared


def _begins(text: Text) -> list[tuple[Argument, str]]:
    """Each argument as the form has it: known to begin at a whole group if it does."""
    made = []
    for k, each in enumerate(text.arguments):
        begin = each.name
        if text.group > 1 and k in text.indexed():
            ctype, bytes_ = dtype_to_ctype(each.dtype), text.group * each.dtype.itemsize
            begin = f"({ctype}*)__builtin_assume_aligned({begin}, {bytes_})"
        made.append((each, begin))
    return made


def source_of(text: Text) -> str:
    """A module with the kernel ``scan``, and ``finish`` where the last item is wanted."""
    is_segmented = text.segment_expr is not None
    wants_last = text.uses("last_item")
    neutral = "scan_type()" if text.neutral is None else text.neutral
    read_all, write_all = "v[0] = read_one(at);", "write_one(at, v[0], before, first);"
    if text.vector > 1:
        pack = "lathe::Pack<scan_type, kVector>"
        read_all = (
            f"const {pack} all = lathe::stream_in((const {pack}*)(scan_input + at));"
            " for (int j = 0; j < kVector; ++j) v[j] = all.at[j];"
        )
        begin, each = f"first ? (scan_type)({neutral}) : before", "v[j - 1]"
        if not text.uses("prev_item"):
            begin, each = "v[0]", "v[j]"
        write_all = (
            f"{pack} all; all.at[0] = {begin};"
            f" for (int j = 1; j < kVector; ++j) all.at[j] = {each};"
            f" lathe::stream_out(({pack}*)(scan_output + at), all);"
        )
    elif text.group > 1:
        # The compiler is told that groups begin at groups. The empty statement keeps these loads
        # from becoming one with those of a tile that is not whole, whose addresses are chosen.
        from_ = "const index_type from = (index_type)(at & -(long long)kVector);"
        read_all = (
            f'{from_} _Pragma("unroll") for (int j = 0; j < kVector; ++j) v[j] = read_of(from + j);'
            ' asm volatile("");'
        )
        write_all = (
            f'{from_} write_of(from, v[0], before, first); _Pragma("unroll")'
            " for (int j = 1; j < kVector; ++j) write_of(from + j, v[j], v[j - 1], false);"
        )
    item, begins = ("v.value", "v.begins") if is_segmented else ("v", "false")
    before = "before.value" if is_segmented else "before"
    if is_segmented:
        combine = (
            "Value made = b; made.value = combine_values(a.value, b.value, b.begins != 0);"
            " made.begins = a.begins | b.begins; return made;"
        )
        read = "made.value = input_of(i); made.begins = begins_at(i);"
    else:
        combine, read = "return combine_values(a, b, false);", "made = input_of(i);"
    if wants_last:
        write = f"lathe_items[i] = {item};"
    else:
        begins = "begins_at(i)" if is_segmented and text.uses("prev_item") else "false"
        write = f"put(i, {item}, first || {begins} ? (scan_type)({neutral}) : {before}, {item});"
    threads, rows = tile_shape(text)
    parts: dict[str, Any] = {
        "value": "lathe::Segmented<scan_type>" if is_segmented else "scan_type",
        "threads": threads,
        "vector": text.neighbours,
        "rows": rows,
        "read_all": read_all,
        "write_all": write_all,
        "members": " ".join(f"{each.declarator()};" for each in text.arguments),
        "scan": text.scan_expr,
        "combine": combine,
        "fetched": _fetched(text),
        "begins": f"({text.segment_expr})" if is_segmented else "false",
        "input": text.input_expr,
        "read": read,
        "output": text.output_statement + ";",
        "write": write,
        "parameters": ", ".join(_declared(each, text.apart) for each in text.arguments),
        "set": " ".join(f"lathe_form.{each.name} = {begin};" for each, begin in _begins(text)),
        "neutral": neutral,
    }
    return _head(text) + (_FORM + _KERNELS + (_FINISH if wants_last else "")) % parts


def state_bytes(text: Text, count: int) -> tuple[int, list[int]]:
    """Bytes of a launch's state, with the tiles and groups it has records of."""
    threads, rows = tile_shape(text)
    size, *numbers = native.scan_memory(count, threads * text.neighbours * rows, _value_bytes(text))
    return size, numbers
