# SPDX-License-Identifier: MIT
"""Sparse matrices as triples of row, column and value (COO)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from lathe.array import sorting
from lathe.cuda import gpuarray
from lathe.cuda.gpuarray import GPUArray, multi_take
from lathe.sparse import inputs, kernels
from lathe.sparse.matrix import SparseArray, Stream, scipy_sparse


class coo_array(SparseArray):
    """A sparse matrix whose entries are triples; here they are sorted by their rows.

    Parameters
    ----------
    arg : matrix
        As of a `csr_array`: ``(data, (row, col))`` in any order, with duplicates, another matrix,
        sparse or dense, or a shape.
    shape : (int, int), optional
        From the indices unless given.
    dtype, copy, index_dtype
        As of a `csr_array`.

    Attributes
    ----------
    data, row, col : GPUArray
        Values, their rows and columns, of one row in the order in which they were given. `data` may
        be changed in place.

    Raises
    ------
    ValueError, TypeError
        As `csr_array`.
    """

    format = "coo"

    def __init__(
        self, arg: Any, shape: Any = None, dtype: DTypeLike | None = None, copy: bool = False,
        *, index_dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        if isinstance(arg, tuple) and len(arg) == 3:
            from lathe.sparse.csr import csr_array

            arg = csr_array(arg, shape, index_dtype=index_dtype)
        if isinstance(arg, SparseArray):
            found = arg.tocoo()
            data = found.data if dtype is None else found.data.astype(inputs.value_type(dtype))
            index = inputs.index_type(found.shape, found.nnz, index_dtype or found.row.dtype)
            self._set(
                data.copy() if copy else data, found.row.astype(index, copy=False),
                found.col.astype(index, copy=False), found.shape,
            )  # fmt: skip
            return
        if hasattr(arg, "tocoo"):  # SciPy's
            host = arg.tocoo()
            values, rows, columns, shape = host.data, host.row, host.col, shape or host.shape
        elif isinstance(arg, tuple) and len(arg) == 2 and np.ndim(arg[0]) == 0:
            shape, none = arg, np.zeros(0, np.int32)
            values, rows, columns = np.zeros(0, dtype or np.float64), none, none
        elif isinstance(arg, tuple) and len(arg) == 2:
            values, (rows, columns) = arg
        else:
            values, rows, columns, shape = _entries(arg)
        self._from_triples(values, rows, columns, shape, dtype, copy, index_dtype)

    def _from_triples(
        self, data: Any, row: Any, col: Any, shape: Any, dtype: Any, copy: bool, index: Any
    ) -> None:
        values = inputs.host_or_device(data, "data")
        rows, columns = inputs.host_or_device(row, "row"), inputs.host_or_device(col, "col")
        if not values.size == rows.size == columns.size:
            raise ValueError(
                f"data has {values.size} elements, row {rows.size}, col {columns.size}"
            )
        if shape is None:
            shape = (inputs.extremes(rows)[1] + 1, inputs.extremes(columns)[1] + 1)
        shape = inputs.shape_of(shape)
        inputs.check_range(rows, shape[0], "row")
        inputs.check_range(columns, shape[1], "column")
        wanted = inputs.index_type(shape, values.size, index)
        kind = inputs.value_type(dtype or values.dtype)
        is_sorted = isinstance(rows, np.ndarray) and bool((rows[1:] >= rows[:-1]).all())
        parts = (
            inputs.to_device(values, kind, copy),
            inputs.to_device(rows, wanted),
            inputs.to_device(columns, wanted),
        )
        made = (self._of if is_sorted else self._sorted)(*parts, shape)
        self._set(made.data, made.row, made.col, shape)

    def _set(self, data: GPUArray, row: GPUArray, col: GPUArray, shape: inputs.Shape) -> None:
        self.data, self.row, self.col, self.shape = data, row, col, shape
        self._starts: GPUArray | None = None

    @classmethod
    def _of(cls, data: GPUArray, row: GPUArray, col: GPUArray, shape: inputs.Shape) -> Self:
        made = cls.__new__(cls)
        made._set(data, row, col, shape)
        return made

    @classmethod
    def _sorted(cls, data: GPUArray, row: GPUArray, col: GPUArray, shape: inputs.Shape) -> Self:
        if not row.size:
            return cls._of(data, row, col, shape)
        order = sorting.argsort(row)
        row, col, data = multi_take([row, col, data], order)
        return cls._of(data, row, col, shape)

    def _with_data(self, data: GPUArray) -> Self:
        made = self._of(data, self.row, self.col, self.shape)
        made._starts = self._starts
        return made

    @property
    def nnz(self) -> int:
        return int(self.row.size)

    def _multiply(self, x: GPUArray, y: GPUArray, add: bool, stream: Stream) -> None:
        kernels.multiply_triples(self.row, self.col, self.data, x, y, add, stream)

    def tocoo(self) -> coo_array:
        return self

    def tocsr(self) -> Any:
        from lathe.sparse.csr import csr_array

        if self._starts is None:
            self._starts = kernels.starts_of(self.row, self.shape[0])
        return csr_array._of(self.data, self.col, self._starts, self.shape)

    def transpose(self) -> coo_array:
        return self._sorted(self.data, self.col, self.row, (self.shape[1], self.shape[0]))

    def sum_duplicates(self) -> coo_array:
        """The matrix with entries in order, each of them once. Waits."""
        made: coo_array = self.tocsr().sum_duplicates().tocoo()
        return made

    def get(self) -> Any:
        places = (self.row.get(), self.col.get())
        return scipy_sparse().coo_array((self.data.get(), places), shape=self.shape)


def _entries(dense: Any) -> tuple[Any, Any, Any, inputs.Shape]:
    """What is not zero in a dense matrix."""
    array: Any
    if inputs.is_on_device(dense):
        array = gpuarray.asarray(dense)
    else:
        array = np.asarray(dense)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"a sparse matrix is not made of {type(dense).__name__}")
    if array.ndim != 2:
        raise ValueError(f"a matrix has two axes, got shape {array.shape}")
    shape = inputs.shape_of(array.shape)
    if isinstance(array, np.ndarray):
        rows, columns = np.nonzero(array)
        return array[rows, columns], rows, columns, shape
    flat = array.ravel()
    places = sorting.flatnonzero(flat)
    data = gpuarray.take(flat, places)
    return data, places // max(shape[1], 1), places % max(shape[1], 1), shape
