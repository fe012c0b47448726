# SPDX-License-Identifier: MIT
"""The kernels of sparse matrices: types around gpu/kernels/lathe_sparse.hpp, and their launches.

All are asynchronous on the given stream, and look at no index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lathe.array import sorting
from lathe.cuda import driver
from lathe.cuda.c_arguments import dtype_to_ctype
from lathe.cuda.compiler import SourceModule
from lathe.cuda.gpuarray import GPUArray
from lathe.cuda.kernel_operands import processors
from lathe.cuda.memoize import context_dependent_memoize
from lathe.native import native

Stream = driver.Stream | None
DType = np.dtype[Any]

THREADS = 128
TILE_THREADS, TILE_ITEMS = 256, 7  # an odd number: neighbours read from different banks

_CSR = "const Index* starts, const Index* columns, const A* values"
# Name: parameters, their letters as of prepare(), the call.
_KERNELS = {
    "csr_rows": (
        f"long long rows, {_CSR}, const X* x, Value* y", "qPPPPP",
        "csr_rows<WIDTH, ADD>(rows, starts, columns, values, x, y)",
    ),
    "csr_by_dense": (
        f"long long rows, long long count, {_CSR}, const X* x, long long x_row, long long x_column,"
        " Value* y, long long y_row, long long y_column", "qqPPPPqqPqq",
        "csr_by_dense(rows, count, starts, columns, values, x, x_row, x_column, y, y_row,"
        " y_column)",
    ),
    "ell_rows": (
        "long long rows, long long width, const Index* columns, const A* values, const X* x,"
        " Value* y", "qqPPPP",
        "ell_rows<ADD>(rows, width, columns, values, x, y)",
    ),
    "coo_tile": (
        "long long count, const Index* rows, const Index* columns, const A* values, const X* x,"
        " Value* y, Index* carry_rows, Value* carries", "qPPPPPPP",
        "coo_tile<THREADS, ITEMS, ADD>(count, rows, columns, values, x, y, carry_rows, carries)",
    ),
    "csr_tile": (
        f"long long rows, long long count, {_CSR}, const X* x, Value* y, Index* carry_rows,"
        " Value* carries", "qqPPPPPPP",
        "csr_tile<THREADS, ITEMS, ADD>(rows, count, starts, columns, values, x, y, carry_rows,"
        " carries)",
    ),
    "add_carries": (
        "long long blocks, const Index* carry_rows, const Value* carries, Value* y", "qPPP",
        "add_carries(blocks, carry_rows, carries, y)",
    ),
    "ssor_sweep": (
        f"long long count, const Index* rows, const int* colors, {_CSR}, const A* diagonal, A* y,"
        " Value omega, bool backward", "qPPPPPPP{omega}?",
        "ssor_sweep(count, rows, colors, starts, columns, values, diagonal, y, omega, backward)",
    ),
    "csr_diagonal": (
        f"long long rows, {_CSR}, A* y, long long offset", "qPPPPq",
        "csr_diagonal(rows, starts, columns, values, y, offset)",
    ),
    "csr_to_ell": (
        f"long long rows, long long width, {_CSR}, Index* padded, A* y", "qqPPPPP",
        "csr_to_ell(rows, width, starts, columns, values, padded, y)",
    ),
}  # fmt: skip
_INDEX = {np.dtype(np.int32): "int", np.dtype(np.int64): "long long"}


@context_dependent_memoize
def _kernel(
    name: str, value: DType, index: DType, a: DType, x: DType, width: int = 1, add: bool = False
) -> driver.Function:
    parameters, letters, call = _KERNELS[name]
    threads, items = TILE_THREADS, TILE_ITEMS
    bound = threads if "tile" in name else THREADS
    source = f"""#include <lathe_sparse.hpp>
