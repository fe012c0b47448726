# SPDX-License-Identifier: MIT
# A sparse system by conjugate gradients: Poisson's equation on a square.
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray

try:
    import scipy.sparse
except ImportError:
    print("SciPy is not installed")
    sys.exit(77)

from pycuda.sparse.cg import solve_pkt_with_cg
from pycuda.sparse.packeted import PacketedSpMV

n = 24
line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (n, n))
one = scipy.sparse.identity(n)
matrix = (scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line)).tocsr()
right = np.random.default_rng(10).random(n * n)
operator = PacketedSpMV(matrix, True, np.float64)
right_gpu = gpuarray.to_gpu(right, cuda.mem_alloc)
solution, iterations, looks = solve_pkt_with_cg(operator, right_gpu, tol=1e-10)
found = solution.get()
assert np.linalg.norm(matrix @ found - right) < 1e-8 * np.linalg.norm(right)
assert 0 < iterations < n * n and looks > 0
print("the system is solved")
