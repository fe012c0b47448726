# SPDX-License-Identifier: MIT
"""What multiplies vectors, for `cg`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda.gpuarray import GPUArray


class OperatorBase:
    """Has `dtype`, `shape`, and is called with a vector."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the vectors."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, int]:
        """As of a matrix."""
        raise NotImplementedError

    def __call__(self, operand: GPUArray) -> GPUArray:
        """The product with a vector."""
        raise NotImplementedError


class IdentityOperator(OperatorBase):
    """Gives each vector back, itself and no copy."""

    def __init__(self, dtype: DTypeLike, n: int) -> None:
        self.my_dtype = np.dtype(dtype)
        self.n = int(n)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.my_dtype

    @property
    def shape(self) -> tuple[int, int]:
        return self.n, self.n

    def __call__(self, operand: GPUArray) -> GPUArray:
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Multiplies by a diagonal: as a preconditioner that of the inverse."""

    def __init__(self, diagonal: GPUArray) -> None:
        self.diagonal = diagonal

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.diagonal.dtype

    @property
    def shape(self) -> tuple[int, int]:
        n = self.diagonal.shape[0]
        return n, n

    def __call__(self, operand: GPUArray) -> GPUArray:
        return self.diagonal * operand


__all__ = ["DiagonalPreconditioner", "IdentityOperator", "OperatorBase"]
