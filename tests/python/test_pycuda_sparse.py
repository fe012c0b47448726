# SPDX-License-Identifier: MIT
"""`lathe.cuda.sparse`: the names of pycuda.sparse, beside SciPy. B9 is its defect in our list."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as host
from conftest import script_environment
from test_sparse_solve import poisson, with_condition

import lathe.cuda.driver as cuda
from lathe.cuda.gpuarray import to_gpu, zeros
from lathe.cuda.sparse import inner
from lathe.cuda.sparse.cg import CGStateContainer, ConvergenceError, solve_pkt_with_cg
from lathe.cuda.sparse.coordinate import CoordinateSpMV
from lathe.cuda.sparse.inner import AsyncInnerProduct, get_stream
from lathe.cuda.sparse.operator import DiagonalPreconditioner, IdentityOperator, OperatorBase
from lathe.cuda.sparse.packeted import PacketedSpMV
from lathe.cuda.tools import DeviceMemoryPool, PageLockedMemoryPool

NAMES = {
    "packeted": ["PacketedSpMV"],
    "coordinate": ["CoordinateSpMV"],
    "cg": ["CGStateContainer", "ConvergenceError", "solve_pkt_with_cg"],
    "inner": ["AsyncInnerProduct", "STREAM_POOL", "get_stream"],
    "operator": ["DiagonalPreconditioner", "IdentityOperator", "OperatorBase"],
    "pkt_build": ["build_pkt_data_structure"],
}


def random_matrix(n, dtype, density=0.05, seed=0):
    made = host.random_array((n, n), density=density, format="csr", rng=seed)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * host.random_array((n, n), density=density, format="csr", rng=seed + 1)
    return made.astype(dtype)


def permuted_by(spmv, n):
    return spmv.permute(to_gpu(np.arange(n))).get()


def close(ours, theirs, dtype):
    limit = 1e-4 if np.dtype(dtype).char in "fF" else 1e-11
    np.testing.assert_allclose(ours.get(), theirs, rtol=limit, atol=limit * abs(theirs).max())


@pytest.mark.parametrize("module", NAMES)
def test_the_names(module):
    found = importlib.import_module(f"lathe.cuda.sparse.{module}")
    assert sorted(found.__all__) == sorted(NAMES[module])
    for name in NAMES[module]:
        assert getattr(found, name).__doc__ or name == "STREAM_POOL"


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("n", [1, 33, 700])
def test_coordinates(dtype, n):
    theirs = random_matrix(n, dtype)
    ours = CoordinateSpMV(theirs, dtype)
    x = np.arange(n).astype(dtype)
    assert ours.shape == (n, n) and ours.dtype == np.dtype(dtype) and ours.nnz == theirs.nnz
    close(ours(to_gpu(x)), theirs @ x + 0, dtype)
    y = to_gpu(np.ones(n, dtype))
    assert ours(to_gpu(x), y) is y
    close(y, theirs @ x + 1, dtype)


@pytest.mark.parametrize("is_symmetric", [False, True])
@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("n", [1, 40, 512, 513, 3000])
def test_packets(n, dtype, is_symmetric):
    theirs = random_matrix(n, dtype, 0.004 if n > 1000 else 0.05)
    if is_symmetric:
        theirs = host.csr_array(theirs + theirs.T)
    ours = PacketedSpMV(theirs, is_symmetric, dtype)
    assert ours.shape == (n, n) and ours.dtype == np.dtype(dtype)
    order = permuted_by(ours, n)
    assert sorted(order) == list(range(n))
    x = np.arange(n).astype(dtype)
    on_device = to_gpu(x)
    assert ours.permute(on_device).get().tolist() == x[order].tolist()
    assert ours.unpermute(ours.permute(on_device)).get().tolist() == x.tolist()
    close(ours.unpermute(ours(ours.permute(on_device))), theirs @ x, dtype)
    y = to_gpu(np.ones(n, dtype))
    assert ours(ours.permute(on_device), y) is y
    close(ours.unpermute(y), theirs @ x + 1, dtype)


def test_packets_hold_most_of_a_grid():
    theirs = poisson(64, 64)
    shuffled = np.random.default_rng(0).permutation(4096)
    ours = PacketedSpMV(theirs[shuffled][:, shuffled], True, "f")
    assert ours.block_count > 1
    assert ours.remaining_coo_gpu.nnz < theirs.nnz / 10
    assert ours.thread_starts.size == ours.block_count * ours.threads_per_packet


def test_metis_makes_the_packets_where_it_is(monkeypatch):
    """It may make packets too large: then it is asked for more of them."""
    asked = []

    def part_graph(count, xadj, adjncy):
        asked.append(count)
        assert len(xadj) == 1601 and xadj[-1] == len(adjncy)
        limit = 1601 if len(asked) == 1 else 400
        return 0, [min(k // limit, count - 1) for k in range(1600)]

    fake = types.SimpleNamespace(part_graph=part_graph)
    monkeypatch.setitem(sys.modules, "pymetis", fake)
    theirs = poisson(40, 40)
    ours = PacketedSpMV(theirs, True, "d")
    assert len(asked) == 2 and asked[1] > asked[0]
    assert ours.block_count == 4 or ours.block_count == asked[1]
    x = np.random.default_rng(1).random(1600)
    close(ours.unpermute(ours(ours.permute(to_gpu(x)))), theirs @ x, "d")


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"square matrices are supported, got \(3, 4\)"):
        PacketedSpMV(host.csr_array((3, 4)), False, "f")
    with pytest.raises(TypeError, match="datetime64"):
        PacketedSpMV(host.csr_array((3, 3)), False, "M8[s]")
    ours = PacketedSpMV(poisson(4, 4), True, "f")
    for wrong in (zeros(17, "f"), zeros(16, "d"), zeros(32, "f")[::2]):
        with pytest.raises(ValueError, match="x must"):
            ours(wrong)
        with pytest.raises(ValueError, match="y must"):
            ours(zeros(16, "f"), wrong)
    with pytest.raises(ValueError, match="y "):
        CoordinateSpMV(poisson(4, 4), "f")(zeros(16, "f"), zeros(17, "f"))


@pytest.mark.parametrize("pool", [False, True])
def test_b9_a_matrix_beyond_one_packet_is_multiplied_and_solved(pool):
    """PyCUDA: `prepare()` got two values for 'texrefs', the kernel called what CUDA has not, and a
    stream went to the allocator as an order of axes."""
    A = poisson(50, 50)
    b = np.random.default_rng(0).random(2500)
    ours = PacketedSpMV(A, True, np.float64)
    assert ours.block_count > 1 and ours.remaining_coo_gpu.nnz > 0
    memory = PageLockedMemoryPool() if pool else None
    allocator = memory.allocate if memory else None
    x, iterations, evaluations = solve_pkt_with_cg(
        ours, to_gpu(b), tol=1e-9, pagelocked_allocator=allocator
    )
    assert np.linalg.norm(A @ x.get() - b) / np.linalg.norm(b) < 1e-8
    assert iterations > evaluations == -(-iterations // 50)


@pytest.mark.parametrize("dtype, tol", [("f", 5e-5), ("d", 1e-7)])
def test_a_preconditioner_and_a_guess(dtype, tol):
    scale = host.diags_array(np.geomspace(1, 100, 900))
    A = host.csr_array(scale @ poisson(30, 30) @ scale).astype(dtype)
    b = np.random.default_rng(0).random(900).astype(dtype)
    ours = PacketedSpMV(A, True, dtype)
    diagonal = ours.permute(to_gpu((1 / A.diagonal()).astype(dtype)))
    precon = DiagonalPreconditioner(diagonal)
    x, iterations, _ = solve_pkt_with_cg(ours, to_gpu(b), precon, tol=tol)
    assert x.dtype == np.dtype(dtype)
    assert np.linalg.norm(A.astype("d") @ x.get() - b) / np.linalg.norm(b) < 1e-2
    again = solve_pkt_with_cg(ours, to_gpu(b), precon, tol=tol)
    assert again[0].get().tobytes() == x.get().tobytes() and again[1:] == (iterations, again[2])
    guess = x.copy()
    solve_pkt_with_cg(ours, to_gpu(b), precon, guess, tol=0.5)
    assert guess.get().tolist() == x.get().tolist()


@pytest.mark.parametrize("complex_", [False, True])
def test_the_state_step_by_step(complex_):
    A = with_condition(60, 50, complex_)
    b = np.random.default_rng(0).random(60).astype(A.dtype)
    state = CGStateContainer(CoordinateSpMV(A, A.dtype))
    state.reset(to_gpu(b))
    x, r = np.zeros(60, A.dtype), b.copy()
    d = r.copy()
    for step in range(8):
        state.one_iteration(compute_real_residual=step % 3 == 2)
        q = A @ d
        before = np.vdot(r, r)
        alpha = before / np.vdot(d, q)
        x, r = x + alpha * d, r - alpha * q
        d = r + np.vdot(r, r) / before * d
        close(state.x, x, "d")
        close(state.residual, r, "d")
        close(state.d, d, "d")
        close(state.delta, np.vdot(r, r), "d")
    assert len(state.real_delta_queue) == 3
    seen = []
    result = state.run(tol=1e-10, debug_callback=lambda *given: seen.append(given))
    assert result is state.x
    assert np.linalg.norm(A @ result.get() - b) / np.linalg.norm(b) < 1e-9
    assert {each[0] for each in seen} <= {"it", "it+residual", "end"}
    assert [each[1] for each in seen if each[0] != "end"] == list(
        range(sum(e[0] != "end" for e in seen))
    )


def test_runs_that_end_otherwise():
    A = poisson(30, 30)
    state = CGStateContainer(CoordinateSpMV(A, "d"))
    state.reset(to_gpu(np.ones(900)))
    with pytest.raises(ConvergenceError, match="5 iterations"):
        state.run(max_iterations=5)
    state.reset(to_gpu(np.zeros(900)))
    assert not state.run().get().any()
    broken = CGStateContainer(CoordinateSpMV(A * np.nan, "d"))
    broken.reset(to_gpu(np.ones(900)))
    with pytest.raises(ConvergenceError, match="overflowed"):
        broken.run()
    assert issubclass(ConvergenceError, RuntimeError)


def test_linear_combinations_and_guarded_quotients():
    state = CGStateContainer(IdentityOperator(np.float32, 3))
    x, y = np.array([1, 2, 3], "f"), np.array([10, 20, 30], "f")
    two, three = to_gpu(np.array(2, "f")), to_gpu(np.array(3, "f"))
    for a in (2, 2.0, two):
        for b in (3, 3.0, three):
            made = state.lc2(a, to_gpu(x), b, to_gpu(y))
            assert made.dtype == np.float32 and made.get().tolist() == (2 * x + 3 * y).tolist()
    out = to_gpu(x)
    assert state.lc2(2, out, -three, to_gpu(y), out=out) is out
    assert out.get().tolist() == (2 * x - 3 * y).tolist()
    with pytest.raises(ValueError, match="float64"):
        state.lc2(1, to_gpu(x), 1, to_gpu(y.astype("d")))
    quotient = state.guarded_div(to_gpu(np.array([1, 2, 0])), to_gpu(np.array([2.0, 0, 0])))
    assert quotient.dtype == np.float64 and quotient.get().tolist() == [0.5, 0, 0]
    with pytest.raises(ValueError, match=r"\(3,\) and \(\)"):
        state.guarded_div(to_gpu(x), two)


@pytest.mark.parametrize("allocator", [None, cuda.pagelocked_empty])
def test_inner_products_come_later(allocator):
    a = np.array([1, 2 + 1j, 3j], "F")
    b = np.array([2, 1j, 1], "F")
    product = AsyncInnerProduct(to_gpu(a), to_gpu(b), allocator)
    assert product.gpu_result.get() == np.vdot(a, b)
    value = None
    while value is None:  # asks as long as it takes
        value = product.get_host_result()
    assert value == np.vdot(a, b)
    assert product.get_host_result() == product.wait() == value
    assert AsyncInnerProduct(to_gpu(a), to_gpu(b), allocator).wait() == value
    used = inner.STREAM_POOL[-1]
    assert get_stream() is used
    assert isinstance(used, cuda.Stream)


def test_operators():
    identity = IdentityOperator(np.float32, 4)
    assert identity.shape == (4, 4) and identity.dtype == np.float32
    x = zeros(4, "f")
    assert identity(x) is x
    diagonal = DiagonalPreconditioner(to_gpu(np.arange(4.0)))
    assert diagonal.shape == (4, 4) and diagonal.dtype == np.float64
    assert diagonal(to_gpu(np.full(4, 2.0))).get().tolist() == [0, 2, 4, 6]
    for name in ("shape", "dtype"):
        with pytest.raises(NotImplementedError):
            getattr(OperatorBase(), name)
    with pytest.raises(NotImplementedError):
        OperatorBase()(x)


SCRIPT = """
import sys, warnings
warnings.filterwarnings("ignore", message="The default value for `spmatrix`")  # of SciPy's mmread
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.sparse.cg import solve_pkt_with_cg
from pycuda.sparse.operator import DiagonalPreconditioner
from pycuda.sparse.packeted import PacketedSpMV
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool
from scipy.io import mmread

