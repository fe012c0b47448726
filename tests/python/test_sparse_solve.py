# SPDX-License-Identifier: MIT
"""Conjugate gradients on matrices of known kinds; residuals are computed by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as host

import lathe.cuda.driver as cuda
from lathe import sparse
from lathe.cuda.gpuarray import to_gpu


def second_difference(n):
    return host.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), dtype=float)


def poisson(*sizes, weights=None):
    """Of central differences on a grid with zeros around it, a weight for each axis."""
    made = host.csr_array((int(np.prod(sizes)),) * 2, dtype=float)
    for axis, size in enumerate(sizes):
        before, behind = int(np.prod(sizes[:axis])), int(np.prod(sizes[axis + 1 :]))
        part = host.kron(
            host.kron(host.eye_array(before), second_difference(size)), host.eye_array(behind)
        )
        made = made + part * (1 if weights is None else weights[axis])
    return host.csr_array(made)


def with_condition(n, condition, complex_=False, seed=0):
    """Dense, positive definite, eigenvalues from 1 to `condition` at equal ratios."""
    random = np.random.default_rng(seed)
    basis = random.standard_normal((n, n)) + 1j * complex_ * random.standard_normal((n, n))
    q, _ = np.linalg.qr(basis if complex_ else basis.real)
    return host.csr_array((q * np.geomspace(1, condition, n)) @ q.conj().T)


MATRICES = {
    "poisson 1-D": poisson(60),
    "poisson 2-D": poisson(31, 40),
    "poisson 3-D": poisson(9, 10, 11),
    "anisotropic": poisson(24, 24, weights=[1, 1000]),
    "condition 1e4": with_condition(90, 1e4),
    "Hermitian": with_condition(70, 1e3, True),
    "diagonal": host.csr_array(host.diags_array(np.arange(1.0, 400))),
}


def relative_residual(A, x, b):
    return np.linalg.norm(A @ x.astype(np.result_type(x, "d")) - b) / np.linalg.norm(b)


def right_side(A, seed=1):
    random = np.random.default_rng(seed)
    made = random.standard_normal(A.shape[0])
    return made + 1j * random.standard_normal(A.shape[0]) if A.dtype.kind == "c" else made


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.coo_array, sparse.ell_array])
def test_the_residual_is_as_small_as_asked(name, make):
    A = MATRICES[name]
    b = right_side(A)
    ours = make(A)
    for rtol in (1e-3, 1e-9):
        found = sparse.cg(ours, to_gpu(b), rtol=rtol)
        residual = relative_residual(A, found.x.get(), b)
        assert residual <= rtol
        assert found.residual == pytest.approx(residual, rel=1e-3, abs=1e-14)
        assert 0 < found.iterations <= 10 * A.shape[0]


@pytest.mark.parametrize("name", MATRICES)
def test_single_precision(name):
    A = MATRICES[name]
    b = right_side(A).astype("F" if A.dtype.kind == "c" else "f")
    found = sparse.cg(sparse.csr_array(A, dtype=b.dtype), to_gpu(b), rtol=1e-3)
    assert found.x.dtype == b.dtype
    assert relative_residual(A.astype(b.dtype), found.x.get(), b) <= 1.01e-3


def test_iterations_are_about_scipys():
    A = MATRICES["poisson 2-D"]
    b, counted = right_side(A), []
    host.linalg.cg(A, b, rtol=1e-8, callback=counted.append)
    found = sparse.cg(sparse.csr_array(A), to_gpu(b), rtol=1e-8, check_every=1)
    assert len(counted) <= found.iterations <= len(counted) + 3


@pytest.mark.parametrize("every", [1, 3, 10, 64])
def test_checks_bound_what_is_done_too_much(every):
    A = MATRICES["poisson 2-D"]
    b = right_side(A)
    least = sparse.cg(sparse.csr_array(A), to_gpu(b), check_every=1).iterations
    found = sparse.cg(sparse.csr_array(A), to_gpu(b), check_every=every)
    assert found.iterations <= least + 2 * every
    assert found.residual <= 1e-5


def test_the_preconditioner_of_the_diagonal():
    A = poisson(20, 20)
    scale = host.diags_array(np.geomspace(1, 100, 400))
    A = host.csr_array(scale @ A @ scale)
    b = right_side(A)
    ours = sparse.csr_array(A)
    plain = sparse.cg(ours, to_gpu(b), rtol=1e-8)
    better = sparse.cg(ours, to_gpu(b), rtol=1e-8, M=sparse.jacobi(ours))
    assert better.iterations < plain.iterations / 4
    assert relative_residual(A, better.x.get(), b) <= 1e-8
    inverse = 1 / A.diagonal()
    by_matrix = sparse.cg(ours, to_gpu(b), rtol=1e-8, M=sparse.csr_array(host.diags_array(inverse)))
    device = to_gpu(inverse)
    by_function = sparse.cg(lambda x: ours @ x, to_gpu(b), rtol=1e-8, M=lambda r: device * r)
    assert by_matrix.iterations == by_function.iterations == better.iterations


@pytest.mark.parametrize("omega", [0.5, 1, 1.4])
@pytest.mark.parametrize("name", ["poisson 2-D", "anisotropic", "poisson 3-D", "Hermitian 2-D"])
def test_over_relaxation_is_what_its_formula_says(name, omega):
    A = MATRICES[name] if name in MATRICES else poisson(6, 7) * (1 + 0j)
    if name == "Hermitian 2-D":
        turn = host.diags_array(np.exp(1j * np.arange(42)))
        A = host.csr_array(turn @ A @ turn.conj())
    ours = sparse.ssor(sparse.csr_array(A), omega)
    colors = ours.colors.get()
    coo = A.tocoo()
    assert not ((colors[coo.row] == colors[coo.col]) & (coo.row != coo.col)).any()
    assert colors.min() == 0 and colors.max() < 12
    dense, before = A.toarray(), colors[:, None] > colors[None, :]
    diagonal = np.diag(dense.diagonal())
    lower, upper = np.where(before, dense, 0), np.where(before.T, dense, 0)
    np.testing.assert_array_equal(lower + upper + diagonal, dense)
    middle = np.linalg.inv(diagonal) * omega / (2 - omega)
    product = (diagonal / omega + lower) @ middle @ (diagonal / omega + upper)
    x = right_side(A)
    np.testing.assert_allclose(
        ours(to_gpu(x)).get(), np.linalg.solve(product, x), rtol=1e-9, atol=1e-9
    )


def test_over_relaxation_takes_fewer_iterations():
    A = MATRICES["poisson 2-D"]
    b, ours = right_side(A), sparse.csr_array(A)
    given = {"rtol": 1e-8, "check_every": 1}
    plain = sparse.cg(ours, to_gpu(b), M=sparse.jacobi(ours), **given)
    better = sparse.cg(ours, to_gpu(b), M=sparse.ssor(ours), **given)
    assert better.iterations < 0.75 * plain.iterations
    assert relative_residual(A, better.x.get(), b) <= 1e-8
    single = sparse.csr_array(A, dtype="f")
    found = sparse.cg(
        single, to_gpu(b.astype("f")), M=sparse.ssor(single, 1.2), stream=cuda.Stream()
    )
    assert relative_residual(A, found.x.get(), b) <= 1.1e-5


def test_over_relaxation_refuses():
    full = sparse.csr_array(np.ones((70, 70)) + 100 * np.eye(70))
    with pytest.raises(ValueError, match="63 colors"):
        sparse.ssor(full)
    with pytest.raises(ValueError, match="between 0 and 2, got 2"):
        sparse.ssor(full, 2)
    with pytest.raises(ValueError, match="zeros"):
        sparse.ssor(sparse.csr_array((3, 3)))
    diagonal = sparse.ssor(sparse.csr_array(np.diag([2.0, 4.0])))
    assert diagonal(to_gpu(np.ones(2))).get().tolist() == [0.5, 0.25]


def test_the_same_bits_each_time():
    A = MATRICES["poisson 2-D"]
    b = to_gpu(right_side(A))
    first = sparse.cg(sparse.csr_array(A), b)
    again = sparse.cg(sparse.csr_array(A), b)
    assert first.x.get().tobytes() == again.x.get().tobytes()
    assert first[1:] == again[1:]


def test_guesses_callbacks_and_streams():
    A = MATRICES["poisson 2-D"]
    b = right_side(A)
    ours, seen = sparse.csr_array(A), []
    exact = sparse.cg(ours, to_gpu(b), rtol=1e-12)
    guess = exact.x.copy()
    again = sparse.cg(ours, to_gpu(b), guess, rtol=1e-9)
    assert again.iterations == 0
    stream = cuda.Stream()
    found = sparse.cg(ours, to_gpu(b), guess + 1, callback=seen.append, stream=stream)
    assert len(seen) == found.iterations > 0
    assert relative_residual(A, found.x.get(), b) <= 1e-5
    np.testing.assert_array_equal(guess.get(), exact.x.get())


def test_easy_ones():
    A = sparse.csr_array(MATRICES["diagonal"])
    none = sparse.cg(A, to_gpu(np.zeros(399)))
    assert none[1:] == (0, 0) and not none.x.get().any()
    empty = sparse.cg(sparse.csr_array((0, 0)), to_gpu(np.zeros(0)))
    assert empty.x.shape == (0,) and empty.iterations == 0
    small = sparse.cg(A, to_gpu(np.full(399, 1e-3)), atol=1)
    assert small.iterations == 0
    one = sparse.cg(sparse.csr_array(np.array([[4.0]])), to_gpu(np.array([2])))
    assert one.x.get().tolist() == [0.5]


def test_what_does_not_converge_is_an_error():
    A = MATRICES["poisson 2-D"]
    b = right_side(A)
    ours = sparse.csr_array(A)
    with pytest.raises(sparse.ConvergenceError, match="7 iterations did not suffice") as caught:
        sparse.cg(ours, to_gpu(b), maxiter=7)
    part = caught.value.solution
    assert part.iterations == 7
    assert part.residual == pytest.approx(relative_residual(A, part.x.get(), b), rel=1e-6)
    with pytest.raises(sparse.ConvergenceError, match="0 iterations"):
        sparse.cg(ours, to_gpu(b), maxiter=0)
    with pytest.raises(sparse.ConvergenceError, match="not positive definite"):
        sparse.cg(-1 * ours, to_gpu(b))
    with pytest.raises(sparse.ConvergenceError, match="nan"):
        sparse.cg(ours * np.nan, to_gpu(b))
    with pytest.raises(sparse.ConvergenceError, match="rounding in float32"):
        sparse.cg(ours.astype("f"), to_gpu(b.astype("f")), rtol=1e-12)


def test_what_does_not_fit_is_refused():
    A = sparse.csr_array(MATRICES["poisson 1-D"])
    with pytest.raises(ValueError, match=r"\(60, 60\), b \(61,\)"):
        sparse.cg(A, to_gpu(np.ones(61)))
    with pytest.raises(ValueError, match="x0"):
        sparse.cg(A, to_gpu(np.ones(60)), to_gpu(np.ones(61)))
    with pytest.raises(ValueError, match="one axis"):
        sparse.cg(A, to_gpu(np.ones((60, 1))))
    with pytest.raises(TypeError, match="ndarray"):
        sparse.cg(A, np.ones(60))
    with pytest.raises(TypeError, match="int"):
        sparse.cg(3, to_gpu(np.ones(60)))
    with pytest.raises(ValueError, match="check_every"):
        sparse.cg(A, to_gpu(np.ones(60)), check_every=0)
    with pytest.raises(ValueError, match="zeros"):
        sparse.jacobi(sparse.csr_array((3, 3)))
    with pytest.raises(ValueError, match="square"):
        sparse.jacobi(sparse.csr_array((3, 4)))
