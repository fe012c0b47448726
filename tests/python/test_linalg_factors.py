# SPDX-License-Identifier: MIT
"""lathe.linalg's factors against numpy.linalg: Cholesky, QR, eigenvectors, singular values."""

import numpy as np
import pytest
from array_cases import numbers
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
    tolerance,
    well_conditioned,
)

from lathe import linalg
from lathe.cuda.gpuarray import to_gpu
from lathe.linalg import device
from lathe.native import native

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_cholesky(shape, dtype):
    a = definite(shape, dtype)
    for ours in in_other_orders(a):
        assert_near(np.linalg.cholesky(ours), np.linalg.cholesky(a), 10)
        assert_near(linalg.cholesky(ours, upper=True), np.linalg.cholesky(a, upper=True), 10)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_reads_one_triangle(upper):
    a = definite((4, 4), "D")
    garbage = np.tril(np.full((4, 4), 99.0), -1) if upper else np.triu(np.full((4, 4), 99.0), 1)
    one = (np.triu(a) if upper else np.tril(a)) + garbage
    expected = np.linalg.cholesky(a, upper=upper)
    assert_near(linalg.cholesky(to_gpu(one), upper=upper), expected, 10)


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", ANY, ids=str)
def test_qr(shape, dtype):
    a = random_values(shape, dtype)
    near = tolerance(dtype, 5)
    for mode in ("reduced", "complete"):
        for ours in in_other_orders(a):
            made = np.linalg.qr(ours, mode)
            expected = np.linalg.qr(a, mode)
            q, r = made.Q.get(), made.R.get()
            assert q.shape == expected.Q.shape and r.shape == expected.R.shape
            assert q.dtype == r.dtype == a.dtype
            np.testing.assert_allclose(q @ r, a, atol=near)
            identity = np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *(q.shape[-1:] * 2)))
            np.testing.assert_allclose(q.conj().swapaxes(-1, -2) @ q, identity, atol=near)
            np.testing.assert_array_equal(np.tril(r, -1), 0)
    r = linalg.qr(to_gpu(a), "r")
    assert_near(abs(r), abs(np.linalg.qr(a, "r")), 10)
    h, tau = linalg.qr(to_gpu(a), "raw")
    expected = np.linalg.qr(a, "raw")
    assert (h.shape, tau.shape) == (expected[0].shape, expected[1].shape)
    raw = np.triu(h.get().swapaxes(-1, -2))
    assert_near(abs(to_gpu(raw)), abs(np.triu(expected[0].swapaxes(-1, -2))), 10)


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_eigh(shape, dtype):
    a = hermitian(shape, dtype)
    for ours in in_other_orders(a):
        made = np.linalg.eigh(ours)
        assert made._fields == ("eigenvalues", "eigenvectors")
        assert_near(made.eigenvalues, np.linalg.eigvalsh(a), 10)
        assert_near(np.linalg.eigvalsh(ours), np.linalg.eigvalsh(a), 10)
        w, v = made.eigenvalues.get(), made.eigenvectors.get()
        assert v.dtype == a.dtype
        np.testing.assert_allclose(a @ v, v * w[..., None, :], atol=tolerance(dtype, 50))
        identity = np.broadcast_to(np.eye(shape[-1]), shape)
        np.testing.assert_allclose(v.conj().swapaxes(-1, -2) @ v, identity, atol=tolerance(dtype))


@pytest.mark.parametrize("uplo", ["L", "U", "u"])
def test_eigh_reads_one_triangle(uplo):
    a = hermitian((4, 4), "D")
    garbage = np.full((4, 4), 7.0)
    one = np.tril(a) + np.triu(garbage, 1) if uplo == "L" else np.triu(a) + np.tril(garbage, -1)
    assert_near(linalg.eigvalsh(to_gpu(one), uplo), np.linalg.eigvalsh(a), 10)
    assert_near(linalg.eigh(to_gpu(one), UPLO=uplo).eigenvalues, np.linalg.eigvalsh(a), 10)


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", ANY, ids=str)
def test_svd(shape, dtype):
    a = random_values(shape, dtype)
    k = min(shape[-2:])
    for full in (True, False):
        for ours in in_other_orders(a):
            made = np.linalg.svd(ours, full)
            expected = np.linalg.svd(a, full)
            assert made._fields == ("U", "S", "Vh")
            assert_near(made.S, expected.S, 10)
            u, vh = made.U.get(), made.Vh.get()
            assert u.shape == expected.U.shape and vh.shape == expected.Vh.shape
            assert u.dtype == vh.dtype == a.dtype
            product = (u[..., :k] * made.S.get()[..., None, :]) @ vh[..., :k, :]
            np.testing.assert_allclose(product, a, atol=tolerance(dtype, 10))
            for columns in (u, vh.conj().swapaxes(-1, -2)):
                found = columns.conj().swapaxes(-1, -2) @ columns
                identity = np.broadcast_to(np.eye(found.shape[-1]), found.shape)
                np.testing.assert_allclose(found, identity, atol=tolerance(dtype, 5))
    assert_near(np.linalg.svdvals(to_gpu(a)), np.linalg.svdvals(a), 10)


