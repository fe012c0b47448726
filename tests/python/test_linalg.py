# SPDX-License-Identifier: MIT
"""lathe.linalg against numpy.linalg: values by residuals and conditioning, types, errors."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from array_cases import numbers
from conftest import script_environment
from linalg_cases import (  # noqa: F401
    ANY,
    FACTORED,
    SQUARE,
    assert_near,
    backend,
    definite,
    fake_libraries,
    hermitian,
    in_other_orders,
    random_values,
    well_conditioned,
)

from lathe import linalg
from lathe.cuda.gpuarray import GPUArray, to_gpu

pytestmark = pytest.mark.usefixtures("backend")

# --- Equations


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_solve(shape, dtype):
    a, b = well_conditioned(shape, dtype), random_values((*shape[:-1], 3), dtype, 1)
    for ours in in_other_orders(a):
        assert_near(linalg.solve(ours, to_gpu(b)), np.linalg.solve(a, b), 10)
        np.testing.assert_array_equal(ours.get(), a)  # left as it was
    vector = random_values(shape[-1:], dtype, 2)
    assert_near(np.linalg.solve(to_gpu(a), to_gpu(vector)), np.linalg.solve(a, vector), 10)


def test_solve_broadcasts_and_casts():
    a, b = well_conditioned((2, 1, 3, 3), "f"), random_values((4, 3, 2), "d")
    assert_near(linalg.solve(to_gpu(a), to_gpu(b)), np.linalg.solve(a, b))
    a = np.array([[3, 1], [1, 2]])
    assert_near(linalg.solve(to_gpu(a), to_gpu(np.array([9, 8]))), [2.0, 3.0])


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_inv_and_determinants(shape, dtype):
    a = well_conditioned(shape, dtype)
    for ours in in_other_orders(a):
        assert_near(np.linalg.inv(ours), np.linalg.inv(a), 10)
        assert_near(np.linalg.det(ours), np.linalg.det(a), 10)
        made = np.linalg.slogdet(ours)
        expected = np.linalg.slogdet(a)
        assert made._fields == ("sign", "logabsdet")
        assert_near(made.sign, expected.sign)
        assert_near(made.logabsdet, expected.logabsdet, 10)


def test_determinants_of_permutations_and_of_singular_matrices():
    permutation = np.eye(5)[[1, 0, 3, 4, 2]]
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert linalg.det(to_gpu(permutation)).get() == np.linalg.det(permutation) == -1
    assert linalg.det(to_gpu(singular)).get() == 0
    sign, size = linalg.slogdet(to_gpu(singular))
    assert sign.get() == 0 and size.get() == -np.inf
    many = np.stack([np.eye(3)[list(p)] for p in ((0, 1, 2), (1, 0, 2), (1, 2, 0), (2, 1, 0))])
    np.testing.assert_array_equal(linalg.det(to_gpu(many)).get(), [1, -1, 1, -1])


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", [(7, 3), (3, 7), (4, 4)], ids=str)
def test_lstsq(shape, dtype):
    a = random_values(shape, dtype)
    for b in (random_values(shape[:1], dtype, 1), random_values((shape[0], 2), dtype, 1)):
        ours = linalg.lstsq(to_gpu(a), to_gpu(b))
        theirs = np.linalg.lstsq(a, b)
        assert ours[2] == theirs[2]
        for k in (0, 1, 3):
            assert_near(ours[k], theirs[k], 30)


def test_lstsq_of_lower_rank():
    a = np.outer(np.arange(1.0, 5), np.arange(1.0, 4))
    b = np.arange(4.0)
    x, residuals, rank, s = np.linalg.lstsq(to_gpu(a), to_gpu(b), None)
    expected = np.linalg.lstsq(a, b, None)
    assert rank == 1 and residuals.shape == (0,)
    assert_near(x, expected[0])
    assert_near(s, expected[3], 30)


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", ANY, ids=str)
def test_pinv(shape, dtype):
    a = random_values(shape, dtype)
    assert_near(linalg.pinv(to_gpu(a)), np.linalg.pinv(a), 50)
    if a.size and a.ndim == 2:
        low = np.outer(a[:, 0], a[0])
        assert_near(linalg.pinv(to_gpu(low), 1e-3), np.linalg.pinv(low, 1e-3), 50)
        assert_near(linalg.pinv(to_gpu(low), rtol=None), np.linalg.pinv(low, rtol=None), 50)
        symmetric = low @ low.conj().T
        ours = linalg.pinv(to_gpu(symmetric), rtol=1e-3, hermitian=True)
        assert_near(ours, np.linalg.pinv(symmetric, rtol=1e-3, hermitian=True), 50)


# --- Norms, ranks


ORDERS = [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", ["f", "D", "i"])
def test_matrix_norms(order, dtype):
    a = numbers((2, 4, 3), dtype)
    assert_near(np.linalg.norm(to_gpu(a[0]), order), np.linalg.norm(a[0], order))
    for axes, keepdims in (((1, 2), False), ((2, 0), True), ((0, -1), False)):
        ours = linalg.norm(to_gpu(a), order, axes, keepdims)
        assert_near(ours, np.linalg.norm(a, order, axes, keepdims))
    if order is not None:
        ours = linalg.matrix_norm(to_gpu(a), ord=order, keepdims=True)
        assert_near(ours, np.linalg.matrix_norm(a, ord=order, keepdims=True))


@pytest.mark.parametrize("order", [0, 1, 2, 3, -1, 0.5, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["f", "D", "i", "e"])
def test_vector_norms(order, dtype):
    a = numbers((3, 4), dtype)
    a[a == 0] = 1
    if dtype == "e":
        a /= 8  # its third powers have no room
    ours = linalg.vector_norm(to_gpu(a), ord=order, axis=1, keepdims=True)
    expected = np.linalg.vector_norm(a, ord=order, axis=1, keepdims=True)
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours.get(), expected, rtol=2e-2 if dtype == "e" else 1e-5)
    np.testing.assert_allclose(
        np.linalg.norm(to_gpu(a), order, axis=0).get(),
        np.linalg.norm(a, order, axis=0),
        rtol=2e-2 if dtype == "e" else 1e-5,
    )
    if order == 2:
        assert_near(np.linalg.norm(to_gpu(a.ravel().astype("D"))), np.linalg.norm(a.astype("D")))


def test_ranks_and_condition():
    a = np.stack([np.eye(4), np.diag([1.0, 1, 0, 0]), np.ones((4, 4)), np.zeros((4, 4))])
    ranks = np.linalg.matrix_rank(to_gpu(a))
    assert ranks.dtype == np.int64
    np.testing.assert_array_equal(ranks.get(), [4, 2, 1, 0])
    np.testing.assert_array_equal(linalg.matrix_rank(to_gpu(a), hermitian=True).get(), [4, 2, 1, 0])
    np.testing.assert_array_equal(linalg.matrix_rank(to_gpu(a), 2.0).get(), [0, 0, 1, 0])
    assert linalg.matrix_rank(to_gpu(np.zeros(3))).get() == 0
    b = well_conditioned((3, 4, 4), "d")
    for order in (None, 2, -2, 1, np.inf, "fro"):
        assert_near(np.linalg.cond(to_gpu(b), order), np.linalg.cond(b, order), 50)


# --- Products and parts


def test_products():
    a, b = numbers((2, 3, 4), "d"), numbers((4, 3, 2), "d", 1)
    x, y = to_gpu(a), to_gpu(b)
    for axes in (1, ([1, 2], [1, 0]), ([0], [2]), (2, 0), ((0, 1), (2, 1))):
        given = axes if axes != 1 else ([2], [0])
        assert_near(np.tensordot(x, y, given), np.tensordot(a, b, given))
    assert_near(linalg.tensordot(x, x, 3), np.tensordot(a, a, 3))
    assert_near(linalg.tensordot(x, x, 0), np.tensordot(a, a, 0))
    assert_near(np.outer(x, y), np.outer(a, b))
    assert_near(np.linalg.outer(x[0, 0], y[0, 0]), np.linalg.outer(a[0, 0], b[0, 0]))
    complex_a = random_values((3, 4), "D")
    assert_near(
        linalg.vecdot(to_gpu(complex_a), to_gpu(complex_a)), np.vecdot(complex_a, complex_a)
    )
    assert_near(np.linalg.vecdot(x, x, axis=1), np.linalg.vecdot(a, a, axis=1))
    vectors = numbers((5, 3), "d"), numbers((5, 3), "d", 1)
    assert_near(np.linalg.cross(*map(to_gpu, vectors)), np.linalg.cross(*vectors))
    assert_near(np.cross(*map(to_gpu, vectors)), np.cross(*vectors))
    assert_near(linalg.dot(x, y.transpose(2, 0, 1)), np.dot(a, b.transpose(2, 0, 1)))
    with pytest.raises(ValueError, match=r"\(2, 3, 4\).*\(4, 3, 2\)"):
        linalg.tensordot(x, y, ([0], [0]))


@pytest.mark.parametrize("offset", [0, 1, -2, 5, -7])
def test_diagonals(offset):
    a = numbers((2, 4, 5), "f")
    x = to_gpu(a)
    assert_near(np.linalg.diagonal(x, offset=offset), np.linalg.diagonal(a, offset=offset))
    assert_near(np.linalg.trace(x, offset=offset), np.linalg.trace(a, offset=offset))
    assert_near(np.diagonal(x, offset), np.diagonal(a, offset))
    assert_near(x.diagonal(offset, 1, 2), a.diagonal(offset, 1, 2))
    assert_near(x.trace(offset), a.trace(offset))
    assert_near(x.mT, a.mT)
    assert_near(np.matrix_transpose(x), a.mT)
    assert_near(np.trace(x, offset, 2, 1), np.trace(a, offset, 2, 1))
    assert linalg.diagonal(x).base is x


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6, 11, -1, -3])
def test_matrix_power(n):
    a = well_conditioned((2, 3, 3), "d") / 4
    assert_near(np.linalg.matrix_power(to_gpu(a), n), np.linalg.matrix_power(a, n), 100)
    if n >= 0:
        b = numbers((3, 3), "i")
        assert_near(linalg.matrix_power(to_gpu(b), n), np.linalg.matrix_power(b, n))


@pytest.mark.parametrize(
    "subscripts, shapes",
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,jk", [(2, 3), (3, 4)]), ("ij->ji", [(2, 3)]),
        ("ii", [(3, 3)]), ("ii->i", [(3, 3)]), ("ij->", [(2, 3)]), ("i,i", [(3,), (3,)]),
        ("i,j->ij", [(2,), (3,)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("bhqd,bhkd->bhqk", [(2, 2, 3, 4), (2, 2, 5, 4)]),
        ("ij,kj,kl->il", [(2, 3), (4, 3), (4, 2)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (3, 4)]), ("...ij->...", [(2, 3, 4)]),
        ("ijk,k->ij", [(2, 3, 4), (4,)]), ("ij,ij->ij", [(2, 3), (2, 3)]), ("ba", [(2, 3)]),
        ("i...,i...", [(3, 4), (3, 4)]), ("iij,j->i", [(3, 3, 2), (2,)]),
        ("i,,j->ij", [(2,), (), (3,)]),
    ],
    ids=str,
)  # fmt: skip
def test_einsum(subscripts, shapes):
    given = [numbers(shape, "d", k) for k, shape in enumerate(shapes)]
    made = np.einsum(subscripts, *map(to_gpu, given))
    assert isinstance(made, GPUArray)
    assert_near(made, np.einsum(subscripts, *given))


# --- Mistakes


def test_singular_matrices():
    singular = to_gpu(np.array([[1.0, 2.0], [2.0, 4.0]]))
    for function in (linalg.inv, lambda a: linalg.solve(a, a)):
        with pytest.raises(np.linalg.LinAlgError, match="ingular"):
            function(singular)
    with pytest.raises(np.linalg.LinAlgError, match="ingular"):
        linalg.inv(to_gpu(np.stack([np.eye(2), np.zeros((2, 2))])))
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        linalg.cholesky(to_gpu(-np.eye(3)))


def test_shapes_and_types_that_do_not_fit():
    a = to_gpu(numbers((2, 3), "f"))
    for name in ("inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh"):
        with pytest.raises(linalg.LinAlgError, match=r"\(2, 3\)"):
            getattr(linalg, name)(a)
    for name in ("qr", "svd", "svdvals", "pinv"):
        with pytest.raises(linalg.LinAlgError, match=r"\(3,\)"):
            getattr(linalg, name)(a[0])
    square = to_gpu(well_conditioned((3, 3), "f"))
    with pytest.raises(ValueError, match=r"\(3, 3\).*\(2, 3\)"):
        linalg.solve(square, a)
    with pytest.raises(ValueError, match=r"\(2, 3, 3\).*\(3, 3, 1\)"):
        linalg.solve(to_gpu(well_conditioned((2, 3, 3), "f")), to_gpu(numbers((3, 3, 1), "f")))
    with pytest.raises(TypeError, match="float16"):
        linalg.inv(square.astype("e"))
    with pytest.raises(TypeError, match="ndarray"):
        linalg.inv(np.eye(2))
    with pytest.raises(TypeError, match="to_gpu"):
        np.linalg.solve(square, np.eye(3))
    with pytest.raises(ValueError):
        linalg.qr(square, "full")
    with pytest.raises(ValueError):
        linalg.norm(square, "spectral")
    with pytest.raises(ValueError):
        np.einsum("ij,jk", a, a)


# --- Libraries


def test_large_matrices_of_a_stack_are_factored_one_by_one(monkeypatch):
    """With cuSOLVER alone: small ones are factored all in one call, by cuBLAS for LU."""
    monkeypatch.setattr("lathe.linalg.device._SMALL", 0)
    for dtype in FACTORED:
        a, b = well_conditioned((3, 5, 5), dtype), random_values((3, 5, 2), dtype, 1)
        assert_near(linalg.solve(to_gpu(a), to_gpu(b)), np.linalg.solve(a, b), 10)
        assert_near(linalg.det(to_gpu(a)), np.linalg.det(a), 10)
        spd = definite((3, 5, 5), dtype)
        assert_near(linalg.cholesky(to_gpu(spd)), np.linalg.cholesky(spd), 10)
        assert_near(linalg.eigvalsh(to_gpu(spd)), np.linalg.eigvalsh(spd), 10)
    with pytest.raises(linalg.LinAlgError, match="ingular"):
        linalg.inv(to_gpu(np.stack([np.eye(2), np.zeros((2, 2))])))


def test_a_missing_library_is_named_with_what_brings_it():
    script = (
        "import numpy as np\n"
        "from lathe import linalg\n"
        "from lathe.cuda.gpuarray import to_gpu\n"
        "a = to_gpu(np.eye(2))\n"
        "for call in (lambda: a @ a, lambda: linalg.cholesky(a)):\n"
        "    try:\n"
        "        call()\n"
        "    except ImportError as e:\n"
        "        print(e)\n"
        "print((a.astype('i') @ a.astype('i')).get().tolist())\n"
    )
    environment = script_environment(LATHE_CUBLAS="/nonexistent", LATHE_CUSOLVER="/nonexistent")
    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    cublas, cusolver, product = ran.stdout.splitlines()
    assert "cuBLAS was not found: /nonexistent" in cublas
    assert "pip install nvidia-cublas" in cublas and "LATHE_CUBLAS" in cublas
    assert "pip install nvidia-cusolver" in cusolver
    assert product == "[[1, 0], [0, 1]]"


@pytest.mark.software
def test_nvidias_libraries_have_every_function_that_is_asked_for():
    """They open without a GPU, and refuse to work only then."""
    folder = Path(os.environ.get("CUDA_HOME") or "/usr/local/cuda") / "lib64"
    if not list(folder.glob("libcublas.so.1?")) or not list(folder.glob("libcusolver.so.1?")):
        pytest.skip("no CUDA toolkit with cuBLAS and cuSOLVER")
    script = (
        "import numpy as np\n"
        "from lathe import Error, linalg\n"
        "from lathe.cuda.gpuarray import to_gpu\n"
        "a = to_gpu(np.eye(2))\n"
        "for call in (lambda: a @ a, lambda: linalg.cholesky(a)):\n"
        "    try:\n"
        "        call()\n"
        "    except Error as e:\n"
        "        print(e)\n"
    )
    environment = script_environment(LATHE_CUBLAS=str(folder), LATHE_CUSOLVER=str(folder))
    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    cublas, cusolver = ran.stdout.splitlines()
    assert cublas.startswith("cublasCreate failed: CUBLAS_STATUS_")
    assert cusolver.startswith("cusolverDnCreate failed: CUSOLVER_STATUS_")
