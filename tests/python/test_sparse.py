# SPDX-License-Identifier: MIT
"""Sparse matrices on the device beside SciPy's: what they are made of and become.

test_sparse_products.py has products, test_sparse_solve.py the equations.
"""

from __future__ import annotations

import doctest
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as host
from conftest import script_environment
from sparse_cases import DTYPES, FORMATS, close, matrix, numbers, products, skewed

from lathe import sparse
from lathe.cuda.gpuarray import to_gpu


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions(make, dtype):
    theirs = skewed(400, 300, dtype)
    ours = make(theirs)
    for other in FORMATS:
        converted = other(ours)
        assert abs(converted.get() - theirs).max() == 0 and converted.nnz == theirs.nnz
    assert abs(ours.tocsr().get() - theirs).max() == 0
    assert abs(ours.tocoo().get() - theirs).max() == 0
    assert abs(ours.toell().get() - theirs).max() == 0
    assert abs(ours.T.get() - theirs.T).max() == 0
    np.testing.assert_array_equal(ours.toarray().get(), theirs.toarray())
    assert ours.toarray().dtype == np.dtype(dtype)
    assert type(ours.get()) is (host.coo_array if make is sparse.coo_array else host.csr_array)


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "lil", "dok", "bsr"])
def test_from_all_formats_of_scipy(make, format):
    theirs = matrix((12, 8), "d", 0.3)
    assert abs(make(theirs.asformat(format)).get() - theirs).max() == 0
    assert abs(make(host.csr_matrix(theirs).asformat(format)).get() - theirs).max() == 0


@pytest.mark.parametrize("make", FORMATS)
def test_from_arrays_of_the_host_and_the_device(make):
    theirs = matrix((12, 8), "d", 0.3)
    coo = theirs.tocoo()
    order = np.random.default_rng(3).permutation(coo.nnz)
    triples = coo.data[order], (coo.row[order], coo.col[order])
    rows = theirs.data, theirs.indices, theirs.indptr
    dense = theirs.toarray()
    for given in (triples, rows, dense):
        assert abs(make(given, shape=(12, 8)).get() - theirs).max() == 0
    on_device = [
        (to_gpu(triples[0]), tuple(map(to_gpu, triples[1]))),
        tuple(map(to_gpu, rows)),
        to_gpu(dense),
        to_gpu(np.asfortranarray(dense)),
    ]
    for given in on_device:
        assert abs(make(given, shape=(12, 8)).get() - theirs).max() == 0
    assert make(triples).shape == tuple(int(k.max()) + 1 for k in triples[1])
    assert make(dense.tolist()).shape == (12, 8)


def test_arrays_of_fitting_types_are_shared():
    theirs = matrix((12, 8), "d", 0.3)
    data = to_gpu(theirs.data)
    shared = sparse.csr_array((data, theirs.indices, theirs.indptr), shape=(12, 8))
    own = sparse.csr_array((data, theirs.indices, theirs.indptr), shape=(12, 8), copy=True)
    x = numbers(8, "d")
    data *= 2
    close(shared @ to_gpu(x), 2 * theirs @ x)
    close(own @ to_gpu(x), theirs @ x)


@pytest.mark.parametrize("make", FORMATS)
def test_indices_of_64_bits(make):
    theirs = skewed(400, 300)
    ours = make(theirs, index_dtype=np.int64)
    x = numbers(300, "d", 1)
    for each in products(ours):
        close(each @ to_gpu(x), theirs @ x)
    assert abs(ours.T.get() - theirs.T).max() == 0
    close(ours @ to_gpu(np.eye(300)), theirs.toarray())
    index = getattr(ours, "indices", getattr(ours, "row", getattr(ours, "columns", None)))
    assert index.dtype == np.int64
    assert sparse.csr_array(ours).indices.dtype == np.int64


@pytest.mark.parametrize("given, stored", [("?", "d"), ("h", "d"), ("Q", "d"), ("e", "f")])
def test_types_that_there_are_none_of_become_near_ones(given, stored):
    values = np.array([1, 0, 1], given)
    made = sparse.csr_array((values, ([0, 1, 1], [0, 0, 1])))
    assert made.dtype == np.dtype(stored)
    close(made.toarray(), np.array([[1, 0], [0, 1]], stored))


@pytest.mark.parametrize("make", FORMATS)
def test_arithmetic(make):
    a, b = matrix((40, 30), "f", 0.2, 1), matrix((40, 30), "D", 0.2, 2)
    ours, other = make(a), make(b)
    for found, wanted in (
        (ours * 2, a * 2),
        (2.5 * ours, (a * 2.5).astype("f")),
        (ours * 2j, (a * 2j).astype("F")),
        (ours / 4, (a / 4).astype("f")),
        (-ours, -a),
        (ours + other, a + b),
        (ours - other, a - b),
        (other.conj(), b.conj()),
        (ours.astype("d"), a.astype("d")),
    ):
        close(found.toarray(), wanted.toarray())
    assert ours.conj() is ours
    assert (ours * 2).dtype == np.float32
    copy = ours.copy()
    copy.data.fill(0)
    assert abs(ours.get() - a).max() == 0


