# SPDX-License-Identifier: MIT
"""`lathe.cuda.cumath`: PyCUDA's calls; values are compared in test_array_ufuncs.py."""

import numpy as np
import pytest

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    cumath,
    driver,
    gpuarray,
)

HOST = np.linspace(0.1, 0.9, 100).astype(np.float32)


@pytest.mark.parametrize(
    "name",
    ["fabs", "ceil", "floor", "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos",
     "atan", "sinh", "cosh", "tanh"],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.float16])
def test_pycudas_functions(name, dtype):
    theirs = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name)
    host = np.ones(7, np.int32) if dtype is np.int32 else HOST.astype(dtype)
    found = getattr(cumath, name)(gpuarray.to_gpu(host)).get()
    wanted = getattr(np, theirs)(host)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol={2: 2e-3, 4: 2e-6}.get(found.itemsize, 1e-14))


def test_out_and_stream():
    stream = driver.Stream()
    array = gpuarray.to_gpu(HOST)
    out = gpuarray.empty_like(array)
    assert cumath.sin(array, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_allclose(out.get(), np.sin(HOST), rtol=2e-6)


def test_b23_positional_out_is_used():
    array = gpuarray.to_gpu(HOST)
    out = gpuarray.zeros_like(array)
    with pytest.warns(DeprecationWarning, match="keyword"):
        assert cumath.sqrt(array, out) is out
    np.testing.assert_allclose(out.get(), np.sqrt(HOST), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_b24_functions_of_two_numbers_know_their_types(dtype):
    a = np.array([5.5, -5.5, 3, 0.75], dtype)
    b = np.array([2, 2, 0.7, 8], dtype)
    on_device = gpuarray.to_gpu(a)
    np.testing.assert_array_equal(cumath.fmod(on_device, gpuarray.to_gpu(b)).get(), np.fmod(a, b))
    exponents = np.array([1, -2, 3, 0], np.int32)
    found = cumath.ldexp(on_device, gpuarray.to_gpu(exponents))
    np.testing.assert_array_equal(found.get(), np.ldexp(a, exponents))
    assert found.dtype == dtype
    for ours, theirs in [(cumath.frexp, np.frexp), (cumath.modf, np.modf)]:
        for found, wanted in zip(ours(on_device), theirs(a), strict=True):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found.get(), wanted)


def test_shapes_are_compared():
    with pytest.raises(ValueError, match=r"\(3,\) \(4,\)"):
        cumath.fmod(gpuarray.zeros(3, np.float32), gpuarray.zeros(4, np.float32))


def test_host_arrays_are_refused():
    with pytest.raises(TypeError, match="to_gpu"):
        cumath.sin(HOST)