device, host = DeviceMemoryPool(), PageLockedMemoryPool()
matrix = mmread(sys.argv[1]).tocsr().astype(np.float32)
spmv = PacketedSpMV(matrix, True, matrix.dtype)
inverse = gpuarray.to_gpu(1 / matrix.diagonal(), allocator=device.allocate)
right = np.random.default_rng(0).random(spmv.shape[0]).astype(spmv.dtype)
start, stop = drv.Event(), drv.Event()
start.record()
found, iterations, residuals = solve_pkt_with_cg(
    spmv, gpuarray.to_gpu(right, device.allocate), DiagonalPreconditioner(spmv.permute(inverse)),
    tol=5e-5, pagelocked_allocator=host.allocate)
stop.record()
stop.synchronize()
error = np.linalg.norm(matrix @ found.get() - right) / np.linalg.norm(right)
print(error < 1e-3, iterations > residuals > 0, stop.time_since(start) > 0)
host.stop_holding()
device.stop_holding()
"""


def test_a_script_for_pycuda_solves_a_matrix_market_file(tmp_path: Path):
    matrix = tmp_path / "grid.mtx"
    scipy.io.mmwrite(matrix, host.coo_matrix(poisson(40, 40)))
    script = tmp_path / "solve.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "lathe.as_pycuda", str(script), str(matrix)],
        capture_output=True, text=True, env=script_environment(),
    )  # fmt: skip
    assert done.stdout.split() == ["True"] * 3, done.stderr
    assert not done.stderr


def test_pools_hold_what_solvers_use():
    pool = DeviceMemoryPool()
    ours = PacketedSpMV(poisson(20, 20), True, "f")
    x, _, _ = solve_pkt_with_cg(ours, to_gpu(np.ones(400, "f"), pool.allocate), tol=1e-3)
    assert x.allocator == pool.allocate and pool.active_blocks > 0
