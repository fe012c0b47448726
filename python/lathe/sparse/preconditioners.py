# SPDX-License-Identifier: MIT
"""What is nearly the inverse of a matrix and cheap: for `cg`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.cuda.gpuarray import GPUArray, to_gpu
from lathe.native import native
from lathe.sparse import kernels
from lathe.sparse.matrix import SparseArray, Stream

_MOST_COLORS = 63


class Preconditioner:
    """A symmetric operator on vectors, asynchronous."""

    def __init__(self, A: SparseArray) -> None:
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"expected a square matrix, got {A.shape}")
        self.shape, self.dtype = A.shape, A.dtype
        self.diagonal = A.diagonal()
        if not bool((self.diagonal != 0).all()):
            raise ValueError("the diagonal has zeros")

    def __call__(self, x: GPUArray) -> GPUArray:
        """The product with a vector, on the legacy default stream."""
        return self.dot(x)

    def dot(self, x: GPUArray, stream: Stream = None) -> GPUArray:
        """The product with a vector."""
        raise NotImplementedError


class _Jacobi(Preconditioner):
    def __init__(self, A: SparseArray) -> None:
        super().__init__(A)
        self._inverse: GPUArray = 1 / self.diagonal

    def dot(self, x: GPUArray, stream: Stream = None) -> GPUArray:
        made: GPUArray = native.apply("multiply", self._inverse, x, stream=stream)
        return made


def jacobi(A: SparseArray) -> Preconditioner:
    """``1 / diagonal(A)``.

    Raises
    ------
    ValueError
        For matrices that are not square or have a zero in the diagonal; it waits for that.
    """
    return _Jacobi(A)


def colors_of(indptr: NDArray[Any], indices: NDArray[Any]) -> NDArray[Any]:
    """A number for each row of a matrix, other ones for rows that have entries among each other.

    M. T. Jones, P. E. Plassmann, "A parallel graph coloring heuristic", SIAM Journal on Scientific
    Computing 14, 1993: all rows that come before their neighbours in a random order take the least
    color that is free, then the next such rows.

    Raises
    ------
    ValueError
        Where 63 colors do not suffice.
    """
    count = indptr.size - 1
    one, two = np.repeat(np.arange(count), np.diff(indptr)), indices
    apart = one != two
    ends = np.concatenate([one[apart], two[apart]]), np.concatenate([two[apart], one[apart]])
    here, there = ends
    order = np.random.default_rng(0).permutation(count)
    colors = np.full(count, -1, np.int32)
    taken = np.zeros(count, np.uint64)
    while (colors < 0).any():
        first = colors < 0
        first[here[order[there] > order[here]]] = False
        free = ~taken[first]
        if not (free & np.uint64((1 << _MOST_COLORS) - 1)).all():
            raise ValueError(f"the matrix needs more than {_MOST_COLORS} colors: take jacobi")
        lowest = free & (~free + np.uint64(1))
        colors[first] = np.log2(lowest.astype(np.float64)).astype(np.int32)
        chosen = first[there]
        bits = np.uint64(1) << colors[there[chosen]].astype(np.uint64)
        np.bitwise_or.at(taken, here[chosen], bits)
        left = (colors[here] < 0) & (colors[there] < 0)
        here, there = here[left], there[left]
    return colors


class _Ssor(Preconditioner):
    def __init__(self, A: SparseArray, omega: float) -> None:
        if not 0 < omega < 2:
            raise ValueError(f"omega is between 0 and 2, got {omega}")
        super().__init__(A)
        self.omega = float(omega)
        self._rows = A.tocsr()
        colors = colors_of(self._rows.indptr.get(), self._rows.indices.get())
        kind = self._rows.indices.dtype
        groups = (np.flatnonzero(colors == k) for k in range(colors.max(initial=-1) + 1))
        self.colors = to_gpu(colors)
        self._groups = [to_gpu(rows.astype(kind)) for rows in groups if rows.size]

    def dot(self, x: GPUArray, stream: Stream = None) -> GPUArray:
        A = self._rows
        y: GPUArray = native.copy_array(x, "C", stream)
        if y.dtype != self.dtype:
            y = y.astype(self.dtype, stream)
        parts = A.indptr, A.indices, A.data, self.diagonal, y, self.omega
        for rows in self._groups:
            kernels.sweep(rows, self.colors, *parts, False, stream)
        for rows in reversed(self._groups):
            kernels.sweep(rows, self.colors, *parts, True, stream)
        return y


def ssor(A: SparseArray, omega: float = 1.0) -> Preconditioner:
    """Symmetric successive over-relaxation: with ``A = L + D + U``, the inverse of
    ``omega / (2 - omega) * (D / omega + L) @ inv(D) @ (D / omega + U)``.

    Rows are taken by colors: those of one have no entries among each other, and go at once. For
    symmetric (or Hermitian) matrices with few entries a row; about twice the work of `jacobi` more
    for each iteration, and fewer of them. D. M. Young, "Iterative Solution of Large Linear
    Systems", 1971.

    Parameters
    ----------
    A : sparse matrix
    omega : float
        Between 0 and 2; 1 is the method of Gauss and Seidel.

    Raises
    ------
    ValueError
        As `jacobi`, and for matrices that need more than 63 colors.
    """
    return _Ssor(A, omega)


__all__ = ["Preconditioner", "colors_of", "jacobi", "ssor"]
