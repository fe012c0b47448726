# SPDX-License-Identifier: MIT
"""The inspector finds no hazard in kernels of arrays: operations on sizes that fill no block, and
in layouts with gaps, with results beside NumPy's. tests/apps/test_inspected.py has programs."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest

import lathe
import lathe.array_api as xp
import lathe.cuda.cumath as cumath
import lathe.cuda.curandom as curandom
import lathe.cuda.gpuarray as gpuarray
import lathe.sparse
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.reduction import ReductionKernel
from lathe.cuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.software

COUNT = 20011
FLOATS = np.random.default_rng(1).uniform(0.1, 0.9, COUNT).astype(np.float32)
NUMBERS = np.random.default_rng(2).integers(1, 100, COUNT).astype(np.int32)
MATRIX = np.random.default_rng(3).integers(0, 50, (67, 129)).astype(np.float32)


@contextlib.contextmanager
def clean(lines: int = 1):
    """Kernels ran in the block, of so many lines together, and nothing was found."""
    with lathe.inspect() as report:
        yield
    assert len(report.rows) >= lines
    assert not report.findings, "\n".join(map(str, report.findings))


def same(got, wanted, tolerance=0.0):
    np.testing.assert_allclose(got.get(), wanted, rtol=tolerance, atol=tolerance)


def test_a_hazard_would_be_found():
    kernel = lathe.kernel("""__global__ void shift(float* x) {
        x[threadIdx.x] = x[(threadIdx.x + 1) % blockDim.x]; }""")
    with pytest.raises(AssertionError, match="data race in global memory"), clean():
        kernel[1, 64](lathe.asarray(FLOATS))


# -- elementwise -----------------------------------------------------------------------------------

UNARY = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp",
    "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2",
    "negative", "positive", "reciprocal", "round", "sign", "signbit", "sin", "sinh", "sqrt",
    "square", "tan", "tanh", "trunc",
]  # fmt: skip
BINARY = [
    "add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal",
    "hypot", "less", "less_equal", "logaddexp", "maximum", "minimum", "multiply", "nextafter",
    "not_equal", "pow", "remainder", "subtract",
]  # fmt: skip
OF_INTEGERS = [
    "add", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
    "bitwise_right_shift", "floor_divide", "remainder", "multiply", "maximum", "less",
]  # fmt: skip
OF_BOOLEANS = ["logical_and", "logical_or", "logical_xor", "equal"]


def test_functions_of_one_array():
    inside = {"acosh": FLOATS + 1}
    with clean(), np.errstate(all="ignore"):
        for name in UNARY:
            values = inside.get(name, FLOATS)
            same(getattr(xp, name)(lathe.asarray(values)), getattr(np, name)(values), 1e-5)
        same(xp.bitwise_invert(lathe.asarray(NUMBERS)), ~NUMBERS)
        same(xp.logical_not(lathe.asarray(NUMBERS > 50)), NUMBERS <= 50)


def test_functions_of_two_arrays():
    with clean():
        x, y = lathe.asarray(FLOATS), lathe.asarray(FLOATS[::-1].copy())
        for name in BINARY:
            same(getattr(xp, name)(x, y), getattr(np, name)(FLOATS, FLOATS[::-1]), 1e-5)
        n, m = lathe.asarray(NUMBERS), lathe.asarray(NUMBERS % 7 + 1)
        for name in OF_INTEGERS:
            same(getattr(xp, name)(n, m), getattr(np, name)(NUMBERS, NUMBERS % 7 + 1))
        a, b = NUMBERS > 50, NUMBERS % 2 == 0
        for name in OF_BOOLEANS:
            same(getattr(xp, name)(lathe.asarray(a), lathe.asarray(b)), getattr(np, name)(a, b))


def test_views_broadcasts_and_updates():
    with clean():
        m = lathe.asarray(MATRIX)
        same(m[::2, 1::3] + m[1::2, 1::3][0], MATRIX[::2, 1::3] + MATRIX[1::2, 1::3][0])
        same(m.T * m.T[:, :1], MATRIX.T * MATRIX.T[:, :1])
        same(m[::-1, ::-1].copy(), MATRIX[::-1, ::-1])
        m[1:60:2] = m[0:59:2]
        m += 2
        m[:, 3] = 7
        wanted = MATRIX.copy()
        wanted[1:60:2] = wanted[0:59:2]
        wanted += 2
        wanted[:, 3] = 7
        same(m, wanted)
        same(xp.astype(m, xp.int16), wanted.astype(np.int16))
        same(xp.astype(lathe.asarray(NUMBERS), xp.float64), NUMBERS.astype(np.float64))
        same(xp.where(m > 20, m, -m), np.where(wanted > 20, wanted, -wanted))
        same(xp.clip(m, 3, 9), np.clip(wanted, 3, 9))


def test_complex_numbers_and_cumath():
    z = (FLOATS + 1j * FLOATS[::-1]).astype(np.complex64)
    with clean(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d = gpuarray.to_gpu(z)
        same((d * d.conj()).real, np.abs(z) ** 2, 1e-5)
        same(d.imag, z.imag)
        same(cumath.exp(d), np.exp(z), 1e-5)
        x = gpuarray.to_gpu(FLOATS)
        fraction, exponent = cumath.frexp(x)
        same(cumath.ldexp(fraction, exponent), FLOATS)
        same(cumath.fmod(x, x + 1), FLOATS)


# -- creation and arrangement ----------------------------------------------------------------------


def test_creation():
    with clean():
        same(xp.arange(COUNT, dtype=xp.int32), np.arange(COUNT))
        same(xp.linspace(0, 1, 1001, dtype=xp.float64), np.linspace(0, 1, 1001), 1e-12)
        same(xp.eye(67, 129, k=3), np.eye(67, 129, k=3))
        same(xp.full((67, 3), 2.5), np.full((67, 3), 2.5))
        same(xp.tril(lathe.asarray(MATRIX), k=-1), np.tril(MATRIX, -1))
        same(xp.triu(lathe.asarray(MATRIX), k=2), np.triu(MATRIX, 2))
        for got, wanted in zip(
            xp.meshgrid(xp.arange(5), xp.arange(7)),
            np.meshgrid(np.arange(5), np.arange(7)),
            strict=True,
        ):
            same(got, wanted)


def test_arrangement():
    with clean():
        m = lathe.asarray(MATRIX)
        same(xp.concat([m, m[:5], m[::2]]), np.concatenate([MATRIX, MATRIX[:5], MATRIX[::2]]))
        same(xp.stack([m, m + 1], axis=1), np.stack([MATRIX, MATRIX + 1], 1))
        same(xp.roll(m, (3, -2), axis=(0, 1)), np.roll(MATRIX, (3, -2), (0, 1)))
        same(xp.flip(m, axis=1), np.flip(MATRIX, 1))
        same(xp.repeat(m, 3, axis=1), np.repeat(MATRIX, 3, 1))
        same(xp.tile(m, (2, 3)), np.tile(MATRIX, (2, 3)))
        same(xp.permute_dims(xp.reshape(m, (67, 43, 3)), (2, 0, 1)).copy(),
             MATRIX.reshape(67, 43, 3).transpose(2, 0, 1))  # fmt: skip
        same(xp.diff(m, axis=1), np.diff(MATRIX, axis=1))


def test_taking_and_putting():
    places = np.random.default_rng(4).permutation(COUNT)[:5003].astype(np.int32)
    with clean():
        x = lathe.asarray(FLOATS)
        same(xp.take(x, lathe.asarray(places)), FLOATS[places])
        same(x[lathe.asarray(places)], FLOATS[places])
        x[lathe.asarray(places)] = lathe.asarray(FLOATS[:5003])
        wanted = FLOATS.copy()
        wanted[places] = FLOATS[:5003]
        same(x, wanted)
        x[x > 0.5] = 0
        same(x[x > 0.25], np.where(wanted > 0.5, 0, wanted)[(wanted > 0.25) & (wanted <= 0.5)])
        order = np.argsort(MATRIX, axis=1)
        got = xp.take_along_axis(lathe.asarray(MATRIX), lathe.asarray(order), axis=1)
        same(got, np.sort(MATRIX, 1))
        (at,) = xp.nonzero(lathe.asarray(NUMBERS) > 90)
        same(at, np.flatnonzero(NUMBERS > 90))
        same(xp.isin(lathe.asarray(NUMBERS), lathe.asarray(NUMBERS[:9])),
             np.isin(NUMBERS, NUMBERS[:9]))  # fmt: skip


# -- reductions, scans, sorting --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sum", "max", "mean", "std"])
def test_reductions(name):
    with clean(), np.errstate(over="ignore"):
        x, m = lathe.asarray(FLOATS + 0.5), lathe.asarray(MATRIX % 3 + 0.5)
        of, by = getattr(xp, name), getattr(np, name)
        same(of(x), by(FLOATS.astype(np.float64) + 0.5), 1e-3)
        wanted = MATRIX.astype(np.float64) % 3 + 0.5
        for axis in (0, 1):
            same(of(m, axis=axis), by(wanted, axis=axis), 1e-4)
        same(of(m.T[::2], axis=0), by(wanted.T[::2], axis=0), 1e-4)


def test_reductions_to_booleans_and_places():
    with clean():
        x, m = lathe.asarray(FLOATS), lathe.asarray(MATRIX)
        same(xp.any(m > 40, axis=1), np.any(MATRIX > 40, axis=1))
        same(xp.count_nonzero(m > 40), np.count_nonzero(MATRIX > 40))
        assert int(xp.argmax(x).get()) == FLOATS.argmax()
        same(xp.argmin(m, axis=0), MATRIX.argmin(0))
        same(xp.argmax(m, axis=1), MATRIX.argmax(1))
        dot = ReductionKernel(np.float32, "0", "a + b", "x[i] * y[i]", "float* x, float* y")
        same(dot(x, x), FLOATS.astype(np.float64) @ FLOATS, 1e-4)


def test_scans():
    with clean():
        n, m = lathe.asarray(NUMBERS), lathe.asarray(MATRIX)
        same(xp.cumulative_sum(n), np.cumsum(NUMBERS))
        same(xp.cumulative_sum(m, axis=0), np.cumsum(MATRIX, 0))
        same(xp.cumulative_sum(m, axis=1), np.cumsum(MATRIX, 1))
        same(xp.cumulative_prod(lathe.asarray(FLOATS[:300] + 0.6)),
             np.cumprod(FLOATS[:300] + 0.6), 1e-4)  # fmt: skip
        same(InclusiveScanKernel(np.int32, "a + b")(n.copy()), np.cumsum(NUMBERS))
        same(InclusiveScanKernel(np.int32, "max(a, b)")(n.copy()), np.maximum.accumulate(NUMBERS))
        same(ExclusiveScanKernel(np.int32, "a + b", 0)(n.copy()), np.cumsum(NUMBERS) - NUMBERS)


def test_sorting():
    with clean():
        x, n, m = lathe.asarray(FLOATS), lathe.asarray(NUMBERS), lathe.asarray(MATRIX)
        same(xp.sort(x), np.sort(FLOATS))
        same(xp.sort(n, descending=True), np.sort(NUMBERS)[::-1])
        same(xp.sort(m, axis=0), np.sort(MATRIX, 0))
        same(xp.sort(m, axis=1), np.sort(MATRIX, 1))
        same(xp.argsort(n, stable=True), np.argsort(NUMBERS, stable=True))
        same(xp.searchsorted(xp.sort(x), x[:777]), np.searchsorted(np.sort(FLOATS), FLOATS[:777]))
        same(xp.unique_values(n), np.unique(NUMBERS))
        for got, wanted in zip(xp.unique_all(n), np.unique_all(NUMBERS), strict=True):
            same(got, wanted)


# -- random numbers, products, and what users give code to -----------------------------------------


def test_random_numbers():
    with clean():
        g = lathe.random.default_rng(5)
        assert 0.4 < float(g.random(COUNT).mean().get()) < 0.6
        assert abs(float(g.normal(size=(67, 129)).mean().get())) < 0.1
        assert int(g.integers(0, 10, COUNT).max().get()) == 9
        same(xp.sort(g.permutation(5003)), np.arange(5003))
        got = curandom.XORWOWRandomNumberGenerator().gen_uniform(10007, np.float32).get()
        assert 0.45 < got.mean() < 0.55


def test_products_and_spectra():
    a, b = MATRIX, MATRIX.T.copy()
    with clean():
        same(lathe.asarray(a) @ lathe.asarray(b), a @ b, 1e-4)
        same(xp.matmul(lathe.asarray(a)[:, 1:], lathe.asarray(a).T[1:]), a[:, 1:] @ a.T[1:], 1e-4)
        same(xp.tensordot(lathe.asarray(a), lathe.asarray(b), axes=1), a @ b, 1e-4)
        same(xp.vecdot(lathe.asarray(a), lathe.asarray(a)), (a * a).sum(1), 1e-4)
        same(lathe.fft.fftshift(lathe.asarray(a)), np.fft.fftshift(a))
        got = lathe.linalg.einsum("ij,kj->ik", lathe.asarray(a), lathe.asarray(a))
        same(got, a @ a.T, 1e-4)


def test_sparse_products():
    rows, columns = np.nonzero(MATRIX > 40)
    dense = np.where(MATRIX > 40, MATRIX, 0)
    with clean():
        for kind in (lathe.sparse.coo_array, lathe.sparse.csr_array, lathe.sparse.ell_array):
            matrix = kind(dense)
            same(matrix @ lathe.asarray(FLOATS[:129]), dense @ FLOATS[:129], 1e-4)
            same(matrix.todense() if hasattr(matrix, "todense") else matrix.toarray(), dense)
    assert len(rows) == len(columns) > 100


def test_kernels_that_users_write():
    with clean():
        x, y = lathe.asarray(FLOATS), lathe.asarray(FLOATS * 2)
        z = gpuarray.empty_like(x)
        ElementwiseKernel("float* x, float* y, float* z", "z[i] = 2 * x[i] + y[i]")(x, y, z)
        same(z, 4 * FLOATS, 1e-6)
        same(gpuarray.if_positive(x - 0.5, x, y), np.where(FLOATS > 0.5, FLOATS, 2 * FLOATS))
        same(gpuarray.dot(x, y), 2 * (FLOATS.astype(np.float64) @ FLOATS), 1e-4)
        fused = lathe.fuse(lambda a, b: xp.sqrt(a * a + b * b))
        same(fused(x, y), np.hypot(FLOATS, 2 * FLOATS), 1e-5)
