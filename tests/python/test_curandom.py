# SPDX-License-Identifier: MIT
"""lathe.cuda.curandom: PyCUDA's classes, what they make and what they skip."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import qmc

import lathe.cuda.driver as cuda
from lathe.cuda import curandom, gpuarray
from lathe.cuda.compiler import SourceModule
from lathe.cuda.random_tables import mrg32k3a_tables, xorwow_tables

LEAST = 1e-4
PSEUDO = [curandom.XORWOWRandomNumberGenerator, curandom.MRG32k3aRandomNumberGenerator]
QUASI = [
    curandom.Sobol32RandomNumberGenerator,
    curandom.ScrambledSobol32RandomNumberGenerator,
    curandom.Sobol64RandomNumberGenerator,
    curandom.ScrambledSobol64RandomNumberGenerator,
]


def seeds(count: int) -> gpuarray.GPUArray:
    return gpuarray.to_gpu(np.random.default_rng(7).integers(0, 2**31 - 1, count).astype(np.int32))


def made(kind: type, offset: int = 0) -> Any:
    return kind(seeds, offset) if kind in PSEUDO else kind(offset=offset)


def generators_of(generator: Any) -> int:
    return int(generator.block_count * generator.generators_per_block)


def points(kind: type) -> int:
    """Elements that a test of a distribution takes: of quasi-random ones whole rounds."""
    return 200_000 if kind in PSEUDO else 64 * generators_of(made(kind))


def assert_follows(values: np.ndarray, cdf: Any, kind: type, whole: bool = False) -> None:
    """Random numbers by the test of Kolmogorov and Smirnov, or of whole numbers by chi-square.

    64 points of Sobol, from a multiple of 64 on, have in each coordinate one in each 64th: there
    the distribution is off by no more than that, which random numbers are with a chance of 1e-40.
    """
    values = values.astype(np.float64)
    if kind in PSEUDO and not whole:
        assert stats.kstest(values, cdf).pvalue > LEAST
        return
    if kind in PSEUDO:
        edges = np.unique(np.quantile(values, np.linspace(0.001, 0.999, 60)))
        places = np.searchsorted(edges, values)
        shares = np.diff(np.concatenate([[0.0], cdf(edges), [1.0]]))
        met = np.bincount(places, minlength=len(shares))
        expected = shares * len(values)
        common = expected > 5
        scale = met[common].sum() / expected[common].sum()
        assert stats.chisquare(met[common], expected[common] * scale).pvalue > LEAST
        return
    count = generators_of(made(kind))
    for coordinate in (0, 1, 2, 3, 7, 50, 100, 500, 1000):
        own = np.sort(values[coordinate::count])
        assert len(own) == 64
        steps = np.unique(own)
        below = np.searchsorted(own, steps, "right") / 64
        before = np.searchsorted(own, steps, "left") / 64
        assert np.abs(cdf(steps) - below).max() < 1 / 64 + 1e-6
        if not whole:
            assert np.abs(cdf(steps) - before).max() < 1 / 64 + 1e-6


@pytest.mark.parametrize("kind", PSEUDO + QUASI)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(kind: type, dtype: str):
    generator = made(kind, 0 if kind in PSEUDO else 64)
    count = points(kind)
    uniform = generator.gen_uniform(count, dtype).get()
    assert uniform.dtype == dtype and uniform.min() > 0 and uniform.max() <= 1
    assert_follows(uniform, stats.uniform.cdf, kind)
    for size in (count, count - 1):  # in pairs, and one by one
        normal = generator.gen_normal(size, dtype).get()
        assert_follows(normal, stats.norm.cdf, kind)
    log_normal = generator.gen_log_normal(count, dtype, 0.5, 0.25).get()
    reference = stats.lognorm(0.25, scale=np.exp(0.5))
    assert_follows(log_normal, reference.cdf, kind)


@pytest.mark.parametrize("kind", PSEUDO + QUASI)
@pytest.mark.parametrize("mean", [0.5, 9, 50, 2000])
def test_poisson(kind: type, mean: float):
    generator = made(kind, 0 if kind in PSEUDO else 64)
    values = generator.gen_poisson(points(kind), np.uint32, mean).get().astype(np.int64)
    assert_follows(values, stats.poisson(mean).cdf, kind, whole=True)
    for dtype in (np.float32, np.float64, np.uint32):
        means = np.repeat(np.array([0, 4, 30], dtype), 2000)
        array = gpuarray.to_gpu(means)
        generator.fill_poisson(array)
        got = array.get().astype(np.float64).reshape(3, -1)
        assert not got[0].any()
        for row, of in zip(got[1:], (4, 30), strict=True):
            assert abs(row.mean() - of) < 5 * np.sqrt(of / 2000)


@pytest.mark.parametrize("kind", PSEUDO + QUASI)
def test_integers_have_all_bits(kind: type):
    generator = made(kind, 0 if kind in PSEUDO else 64)
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        if np.dtype(dtype).itemsize * 8 > generator.generator_bits:
            with pytest.raises(NotImplementedError):
                generator.gen_uniform(8, dtype)
            continue
        values = generator.gen_uniform(points(kind), dtype).get()
        shares = (values.astype(np.float64) - np.iinfo(dtype).min) / 2.0 ** (8 * values.itemsize)
        assert_follows(shares, stats.uniform.cdf, kind)
        if kind in PSEUDO:  # Sobol's first points have few bits
            assert all(abs(np.mean((values >> k) & 1) - 0.5) < 0.01 for k in range(32))


@pytest.mark.parametrize("kind", PSEUDO)
def test_elements_go_round_the_generators(kind: type):
    """Element i is of generator i % count, which has the seed and sequence of its number."""
    generator = made(kind, 11)
    count = generators_of(generator)
    got = generator.gen_uniform(3 * count + 5, np.uint32).get()
    name = "Xorwow" if kind is PSEUDO[0] else "Mrg32k3a"
    table = xorwow_tables() if kind is PSEUDO[0] else mrg32k3a_tables()
    source = f"""#include <lathe_generators.hpp>
    extern "C" __global__ void one(unsigned* out, const int* seeds, const unsigned* table,
                                   int id) {{
        lathe::random::{name} s;
        s.seed(unsigned(seeds[id]), id, 11, table);
        for (int k = 0; k < 4; ++k) out[k] = s.bits();
    }}"""
    one = SourceModule(source, no_extern_c=True).get_function("one")
    all_seeds = seeds(count).get()
    for which in (0, 1, 4, count - 1):
        out = np.zeros(4, np.uint32)
        one(cuda.Out(out), cuda.In(all_seeds), cuda.In(table), np.int32(which), block=(1, 1, 1))
        mine = got[which::count]
        np.testing.assert_array_equal(mine, out[: len(mine)])


@pytest.mark.parametrize("kind", PSEUDO + QUASI)
def test_skipping_is_drawing_of_all_generators(kind: type):
    """B25: PyCUDA skips with the generators of the first block alone."""
    generator, stepped = made(kind), made(kind)
    count = generators_of(generator)
    generator.call_skip_ahead(3)
    stepped.gen_uniform(3 * count, np.uint32)
    np.testing.assert_array_equal(
        generator.gen_uniform(count, np.uint32).get(), stepped.gen_uniform(count, np.uint32).get()
    )
    word = np.uint64 if generator.has_box_muller or generator.generator_bits == 64 else np.uint32
    skips = (np.arange(count) % 3).astype(word)
    generator.call_skip_ahead_array(gpuarray.to_gpu(skips))
    got = generator.gen_uniform(count, np.uint32).get()
    rounds = stepped.gen_uniform(3 * count, np.uint32).get().reshape(3, count)
    np.testing.assert_array_equal(got, rounds[skips.astype(int), np.arange(count)])
    with pytest.raises(ValueError, match="for each of"):
        generator.call_skip_ahead_array(gpuarray.to_gpu(skips[:-1]))
    with pytest.raises(ValueError, match="cannot skip"):
        generator.call_skip_ahead(-1)


@pytest.mark.parametrize("kind", PSEUDO)
@pytest.mark.parametrize("is_array", [False, True])
def test_skipping_sequences(kind: type, is_array: bool):
    """A sequence on, a generator is where the next one of the same seed began."""

    def same(count: int) -> gpuarray.GPUArray:
        return gpuarray.to_gpu(np.full(count, 5, np.int32))

    a, b = kind(same), kind(same)
    count = generators_of(a)
    name = "sequence" if kind is PSEUDO[0] else "subsequence"
    if is_array:
        ones = gpuarray.to_gpu(np.ones(count, np.uint64))
        getattr(a, f"call_skip_ahead_{name}_array")(ones)
    else:
        getattr(a, f"call_skip_ahead_{name}")(1)
    moved = a.gen_uniform(count, np.uint32).get()
    plain = b.gen_uniform(count, np.uint32).get()
    assert len(np.unique(plain)) > 0.99 * count
    np.testing.assert_array_equal(moved[:-1], plain[1:])
    # Two generators that pass over the same sequences, all at once and one by one.
    a.call_skip_ahead_sequence(3)
    b.call_skip_ahead_sequence(1)
    b.call_skip_ahead_sequence_array(gpuarray.to_gpu(np.full(count, 2, np.uint64)))
    np.testing.assert_array_equal(
        a.gen_uniform(count, np.uint32).get()[:-1], b.gen_uniform(count, np.uint32).get()[1:]
    )


def test_sobol_points_are_scipys():
    for kind, bits in ((QUASI[0], 32), (QUASI[2], 64)):
        generator = kind()
        count = generators_of(generator)
        got = generator.gen_uniform((32, count), np.float64).get()[:, :500]
        # Of 64 bits SciPy has no more than those of its points with 32.
        expected = qmc.Sobol(500, scramble=False, bits=32).random(32)
        half = 2.0**-32 if bits == 32 else 0.0
        np.testing.assert_allclose(got - half, expected, atol=2.0**-31 if bits == 64 else 1e-16)


def test_direction_vectors():
    """B36: PyCUDA's documented default is an error there."""
    vectors = curandom.generate_direction_vectors(3)
    assert vectors.dtype == np.uint32 and vectors.shape == (3, 32)
    np.testing.assert_array_equal(vectors.get()[0], 2 ** np.arange(31, -1, -1))
    kinds = curandom.direction_vector_set
    assert [int(each) for each in kinds] == [101, 102, 103, 104]
    wide = curandom.generate_direction_vectors(20005, kinds.VECTOR_64).get()
    assert wide.dtype == np.uint64 and wide.shape == (20005, 64)
    np.testing.assert_array_equal(wide[20000:], wide[:5])
    np.testing.assert_array_equal(wide[:3, :32] >> np.uint64(32), vectors.get())
    scrambled = curandom.generate_direction_vectors(3, kinds.SCRAMBLED_VECTOR_32).get()
    assert scrambled.dtype == np.uint32 and not np.array_equal(scrambled, vectors.get())
    assert curandom.generate_scramble_constants32(5).get().dtype == np.uint32
    assert len(np.unique(curandom.generate_scramble_constants64(1000).get())) == 1000
    with pytest.raises(ValueError):
        curandom.generate_direction_vectors(3, 99)