constexpr int WIDTH = {width}, THREADS = {threads}, ITEMS = {items};
constexpr bool ADD = {str(add).lower()};
typedef {dtype_to_ctype(value)} Value; typedef {_INDEX[index]} Index;
typedef {dtype_to_ctype(a)} A; typedef {dtype_to_ctype(x)} X;
extern "C" __global__ void __launch_bounds__({bound}) {name}({parameters}) {{ lathe::{call}; }}
"""
    function = SourceModule(source, no_extern_c=True).get_function(name)
    function.prepare(letters.format(omega=value.char))
    return function


@context_dependent_memoize
def _most_blocks() -> int:
    return processors() * 32


def _blocks(threads: int) -> tuple[int, int]:
    return min(-(-threads // THREADS), _most_blocks()), 1


def multiply_rows(
    starts: GPUArray, columns: GPUArray, values: GPUArray, x: GPUArray, y: GPUArray, width: int,
    add: bool = False, stream: Stream = None,
) -> None:  # fmt: skip
    """``y = A @ x``, or ``y += A @ x``, by `width` threads for each row."""
    rows = y.size
    if not rows:
        return
    kernel = _kernel("csr_rows", y.dtype, starts.dtype, values.dtype, x.dtype, width, add)
    kernel.prepared_async_call(
        _blocks(rows * width), (THREADS, 1, 1), stream, rows, starts.gpudata, columns.gpudata,
        values.gpudata, x.gpudata, y.gpudata,
    )  # fmt: skip


def multiply_dense(
    starts: GPUArray, columns: GPUArray, values: GPUArray, x: GPUArray, y: GPUArray,
    stream: Stream = None,
) -> None:  # fmt: skip
    """``Y = A @ X`` of matrices of any strides."""
    rows, count = y.shape
    if not y.size:
        return
    wide = min(32, 1 << (count - 1).bit_length())
    grid = min(-(-rows // (THREADS // wide)), _most_blocks()), -(-count // wide)
    kernel = _kernel("csr_by_dense", y.dtype, starts.dtype, values.dtype, x.dtype)
    steps = [[n // each.itemsize for n in each.strides] for each in (x, y)]
    for first in range(0, grid[1], 65535):
        at = first * wide
        part, to = x[:, at:], y[:, at:]
        blocks = grid[0], min(grid[1] - first, 65535)
        kernel.prepared_async_call(
            blocks, (wide, THREADS // wide, 1), stream, rows, min(count - at, 65535 * wide),
            starts.gpudata, columns.gpudata, values.gpudata, part.gpudata, *steps[0],
            to.gpudata, *steps[1],
        )  # fmt: skip


def multiply_padded(
    columns: GPUArray, values: GPUArray, x: GPUArray, y: GPUArray, add: bool = False,
    stream: Stream = None,
) -> None:  # fmt: skip
    """``y = A @ x`` of (width, rows) columns and values."""
    width, rows = columns.shape
    if not rows:
        return
    kernel = _kernel("ell_rows", y.dtype, columns.dtype, values.dtype, x.dtype, 1, add)
    kernel.prepared_async_call(
        _blocks(rows), (THREADS, 1, 1), stream, rows, width, columns.gpudata, values.gpudata,
        x.gpudata, y.gpudata,
    )  # fmt: skip


def _tiles(
    name: str, work: int, numbers: tuple[int, ...], index: DType, a: DType,
    arrays: tuple[GPUArray, ...], x: GPUArray, y: GPUArray, add: bool, stream: Stream,
) -> None:  # fmt: skip
    tiles = -(-work // (TILE_THREADS * TILE_ITEMS))
    carry_rows, carries = GPUArray(tiles, index), GPUArray(tiles, y.dtype)
    kernel = _kernel(name, y.dtype, index, a, x.dtype, 1, add)
    kernel.prepared_async_call(
        (tiles, 1), (TILE_THREADS, 1, 1), stream, *numbers, *(each.gpudata for each in arrays),
        x.gpudata, y.gpudata, carry_rows.gpudata, carries.gpudata,
    )  # fmt: skip
    if tiles > 1:
        kernel = _kernel("add_carries", y.dtype, index, a, x.dtype)
        kernel.prepared_async_call(
            _blocks(tiles), (THREADS, 1, 1), stream, tiles, carry_rows.gpudata, carries.gpudata,
            y.gpudata,
        )  # fmt: skip


def multiply_merged(
    starts: GPUArray, columns: GPUArray, values: GPUArray, x: GPUArray, y: GPUArray,
    add: bool = False, stream: Stream = None,
) -> None:  # fmt: skip
    """``y = A @ x`` by equal shares of rows and nonzeros."""
    if y.size:
        work = y.size + columns.size
        arrays = (starts, columns, values)
        numbers = (y.size, columns.size)
        _tiles("csr_tile", work, numbers, starts.dtype, values.dtype, arrays, x, y, add, stream)


def multiply_triples(
    rows: GPUArray, columns: GPUArray, values: GPUArray, x: GPUArray, y: GPUArray,
    add: bool = False, stream: Stream = None,
) -> None:  # fmt: skip
    """``y = A @ x`` of nonzeros sorted by rows."""
    if not add:
        y.fill(0, stream)
    if rows.size:
        arrays = (rows, columns, values)
        _tiles(
            "coo_tile", rows.size, (rows.size,), rows.dtype, values.dtype, arrays, x, y, add, stream
        )


def diagonal(
    starts: GPUArray, columns: GPUArray, values: GPUArray, y: GPUArray, offset: int,
    stream: Stream = None,
) -> None:  # fmt: skip
    """The sum of what a diagonal has, for each of its places."""
    if y.size:
        kernel = _kernel("csr_diagonal", y.dtype, starts.dtype, values.dtype, values.dtype)
        kernel.prepared_async_call(
            _blocks(y.size), (THREADS, 1, 1), stream, y.size, starts.gpudata, columns.gpudata,
            values.gpudata, y.gpudata, offset,
        )  # fmt: skip


def sweep(
    rows: GPUArray, colors: GPUArray, starts: GPUArray, columns: GPUArray, values: GPUArray,
    diagonal: GPUArray, y: GPUArray, omega: float, backward: bool, stream: Stream = None,
) -> None:  # fmt: skip
    """One color's part of symmetric successive over-relaxation, in place."""
    real = np.zeros(0, y.dtype).real.dtype
    kernel = _kernel("ssor_sweep", real, starts.dtype, values.dtype, values.dtype)
    kernel.prepared_async_call(
        _blocks(rows.size), (THREADS, 1, 1), stream, rows.size, rows.gpudata, colors.gpudata,
        starts.gpudata, columns.gpudata, values.gpudata, diagonal.gpudata, y.gpudata, omega,
        backward,
    )  # fmt: skip


