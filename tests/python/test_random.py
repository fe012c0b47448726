# SPDX-License-Identifier: MIT
"""lathe.random: every distribution against SciPy's, by fixed seeds, and NumPy's manners."""

from __future__ import annotations

import doctest
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import lathe.cuda.driver as cuda
import lathe.random
from lathe.cuda import gpuarray
from lathe.random import Generator, default_rng

COUNT = 200_000
LEAST = 1e-4  # chance that a right distribution is called wrong, were the seeds not fixed
FLOATS = ("float16", "float32", "float64")


def spread(values: np.ndarray, step: float, seed: int = 1) -> np.ndarray:
    """Rounded values, uniformly within what they were rounded from, so that none is met twice."""
    values = values.astype(np.float64)
    return values + step * (np.random.default_rng(seed).random(values.shape) - 0.5)


def moments(values: np.ndarray, mean: float, variance: float, fourth: float) -> None:
    """Mean and variance within five of their own deviations; `fourth` central moment."""
    values = values.astype(np.float64)
    assert abs(values.mean() - mean) < 5 * np.sqrt(variance / len(values))
    assert abs(values.var() - variance) < 5 * np.sqrt((fourth - variance**2) / len(values))


def chi_square(values: np.ndarray, chances: Callable[[np.ndarray], np.ndarray]) -> float:
    """Of whole numbers: neighbours that are rare count together."""
    low, high = int(values.min()), int(values.max())
    places = np.arange(low, high + 1)
    met = np.bincount(values.astype(np.int64) - low, minlength=len(places)).astype(float)
    expected = chances(places) * len(values)
    common = expected >= 20
    met = np.append(met[common], met[~common].sum())
    expected = np.append(expected[common], len(values) - expected[common].sum())
    if expected[-1] < 5:
        met, expected = met[:-1], expected[:-1] * met[:-1].sum() / expected[:-1].sum()
    return float(stats.chisquare(met, expected).pvalue)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("draw", "reference"),
    [
        (lambda r, d: r.random(COUNT, d), stats.uniform()),
        (lambda r, d: r.uniform(-3, 5, COUNT, dtype=d), stats.uniform(-3, 8)),
        (lambda r, d: r.standard_normal(COUNT, d), stats.norm()),
        (lambda r, d: r.normal(10, 0.5, COUNT, dtype=d), stats.norm(10, 0.5)),
        (
            lambda r, d: r.lognormal(0.5, 0.75, COUNT, dtype=d),
            stats.lognorm(0.75, scale=np.exp(0.5)),
        ),
        (lambda r, d: r.standard_exponential(COUNT, d), stats.expon()),
        (lambda r, d: r.exponential(4, COUNT, dtype=d), stats.expon(scale=4)),
        (lambda r, d: r.standard_gamma(0.3, COUNT, d), stats.gamma(0.3)),
        (lambda r, d: r.standard_gamma(1, COUNT, d), stats.gamma(1)),
        (lambda r, d: r.gamma(7.5, 2, COUNT, dtype=d), stats.gamma(7.5, scale=2)),
        (lambda r, d: r.gamma(1000, 1, COUNT, dtype=d), stats.gamma(1000)),
    ],
)
def test_distributions_are_scipys(draw: Any, reference: Any, dtype: str):
    values = draw(default_rng(2024), dtype).get()
    assert values.dtype == dtype and values.shape == (COUNT,)
    assert stats.kstest(values.astype(np.float64), reference.cdf).pvalue > LEAST
    mean, variance, _, kurtosis = (float(x) for x in reference.stats("mvsk"))
    moments(values, mean, variance, (kurtosis + 3) * variance**2)


def test_examples():
    result = doctest.testmod(lathe.random)
    assert result.attempted > 0 and result.failed == 0


def test_half_precision():
    rng = default_rng(5)
    uniform = rng.random(COUNT, "float16").get()
    assert uniform.min() >= 0 and uniform.max() < 1
    assert (
        chi_square(uniform.astype(np.float64) * 2048, lambda k: np.full(k.shape, 1 / 2048)) > LEAST
    )
    normal = rng.standard_normal(COUNT, "float16").get().astype(np.float64)
    step = np.spacing(np.abs(normal).astype(np.float16)).astype(np.float64)
    assert (
        stats.kstest(normal + step * (np.random.default_rng(0).random(COUNT) - 0.5), "norm").pvalue
        > LEAST
    )
    moments(rng.exponential(2, COUNT, dtype="float16").get(), 2, 4, 9 * 16)
    moments(rng.gamma(3, 1, COUNT, dtype="float16").get(), 3, 3, 3 * 9 + 6 * 3)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(dtype: str):
    rng = default_rng(6)
    uniform = rng.random(COUNT, dtype).get()
    normal = rng.standard_normal(COUNT, dtype).get()
    for part in (uniform.real, uniform.imag):
        assert stats.kstest(part, "uniform").pvalue > LEAST
    for part in (normal.real, normal.imag):
        assert stats.kstest(part, stats.norm(0, np.sqrt(0.5)).cdf).pvalue > LEAST
    assert abs(stats.pearsonr(normal.real, normal.imag).statistic) < 5 / np.sqrt(COUNT)
    shifted = rng.normal(3, 2, COUNT, dtype=dtype).get()
    assert abs(shifted.mean() - 3) < 0.03 and abs(np.mean(abs(shifted - 3) ** 2) - 4) < 0.06


