# SPDX-License-Identifier: MIT
"""Sparse matrices as triples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda import gpuarray
from lathe.cuda.gpuarray import GPUArray
from lathe.sparse import coo_array


class CoordinateSpMV:
    """A matrix that is called with a vector.

    Parameters
    ----------
    mat : matrix
        Of SciPy, or what else `lathe.sparse.coo_array` takes.
    dtype : data type
        float32, float64, complex64 or complex128.

    Attributes
    ----------
    row_gpu, col_gpu, data_gpu : GPUArray
        The triples, sorted by rows.
    """

    def __init__(self, mat: Any, dtype: DTypeLike) -> None:
        self.index_dtype = np.dtype(np.int32)
        self._matrix = coo_array(mat, dtype=dtype, index_dtype=self.index_dtype)
        self.shape, self.dtype, self.nnz = self._matrix.shape, self._matrix.dtype, self._matrix.nnz
        self.row_gpu, self.col_gpu = self._matrix.row, self._matrix.col
        self.data_gpu = self._matrix.data

    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray:
        """The product with a vector, added to `y` where that is given. Asynchronous.

        Raises
        ------
        ValueError
            For sizes or types that do not fit.
        """
        if y is None:
            y = gpuarray.zeros(self.shape[0], self.dtype, allocator=x.allocator)
        return self._matrix.add_product(x, y)


__all__ = ["CoordinateSpMV"]