def pad(
    starts: GPUArray, columns: GPUArray, values: GPUArray, width: int, stream: Stream = None
) -> tuple[GPUArray, GPUArray]:
    """(width, rows) columns and values of a matrix by rows."""
    rows = starts.size - 1
    padded, made = GPUArray((width, rows), columns.dtype), GPUArray((width, rows), values.dtype)
    if padded.size:
        kernel = _kernel("csr_to_ell", values.dtype, starts.dtype, values.dtype, values.dtype)
        kernel.prepared_async_call(
            _blocks(rows), (THREADS, 1, 1), stream, rows, width, starts.gpudata, columns.gpudata,
            values.gpudata, padded.gpudata, made.gpudata,
        )  # fmt: skip
    return padded, made


def _count(to: GPUArray, stream: Stream) -> None:
    kind = to.dtype.type
    if to.size:
        native.apply("arange", kind(0), kind(1), out=to, stream=stream)


def starts_of(rows: GPUArray, count: int, stream: Stream = None) -> GPUArray:
    """Where each of `count` rows begins among sorted row numbers, and where the last one ends."""
    edges = GPUArray(count + 1, rows.dtype)
    _count(edges, stream)
    found = sorting.searchsorted(rows, edges, stream=stream)
    return found.astype(rows.dtype, stream, copy=False)


def rows_of(starts: GPUArray, count: int, stream: Stream = None) -> GPUArray:
    """The row of each of `count` nonzeros: the inverse of `starts_of`."""
    places = GPUArray(count, starts.dtype)
    _count(places, stream)
    found = sorting.searchsorted(starts[1:], places, "right", stream=stream)
    return found.astype(starts.dtype, stream, copy=False)
