# SPDX-License-Identifier: MIT
"""Sparse matrices on the device, and equations with them.

Names and manners are those of SciPy's sparse arrays: ``A @ x`` multiplies, ``2 * A`` scales.
Kernels
are our own, on a GPU and on the software device, and give the same bits in each run.

Examples
--------
>>> import numpy as np
>>> from lathe import sparse
>>> from lathe.cuda.gpuarray import to_gpu
>>> A = sparse.csr_array(([4.0, 1.0, 1.0, 3.0], ([0, 0, 1, 1], [0, 1, 0, 1])))
>>> A
<csr_array of float64 on the device: 2 x 2, 4 stored>
>>> (A @ to_gpu(np.array([1.0, 2.0]))).get().tolist()
[6.0, 7.0]
>>> sparse.cg(A, to_gpu(np.array([1.0, 2.0]))).x.get().round(3).tolist()
[0.091, 0.636]
"""

from lathe.sparse.coo import coo_array
from lathe.sparse.csr import csr_array
from lathe.sparse.ell import ell_array
from lathe.sparse.matrix import SparseArray
from lathe.sparse.preconditioners import jacobi, ssor
from lathe.sparse.solve import ConvergenceError, Solution, cg

__all__ = [
    "ConvergenceError",
    "Solution",
    "SparseArray",
    "cg",
    "coo_array",
    "csr_array",
    "ell_array",
    "jacobi",
    "ssor",
]
