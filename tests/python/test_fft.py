# SPDX-License-Identifier: MIT
"""`lathe.fft` beside numpy.fft. test_fft_library.py runs this file once more by a library that
stands for cuFFT."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from array_cases import layouts

import lathe.cuda.driver as cuda
import lathe.fft
from lathe import fft
from lathe.cuda.gpuarray import GPUArray, to_gpu, zeros

DTYPES = ["?", "b", "H", "i", "q", "e", "f", "d", "F", "D"]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
NORMS = [None, "backward", "ortho", "forward"]


def numbers(shape, dtype="D", seed=0):
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "biu":
        return random.integers(0, 2 if dtype.kind == "b" else 50, shape).astype(dtype)
    made = random.standard_normal(shape)
    if dtype.kind == "c":
        made = made + 1j * random.standard_normal(shape)
    return np.asarray(made).astype(dtype)


def takes(name, dtype):
    """The real transforms refuse complex numbers."""
    return np.dtype(dtype).kind != "c" or name not in ("rfft", "rfftn", "rfft2", "ihfft")


def close(ours, theirs, given=""):
    """NumPy rounds the scale of float16 arrays to float16, whatever it computes in."""
    ours = ours.get()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    limit = {"e": 5e-3, "f": 2e-5, "F": 2e-5}.get(given or theirs.dtype.char, 1e-12)
    scale = limit * max(abs(theirs.astype("D")).max(initial=0), 1e-30) * 4
    np.testing.assert_allclose(ours.astype("D"), theirs.astype("D"), rtol=0, atol=scale)


def compare(name, host, *given, device=None, **keywords):
    device = to_gpu(host) if device is None else device
    before = device.get()
    close(
        getattr(fft, name)(device, *given, **keywords),
        getattr(np.fft, name)(host, *given, **keywords),
        "e" if host.dtype == np.float16 else "",
    )
    assert device.get().tobytes() == before.tobytes(), "the input was changed"


def test_all_names_of_numpy_are_there():
    assert set(fft.__all__) == set(np.fft.__all__)
    for name in fft.__all__:
        assert getattr(fft, name).__doc__


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ONE + TWO + SEVERAL)
def test_types(name, dtype):
    host = numbers((4, 6), dtype)
    if takes(name, dtype):
        compare(name, host)
        return
    for function in (getattr(fft, name), getattr(np.fft, name)):
        with pytest.raises(TypeError):
            function(host if function.__module__.startswith("numpy") else to_gpu(host))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 13, 30, 31, 64, 100])
@pytest.mark.parametrize("name", ONE)
def test_lengths(name, size):
    for dtype in ("f", "F", "d", "D"):
        if takes(name, dtype) and (size > 1 or name not in ("irfft", "hfft")):
            compare(name, numbers(size, dtype))


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9, 16, 20])
@pytest.mark.parametrize("name", ONE)
def test_lengths_of_results(name, n):
    for dtype in ("f", "D"):
        if takes(name, dtype):
            for axis in (0, 1, -1):
                compare(name, numbers((7, 9), dtype), n, axis)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE + TWO + SEVERAL)
def test_norms(name, norm):
    compare(name, numbers((5, 6), "f"), norm=norm)


@pytest.mark.parametrize("shape", [(5,), (4, 5), (3, 4, 5), (2, 3, 4, 5), (2, 3, 2, 3, 2)])
@pytest.mark.parametrize("name", ONE)
def test_each_axis(name, shape):
    for axis in range(-len(shape), len(shape)):
        host = numbers(shape, "f" if not takes(name, "F") else "F")
        if shape[axis] > 1:
            compare(name, host, axis=axis)


@pytest.mark.parametrize("name", SEVERAL)
def test_axes(name):
    host = numbers((3, 4, 2, 5), "d" if not takes(name, "D") else "D")
    for axes in (
        None, (0,), (3,), (2, 3), (3, 2), (0, 1), (1, 3), (3, 0), (0, 1, 2), (1, 2, 3), (-1, 0, 1),
        (0, 1, 2, 3), (3, 2, 1, 0), (1, 1), (0, 0, 3), (2, 2, 2, 2, 1),
    ):  # fmt: skip
        compare(name, host, axes=axes)


@pytest.mark.parametrize("name", SEVERAL)
def test_axes_of_many(name):
    host = numbers((2, 3, 2, 3, 2, 3), "f" if not takes(name, "F") else "F")
    for axes in (None, (0, 1, 2, 3, 4), (5, 1, 3, 0), (4, 5, 0, 1, 2)):
        compare(name, host, axes=axes)


@pytest.mark.parametrize("name", SEVERAL + TWO)
def test_lengths_of_several(name):
    host = numbers((5, 6, 7), "f" if not takes(name, "F") else "F")
    for s in ((4, 6), (6, 4), (5, 9), (7, 8), (1, 1), (-1, 4), (4, -1)):
        compare(name, host, s, (0, 2))
        compare(name, host, s, (2, 1))
        compare(name, host, s, (-2, -1))
    with pytest.warns(DeprecationWarning, match="axes"):
        found = getattr(fft, name)(to_gpu(host), (4, 6), None)
    with pytest.warns(DeprecationWarning, match="axes"):
        close(found, getattr(np.fft, name)(host, (4, 6), None))


@pytest.mark.parametrize("name", ["fft", "irfft", "fftn", "irfftn"])
def test_any_strides(name):
    for dtype in ("F", "d"):
        for host, device in layouts(numbers((6, 5, 4), dtype)):
            compare(name, host, device=device)
            if name.endswith("n"):
                compare(name, host, axes=(0, 2), device=device)
            else:
                compare(name, host, axis=0, device=device)
                compare(name, host, axis=1, device=device)


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_parts_that_begin_anywhere(dtype):
    host = numbers(33, dtype)
    for first in range(4):
        compare("rfft", host[first:], device=to_gpu(host)[first:])
        compare("rfft", host[first::2], device=to_gpu(host)[first::2])


@pytest.mark.parametrize("shape", [(0, 4), (3, 0, 4), (0, 0, 5)])
@pytest.mark.parametrize("name", ONE)
def test_without_elements(name, shape):
    compare(name, np.zeros(shape, "f"))
    compare(name, np.zeros(shape, "f"), 3)
    with pytest.raises(ValueError, match=r"data points \(0\)"):
        fft.fft(to_gpu(np.zeros(shape)), axis=shape.index(0))


def test_no_axes():
    for name in ("fftn", "ifftn"):
        compare(name, numbers((3, 4), "F"), axes=())
        compare(name, np.array(3 + 1j))
    for name in ("rfftn", "irfftn"):
        for function, made in ((getattr(fft, name), to_gpu), (getattr(np.fft, name), np.asarray)):
            with pytest.raises(IndexError):
                function(made(np.zeros((3, 4))), axes=())


@pytest.mark.parametrize("name", ONE + TWO + SEVERAL)
def test_outputs(name):
    host = numbers((6, 8), "f" if not takes(name, "F") else "F")
    theirs = getattr(np.fft, name)(host)
    exact = GPUArray(theirs.shape, theirs.dtype)
    wide = GPUArray(theirs.shape, np.result_type(theirs.dtype, "d"))
    gaps = zeros((2 * theirs.shape[0], theirs.shape[1]), theirs.dtype)[::2]
    fortran = GPUArray(theirs.shape, theirs.dtype, order="F")
    for out in (exact, wide, gaps, fortran):
        assert getattr(fft, name)(to_gpu(host), out=out) is out
        np.testing.assert_allclose(out.get(), theirs, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="wrong shape"):
        getattr(fft, name)(to_gpu(host), out=GPUArray((6, 3), theirs.dtype))
    with pytest.raises(TypeError, match="int32"):
        getattr(fft, name)(to_gpu(host), out=GPUArray(theirs.shape, np.int32))
    with pytest.raises(TypeError, match="ndarray"):
        getattr(fft, name)(to_gpu(host), out=theirs)


def test_in_place():
    host = numbers((6, 8), "F")
    a = to_gpu(host)
    assert fft.fft(a, out=a) is a
    close(a, np.fft.fft(host))
    a = to_gpu(host)
    fft.fftn(a.T, out=a.T)
    close(a, np.fft.fftn(host))
    half = to_gpu(numbers((6, 12), "f"))
    fft.irfft(half[:, :7], out=half)
    close(half, np.fft.irfft(numbers((6, 12), "f")[:, :7]))


def test_streams():
    host = numbers((64, 96), "F")
    streams = [cuda.Stream() for _ in range(3)]
    made = []
    for k in range(12):
        stream = streams[k % 3]
        there = fft.fft2(to_gpu(host), stream=stream)
        made.append((stream, fft.ifft2(there, stream=stream)))
    for stream, back in made:
        np.testing.assert_allclose(back.get(stream=stream), host, rtol=1e-4, atol=1e-5)


def test_there_and_back():
    host = numbers((12, 15), "d")
    a = to_gpu(host)
    for one, other in (("fft", "ifft"), ("fft2", "ifft2"), ("fftn", "ifftn")):
        close(getattr(fft, other)(getattr(fft, one)(a)), host.astype("D"))
    close(fft.irfft(fft.rfft(a), 15), host)
    close(fft.hfft(fft.ihfft(a), 15), host)
    close(fft.irfftn(fft.rfftn(a), (12, 15), (0, 1)), host)


def test_a_known_transform():
    """Of a cosine of 5 periods: half its number of samples, at 5 and at -5."""
    samples = 40
    wave = np.cos(2 * np.pi * 5 * np.arange(samples) / samples)
    found = fft.fft(to_gpu(wave)).get()
    wanted = np.zeros(samples)
    wanted[[5, -5]] = samples / 2
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_imaginary_parts_of_what_is_real_do_not_count():
    for n in (8, 9):
        host = numbers((3, n // 2 + 1), "D")
        other = host.copy()
        other[:, 0] += 3j
        if n % 2 == 0:
            other[:, -1] -= 4j
        close(fft.irfft(to_gpu(other), n), np.fft.irfft(host, n))


@pytest.mark.parametrize("name", [*ONE, *TWO, *SEVERAL, "fftshift", "ifftshift"])
def test_numpys_functions_find_ours(name):
    host = numbers((4, 6), "d")
    found = getattr(np.fft, name)(to_gpu(host))
    assert isinstance(found, GPUArray)
    close(found, getattr(np.fft, name)(host))


def test_frequencies():
    for n in (1, 2, 7, 8):
        for d in (1.0, 0.25):
            close(fft.fftfreq(n, d), np.fft.fftfreq(n, d))
            close(fft.rfftfreq(n, d), np.fft.rfftfreq(n, d))
            single = fft.fftfreq(n, d, dtype=np.float32)
            close(single, np.fft.fftfreq(n, d).astype(np.float32))
    with pytest.raises(ValueError, match="floating-point"):
        fft.fftfreq(4, dtype=np.int32)
    with pytest.raises(ValueError, match="integer"):
        fft.fftfreq(2.5)
    with pytest.raises(ValueError, match="integer"):
        fft.rfftfreq("4")


@pytest.mark.parametrize("shape", [(1,), (8,), (7,), (4, 5), (3, 0, 2), (2, 3, 4)])
def test_shifts(shape):
    host = numbers(shape, "f")
    for axes in (None, 0, -1, (0,), (-1, 0)):
        for name in ("fftshift", "ifftshift"):
            close(getattr(fft, name)(to_gpu(host), axes), getattr(np.fft, name)(host, axes))
    with pytest.raises(np.exceptions.AxisError):
        fft.fftshift(to_gpu(host), len(shape))


def test_what_does_not_fit_is_refused():
    a = to_gpu(numbers((4, 6), "d"))
    for name in ONE:
        function = getattr(fft, name)
        with pytest.raises(np.exceptions.AxisError):
            function(a, axis=2)
        with pytest.raises(np.exceptions.AxisError):
            function(a, axis=-3)
        for n in (0, -2):
            with pytest.raises(ValueError, match="data points"):
                function(a, n)
        with pytest.raises(ValueError, match="'half'"):
            function(a, norm="half")
        with pytest.raises(TypeError, match="ndarray"):
            function(np.zeros(4))
        with pytest.raises(TypeError):
            function(a, 2.5)
    for name in SEVERAL:
        with pytest.raises(ValueError, match="2 lengths were given for 1 axes"):
            getattr(fft, name)(a, (2, 2), (0,))
        with pytest.raises(np.exceptions.AxisError):
            getattr(fft, name)(a, axes=(0, 2))
    with pytest.raises(np.exceptions.AxisError):
        fft.fft2(to_gpu(np.zeros(4)))
    with pytest.raises(ValueError, match="data points"):
        fft.irfft(to_gpu(np.zeros(1)))
    with pytest.raises(TypeError, match="numbers"):
        fft.fft(GPUArray(3, np.dtype([("x", "f4")])))


def test_docstrings():
    assert doctest.testmod(lathe.fft).failed == 0
    assert doctest.testmod(lathe.fft).attempted > 0