@pytest.mark.parametrize("shape", [(4, 4), (3, 4, 4), (0, 4, 4)], ids=str)
def test_svd_of_hermitian_matrices(shape):
    a = hermitian(shape, "D")
    made = linalg.svd(to_gpu(a), hermitian=True)
    assert_near(made.S, np.linalg.svd(a, hermitian=True).S, 10)
    product = (made.U.get() * made.S.get()[..., None, :]) @ made.Vh.get()
    np.testing.assert_allclose(product, a, atol=1e-12)
    values = linalg.svd(to_gpu(a), compute_uv=False, hermitian=True)
    assert_near(values, np.linalg.svd(a, compute_uv=False, hermitian=True), 10)


def test_eigenvalues_of_any_matrix():
    for dtype in "fdFD":
        a = numbers((2, 5, 5), dtype)
        values, vectors = linalg.eig(to_gpu(a))
        assert values.dtype == vectors.dtype == np.result_type(dtype, np.complex64)
        scaled = vectors.get() * values.get()[:, None, :]
        room = 100 * np.finfo(dtype).eps
        np.testing.assert_allclose(a @ vectors.get(), scaled, atol=room * np.abs(a).max())
        found = np.sort_complex(linalg.eigvals(to_gpu(a)).get())
        np.testing.assert_allclose(found, np.sort_complex(values.get()), rtol=room * 10)
    for shape in [(0, 0), (2, 0, 0), (0, 3, 3)]:
        made = linalg.eig(to_gpu(numbers(shape, "d")))
        assert made.eigenvalues.shape == shape[:-1] and made.eigenvectors.shape == shape
    rotation = to_gpu(np.array([[0.0, -1.0], [1.0, 0.0]]))
    assert sorted(linalg.eigvals(rotation).get().imag.tolist()) == [-1.0, 1.0]
    with pytest.raises(linalg.LinAlgError, match="must be the same"):
        linalg.eig(to_gpu(numbers((2, 3), "d")))


@pytest.mark.parametrize("dtype", FACTORED)
def test_eigenvalues_by_the_library(dtype, monkeypatch):
    """Of matrices that are large enough for it: real ones have pairs of complex ones."""
    monkeypatch.setattr(device, "_FEW_ROWS", 0)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    blocks = np.zeros((5, 5))
    blocks[:2, :2], blocks[2, 2], blocks[3:, 3:] = 3 * turn, 7, 5 * turn.T
    basis = well_conditioned((5, 5), dtype, 4)
    mixed = (basis @ blocks @ np.linalg.inv(basis)).astype(dtype)
    for a in [mixed, np.stack([mixed, well_conditioned((5, 5), dtype, 5)]), mixed[:1, :1]]:
        made = linalg.eig(to_gpu(a))
        values, vectors = made.eigenvalues.get(), made.eigenvectors.get()
        assert values.dtype == vectors.dtype == np.result_type(dtype, np.complex64)
        assert values.shape == a.shape[:-1] and vectors.shape == a.shape
        size = np.abs(a).sum()
        found = a @ vectors - vectors * values[..., None, :]
        np.testing.assert_allclose(found, 0, atol=tolerance(dtype, size))
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1, atol=tolerance(dtype))
        ours = np.sort_complex(linalg.eigvals(to_gpu(a)).get().round(3))
        np.testing.assert_allclose(ours, np.sort_complex(np.linalg.eigvals(a).round(3)), atol=2e-3)
    with pytest.raises(linalg.LinAlgError, match="infs or NaNs"):
        linalg.eig(to_gpu(np.full((3, 3), np.nan, dtype)))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4)], ids=str)
def test_singular_values_that_jacobis_sweeps_do_not_find(shape, monkeypatch):
    """The other way is taken, with the matrix as it was."""
    asked = []

    def too_few(a, values, u, v, info, vectors):
        asked.append(vectors)
        for each in (a, values, u, v, info):
            each.fill(3)

    monkeypatch.setattr(native, "singular_values_by_jacobi", too_few)
    a = random_values(shape, "d")
    u, s, vh = linalg.svd(to_gpu(a), full_matrices=False)
    np.testing.assert_allclose((u.get() * s.get()[..., None, :]) @ vh.get(), a, atol=1e-12)
    assert_near(linalg.svdvals(to_gpu(a)), np.linalg.svdvals(a), 10)
    assert asked in ([], [True, False])  # NumPy finds them on the software device


@pytest.mark.parametrize("dtype", FACTORED)
@pytest.mark.parametrize("shape", [(40, 33), (33, 40), (3, 40, 20), (50, 32, 32)], ids=str)
def test_svd_of_larger_matrices(shape, dtype):
    """Of lower rank, and with values from 1 to 1e-6: by their backward errors."""
    a = random_values(shape, dtype)
    k = min(shape[-2:])
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    sizes = np.logspace(0, -6, k)
    sizes[-3:] = 0
    a = ((u * sizes) @ vh).astype(dtype)
    made = linalg.svd(to_gpu(a), full_matrices=False)
    left, s, right = (each.get() for each in made)
    room = tolerance(dtype, k / 20)
    assert np.abs((left * s[..., None, :]) @ right - a).max() < room
    assert np.abs(s - sizes).max() < room
    for columns in (left, right.conj().swapaxes(-1, -2)):
        found = columns.conj().swapaxes(-1, -2) @ columns
        assert np.abs(found - np.eye(k)).max() < room