@pytest.mark.parametrize("make", FORMATS)
def test_duplicates_are_added(make):
    random = np.random.default_rng(0)
    row, col = random.integers(0, 9, 4000), random.integers(0, 7, 4000)
    values = random.standard_normal(4000)
    theirs = host.coo_array((values, (row, col)), shape=(9, 7))
    ours = make((values, (row, col)), shape=(9, 7))
    x = numbers(7, "d")
    assert ours.nnz == 4000
    close(ours @ to_gpu(x), theirs @ x)
    close(ours.toarray(), theirs.toarray())
    close(ours.diagonal(), theirs.toarray().diagonal())
    if make is not sparse.ell_array:
        summed = ours.sum_duplicates()
        assert summed.nnz == 63
        close(summed.toarray(), theirs.toarray())
        places = summed.tocoo()
        assert (np.diff(places.row.get() * 7 + places.col.get()) > 0).all()


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4)])
def test_diagonals(make, shape):
    theirs = matrix(shape, "F", 0.6)
    ours = make(theirs)
    for k in range(-shape[0], shape[1] + 1):
        close(
            ours.diagonal(k),
            theirs.toarray().diagonal(k) if -shape[0] < k < shape[1] else np.zeros(0, "F"),
        )


def test_rows_and_columns_are_scaled():
    theirs = matrix((40, 30), "d")
    ours = sparse.csr_array(theirs)
    by_row, by_column = numbers(40, "d", 1), numbers(30, "d", 2)
    close(ours.scale_rows(to_gpu(by_row)).toarray(), by_row[:, None] * theirs.toarray())
    close(ours.scale_columns(to_gpu(by_column)).toarray(), theirs.toarray() * by_column)
    with pytest.raises(ValueError, match="40 rows"):
        ours.scale_rows(to_gpu(by_column))
    with pytest.raises(ValueError, match="30 columns"):
        ours.scale_columns(to_gpu(by_row))


@pytest.mark.parametrize("make", FORMATS)
def test_what_does_not_fit_is_refused(make):
    ours = make(matrix((12, 8)))
    with pytest.raises(ValueError, match=r"\(12, 8\) and \(9,\)"):
        ours @ to_gpu(np.ones(9))
    with pytest.raises(ValueError, match=r"\(8, 2, 2\)"):
        ours @ to_gpu(np.ones((8, 2, 2)))
    with pytest.raises(TypeError, match="ndarray"):
        ours @ np.ones(8)
    with pytest.raises(TypeError, match="ndarray"):
        np.ones(12) @ ours
    with pytest.raises(TypeError, match="two sparse matrices"):
        ours @ ours
    with pytest.raises(TypeError):
        ours * ours
    with pytest.raises(TypeError):
        ours + 1
    with pytest.raises(ValueError, match="one shape"):
        ours + make(matrix((12, 9)))
    with pytest.raises(TypeError, match="ambiguous"):
        len(ours)


@pytest.mark.parametrize("put", [np.asarray, to_gpu], ids=["host", "device"])
@pytest.mark.parametrize("make", FORMATS)
def test_wrong_structures_are_refused(make, put):
    one, two, three = (put(np.arange(n)) for n in (1, 2, 3))
    data = put(np.ones(2))
    refused = [
        ((data, (two, three)), None, "col 3"),
        ((data, (two, two)), (1, 2), "row index 1"),
        ((data, (two, two)), (2, 1), "column index 1"),
        ((data, (two - 1, two)), (2, 2), "negative"),
        ((data, two, three), (2, 1), "column index 1"),
        ((data, two, three), (3, 2), "3 rows want 4"),
        ((data, two, three * 2), (2, 2), "from 0 to 2, got 0 to 4"),
        ((data, two, put(np.array([0, 3, 2]))), (2, 2), "must not fall"),
        ((data, one, three), (2, 2), "indices 1"),
        ((data, (two, two)), (2, 2, 2), "two sizes"),
        (put(np.ones((2, 2, 2))), None, r"\(2, 2, 2\)"),
        ((put(np.ones((2, 1))), (two, two)), None, "one axis"),
    ]
    for given, shape, words in refused:
        with pytest.raises(ValueError, match=words):
            make(given, shape=shape)
    with pytest.raises(TypeError, match="integers"):
        make((data, (two, data)), shape=(2, 2))
    with pytest.raises(TypeError, match="int32 or int64"):
        make((data, (two, two)), shape=(2, 2), index_dtype=np.int16)
    with pytest.raises(TypeError, match="datetime64"):
        make((2, 2), dtype="M8[s]")
    with pytest.raises(TypeError, match="str"):
        make("no matrix")


def test_words():
    ours = sparse.coo_array(matrix((12, 8), "F"))
    assert repr(ours) == f"<coo_array of complex64 on the device: 12 x 8, {ours.nnz} stored>"
    assert ours.ndim == 2 and ours.format == "coo"


def test_nothing_needs_scipy_but_get():
    code = (
        "import sys; sys.modules['scipy'] = None\n"
        "import numpy as np\n"
        "from lathe import sparse\n"
        "from lathe.cuda.gpuarray import to_gpu\n"
        "A = sparse.csr_array(np.diag([2.0, 4.0]))\n"
        "print(sparse.cg(A, to_gpu(np.ones(2))).x.get().tolist())\n"
        "try: A.get()\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=script_environment()
    )
    assert done.stdout.splitlines() == [
        "[0.5, 0.25]", "get() makes a matrix of SciPy, which is not installed"
    ], done.stderr  # fmt: skip


def test_docstrings():
    result = doctest.testmod(sparse)
    assert result.attempted > 0 and result.failed == 0
