# SPDX-License-Identifier: MIT
"""XORWOW, MRG32k3a and Sobol against cuRAND's own device code, where its headers are installed."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
from lathe.cuda.random_tables import (
    mrg32k3a_tables,
    scramble_constants,
    scrambled_directions,
    sobol_directions,
    xorwow_tables,
)

HEADERS = Path("/usr/local/cuda/include")
with_curand = pytest.mark.skipif(
    not (HEADERS / "curand_kernel.h").exists(), reason="cuRAND's headers are not installed"
)

# Each kernel draws of every kind and skips in every way; the macros say in whose words.
DRAWS = """
extern "C" __global__ void draws(double* out, const unsigned* table, unsigned long long seed,
                                 unsigned offset) {
    STATE s;
    const unsigned id = threadIdx.x * 1000003u;
    INIT(seed, id, offset);
    double* to = out + threadIdx.x * 40;
    for (int k = 0; k < 6; ++k) *to++ = BITS;
    for (int k = 0; k < 3; ++k) *to++ = UNIFORM;
    for (int k = 0; k < 3; ++k) *to++ = UNIFORM_DOUBLE;
    SKIP(1); *to++ = BITS;
    SKIP(0x123456789abcdefull); *to++ = BITS;
    SEQUENCE(5); *to++ = BITS;
    SEQUENCE(0xf0000000000f00full); *to++ = BITS;
    SUBSEQUENCE(77); *to++ = BITS;
    for (int k = 0; k < 3; ++k) { *to++ = NORMAL; *to++ = NORMAL_DOUBLE; }
    for (int k = 0; k < 2; ++k) {
        const float2 a = NORMAL2; *to++ = a.x; *to++ = a.y;
        const double2 b = NORMAL2_DOUBLE; *to++ = b.x; *to++ = b.y;
    }
}
"""
CURAND = """
#include <curand_kernel.h>
#define STATE {state}
#define INIT(seed, id, offset) curand_init(seed, id, offset, &s)
#define BITS curand(&s)
#define UNIFORM curand_uniform(&s)
#define UNIFORM_DOUBLE curand_uniform_double(&s)
#define NORMAL curand_normal(&s)
#define NORMAL_DOUBLE curand_normal_double(&s)
#define NORMAL2 curand_normal2(&s)
#define NORMAL2_DOUBLE curand_normal2_double(&s)
#define SKIP(n) skipahead(n, &s)
#define SEQUENCE(n) skipahead_sequence(n, &s)
#define SUBSEQUENCE(n) {subsequence}
"""
LATHE = """
#include <lathe_generators.hpp>
#define STATE lathe::random::{state}
#define INIT(of, id, offset) s.seed(of, id, offset, table)
#define BITS s.bits()
#define UNIFORM s.uniform()
#define UNIFORM_DOUBLE s.uniform_double()
#define NORMAL s.normal()
#define NORMAL_DOUBLE s.normal_double()
#define NORMAL2 s.normal2()
#define NORMAL2_DOUBLE s.normal2_double()
#define SKIP(n) s.skip(n, table)
#define SEQUENCE(n) s.skip_sequence(n, table)
#define SUBSEQUENCE(n) {subsequence}
"""
SOBOL = """
extern "C" __global__ void draws(double* out, const WORD* vectors, WORD shift,
                                 unsigned long long offset) {
    STATE s;
    INIT;
    for (int k = 0; k < 20; ++k) *out++ = BITS;
    for (int k = 0; k < 5; ++k) *out++ = UNIFORM;
    for (int k = 0; k < 5; ++k) *out++ = UNIFORM_DOUBLE;
    SKIP(123456); *out++ = BITS;
    for (int k = 0; k < 20; ++k) { *out++ = NORMAL; *out++ = NORMAL_DOUBLE; }
}
"""


def drawn(source: str, *args: object, count: int, threads: int = 1) -> np.ndarray:
    folders = [str(HEADERS), str(HEADERS / "cccl")] if "curand_kernel" in source else []
    module = SourceModule(source, no_extern_c=True, include_dirs=folders)
    out = np.zeros(count, np.float64)
    module.get_function("draws")(cuda.Out(out), *args, block=(threads, 1, 1))
    return out


@with_curand
@pytest.mark.parametrize("name", ["Xorwow", "Mrg32k3a"])
def test_pseudo_random_numbers_are_curands(name: str):
    curand = {"Xorwow": "curandStateXORWOW", "Mrg32k3a": "curandStateMRG32k3a"}[name]
    mrg = name == "Mrg32k3a"
    theirs = CURAND.format(state=curand, subsequence="skipahead_subsequence(n, &s)" if mrg else "")
    ours = LATHE.format(state=name, subsequence="s.skip_subsequence(n, table)" if mrg else "")
    table = (mrg32k3a_tables if mrg else xorwow_tables)()
    for seed, offset in ((0, 0), (42, 3), (0xFEDCBA9876543210, 100000)):
        args = (cuda.In(table), np.uint64(seed), np.uint32(offset))
        expected = drawn(theirs + DRAWS, *args, count=160, threads=4).reshape(4, 40)
        got = drawn(ours + DRAWS, *args, count=160, threads=4).reshape(4, 40)
        np.testing.assert_array_equal(got[:, :17], expected[:, :17])
        # Normal numbers: sines, logarithms and roots of the same bits.
        np.testing.assert_allclose(got[:, 17:31], expected[:, 17:31], rtol=1e-6, atol=1e-6)
        assert len(np.unique(got[:, :6])) == 24


@with_curand
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("scrambled", [False, True])
def test_sobol_numbers_are_curands(bits: int, scrambled: bool):
    word = {32: "unsigned", 64: "unsigned long long"}[bits]
    head = f"#define WORD {word}\n"
    state = f"curandState{'Scrambled' if scrambled else ''}Sobol{bits}"
    theirs = CURAND.format(state=state, subsequence="").replace(
        "INIT(seed, id, offset) curand_init(seed, id, offset, &s)",
        f"INIT curand_init((WORD*)vectors, {'shift, ' if scrambled else ''}offset, &s)",
    )
    ours = (
        LATHE.format(state="Sobol<WORD>", subsequence="")
        .replace(
            "INIT(of, id, offset) s.seed(of, id, offset, table)",
            "INIT s.seed(vectors, shift, offset)",
        )
        .replace("s.skip(n, table)", "s.skip(n)")
    )
    vectors = sobol_directions(50, bits)[[0, 1, 17, 49]]
    shifts = scramble_constants(4, bits) if scrambled else np.zeros(4, vectors.dtype)
    for row, shift in zip(vectors, shifts, strict=True):
        for offset in (0, 5, 1000003):
            args = (cuda.In(row.copy()), shift, np.uint64(offset))
            expected = drawn(head + theirs + SOBOL, *args, count=71)
            got = drawn(head + ours + SOBOL, *args, count=71)
            np.testing.assert_array_equal(got[:31], expected[:31])
            np.testing.assert_allclose(got[31:], expected[31:], rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("bits", [32, 64])
def test_direction_vectors_are_curands(bits: int):
    try:
        library = ctypes.CDLL("/usr/local/cuda/lib64/libcurand.so")
    except OSError:
        pytest.skip("cuRAND is not installed")
    word = ctypes.c_uint32 if bits == 32 else ctypes.c_uint64
    pointer = ctypes.POINTER(word * (20000 * bits))()
    which = 101 if bits == 32 else 103
    assert getattr(library, f"curandGetDirectionVectors{bits}")(ctypes.byref(pointer), which) == 0
    expected = np.ctypeslib.as_array(pointer.contents).reshape(20000, bits)
    np.testing.assert_array_equal(sobol_directions(20000, bits), expected)


def test_direction_vectors_without_scipy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="SciPy, which is not installed: install scipy"):
        sobol_directions(777, 32)


def test_direction_vectors_give_scipys_points():
    # SciPy's first point is 0, then in the order of Gray's code, as here.
    from scipy.stats import qmc

    vectors = sobol_directions(8, 32).astype(np.uint64)
    points = np.zeros((64, 8), np.uint64)
    for k in range(1, 64):
        lowest = (~(k - 1) & k).bit_length() - 1
        points[k] = points[k - 1] ^ vectors[:, lowest]
    expected = qmc.Sobol(8, scramble=False, bits=32).random(64)
    np.testing.assert_array_equal(points / 2.0**32, expected)


@pytest.mark.parametrize("bits", [32, 64])
def test_scrambled_vectors_stay_even(bits: int):
    # Each coordinate of the first 2^k points is in another interval of 2^-k: a (0, k, 1)-net.
    vectors = scrambled_directions(300, bits)
    assert not np.array_equal(vectors, sobol_directions(300, bits))
    points = np.zeros((256, 300), vectors.dtype) + scramble_constants(300, bits)
    for k in range(1, 256):
        points[k] = points[k - 1] ^ vectors[:, (~(k - 1) & k).bit_length() - 1]
    places = np.sort(points >> np.array(bits - 8, points.dtype), axis=0)
    np.testing.assert_array_equal(places, np.broadcast_to(np.arange(256)[:, None], (256, 300)))


def test_mrg32k3a_of_lecuyer():
    """The first numbers of RngStreams (P. L'Ecuyer et al., 2002), whose seed is six times 12345."""
    source = """#include <lathe_generators.hpp>
    extern "C" __global__ void draws(double* out, const unsigned* table) {
        lathe::random::Mrg32k3a s;
        s.seed(0, 0, 0, table);
        for (int k = 0; k < 3; ++k) out[k] = s.uniform_double();
    }"""
    got = drawn(source, cuda.In(mrg32k3a_tables()), count=3)
    np.testing.assert_allclose(
        got, [0.127011122046577, 0.318527565396795, 0.309186015583270], atol=1e-12
    )


def test_xorwow_of_marsaglia():
    """Stepping as in the paper gives what skipping gives, from any state."""
    source = """#include <lathe_generators.hpp>
    extern "C" __global__ void draws(double* out, const unsigned* table) {
        lathe::random::Xorwow s;
        for (int k = 0; k < 2; ++k) {
            s.seed(99, 0, 0, table);
            if (k) s.skip(1000, table);
            for (int step = k ? 1000 : 0; step < 1003; ++step) out[k * 3 + step % 3] = s.bits();
        }
    }"""
    got = drawn(source, cuda.In(xorwow_tables()), count=6)
    np.testing.assert_array_equal(got[:3], got[3:])


def test_sequences_of_xorwow_are_as_far_apart_as_two_to_the_67():
    # Sixteen times 2^63, the largest power that can be skipped at once.
    source = """#include <lathe_generators.hpp>
    extern "C" __global__ void draws(double* out, const unsigned* table) {
        lathe::random::Xorwow a, b;
        a.seed(7, 0, 0, table);
        b.seed(7, 1, 0, table);
        for (int k = 0; k < 16; ++k) a.skip(1ull << 63, table);
        for (int k = 0; k < 4; ++k) { out[k] = a.bits(); out[4 + k] = b.bits(); }
    }"""
    got = drawn(source, cuda.In(xorwow_tables()), count=8)
    np.testing.assert_array_equal(got[:4], got[4:])
