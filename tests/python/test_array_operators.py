# SPDX-License-Identifier: MIT
"""Operators of GPUArray beside NumPy: broadcasting, types, order of axes, overlap."""

import operator

import numpy as np
import pytest
from array_cases import DTYPES, assert_same, layouts, numbers

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    gpuarray,
)
from lathe.cuda.gpuarray import to_gpu

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip
BITS = [operator.and_, operator.or_, operator.xor]


@pytest.mark.parametrize("function", OPERATORS + BITS)
def test_operators_broadcast_and_promote(function):
    random = np.random.default_rng(4)
    kinds = "?bBiIqQ" if function in BITS else "bBhiIqQefdFD"
    for _ in range(40):
        a_type, b_type = (np.dtype(str(random.choice(list(kinds)))) for _ in "ab")
        a, b = numbers((3, 1, 4), a_type, 5), numbers((2, 4), b_type, 6)
        b = np.where(b == 0, np.ones_like(b), b)
        pairs = [(a, b), (b, a), (a[..., ::-1], b.T[:, ::-1].T)]
        for x, y in pairs:
            try:
                with np.errstate(all="ignore"):
                    wanted = function(x, y)
            except TypeError:
                with pytest.raises(TypeError):
                    function(to_gpu(x), to_gpu(y))
                continue
            found = function(to_gpu(x), to_gpu(y))
            assert found.dtype == wanted.dtype, (a_type, b_type)
            tolerance = 1e-3 if wanted.dtype == np.float16 else 1e-6
            np.testing.assert_allclose(found.get(), wanted, rtol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "number", [2, 2.5, True, 1 + 2j, np.float32(1.5), np.int8(3), np.float64(0.1)]
)
def test_numbers_adapt_as_in_numpy_2(dtype, number):
    host = numbers(20, dtype)
    array = to_gpu(host)
    for function in [operator.add, operator.mul]:
        for ours, theirs in [
            (lambda f=function: f(array, number), lambda f=function: f(host, number)),
            (lambda f=function: f(number, array), lambda f=function: f(number, host)),
        ]:
            wanted = theirs()
            found = ours()
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(
                found.get(), wanted, rtol=2e-3 if wanted.itemsize == 2 else 1e-6
            )


def test_results_keep_the_order_of_axes():
    for shape in [(3, 4), (2, 3, 4)]:
        for theirs, ours in layouts(numbers(shape)):
            assert_same(ours + ours, theirs + theirs)
            assert_same(-ours, -theirs)
            assert_same(ours + ours.copy("C"), theirs + theirs.copy("C"))
            assert_same(ours.astype(np.float64), theirs.astype(np.float64))  # B13
            assert_same(ours.copy(), theirs.copy(order="K"))


def test_in_place():
    for dtype in [np.int32, np.float32, np.complex64]:
        host = numbers((4, 5), dtype)
        array = to_gpu(host)
        for name, value in [("iadd", 3), ("isub", 1), ("imul", 2)]:
            array = getattr(operator, name)(array, value)
            host = getattr(operator, name)(host, value)
        array += array.T[:4, :1]
        host += host.T[:4, :1].copy()
        assert_same(array, host)
    array = to_gpu(numbers(5, np.int32))
    with pytest.raises(TypeError, match=r"Cannot cast ufunc 'divide' output.*float64.*int32"):
        array /= 2
    with pytest.raises(ValueError, match=r"non-broadcastable output.*\(5,\).*\(2, 5\)"):
        array += to_gpu(numbers((2, 5), np.int32))


def test_b16_divisions_and_comparisons():
    array = to_gpu(np.array([1, 2, 3], np.int32))
    assert_same(array / 2, np.array([0.5, 1, 1.5]))
    assert_same(array / array, np.ones(3))
    assert (array == 2).dtype == np.bool_
    assert (array == None) is False  # noqa: E711
    assert_same(divmod(array, 2)[1], np.array([1, 0, 1], np.int32))
    assert_same(array**2, np.array([1, 4, 9], np.int32))
    assert_same(2**array, np.array([2, 4, 8], np.int32))


def test_integers_beyond_the_type():
    array = to_gpu(np.array([0, 200, 255], np.uint8))
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        array + 300
    with pytest.raises(OverflowError):
        array + -1
    for number in [300, -1, 10**30, -(10**30), 2**63]:
        assert_same(array < number, np.array([0, 200, 255], np.uint8) < number)
        assert_same(array == number, np.array([0, 200, 255], np.uint8) == number)
    signed, unsigned = np.array([-1, 2**62], np.int64), np.array([2**64 - 1, 2**62], np.uint64)
    assert_same(to_gpu(signed) == to_gpu(unsigned), signed == unsigned)
    assert_same(to_gpu(signed) < to_gpu(unsigned), signed < unsigned)


def test_mul_add_and_its_timer():
    a, b = numbers(100), numbers(100, seed=1)
    seen = []
    found = to_gpu(a).mul_add(2, to_gpu(b), 3, add_timer=lambda n, f: seen.append((n, f())))  # B17
    assert_same(found, 2 * a + 3 * b)
    assert seen[0][0] == 100
    assert seen[0][1] >= 0


def test_where_maximum_logical():
    a, b = numbers((4, 5)), numbers((4, 5), seed=1)
    x, y = to_gpu(a), to_gpu(b)
    assert_same(gpuarray.if_positive(x, y, x), np.where(a > 0, b, a))
    assert_same(gpuarray.where(x > y, x, 0), np.where(a > b, a, np.float32(0)))
    assert_same(gpuarray.maximum(x, y), np.maximum(a, b))
    assert_same(gpuarray.minimum(x, 3), np.minimum(a, 3))
    nan = to_gpu(np.array([np.nan, 1], np.float32))
    assert_same(gpuarray.maximum(nan, 0), np.array([0, 1], np.float32))
    assert_same(np.maximum(nan, 0), np.array([np.nan, 1], np.float32))
    out = gpuarray.empty((4, 5), np.bool_)
    assert gpuarray.logical_and(x > 0, y > 0, out=out) is out  # B18
    assert_same(out, (a > 0) & (b > 0))
    for function in [gpuarray.maximum, gpuarray.minimum]:  # B14
        with pytest.raises(ValueError, match=r"\(4, 5\) \(3,\)"):
            function(x, to_gpu(numbers(3)))
    with pytest.raises(ValueError):
        gpuarray.where(x > 0, to_gpu(numbers(3)), y)
