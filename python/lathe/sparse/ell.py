# SPDX-License-Identifier: MIT
"""Sparse matrices with rows of one length (ELLPACK)."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import DTypeLike

from lathe.array import sorting
from lathe.cuda import gpuarray
from lathe.cuda.gpuarray import GPUArray
from lathe.sparse import inputs, kernels
from lathe.sparse.matrix import SparseArray, Stream


class ell_array(SparseArray):
    """A sparse matrix whose rows are padded to the longest one, and lie side by side.

    The fastest format on a GPU for rows of nearly one length, as of differences on a grid; one long
    row makes it large.

    Parameters
    ----------
    arg, shape, dtype, copy, index_dtype
        As of a `csr_array`.

    Attributes
    ----------
    data, columns : GPUArray
        (width, rows) values and columns. Padding has the column -1 and the value 0; `data` may be
        changed in place elsewhere.

    Raises
    ------
    ValueError, TypeError
        As `csr_array`.
    """

    format = "ell"

    def __init__(
        self, arg: Any, shape: Any = None, dtype: DTypeLike | None = None, copy: bool = False,
        *, index_dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        from lathe.sparse.csr import csr_array

        if isinstance(arg, ell_array) and index_dtype is None:
            data = arg.data if dtype is None else arg.data.astype(inputs.value_type(dtype))
            self._set(data.copy() if copy else data, arg.columns, arg._count, arg.shape)
            return
        rows = csr_array(arg, shape, dtype, index_dtype=index_dtype)
        padded, made = kernels.pad(rows.indptr, rows.indices, rows.data, rows.longest_row)
        self._set(made, padded, rows.nnz, rows.shape)

    def _set(self, data: GPUArray, columns: GPUArray, count: int, shape: inputs.Shape) -> None:
        self.data, self.columns, self._count, self.shape = data, columns, count, shape

    def _with_data(self, data: GPUArray) -> Self:
        made = type(self).__new__(type(self))
        made._set(data, self.columns, self._count, self.shape)
        return made

    @property
    def nnz(self) -> int:
        return self._count

    @property
    def width(self) -> int:
        """Entries that each row has room for."""
        return int(self.columns.shape[0])

    def _multiply(self, x: GPUArray, y: GPUArray, add: bool, stream: Stream) -> None:
        if self.width == 0:
            if not add:
                y.fill(0, stream)
            return
        kernels.multiply_padded(self.columns, self.data, x, y, add, stream)

    def tocoo(self) -> Any:
        from lathe.sparse.coo import coo_array

        columns = self.columns.T.copy("C").ravel()
        kept = sorting.flatnonzero(columns >= 0)
        rows = (kept // max(self.width, 1)).astype(columns.dtype)
        data = gpuarray.take(self.data.T.copy("C").ravel(), kept)
        return coo_array._of(data, rows, gpuarray.take(columns, kept), self.shape)

    def tocsr(self) -> Any:
        return self.tocoo().tocsr()

    def toell(self) -> ell_array:
        return self

    def transpose(self) -> ell_array:
        return ell_array(self.tocoo().transpose())

    def get(self) -> Any:
        """SciPy's matrix by rows, because it has no such format."""
        return self.tocsr().get()
