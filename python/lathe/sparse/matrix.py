# SPDX-License-Identifier: MIT
"""What sparse matrices of all formats share: products, arithmetic, conversions by way of others."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike

from lathe.array.creation import zeros
from lathe.cuda import driver
from lathe.cuda.gpuarray import GPUArray
from lathe.sparse.inputs import Shape, is_on_device, value_type

if TYPE_CHECKING:
    from lathe.sparse.coo import coo_array
    from lathe.sparse.csr import csr_array
    from lathe.sparse.ell import ell_array

Stream = driver.Stream | None


class SparseArray:
    """A sparse matrix on the device.

    `@` multiplies with arrays of one or two axes on the device; ``*`` and ``/`` scale by numbers,
    ``+`` and ``-`` take matrices of one shape. What makes a matrix with another structure (sums,
    conversions to rows, transposes) may wait for the device; products do not.
    """

    format: ClassVar[str] = ""
    ndim: ClassVar[int] = 2
    __array_priority__ = 200.0
    __array_ufunc__ = None  # NumPy's arrays leave operators to the matrix

    shape: Shape
    data: GPUArray

    # --- What each format has

    @property
    def nnz(self) -> int:
        """How many entries are stored, zeros and duplicates included."""
        raise NotImplementedError

    def tocsr(self) -> csr_array:
        """By rows; the matrix itself where it is. Shares arrays where it can."""
        raise NotImplementedError

    def tocoo(self) -> coo_array:
        """As triples; the matrix itself where it is. Shares arrays where it can."""
        raise NotImplementedError

    def transpose(self) -> SparseArray:
        """With rows for columns, in the same format."""
        raise NotImplementedError

    def _with_data(self, data: GPUArray) -> Self:
        """The same structure, and other values."""
        raise NotImplementedError

    def _multiply(self, x: GPUArray, y: GPUArray, add: bool, stream: Stream) -> None:
        """Both of one axis, without gaps."""
        raise NotImplementedError

    # --- Attributes

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    @property
    def T(self) -> SparseArray:
        return self.transpose()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return (
            f"<{type(self).__name__} of {self.dtype} on the device: {rows} x {columns}, "
            f"{self.nnz} stored>"
        )

    def __len__(self) -> int:
        raise TypeError("the length of a sparse matrix is ambiguous: use shape[0] or nnz")

    # --- Products

    def dot(self, x: Any, out: GPUArray | None = None, stream: Stream = None) -> GPUArray:
        """``self @ x``: asynchronous.

        Parameters
        ----------
        x : GPUArray
            Of one or two axes, any strides; numbers of any type.
        out : GPUArray, optional
            Takes the result; it must not share memory with `x`.
        stream : Stream, optional

        Raises
        ------
        ValueError
            For sizes that do not fit.
        TypeError
            For arrays of the host, and for other sparse matrices.
        """
        if isinstance(x, SparseArray):
            raise TypeError("products of two sparse matrices are not there: use toarray()")
        if not isinstance(x, GPUArray):
            if is_on_device(x):
                from lathe.cuda.gpuarray import asarray

                x = asarray(x)
            else:
                raise TypeError(
                    f"a sparse matrix multiplies arrays on the device, got {type(x).__name__}: "
                    "lathe.cuda.gpuarray.to_gpu copies them there"
                )
        if x.ndim not in (1, 2):
            raise ValueError(f"a matrix multiplies arrays of one or two axes, got {x.shape}")
        if x.shape[0] != self.shape[1]:
            raise ValueError(f"shapes {self.shape} and {x.shape} do not fit")
        wanted = np.result_type(self.dtype, value_type(x.dtype))
        if x.dtype.kind not in "fc" or x.dtype == np.float16:
            x = x.astype(wanted, stream)
        shape = (self.shape[0], *x.shape[1:])
        if out is None:
            out = GPUArray(shape, wanted, x.allocator)
        elif out.shape != shape or out.dtype != wanted:
            raise ValueError(f"out is {out.dtype} {out.shape}, the product {wanted} {shape}")
        if x.ndim == 2:
            self._multiply_dense(x, out, stream)
            return out
        if not x.flags.c_contiguous:
            x = x.copy("C", stream)
        if out.flags.c_contiguous:
            self._multiply(x, out, False, stream)
        else:
            made = GPUArray(shape, wanted)
            self._multiply(x, made, False, stream)
            out.set(made, stream=stream)
        return out

    def add_product(self, x: GPUArray, y: GPUArray, stream: Stream = None) -> GPUArray:
        """``y += self @ x`` for arrays of one axis, in place. Asynchronous.

        Raises
        ------
        ValueError
            For sizes or types that do not fit, and for arrays with gaps.
        """
        wanted = np.result_type(self.dtype, x.dtype)
        if x.shape != self.shape[1:] or y.shape != self.shape[:1] or y.dtype != wanted:
            raise ValueError(
                f"y += A @ x of A {self.dtype} {self.shape}, x {x.dtype} {x.shape} and "
                f"y {y.dtype} {y.shape}"
            )
        if not (x.flags.c_contiguous and y.flags.c_contiguous):
            raise ValueError("y += A @ x takes arrays without gaps")
        self._multiply(x, y, True, stream)
        return y

    def _multiply_dense(self, x: GPUArray, y: GPUArray, stream: Stream) -> None:
        self.tocsr()._multiply_dense(x, y, stream)

    def __matmul__(self, other: Any) -> GPUArray:
        return self.dot(other)

    def __call__(self, x: GPUArray) -> GPUArray:
        return self.dot(x)

    def __rmatmul__(self, other: Any) -> GPUArray:
        if not is_on_device(other):
            return self.dot(other)  # says what is wrong
        return self.transpose().dot(other.T).T

    # --- Values

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Self:
        """The same structure with values of another type."""
        wanted = value_type(dtype)
        if wanted == self.dtype and not copy:
            return self
        return self._with_data(self.data.astype(wanted))

    def copy(self) -> Self:
        """With values of its own; the structure is shared, because nothing changes it."""
        return self._with_data(self.data.copy("C"))

    def conj(self) -> Self:
        """With conjugated values; itself where they are real."""
        return self._with_data(self.data.conj()) if self.dtype.kind == "c" else self

    conjugate = conj

    def __neg__(self) -> Self:
        return self._with_data(-self.data)

    def __mul__(self, other: Any) -> Self:
        if not np.isscalar(other) and not (isinstance(other, GPUArray) and other.ndim == 0):
            return NotImplemented
        made = self.data * other
        return self._with_data(made.astype(value_type(made.dtype), copy=False))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Self:
        if not np.isscalar(other) and not (isinstance(other, GPUArray) and other.ndim == 0):
            return NotImplemented
        return self._with_data(self.data / other)

    def __add__(self, other: Any) -> SparseArray:
        if not isinstance(other, SparseArray):
            return NotImplemented
        return self.tocsr() + other

    def __sub__(self, other: Any) -> SparseArray:
        if not isinstance(other, SparseArray):
            return NotImplemented
        return self + -other

    # --- By way of other formats

    def toell(self) -> ell_array:
        """With rows padded to the longest one."""
        from lathe.sparse.ell import ell_array

        return ell_array(self)

    def diagonal(self, k: int = 0) -> GPUArray:
        """What lies `k` columns right of the main diagonal; duplicates are added."""
        return self.tocsr().diagonal(k)

    def toarray(self) -> GPUArray:
        """The dense matrix, in C order; duplicates are added."""
        rows, columns = self.shape
        unique = self.tocsr().sum_duplicates().tocoo()
        made = zeros((rows, columns), self.dtype)
        if unique.nnz:
            from lathe.cuda.gpuarray import multi_put

            places = unique.row.astype(np.int64) * columns + unique.col
            multi_put([unique.data], places, out=[made.ravel()])
        return made

    todense = toarray

    def get(self) -> Any:
        """The matrix of SciPy in host memory; waits."""
        raise NotImplementedError


def scipy_sparse() -> Any:
    """SciPy's module.

    Raises
    ------
    ImportError
        Where it is not installed: Lathe does not need it otherwise.
    """
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError as error:
        raise ImportError("get() makes a matrix of SciPy, which is not installed") from error