def test_own_direction_vectors_and_their_checks():
    count = generators_of(made(QUASI[0]))
    vectors = curandom.generate_direction_vectors(count)
    got = QUASI[0](vectors, 9).gen_uniform(count, np.uint32).get()
    np.testing.assert_array_equal(got, QUASI[0](offset=9).gen_uniform(count, np.uint32).get())
    shift = gpuarray.to_gpu(np.full(count, 0xABCD, np.uint32))
    shifted = QUASI[1](vectors, shift, 9).gen_uniform(count, np.uint32).get()
    np.testing.assert_array_equal(shifted, got ^ np.uint32(0xABCD))
    for wrong in (vectors[:-1], vectors.astype(np.int32), np.zeros((count, 32), np.uint32)):
        with pytest.raises(TypeError, match="dir_vector"):
            QUASI[0](wrong)
    with pytest.raises(TypeError, match="scramble_vector"):
        QUASI[1](vectors, shift[:-1])


def test_rand():
    for dtype in (np.float32, np.float64):
        np.random.seed(3)
        values = curandom.rand((100, 1000), dtype).get()
        assert values.shape == (100, 1000) and values.dtype == dtype
        assert values.min() >= 0 and values.max() < 1
        assert stats.kstest(values.ravel().astype(np.float64), "uniform").pvalue > LEAST
        np.random.seed(3)
        np.testing.assert_array_equal(curandom.rand((100, 1000), dtype).get(), values)
        assert not np.array_equal(curandom.rand((100, 1000), dtype).get(), values)
    for dtype in (np.int32, np.uint32, np.int64):
        values = curandom.rand(10_000, dtype).get()
        assert values.dtype == dtype and abs(np.mean(values & 1) - 0.5) < 0.03
    assert curandom.rand(3).dtype == np.float32
    with pytest.raises(NotImplementedError):
        curandom.rand(3, np.complex64)


