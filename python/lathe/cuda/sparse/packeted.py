# SPDX-License-Identifier: MIT
"""Sparse matrices in packets: rows and columns that belong together, in shared memory."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.cuda import driver, gpuarray
from lathe.cuda.c_arguments import dtype_to_ctype
from lathe.cuda.compiler import SourceModule
from lathe.cuda.gpuarray import GPUArray
from lathe.cuda.kernel_operands import processors
from lathe.cuda.memoize import context_dependent_memoize
from lathe.cuda.occupancy import DeviceData
from lathe.cuda.sparse.coordinate import CoordinateSpMV
from lathe.cuda.sparse.pkt_build import (
    build_pkt_data_structure,
    local_entries,
    packets_of_rows,
)
from lathe.sparse.inputs import value_type

_THREADS = 256
_LEAST_ROWS = 512  # of a packet, where there are enough packets for all processors

# Each row belongs to one thread, so nobody else adds to its sum.
_SOURCE = """#include <pycuda-complex.hpp>
typedef {value} Value;
extern "C" __global__ void multiply(const int* bases, const int* starts, const int* ends,
                                    const unsigned* indices, const Value* values, const Value* x,
                                    Value* y) {{
    extern __shared__ __align__(16) unsigned char memory[];
    const int base = bases[blockIdx.x], rows = bases[blockIdx.x + 1] - base;
    Value* const own_x = (Value*)memory;
    Value* const own_y = own_x + rows;
    for (int k = threadIdx.x; k < rows; k += blockDim.x) {{
        own_x[k] = x[base + k];
        own_y[k] = y[base + k];
    }}
    __syncthreads();
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int at = starts[thread]; at < ends[thread]; at += blockDim.x) {{
        const unsigned index = indices[at];
        own_y[index >> 16] += values[at] * own_x[index & 0xffffu];
    }}
    __syncthreads();
    for (int k = threadIdx.x; k < rows; k += blockDim.x) y[base + k] = own_y[k];
}}
"""


@context_dependent_memoize
def _kernel(dtype: np.dtype[Any]) -> driver.Function:
    source = _SOURCE.format(value=dtype_to_ctype(dtype))
    function = SourceModule(source, no_extern_c=True).get_function("multiply")
    function.prepare("PPPPPPP")
    return function


def _scipy() -> Any:
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError as error:
        raise ImportError(
            "PacketedSpMV takes matrices of SciPy, which is not installed; lathe.sparse needs none"
        ) from error


class PacketedSpMV:
    """A square matrix that is called with a vector, permuted by packets.

    Rows are put into packets with few entries between them: by METIS where `pymetis` is installed,
    else by the reverse Cuthill-McKee order. Entries within a packet are multiplied in shared
    memory, others by a `CoordinateSpMV`.

    Parameters
    ----------
    mat : matrix of SciPy
    is_symmetric : bool
        Whether its structure is.
    dtype : data type
        float32, float64, complex64 or complex128.

    Attributes
    ----------
    shape, dtype
    block_count, rows_per_packet, threads_per_packet : int
        Packets, the most rows of one, and threads of one.

    Raises
    ------
    ValueError
        For matrices that are not square.
    ImportError
        Without SciPy.
    """

    thread_starts: GPUArray
    thread_ends: GPUArray
    index_array: GPUArray
    data_array: GPUArray

    def __init__(self, mat: Any, is_symmetric: bool, dtype: DTypeLike) -> None:
        self.dtype = value_type(dtype)
        self.index_dtype = np.dtype(np.int32)
        self.packed_index_dtype = np.dtype(np.uint32)
        h, w = self.shape = (int(mat.shape[0]), int(mat.shape[1]))
        if h != w:
            raise ValueError(f"only square matrices are supported, got {self.shape}")
        device = DeviceData()
        self.threads_per_packet = min(_THREADS, device.max_threads)
        room = min(device.shared_memory, 48 * 1024) // (2 * self.dtype.itemsize)
        share = -(-h // (2 * processors()))
        self.rows_per_packet = min(max(share, _LEAST_ROWS), room, 1 << 16)
        self.block_count = -(-h // self.rows_per_packet)

        csr_mat = _scipy().csr_matrix(mat, dtype=self.dtype)
        packets = self._partition(csr_mat, is_symmetric)
        self.block_count = len(packets)
        new2old, old2new, bases = self.find_simple_index_stuff(packets)
        packet_of = packets_of_rows(packets, h)
        costs, remaining = self.find_local_row_costs_and_remaining_coo(csr_mat, packet_of, old2new)
        thread_count = len(packets) * self.threads_per_packet
        assigned, thread_costs = self.find_thread_assignment(packets, costs, thread_count)
        build_pkt_data_structure(
            self, packets, int(max(thread_costs, default=0)), old2new, csr_mat, thread_count,
            assigned, costs,
        )  # fmt: skip
        self.packet_base_rows = gpuarray.to_gpu(bases)
        self.new2old_fetch_indices = gpuarray.to_gpu(new2old)
        self.old2new_fetch_indices = gpuarray.to_gpu(old2new)
        self.remaining_coo_gpu = CoordinateSpMV(remaining, self.dtype)

    def _partition(self, csr_mat: Any, is_symmetric: bool) -> list[NDArray[Any]]:
        """The rows of each packet, at most `rows_per_packet`."""
        if not self.block_count:
            return []
        graph = csr_mat if is_symmetric else abs(csr_mat) + abs(csr_mat.T)
        try:
            pymetis = importlib.import_module("pymetis")
        except ImportError:
            from_graph = importlib.import_module("scipy.sparse.csgraph")
            order = from_graph.reverse_cuthill_mckee(graph.tocsr(), symmetric_mode=True)
            return np.array_split(order, self.block_count)
        blocks = self.block_count
        while True:
            _, parts = pymetis.part_graph(blocks, xadj=graph.indptr, adjncy=graph.indices)
            numbers = np.asarray(parts)
            if np.bincount(numbers).max() <= self.rows_per_packet:
                break
            blocks = int(2 + 1.05 * blocks)
        found = (np.flatnonzero(numbers == k) for k in range(blocks))
        return [rows for rows in found if rows.size]

    # --- Steps of the construction, under PyCUDA's names

    def find_simple_index_stuff(
        self, packet_nr_to_dofs: Sequence[NDArray[Any]]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The old number of each new row, the new one of each old row, and where packets begin."""
        none = [np.zeros(0, self.index_dtype)]
        new2old = np.concatenate(none + list(packet_nr_to_dofs)).astype(self.index_dtype)
        old2new = np.empty_like(new2old)
        old2new[new2old] = np.arange(new2old.size, dtype=self.index_dtype)
        ends = np.cumsum([len(rows) for rows in packet_nr_to_dofs])
        return new2old, old2new, np.concatenate([[0], ends]).astype(self.index_dtype)

    def find_local_row_costs_and_remaining_coo(
        self, csr_mat: Any, dof_to_packet_nr: Any, old2new_fetch_indices: NDArray[Any]
    ) -> tuple[NDArray[Any], Any]:
        """Entries of each row within its packet, and the matrix of the others, permuted."""
        rows, is_local = local_entries(csr_mat, np.asarray(dof_to_packet_nr))
        costs = np.bincount(rows[is_local], minlength=self.shape[0])
        places = (
            old2new_fetch_indices[rows[~is_local]],
            old2new_fetch_indices[csr_mat.indices[~is_local]],
        )
        remaining = _scipy().coo_matrix(
            (csr_mat.data[~is_local], places), self.shape, dtype=self.dtype
        )
        return costs, remaining

    def find_thread_assignment(
        self, packet_nr_to_dofs: Sequence[NDArray[Any]], local_row_cost: Any, thread_count: int
    ) -> tuple[list[list[int]], NDArray[Any]]:
        """The rows of each thread, and their entries: the longest rows first, to and fro."""
        assigned: list[list[int]] = [[] for _ in range(thread_count)]
        all_costs, costs = np.zeros(thread_count, np.int64), np.asarray(local_row_cost)
        threads = self.threads_per_packet
        for packet, rows in enumerate(packet_nr_to_dofs):
            ordered = np.asarray(rows)[np.argsort(-costs[rows], kind="stable")]
            turn, at = np.divmod(np.arange(ordered.size), threads)
            thread = packet * threads + np.where(turn % 2, threads - 1 - at, at)
            np.add.at(all_costs, thread, costs[ordered])
            for number, row in zip(thread.tolist(), ordered.tolist(), strict=True):
                assigned[number].append(row)
        return assigned, all_costs

    # --- Products

    def permute(self, x: GPUArray) -> GPUArray:
        """A vector in the order of packets."""
        return gpuarray.take(x, self.new2old_fetch_indices)

    def unpermute(self, x: GPUArray) -> GPUArray:
        """A vector in the matrix's own order."""
        return gpuarray.take(x, self.old2new_fetch_indices)

    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray:
        """The product with a permuted vector, added to `y` where that is given; asynchronous.

        Raises
        ------
        ValueError
            For sizes, types or strides that do not fit.
        """
        if y is None:
            y = gpuarray.zeros(self.shape[0], self.dtype, allocator=x.allocator)
        for name, each in (("x", x), ("y", y)):
            if each.shape != self.shape[:1] or each.dtype != self.dtype:
                raise ValueError(
                    f"{name} must be {self.dtype} of {self.shape[0]} elements, "
                    f"got {each.dtype} {each.shape}"
                )
            if not each.flags.c_contiguous:
                raise ValueError(f"{name} must have no gaps")
        if self.block_count:
            _kernel(self.dtype).prepared_async_call(
                (self.block_count, 1), (self.threads_per_packet, 1, 1), None,
                self.packet_base_rows.gpudata, self.thread_starts.gpudata,
                self.thread_ends.gpudata, self.index_array.gpudata, self.data_array.gpudata,
                x.gpudata, y.gpudata,
                shared_size=2 * self.rows_per_packet * self.dtype.itemsize,
            )  # fmt: skip
        return self.remaining_coo_gpu(x, y)


__all__ = ["PacketedSpMV"]
