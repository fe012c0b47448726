# SPDX-License-Identifier: MIT
"""Sparse matrices by rows (CSR)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from lathe.array import sorting
from lathe.cuda.gpuarray import GPUArray, concatenate, multi_take, ones, take, zeros
from lathe.native import native
from lathe.sparse import inputs, kernels
from lathe.sparse.matrix import SparseArray, Stream, scipy_sparse

_METHODS = ("rows", "merge")


class csr_array(SparseArray):
    """A sparse matrix whose entries lie row by row.

    Parameters
    ----------
    arg : matrix
        One of: a sparse matrix of SciPy or from here; a dense matrix of the host or the device;
        ``(data, indices, indptr)``; ``(data, (row, col))`` in any order, with duplicates; a shape
        ``(rows, columns)`` without entries. Arrays may lie on the host or the device, where they
        are shared if their types fit.
    shape : (int, int), optional
        From the indices unless given.
    dtype : data type, optional
        float32, float64, complex64 or complex128. Integers become float64, float16 float32.
    copy : bool
        Do not share the values.
    index_dtype : int32 or int64, optional
        int32 where sizes allow it.

    Attributes
    ----------
    data, indices, indptr : GPUArray
        Values, their columns, and where each row begins. `data` may be changed in place.
    method : {"rows", "merge"}
        How ``A @ x`` runs: a few threads for each row, or equal shares of all work for each thread.
        Chosen at the first product, by the longest row, for which that product waits.

    Raises
    ------
    ValueError
        For indices out of range, row starts that fall, sizes that do not fit.
    TypeError
        For values or indices of other types.
    """

    format = "csr"

    def __init__(
        self, arg: Any, shape: Any = None, dtype: DTypeLike | None = None, copy: bool = False,
        *, index_dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        if isinstance(arg, tuple) and len(arg) == 3:
            self._from_rows(*arg, shape, dtype, copy, index_dtype)
            return
        if hasattr(arg, "tocsr") and not isinstance(arg, SparseArray):  # SciPy's
            host = arg.tocsr()
            self._from_rows(
                host.data, host.indices, host.indptr, shape or host.shape, dtype, copy, index_dtype
            )
            return
        if isinstance(arg, csr_array):
            found = arg
        else:
            from lathe.sparse.coo import coo_array

            is_triples = not isinstance(arg, coo_array)
            found = (coo_array(arg, shape, dtype) if is_triples else arg).tocsr()
        data = found.data if dtype is None else found.data.astype(inputs.value_type(dtype))
        index = inputs.index_type(found.shape, found.nnz, index_dtype or found.indices.dtype)
        self._set(
            data.copy() if copy else data, found.indices.astype(index, copy=False),
            found.indptr.astype(index, copy=False), found.shape,
        )  # fmt: skip

    def _from_rows(
        self, data: Any, indices: Any, indptr: Any, shape: Any, dtype: Any, copy: bool, index: Any
    ) -> None:
        values = inputs.host_or_device(data, "data")
        columns = inputs.host_or_device(indices, "indices")
        starts = inputs.host_or_device(indptr, "indptr")
        if values.size != columns.size:
            raise ValueError(f"data has {values.size} elements, indices {columns.size}")
        if shape is None:
            shape = (starts.size - 1, inputs.extremes(columns)[1] + 1)
        shape = inputs.shape_of(shape)
        inputs.check_starts(starts, shape[0], columns.size)
        inputs.check_range(columns, shape[1], "column")
        wanted = inputs.index_type(shape, columns.size, index)
        self._set(
            inputs.to_device(values, inputs.value_type(dtype or values.dtype), copy),
            inputs.to_device(columns, wanted), inputs.to_device(starts, wanted), shape,
        )  # fmt: skip

    def _set(
        self, data: GPUArray, indices: GPUArray, indptr: GPUArray, shape: inputs.Shape
    ) -> None:
        self.data, self.indices, self.indptr, self.shape = data, indices, indptr, shape
        self._method = ""
        self._longest = -1

    @classmethod
    def _of(cls, data: GPUArray, indices: GPUArray, indptr: GPUArray, shape: inputs.Shape) -> Self:
        made = cls.__new__(cls)
        made._set(data, indices, indptr, shape)
        return made

    def _with_data(self, data: GPUArray) -> Self:
        made = self._of(data, self.indices, self.indptr, self.shape)
        made._method, made._longest = self._method, self._longest
        return made

    @property
    def nnz(self) -> int:
        return int(self.indices.size)

    @property
    def longest_row(self) -> int:
        """Entries of the longest row; asked once, waits."""
        if self._longest < 0:
            lengths = self.indptr[1:] - self.indptr[:-1]
            self._longest = int(lengths.max()) if lengths.size else 0
        return self._longest

    @property
    def method(self) -> str:
        if not self._method:
            mean = self.nnz / max(self.shape[0], 1)
            self._method = "merge" if self.longest_row > 32 * max(mean, 8) else "rows"
        return self._method

    @method.setter
    def method(self, name: str) -> None:
        if name not in _METHODS:
            raise ValueError(f"method is one of {_METHODS}, got {name!r}")
        self._method = name

    def _multiply(self, x: GPUArray, y: GPUArray, add: bool, stream: Stream) -> None:
        arrays = (self.indptr, self.indices, self.data, x, y)
        if self.method == "merge":
            kernels.multiply_merged(*arrays, add, stream)
            return
        kernels.multiply_rows(*arrays, self._lanes(), add, stream)

    def _lanes(self) -> int:
        """Of each row: about as many as it has entries. Where the host's processor runs kernels, it
        makes vectors of rows side by side."""
        mean = self.nnz // max(self.shape[0], 1)
        return 1 if native.host_does_the_work("") else min(1 << (mean // 2).bit_length(), 32)

    def _multiply_dense(self, x: GPUArray, y: GPUArray, stream: Stream) -> None:
        kernels.multiply_dense(self.indptr, self.indices, self.data, x, y, stream)

    # --- Formats

    def tocsr(self) -> csr_array:
        return self

    def tocoo(self) -> Any:
        from lathe.sparse.coo import coo_array

        rows = kernels.rows_of(self.indptr, self.nnz)
        return coo_array._of(self.data, rows, self.indices, self.shape)

    def transpose(self) -> csr_array:
        coo = self.tocoo()
        order = sorting.argsort(self.indices)
        data, row, column = multi_take([coo.data, coo.col, coo.row], order)
        shape = (self.shape[1], self.shape[0])
        return self._of(data, column, kernels.starts_of(row, shape[0]), shape)

    def get(self) -> Any:
        parts = (each.get() for each in (self.data, self.indices, self.indptr))
        return scipy_sparse().csr_array(tuple(parts), shape=self.shape)

    # --- Entries

    def sum_duplicates(self) -> csr_array:
        """The matrix with columns in order in each row, and each of them once. Waits."""
        rows, columns = self.shape
        count = self.nnz
        if not count:
            return self
        keys = kernels.rows_of(self.indptr, count).astype(np.int64) * columns + self.indices
        order = sorting.argsort(keys)
        places, first = sorting.unique(keys, return_index=False, return_counts=True)
        data = take(self.data, order)
        kind = self.indices.dtype
        if places.size < count:
            ends = sorting.cumsum(first)
            starts = concatenate([zeros(1, kind), ends.astype(kind)])
            sums = GPUArray(places.size, self.dtype)
            one = ones(1, self.dtype)
            kernels.multiply_merged(starts, zeros(count, kind), data, one, sums)
            data = sums
        row = (places // columns).astype(kind)
        column = (places % columns).astype(kind)
        return self._of(data, column, kernels.starts_of(row, rows), self.shape)

    def diagonal(self, k: int = 0) -> GPUArray:
        rows, columns = self.shape
        length = max(min(rows + min(k, 0), columns - max(k, 0)), 0)
        made = GPUArray(length, self.dtype)
        kernels.diagonal(self.indptr, self.indices, self.data, made, k)
        return made

    def scale_rows(self, factors: GPUArray) -> csr_array:
        """``diag(factors) @ A``. Asynchronous."""
        if factors.shape != self.shape[:1]:
            raise ValueError(f"{self.shape[0]} rows want as many factors, got {factors.shape}")
        made = self.data * take(factors, kernels.rows_of(self.indptr, self.nnz))
        return self._with_data(made)

    def scale_columns(self, factors: GPUArray) -> csr_array:
        """``A @ diag(factors)``. Asynchronous."""
        if factors.shape != self.shape[1:]:
            raise ValueError(f"{self.shape[1]} columns want as many factors, got {factors.shape}")
        return self._with_data(self.data * take(factors, self.indices))

    def __add__(self, other: Any) -> csr_array:
        if not isinstance(other, SparseArray):
            return NotImplemented
        if other.shape != self.shape:
            raise ValueError(f"sums are of one shape, got {self.shape} and {other.shape}")
        from lathe.sparse.coo import coo_array

        one, two = self.tocoo(), other.tocoo()
        wanted = np.result_type(one.dtype, two.dtype)
        index = np.result_type(one.row.dtype, two.row.dtype)
        data = concatenate([each.data.astype(wanted, copy=False) for each in (one, two)])
        row = concatenate([each.row.astype(index, copy=False) for each in (one, two)])
        col = concatenate([each.col.astype(index, copy=False) for each in (one, two)])
        both: csr_array = coo_array._sorted(data, row, col, self.shape).tocsr()
        return both.sum_duplicates()
