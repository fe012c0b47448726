# SPDX-License-Identifier: MIT
"""Linear algebra of arrays on the device, with the names of `numpy.linalg`.

On a GPU cuBLAS multiplies and cuSOLVER factors; both are opened when first used and come with
``pip install nvidia-cublas nvidia-cusolver`` or a CUDA toolkit. On the software device NumPy works
on the same memory. Matrices come in stacks, as NumPy has them: ``(..., m, n)``.

Products are asynchronous on the legacy default stream. Factors wait for the device where NumPy
raises an error by values. Matrices are factored in float32, float64, complex64 or complex128,
integers in float64.

Examples
--------
>>> import numpy as np
>>> from lathe import linalg
>>> from lathe.cuda.gpuarray import to_gpu
>>> a, b = to_gpu(np.array([[2.0, 0.0], [1.0, 4.0]])), to_gpu(np.array([2.0, 9.0]))
>>> linalg.solve(a, b).get().tolist()
[1.0, 2.0]
>>> (a @ a).get().tolist()
[[4.0, 0.0], [6.0, 16.0]]
"""

import sys

from numpy.linalg import LinAlgError

from lathe.array.extensions import register
from lathe.linalg import host as host
from lathe.linalg.checks import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from lathe.linalg.einsum import einsum
from lathe.linalg.factors import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from lathe.linalg.norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from lathe.linalg.products import (
    allow_tf32,
    cross,
    diagonal,
    dot,
    inner,
    matmul,
    matrix_power,
    matrix_transpose,
    outer,
    tensordot,
    trace,
    vecdot,
)
from lathe.linalg.solvers import det, inv, lstsq, pinv, slogdet, solve

__all__ = [
    "EigResult", "EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult",
    "allow_tf32", "cholesky", "cond", "cross", "det", "diagonal", "dot", "eig", "eigh", "eigvals",
    "eigvalsh", "einsum", "inner", "inv", "lstsq", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd",
    "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip

register("linalg", sys.modules[__name__])
