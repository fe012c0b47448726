# SPDX-License-Identifier: MIT
"""The entries of a packeted matrix in the order in which its threads read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.cuda import gpuarray

Numbers = NDArray[Any]
Rows = Sequence[int] | Numbers


def packets_of_rows(packet_nr_to_dofs: Sequence[Rows], count: int) -> Numbers:
    """The packet of each of `count` rows."""
    made = np.zeros(count, np.int64)
    for number, rows in enumerate(packet_nr_to_dofs):
        made[np.asarray(rows, np.int64)] = number
    return made


def local_entries(csr_mat: Any, packets: Numbers) -> tuple[Numbers, Numbers]:
    """The row of each entry of a matrix by rows, and whether its column is in the same packet."""
    rows = np.repeat(np.arange(csr_mat.shape[0]), np.diff(csr_mat.indptr))
    return rows, packets[rows] == packets[csr_mat.indices]


def build_pkt_data_structure(
    spmv: Any, packet_nr_to_dofs: Sequence[Rows], max_thread_costs: int,
    old2new_fetch_indices: Numbers, csr_mat: Any, thread_count: int,
    thread_assignments: Sequence[Rows], local_row_costs: Rows,
) -> None:  # fmt: skip
    """Gives `spmv` its ``index_array``, ``data_array``, ``thread_starts`` and ``thread_ends``.

    Thread t of a packet reads the places ``thread_starts[t]``, then every ``threads_per_packet``-th
    up to ``thread_ends[t]``. An index is the row within the packet, times 2^16, plus the column.

    Parameters
    ----------
    spmv : PacketedSpMV
    packet_nr_to_dofs : sequence of sequence of int
        The rows of each packet.
    max_thread_costs : int
        Not used: places are counted.
    old2new_fetch_indices : array of int
        The place of each row, by packets.
    csr_mat : matrix by rows
    thread_count : int
        Of all packets.
    thread_assignments : sequence of sequence of int
        The rows of each thread.
    local_row_costs : sequence of int
        Entries of each row whose columns are in its packet.
    """
    threads = int(spmv.threads_per_packet)
    count = csr_mat.shape[0]
    costs = np.asarray(local_row_costs, np.int64)
    packets = packets_of_rows(packet_nr_to_dofs, count)
    bases = np.concatenate([[0], np.cumsum([len(rows) for rows in packet_nr_to_dofs])])

    # Each row's thread, and how many entries the thread has before it.
    thread_of, before = np.zeros(count, np.int64), np.zeros(count, np.int64)
    lengths = np.zeros(thread_count, np.int64)
    for thread, assigned in enumerate(thread_assignments):
        if len(assigned):
            rows = np.asarray(assigned, np.int64)
            ends = np.cumsum(costs[rows])
            thread_of[rows], before[rows] = thread, ends - costs[rows]
            lengths[thread] = ends[-1]

    turns = lengths.reshape(-1, threads).max(axis=1)
    begins = np.concatenate([[0], np.cumsum(turns * threads)])
    starts = begins[:-1].repeat(threads) + np.tile(np.arange(threads), len(turns))

    row_of, is_local = local_entries(csr_mat, packets)
    running = np.concatenate([[0], np.cumsum(is_local)])
    rows, columns = row_of[is_local], csr_mat.indices[is_local]
    turn = before[rows] + running[:-1][is_local] - running[csr_mat.indptr[:-1]][rows]
    places = starts[thread_of[rows]] + turn * threads
    base = bases[packets[rows]]
    index = np.zeros(begins[-1], spmv.packed_index_dtype)
    index[places] = (old2new_fetch_indices[rows] - base << 16) + (
        old2new_fetch_indices[columns] - base
    )
    data = np.zeros(begins[-1], spmv.dtype)
    data[places] = csr_mat.data[is_local]

    spmv.thread_starts = gpuarray.to_gpu(starts.astype(spmv.index_dtype))
    spmv.thread_ends = gpuarray.to_gpu((starts + lengths * threads).astype(spmv.index_dtype))
    spmv.index_array = gpuarray.to_gpu(index)
    spmv.data_array = gpuarray.to_gpu(data)


__all__ = ["build_pkt_data_structure"]
