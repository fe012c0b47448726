# SPDX-License-Identifier: MIT
"""What tests of sparse matrices are about: formats, types, shapes, and comparisons with SciPy."""

from __future__ import annotations

import numpy as np
import scipy.sparse as host

from lathe import sparse

FORMATS = [sparse.csr_array, sparse.coo_array, sparse.ell_array]
DTYPES = ["f", "d", "F", "D"]
# A tile of the kernels for rows of any length is 256 * 7 nonzeros or rows.
SHAPES = [(1, 1), (3, 5), (40, 7), (1, 4000), (4000, 1), (1792, 3), (1793, 3), (900, 700)]


def numbers(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    made = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * random.standard_normal(shape)
    return np.asarray(made).astype(dtype)


def matrix(shape, dtype="d", density=0.1, seed=0):
    random = np.random.default_rng(seed)
    mask = random.random(shape) < density
    return host.csr_array(np.where(mask, numbers(shape, dtype, seed), 0).astype(dtype))


def skewed(rows=3000, columns=2500, dtype="d"):
    """Rows of all lengths: most empty, some full, at the ends and within."""
    made = host.lil_array((rows, columns), dtype=dtype)
    for row in (0, 1, rows // 2, rows // 2 + 1, rows - 1):
        made[row] = numbers(columns, dtype, row)
    for row in range(5, rows, 7):
        made[row, row % columns] = row
    return made.tocsr()


def tolerance(dtype):
    return 1e-4 if np.dtype(dtype).char in "fF" else 1e-11


def close(ours, theirs, dtype=None):
    ours = ours.get()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    limit = tolerance(dtype or ours.dtype)
    np.testing.assert_allclose(
        ours, theirs, rtol=limit, atol=limit * (1 + abs(theirs).max(initial=0))
    )


def products(made):
    """The matrix with each way of multiplying it."""
    yield made
    if isinstance(made, sparse.csr_array):
        for method in ("rows", "merge"):
            each = made.copy()
            each.method = method
            yield each