COMPILES = """
import os, sys
from pathlib import Path
import numpy as np
from lathe.cuda import curandom
def compiled():
    return sum(1 for file in Path(sys.argv[1]).rglob("*") if file.is_file())
curandom.rand(8, np.float32).get()
first = compiled()
for shape in (1, 8, (3, 5), 100_000):
    curandom.rand(shape, np.float32).get()
print(first, compiled())
"""


def test_rand_compiles_once(tmp_path: Path):
    """B33: PyCUDA compiles at each call. What is compiled is kept on disk, a file each."""
    environment = {**os.environ, "LATHE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", COMPILES, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    first, last = map(int, done.stdout.split())
    assert first == last > 0


def test_seed_getters():
    np.random.seed(1)
    unique, uniform = curandom.seed_getter_unique(100), curandom.seed_getter_uniform(100)
    assert unique.dtype == uniform.dtype == np.int32
    assert len(np.unique(unique.get())) == 100 and len(np.unique(uniform.get())) == 1
    assert curandom.get_curand_version() == (10, 4, 0)
    for wrong in (
        lambda n: np.zeros(n, np.int32),
        lambda n: gpuarray.zeros(n + 1, np.int32),
        lambda n: gpuarray.zeros(n, np.float32),
    ):
        for kind in PSEUDO:
            with pytest.raises(TypeError, match="seed_getter"):
                kind(wrong)


def test_targets():
    generator = made(PSEUDO[0])
    again = made(PSEUDO[0])
    odd = gpuarray.zeros(1001, np.float32)
    generator.fill_normal(odd[1:])  # pairs that do not begin where pairs may
    np.testing.assert_array_equal(odd.get()[1:], again.gen_normal(1000, np.float32).get())
    assert odd.get()[0] == 0
    with pytest.raises(ValueError, match="contiguous"):
        generator.fill_uniform(odd[::2])
    with pytest.raises(NotImplementedError, match="float16"):
        generator.gen_normal(3, np.float16)
    with pytest.raises(NotImplementedError):
        generator.gen_poisson(3, np.float32, 1.0)
    with pytest.raises(ValueError, match="lambda_value"):
        generator.gen_poisson(3, np.uint32, -1.0)
    assert generator.gen_uniform(0, np.float32).shape == (0,)
    stream = cuda.Stream()
    a = generator.gen_uniform(1000, np.float32, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), again.gen_uniform(1000, np.float32).get())
    assert isinstance(generator.state, cuda.DeviceAllocation)
    assert {"uniform_int", "normal_float2", "poisson_int"} <= set(generator.generators)
