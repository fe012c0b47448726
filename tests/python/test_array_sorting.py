# SPDX-License-Identifier: MIT
"""Prefixes, sorting, selection and counts against NumPy: types, sizes, axes, strides, NaN."""

from __future__ import annotations

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.array import counting
from lathe.array import sorting as s
from lathe.cuda.gpuarray import to_gpu, zeros

TYPES = [
    np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128,
]  # fmt: skip
REALS = [t for t in TYPES if np.dtype(t).kind != "c"]
SHAPES = [(1,), (40,), (5000,), (20_000,), (3, 700), (500, 6), (4, 5, 30), (0,), (3, 0)]


def values(shape, dtype, seed=1, special=True):
    """Numbers with duplicates, and NaN, infinity and both zeros among floats."""
    rng = np.random.default_rng([seed, *shape])
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        parts = [values(shape, dtype.type(0).real.dtype, seed + k, special) for k in (1, 2)]
        made = np.empty(shape, dtype)
        made.real, made.imag = parts
        return made
    if dtype.kind == "f":
        made = (rng.normal(size=shape) * 4).astype(dtype)
        if special:
            odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -1.5], dtype)
            return np.where(rng.random(shape) < 0.3, rng.choice(odd, shape), made)
        return made
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    few = rng.integers(max(info.min, -5), 6, shape).astype(dtype)
    many = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return np.where(rng.random(shape) < 0.5, few, many)


