# SPDX-License-Identifier: MIT
"""Products of sparse matrices on the device beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from sparse_cases import DTYPES, FORMATS, SHAPES, close, matrix, numbers, products, skewed

import lathe.cuda.driver as cuda
from lathe import sparse
from lathe.cuda.gpuarray import GPUArray, to_gpu
from lathe.sparse import kernels


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_products_with_vectors(make, dtype, shape):
    theirs = matrix(shape, dtype)
    x = numbers(shape[1], dtype, 1)
    for ours in products(make(theirs)):
        assert ours.shape == shape and ours.dtype == np.dtype(dtype) and ours.nnz == theirs.nnz
        close(ours @ to_gpu(x), theirs @ x)


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_rows_of_all_lengths(make, dtype):
    theirs = skewed(dtype=dtype)
    x = numbers(theirs.shape[1], dtype, 1)
    for ours in products(make(theirs)):
        close(ours @ to_gpu(x), theirs @ x)


def test_the_method_follows_from_the_longest_row():
    assert sparse.csr_array(skewed()).method == "merge"
    assert sparse.csr_array(matrix((500, 500))).method == "rows"
    with pytest.raises(ValueError, match="'fast'"):
        sparse.csr_array((2, 2)).method = "fast"


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("dtype", ["f", "D"])
def test_products_by_any_number_of_lanes(width, dtype):
    """Each device takes those that suit it."""
    for theirs in (matrix((301, 333), dtype), skewed(400, 300, dtype)):
        ours = sparse.csr_array(theirs)
        x = numbers(theirs.shape[1], dtype, 1)
        y = GPUArray(theirs.shape[0], ours.dtype)
        parts = ours.indptr, ours.indices, ours.data, to_gpu(x), y
        kernels.multiply_rows(*parts, width)
        close(y, theirs @ x)
        kernels.multiply_rows(*parts, width, add=True)
        close(y, 2 * (theirs @ x))


@pytest.mark.parametrize("density", [0.001, 0.01, 0.03, 0.3, 1])
def test_products_of_rows_of_many_mean_lengths(density):
    theirs = matrix((300, 333), "d", density)
    x = numbers(333, "d", 1)
    for ours in products(sparse.csr_array(theirs)):
        close(ours @ to_gpu(x), theirs @ x)


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("columns", [0, 1, 2, 7, 32, 33, 100])
def test_products_with_matrices_of_any_strides(make, columns):
    theirs = matrix((60, 50), "f")
    ours = make(theirs)
    x = numbers((50, columns), "f", 2)
    for given, device in (
        (x, to_gpu(x)),
        (x, to_gpu(np.asfortranarray(x))),
        (x[::-1], to_gpu(x)[::-1]),
        (x[:, ::2], to_gpu(x)[:, ::2]),
    ):
        close(ours @ device, theirs @ given)


@pytest.mark.parametrize("make", FORMATS)
def test_products_from_the_left(make):
    theirs = matrix((60, 50), "F")
    ours = make(theirs)
    x, wide = numbers(60, "F", 1), numbers((4, 60), "F", 2)
    close(to_gpu(x) @ ours, x @ theirs)
    close(to_gpu(wide) @ ours, wide @ theirs)


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("of", ["f", "d", "F", "D"])
@pytest.mark.parametrize("by", ["?", "i", "e", "f", "d", "F", "D"])
def test_types_are_promoted(make, of, by):
    theirs = matrix((30, 20), of)
    x = numbers(20, "d").astype(by)
    found = make(theirs) @ to_gpu(x)
    wide = x.astype({"?": "d", "i": "d", "e": "f"}.get(by, by))
    close(found, (theirs @ wide).astype(np.result_type(of, wide)), "f")


@pytest.mark.parametrize("make", FORMATS)
def test_outputs_streams_and_sums(make):
    theirs = matrix((60, 50), "d")
    ours, x = make(theirs), numbers(50, "d", 1)
    y = numbers(60, "d", 2)
    out = GPUArray(60, np.float64)
    stream = cuda.Stream()
    assert ours.dot(to_gpu(x), out, stream) is out
    stream.synchronize()
    close(out, theirs @ x)
    twice = GPUArray(120, np.float64)
    ours.dot(to_gpu(x), twice[::2])
    close(twice[::2], theirs @ x)
    device = to_gpu(y)
    for each in products(ours):
        device.set(y)
        assert each.add_product(to_gpu(x), device) is device
        close(device, y + theirs @ x)
    with pytest.raises(ValueError, match=r"out is float32"):
        ours.dot(to_gpu(x), GPUArray(60, np.float32))
    with pytest.raises(ValueError, match=r"y \+= A @ x"):
        ours.add_product(to_gpu(x), GPUArray(61, np.float64))


@pytest.mark.parametrize("make", FORMATS)
def test_the_same_bits_each_time(make):
    ours = make(skewed(dtype="f"))
    x = to_gpu(numbers(2500, "f", 3))
    for each in products(ours):
        first = (each @ x).get()
        for _ in range(5):
            assert (each @ x).get().tobytes() == first.tobytes()


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (4, 3)])
def test_without_entries(make, shape):
    ours = make(shape, dtype="f")
    assert ours.nnz == 0 and ours.shape == shape
    for each in products(ours):
        close(each @ to_gpu(np.ones(shape[1], "f")), np.zeros(shape[0], "f"))
    close(ours @ to_gpu(np.ones((shape[1], 3), "f")), np.zeros((shape[0], 3), "f"))
    close(ours.toarray(), np.zeros(shape, "f"))
    assert ours.T.shape == shape[::-1]
    for other in FORMATS:
        assert other(ours).shape == shape
    assert (ours + ours).nnz == 0
    assert ours.diagonal().shape == (min(shape),)