@pytest.mark.parametrize("lam", [0.01, 0.7, 4, 9.99, 10, 17.3, 120, 5000.5])
def test_poisson(lam: float):
    # Enough for a rejection that is a hundredth off to be seen.
    values = default_rng(int(lam * 100)).poisson(lam, 10 * COUNT).get()
    assert values.dtype == np.int64
    assert chi_square(values, lambda k: stats.poisson.pmf(k, lam)) > LEAST
    moments(values, lam, lam, lam + 3 * lam**2)


def test_poisson_at_its_ends():
    rng = default_rng(0)
    assert not rng.poisson(0, 1000).get().any()
    huge = rng.poisson(1e15, 10_000).get().astype(np.float64)
    assert stats.kstest((huge - 1e15) / np.sqrt(1e15), "norm").pvalue > LEAST
    for dtype in ("uint8", "int32", "uint64", "float32", "float64"):
        values = rng.poisson(3, 1000, dtype=dtype).get()
        assert values.dtype == dtype and 2.5 < values.mean() < 3.5


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 6, "int64"),
        (-3, 4, "int8"),
        (-128, 128, "int8"),
        (0, 65536, "uint16"),
        (250, 256, "uint8"),
        (-(2**31), 2**31, "int32"),
        (-(2**63), 2**63, "int64"),
        (0, 3 * 2**30, "uint32"),
        (0, 3 * 2**62, "uint64"),
        (2**63 - 5, 2**63, "int64"),
        (0, 2, "bool"),
    ],
)
def test_integers(low: int, high: int, dtype: str):
    values = default_rng(99).integers(low, high, COUNT, dtype).get()
    assert values.dtype == dtype
    assert low <= int(values.min()) and int(values.max()) < high
    # As parts of the range, which are exact for 64 bits where whole numbers are counted.
    bins = min(high - low, 97)
    places = [(int(x) - low) * bins // (high - low) for x in values]
    edges = [-((low - high) * k // bins) for k in range(bins + 1)]  # the first number of each
    chances = np.diff(edges).astype(float) / (high - low)
    met = np.bincount(places, minlength=bins)
    assert stats.chisquare(met, chances * COUNT).pvalue > LEAST
    if high - low <= 10:
        assert len(np.unique(values)) == high - low


@pytest.mark.parametrize("bits", [32, 64])
def test_integers_are_lemires(bits: int):
    """A range of 3/4 of all draws a quarter again; the rest is the upper half of a product."""
    rng, dtype, bound = default_rng(1), f"uint{bits}", 3 * 2 ** (bits - 2)
    words = rng.at(0).integers(0, 2**bits, 10_000, dtype).get().astype(object)
    got = rng.at(0).integers(0, bound, 10_000, dtype).get().astype(object)
    product = words * bound
    kept = np.array(product % 2**bits >= 2**bits % bound, bool)
    assert 0.7 < kept.mean() < 0.8
    np.testing.assert_array_equal(got[kept], (product // 2**bits)[kept])
    # Without the second draw half of all would be multiples of 3.
    assert stats.chisquare(np.bincount((got % 3).astype(int))).pvalue > LEAST


def test_integer_bounds_and_endpoint():
    rng = default_rng(4)
    assert set(rng.integers(1, 6, 1000, endpoint=True).get().tolist()) == {1, 2, 3, 4, 5, 6}
    assert set(rng.integers(3, size=100).get().tolist()) == {0, 1, 2}
    assert rng.integers(7, 8, 5).get().tolist() == [7] * 5
    assert rng.integers(0, 255, 4, np.uint8, endpoint=True).dtype == np.uint8


def test_neighbours_and_sequences_are_independent():
    rng = default_rng(31)
    bound = 5 / np.sqrt(COUNT)
    base = rng.random(COUNT, "float32").get().astype(np.float64)
    for lag in (1, 2, 3, 4, 5, 8, 32, 128, 1024):
        assert abs(np.corrcoef(base[:-lag], base[lag:])[0, 1]) < bound, lag
    others = [
        Generator(31, sequence=1).random(COUNT, "float32"),
        Generator(32).random(COUNT, "float32"),
        Generator(31 + 2**32).random(COUNT, "float32"),
        rng.spawn(2)[0].random(COUNT, "float32"),
        rng.at(COUNT).random(COUNT, "float32"),
    ]
    for other in others:
        assert abs(np.corrcoef(base, other.get())[0, 1]) < bound
    normal = rng.standard_normal(COUNT, "float32").get().astype(np.float64)
    pairs = normal.reshape(-1, 2)  # of one angle and radius each
    assert abs(stats.pearsonr(*pairs.T).statistic) < bound * np.sqrt(2)
    assert abs(stats.pearsonr(*(pairs**2).T).statistic) < bound * np.sqrt(2)


def test_bits_are_even():
    """Each of the bits, and each pair of them, is as often set as not."""
    words = default_rng(17).integers(0, 2**64, COUNT, np.uint64).get()
    bits = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).astype(np.float64) * 2 - 1
    products = bits.T @ bits / np.sqrt(COUNT)  # near normal off the diagonal
    np.fill_diagonal(products, 0)
    assert np.abs(products).max() < 5.5
    assert np.abs(bits.sum(axis=0)).max() / np.sqrt(COUNT) < 5


def test_positions():
    rng = default_rng(8)
    whole = rng.at(0).standard_normal(15).get()
    parts = [rng.standard_normal(10).get(), rng.standard_normal(5).get()]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert rng.position == 15
    rng.position = 3
    np.testing.assert_array_equal(rng.standard_normal(4).get(), whole[3:7])
    again = pickle.loads(pickle.dumps(rng))
    np.testing.assert_array_equal(again.random(9).get(), rng.random(9).get())
    assert default_rng(rng) is rng
    assert default_rng([1, 2]).seed == default_rng(np.random.SeedSequence([1, 2])).seed
    assert default_rng().seed != default_rng().seed
    names = {tuple(g.random(3).get()) for g in (*rng.spawn(2), *rng.spawn(2))}
    assert len(names) == 4


def test_results_lie_where_they_are_wanted():
    rng = default_rng(12)
    plain = rng.at(0).random((4, 5)).get()
    out = gpuarray.zeros((5, 4), np.float64).T
    assert rng.at(0).random(out=out) is out
    np.testing.assert_array_equal(out.get(), plain)
    every = gpuarray.zeros((8, 5), np.float64)
    rng.at(0).random(out=every[::2])
    np.testing.assert_array_equal(every.get()[::2], plain)
    assert not every.get()[1::2].any()
    stream = cuda.Stream()
    on_stream = rng.at(0).random((4, 5), stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(on_stream.get(), plain)
    assert rng.random().shape == () and rng.random(0).shape == (0,) and rng.random((2, 0)).size == 0
    assert rng.random(3).dtype == np.float64 and rng.poisson(1, 3).dtype == np.int64


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_small_orders_are_all_as_likely(count: int):
    rng = default_rng(20)
    orders = list(itertools.permutations(range(count)))
    met = dict.fromkeys(orders, 0)
    for _ in range(20 * len(orders)):
        met[tuple(rng.permutation(count).get().tolist())] += 1
    assert stats.chisquare(list(met.values())).pvalue > LEAST


@pytest.mark.parametrize("count", [1000, 65536, 65537, 200_000])
def test_large_orders(count: int):
    order = default_rng(21).permutation(count).get()
    np.testing.assert_array_equal(np.sort(order), np.arange(count))
    places = np.arange(count)
    bound = 5 / np.sqrt(count)
    assert abs(np.corrcoef(order, places)[0, 1]) < bound
    assert abs(np.corrcoef(order[:-1], order[1:])[0, 1]) < bound
    assert (order == places).sum() < 10  # about one stays where it is
    # Where the elements of each eighth go.
    table = np.histogram2d(places, order, bins=8)[0]
    assert stats.chi2_contingency(table).pvalue > LEAST
    other = default_rng(22).permutation(count).get()
    assert abs(np.corrcoef(order, other)[0, 1]) < bound


def test_shuffle_and_permutation_move_rows():
    rng = default_rng(23)
    host = np.arange(24, dtype=np.int16).reshape(4, 6)
    for axis in (0, 1, -1):
        moved = rng.permutation(gpuarray.to_gpu(host), axis).get()
        kept = [tuple(row) for row in (moved if axis == 0 else moved.T)]
        assert sorted(kept) == sorted(tuple(row) for row in (host if axis == 0 else host.T))
    array = gpuarray.to_gpu(host)
    expected = rng.at(0).permutation(array).get()
    assert rng.at(0).shuffle(array) is None
    np.testing.assert_array_equal(array.get(), expected)
    rows = gpuarray.to_gpu(host)
    rng.shuffle(rows[:, ::2], axis=1)
    np.testing.assert_array_equal(rows.get()[:, 1::2], host[:, 1::2])
    assert sorted(rng.permutation([5, 6, 7]).get().tolist()) == [5, 6, 7]


def test_choice():
    rng = default_rng(24)
    assert set(rng.choice(3, 200).get().tolist()) == {0, 1, 2}
    assert rng.choice(5).shape == ()
    p = np.array([0.1, 0.0, 0.6, 0.3])
    picked = rng.choice(4, COUNT, p=p).get()
    met = np.bincount(picked, minlength=4)
    assert met[1] == 0
    assert stats.chisquare(met[[0, 2, 3]], p[[0, 2, 3]] * COUNT).pvalue > LEAST
    rows = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    taken = rng.choice(rows, (2, 5), axis=1).get()
    assert taken.shape == (3, 2, 5)
    np.testing.assert_array_equal(taken[1] - taken[0], np.full((2, 5), 4))
    sample = rng.choice(100, 50, replace=False).get()
    assert len(set(sample.tolist())) == 50 and sample.min() >= 0 and sample.max() < 100
    assert rng.choice(0, 0).shape == (0,)


def test_choice_without_replacement_follows_its_chances():
    rng = default_rng(25)
    p = np.array([0.5, 0.3, 0.2, 0.0])
    pairs = list(itertools.permutations(range(3), 2))
    expected = np.array([p[a] * p[b] / (1 - p[a]) for a, b in pairs])
    met = dict.fromkeys(pairs, 0)
    for _ in range(600):
        met[tuple(rng.choice(4, 2, replace=False, p=p).get().tolist())] += 1
    assert stats.chisquare(list(met.values()), expected * 600).pvalue > LEAST


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: r.normal(0, -1, 3), ValueError, "scale < 0"),
        (lambda r: r.normal(0, -0.0, 3), ValueError, "scale < 0"),
        (lambda r: r.lognormal(0, -1, 3), ValueError, "sigma < 0"),
        (lambda r: r.exponential(-1, 3), ValueError, "scale < 0"),
        (lambda r: r.gamma(-1, 1, 3), ValueError, "shape < 0"),
        (lambda r: r.gamma(1, -1, 3), ValueError, "scale < 0"),
        (lambda r: r.poisson(-1, 3), ValueError, "lam < 0"),
        (lambda r: r.poisson(np.nan, 3), ValueError, "NaN"),
        (lambda r: r.poisson(1e19, 3), ValueError, "too large"),
        (lambda r: r.uniform(-1e308, 1e308, 3), OverflowError, "exceeds"),
        (lambda r: r.integers(5, 5, 3), ValueError, "low >= high"),
        (lambda r: r.integers(5, 4, 3, endpoint=True), ValueError, "low > high"),
        (lambda r: r.integers(0, 300, 3, np.uint8), ValueError, "high is out of bounds for uint8"),
        (lambda r: r.integers(-1, 3, 3, np.uint8), ValueError, "low is out of bounds for uint8"),
        (lambda r: r.integers(0, 3, 3, np.float32), TypeError, "float32"),
        (lambda r: r.random(3, np.int32), TypeError, "int32"),
        (lambda r: r.poisson(1, 3, dtype=np.complex64), TypeError, "complex64"),
        (lambda r: r.random(-1), ValueError, "negative|dimension"),
        (lambda r: r.random(out=np.zeros(3)), TypeError, "GPUArray"),
        (lambda r: r.random(4, out=gpuarray.zeros(3)), ValueError, "size must match"),
        (lambda r: r.random(dtype="f4", out=gpuarray.zeros(3)), TypeError, "float64"),
        (lambda r: r.normal(gpuarray.zeros(3), 1), TypeError, "loc must be a number"),
        (lambda r: r.choice(3, 4, replace=False), ValueError, "larger sample"),
        (lambda r: r.choice(3, 4, p=[0.5, 0.5]), ValueError, "same size"),
        (lambda r: r.choice(2, 4, p=[0.5, 0.4]), ValueError, "sum to 1"),
        (lambda r: r.choice(2, 4, p=[1.5, -0.5]), ValueError, "not non-negative"),
        (lambda r: r.choice(2, 2, replace=False, p=[1, 0]), ValueError, "non-zero"),
        (lambda r: r.choice(0, 4), ValueError, "elements"),
        (lambda r: r.shuffle(gpuarray.zeros(3), 1), ValueError, "axis 1"),
        (lambda r: r.permutation(-1), ValueError, "negative"),
        (lambda r: Generator(-1), ValueError, "seed|non-negative"),
        (lambda r: Generator(1, sequence=2**32), ValueError, "sequence"),
    ],
)
def test_mistakes(call: Any, error: type[Exception], words: str):
    rng = default_rng(1)
    with pytest.raises(error, match=words):
        call(rng)
    assert rng.position == 0