def same_bits(got, expected):
    """The same values, with their zeros' signs, NaN as NaN."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)
    if got.dtype.kind in "fc":
        for part in ("real", "imag"):
            a, b = getattr(got, part), getattr(expected, part)
            zero = b == 0
            np.testing.assert_array_equal(np.signbit(a[zero]), np.signbit(b[zero]))


def axes(shape):
    return [None, *range(-len(shape), len(shape))]


@pytest.mark.parametrize("dtype", TYPES)
def test_sort_and_argsort(dtype):
    for shape in SHAPES:
        host = values(shape, dtype)
        for axis in axes(shape):
            same_bits(s.sort(to_gpu(host), axis).get(), np.sort(host, axis, kind="stable"))
            expected = np.argsort(host, axis, kind="stable")
            same_bits(s.argsort(to_gpu(host), axis).get(), expected.astype(np.int64))


def test_views_are_sorted_as_seen():
    host = values((60, 90), np.float32)
    array = to_gpu(host)
    for view in (np.s_[::-1, ::2], np.s_[5:, 3], np.s_[:, ::-3]):
        same_bits(s.sort(array[view]).get(), np.sort(host[view], kind="stable"))
        same_bits(s.argsort(array[view], 0).get(), np.argsort(host[view], 0, kind="stable"))
    same_bits(s.sort(array.T, 1).get(), np.sort(host.T, 1, kind="stable"))
    np.testing.assert_array_equal(array.get(), host)
    assert s.partition(array, 4, 1).get()[0, 4] == np.partition(host, 4, 1)[0, 4]
    with pytest.raises(ValueError, match="out of bounds"):
        s.partition(array, 90)
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        s.sort(array, 2)


@pytest.mark.parametrize("dtype", TYPES)
def test_cumsum_and_cumprod(dtype):
    for shape in SHAPES:
        host = values(shape, dtype, special=False)
        for axis in axes(shape):
            with np.errstate(over="ignore", invalid="ignore"):
                expected = np.cumsum(host, axis)
                exact = np.cumsum(host.astype(np.result_type(dtype, np.float64)), axis)
            got = s.cumsum(to_gpu(host), axis).get()
            assert got.dtype == expected.dtype and got.shape == expected.shape
            if got.dtype.kind in "fc":
                # Sums of k numbers are off by at most k roundings; pairs by pairs by far fewer.
                rounding = np.finfo(got.dtype).eps * 40
                scale = np.cumsum(np.abs(host).astype(np.float64), axis)
                assert np.all(np.abs(got - exact) <= rounding * scale + 1e-30)
            else:
                np.testing.assert_array_equal(got, expected)
        ones = np.where(values(shape, np.int8) % 3 == 0, -1, 1).astype(dtype)
        with np.errstate(over="ignore"):
            got = s.cumprod(to_gpu(ones), 0).get()
            assert got.dtype == np.cumprod(ones, 0).dtype
            np.testing.assert_array_equal(got, np.cumprod(ones, 0))


@pytest.mark.parametrize("dtype", REALS)
def test_running_extremes(dtype):
    host = values((3, 3000), dtype)
    for name in ("maximum", "minimum"):
        for axis in (0, 1):
            got = s.accumulate(name, to_gpu(host), axis).get()
            np.testing.assert_array_equal(got, getattr(np, name).accumulate(host, axis))


def test_numpy_asks_for_them():
    host = values((50, 60), np.float32, special=False)
    array = to_gpu(host)
    np.testing.assert_array_equal(np.sort(array, axis=0, kind="stable").get(), np.sort(host, 0))
    np.testing.assert_array_equal(
        np.argsort(array, stable=True).get(), np.argsort(host, stable=True)
    )
    out = to_gpu(np.zeros((50, 60)))
    assert np.cumsum(array, axis=1, out=out) is out
    np.testing.assert_allclose(out.get(), np.cumsum(host, 1), atol=1e-3)
    whole = to_gpu(np.array([3, 1, 3], np.int32))
    np.testing.assert_array_equal(np.unique(whole, return_counts=True)[1].get(), [1, 2])
    np.testing.assert_array_equal(np.bincount(whole, minlength=5).get(), [0, 1, 0, 2, 0])
    np.testing.assert_array_equal(np.histogram(whole, bins=2)[0].get(), [1, 2])
    np.testing.assert_array_equal(np.nonzero(whole == 3)[0].get(), [0, 2])
    with pytest.raises(ValueError, match="out has shape"):
        s.cumsum(array, out=out)
    with pytest.raises(ValueError, match="kind"):
        s.sort(array, kind="bubble")
    with pytest.raises(ValueError, match="axis=None"):
        s.unique(array, axis=0)


def test_streams():
    # Temporaries go back to the pool while the work that uses them is still to come.
    host = [values((3, 3001), np.int32, seed) for seed in range(6)]
    streams = [cuda.Stream() for _ in range(3)]
    made = []
    arrays = [to_gpu(each) for each in host]
    cuda.Context.synchronize()
    for array, stream in zip(arrays, streams * 2, strict=True):
        made.append((s.sort(array, stream=stream), s.cumsum(array, 0, stream=stream)))
    cuda.Context.synchronize()
    for each, (sorted_, sums) in zip(host, made, strict=True):
        np.testing.assert_array_equal(sorted_.get(), np.sort(each))
        np.testing.assert_array_equal(sums.get(), np.cumsum(each, 0))


def test_types_of_prefixes():
    host = values((2000,), np.int8)
    array = to_gpu(host)
    for dtype in (np.int8, np.int32, np.float32, np.float64):
        expected = np.cumsum(host, dtype=dtype)
        got = s.cumsum(array, dtype=dtype).get()
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(
        s.accumulate("bitwise_xor", array).get(), np.bitwise_xor.accumulate(host)
    )
    with pytest.raises(TypeError, match="cannot be accumulated"):
        s.accumulate("less", array)
    first = s.cumsum(to_gpu(values((70_000,), np.float32, special=False))).get()
    again = s.cumsum(to_gpu(values((70_000,), np.float32, special=False))).get()
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("dtype", TYPES)
def test_unique(dtype):
    for shape in ((1,), (3000,), (40, 50), (0,)):
        host = values(shape, dtype)
        got = s.unique(to_gpu(host), True, True, True)
        expected = np.unique(host, True, True, True)
        if np.dtype(dtype).kind == "c":
            # NumPy counts complex NaNs as one by their sorted place; the parts agree all the same.
            assert got[0].size == expected[0].size
        for mine, theirs in zip(got, expected, strict=True):
            np.testing.assert_array_equal(mine.get().ravel(), theirs.ravel())
        assert got[2].shape == host.shape
        np.testing.assert_array_equal(s.unique(to_gpu(host)).get(), expected[0])
        alone = s.unique(to_gpu(host), return_counts=True)
        np.testing.assert_array_equal(alone[1].get(), expected[3])


@pytest.mark.parametrize("dtype", TYPES)
def test_selection(dtype):
    for shape in SHAPES:
        host = values(shape, dtype)
        array = to_gpu(host)
        for mine, theirs in zip(s.nonzero(array), np.nonzero(host), strict=True):
            np.testing.assert_array_equal(mine.get(), theirs)
        np.testing.assert_array_equal(s.flatnonzero(array).get(), np.flatnonzero(host))
        mask = values(shape, np.bool_, 5)
        same_bits(s.extract(to_gpu(mask), array).get(), host[mask])


def test_compress_along_axes():
    host = values((7, 9, 4), np.int32)
    array = to_gpu(host)
    for axis, size in ((0, 7), (1, 5), (2, 4), (-1, 3), (None, 200)):
        mask = values((size,), np.bool_)
        np.testing.assert_array_equal(
            s.compress(mask, array, axis).get(), np.compress(mask, host, axis)
        )
    with pytest.raises(ValueError, match="1-d"):
        s.compress(np.ones((2, 2)), array)
    with pytest.raises(IndexError, match="8 elements, the axis 7"):
        s.compress(np.ones(8), array, 0)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("side", ("left", "right"))
def test_searchsorted(dtype, side):
    host = np.sort(values((999,), dtype))
    wanted = np.concatenate([values((30, 40), dtype, 8).ravel(), host[::50]])
    np.testing.assert_array_equal(
        s.searchsorted(to_gpu(host), to_gpu(wanted), side).get(),
        np.searchsorted(host, wanted, side),
    )
    mixed = values((500,), np.float64, special=False)
    if np.dtype(dtype).kind != "c":
        np.testing.assert_array_equal(
            s.searchsorted(to_gpu(host), mixed, side).get(), np.searchsorted(host, mixed, side)
        )


def test_searchsorted_with_a_sorter():
    host = values((400,), np.int32)
    order = np.argsort(host, kind="stable")
    array = to_gpu(host)
    got = s.searchsorted(array, 3, sorter=to_gpu(order))
    assert got.shape == () and got.get() == np.searchsorted(host, 3, sorter=order)
    with pytest.raises(ValueError, match="'left' or 'right'"):
        s.searchsorted(array, 3, "middle")


@pytest.mark.parametrize("dtype", (np.uint8, np.int32, np.int64, np.uint64))
def test_bincount(dtype):
    rng = np.random.default_rng(4)
    for size, most in ((0, 1), (1, 1), (5000, 7), (20_000, 100), (3000, 9000)):
        host = rng.integers(0, min(most, np.iinfo(dtype).max), size).astype(dtype)
        weights = rng.integers(-8, 9, size) * 0.125
        for least in (0, 12):
            expected = np.bincount(host.astype(np.int64), minlength=least)
            same_bits(counting.bincount(to_gpu(host), minlength=least).get(), expected)
            same = np.bincount(host.astype(np.int64), weights, least)
            np.testing.assert_array_equal(
                counting.bincount(to_gpu(host), to_gpu(weights), least).get(), same
            )


def test_bincount_refuses():
    with pytest.raises(ValueError, match="no negative"):
        counting.bincount(to_gpu(np.array([1, -1])))
    with pytest.raises(TypeError, match="float64"):
        counting.bincount(to_gpu(np.array([1.0])))
    with pytest.raises(ValueError, match="one axis"):
        counting.bincount(to_gpu(np.ones((2, 2), np.int32)))
    with pytest.raises(ValueError, match="same length"):
        counting.bincount(to_gpu(np.array([1, 2])), to_gpu(np.ones(3)))


@pytest.mark.parametrize("dtype", REALS)
def test_histogram(dtype):
    host = values((70, 90), dtype, special=False)
    array = to_gpu(host)
    if np.dtype(dtype).kind == "b":
        host = host.astype(np.uint8)
    for bins in (1, 10, 333):
        for range_ in (None, (-3, 5), (0.1, 0.7)):
            counts, edges = counting.histogram(array, bins, range_)
            expected = np.histogram(host, bins, range_)
            same_bits(counts.get(), expected[0])
            same_bits(edges.get(), expected[1])
    for edges in ([-2, 0, 1, 4], [0.0, 0.5, 0.5, 3.25], np.linspace(-9, 9, 5000)):
        same_bits(counting.histogram(array, edges)[0].get(), np.histogram(host, edges)[0])


def test_histograms_of_edges_and_weights():
    rng = np.random.default_rng(9)
    grid = np.linspace(0, 1, 11)
    host = np.concatenate([grid, np.nextafter(grid, 2), np.nextafter(grid, -1), rng.random(4000)])
    weights = rng.integers(0, 16, host.size) / 4
    array = to_gpu(host)
    same_bits(counting.histogram(array, 10, (0, 1))[0].get(), np.histogram(host, 10, (0, 1))[0])
    same_bits(counting.histogram(array, grid)[0].get(), np.histogram(host, grid)[0])
    for bins in (10, grid, 3000):
        got = counting.histogram(array, bins, (0, 1), weights=weights)[0].get()
        same_bits(got, np.histogram(host, bins, (0, 1), weights=weights)[0])
    np.testing.assert_allclose(
        counting.histogram(array, 20, density=True)[0].get(),
        np.histogram(host, 20, density=True)[0],
    )
    same_bits(counting.histogram(to_gpu(np.zeros(0)), 4)[0].get(), np.zeros(4, np.int64))
    odd = np.array([np.nan, np.inf, 1.0, -5.0])
    same_bits(counting.histogram(to_gpu(odd), 4, (0, 2))[0].get(), np.histogram(odd, 4, (0, 2))[0])
    with pytest.raises(ValueError, match="not finite"):
        counting.histogram(to_gpu(odd))
    with pytest.raises(ValueError, match="monotonically"):
        counting.histogram(array, [2, 1])
    with pytest.raises(TypeError, match="'auto'"):
        counting.histogram(array, "auto")


def test_what_is_few_among_many():
    """Of arrays whose indices might take 256 MiB, what is kept is counted first."""
    flags = zeros(2**25 + 7, np.uint8)
    assert s.nonzero(flags)[0].shape == (0,)
    assert flags[flags > 0].shape == (0,)
    flags[5 :: 2**24] = 3
    assert s.nonzero(flags)[0].get().tolist() == [5, 2**24 + 5, 2**25 + 5]
    wide = flags.astype(np.complex128)[: 2**24 + 6]
    assert wide[wide.real > 0].get().tolist() == [3, 3]
