# SPDX-License-Identifier: MIT
"""Values and spellings of arguments that programs for PyCUDA use, to the letter."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda import cumath, curandom, gpuarray
from lathe.cuda.compiler import SourceModule
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.gpuarray import to_gpu, vec
from lathe.cuda.tools import PageLockedMemoryPool, get_or_register_dtype

POINT = np.dtype([("weight", "f4"), ("place", "i4", (2,)), ("tag", "u1")], align=True)


def test_arrays_name_no_stream():
    for array in (gpuarray.zeros(4, np.float32), to_gpu(np.ones((2, 3)))[:, ::2]):
        assert array.__cuda_array_interface__["stream"] is None


# --- Shapes


@pytest.mark.parametrize(
    "shape",
    [
        5, (5,), [5], np.int64(5), np.uint8(5), np.array(5), np.array([5]), (np.int16(5),),
        np.array([5], np.uint32),
    ],
)  # fmt: skip
def test_shapes_of_one_axis(shape):
    made = [
        gpuarray.empty(shape, np.float32),
        gpuarray.zeros(shape, np.float32),
        gpuarray.ones(shape, np.float32),
        gpuarray.full(shape, 2.0),
        gpuarray.zeros((1, 5), np.float32).reshape(shape),
        curandom.rand(shape),
        cuda.pagelocked_zeros(shape, np.float32),
        cuda.aligned_zeros(shape, np.float32),
        cuda.managed_zeros(shape, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL),
        cuda.from_device(gpuarray.zeros(5, np.float32).gpudata, shape, np.float32),
        PageLockedMemoryPool().allocate(shape, np.float32),
    ]
    for array in made:
        assert array.shape == (5,)


def test_shapes_of_more_axes_may_be_arrays():
    assert gpuarray.zeros(np.array([2, 3]), np.float32).shape == (2, 3)
    assert gpuarray.zeros(np.array([], int), np.float32).shape == ()
    assert gpuarray.zeros(6, np.float32).reshape(np.array([2, -1])).shape == (2, 3)
    for wrong in (np.array([5.0]), np.array([[5]]), 5.0, np.float32(5), "5", None):
        with pytest.raises(TypeError):
            gpuarray.zeros(wrong, np.float32)


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_reshape_takes_an_order(order):
    for host in (np.arange(24.0).reshape(2, 3, 4), np.asfortranarray(np.arange(6.0).reshape(2, 3))):
        array = to_gpu(host)
        for shape in [(6, -1), (-1,), (3, host.size // 3)]:
            expected = host.reshape(shape, order=order)
            for ours in (
                array.reshape(shape, order=order),
                array.reshape(*shape, order=order),
                array.reshape(shape, order),
                gpuarray.reshape(array, shape, order=order),
                gpuarray.reshape(array, *shape, order=order),
                np.reshape(array, shape, order=order),
            ):
                np.testing.assert_array_equal(ours.get(), expected)
                assert ours.flags.f_contiguous == expected.flags.f_contiguous or expected.ndim == 1
    with pytest.raises(ValueError, match="order must be"):
        array.reshape(-1, order="X")


def test_transpose_takes_axes_by_name():
    host = np.arange(24.0).reshape(2, 3, 4)
    array = to_gpu(host)
    for axes in [None, (1, 0, 2), [2, 0, 1], np.array([0, 2, 1]), (-1, 0, 1)]:
        expected = host.transpose(axes)
        for ours in (
            array.transpose(axes=axes),
            array.transpose(axes),
            gpuarray.transpose(array, axes=axes),
            gpuarray.transpose(a=array, axes=axes),
            np.transpose(array, axes=axes),
        ):
            np.testing.assert_array_equal(ours.get(), expected)
    with pytest.raises(TypeError, match="twice"):
        array.transpose(1, 0, 2, axes=(1, 0, 2))


def test_arange_by_name():
    for expected, call in [
        (np.arange(2, 10, 3), lambda: gpuarray.arange(start=2, stop=10, step=3, dtype=np.int64)),
        (np.arange(2, 10), lambda: gpuarray.arange(2, stop=10, dtype=np.int64)),
        (np.arange(5), lambda: gpuarray.arange(stop=5, dtype=np.int64)),
        (np.arange(5), lambda: gpuarray.arange(5, np.dtype(np.int64))),
        (np.arange(0, 5, 2), lambda: gpuarray.arange(0, 5, 2, np.dtype(np.int64))),
        (np.arange(0, 5, 2), lambda: gpuarray.arange(5, step=2, dtype="i8")),
    ]:
        np.testing.assert_array_equal(call().get(), expected)
        assert call().dtype == np.int64
    with pytest.raises(TypeError, match="stop"):
        gpuarray.arange(dtype=np.float32)
    with pytest.raises(TypeError, match="start"):
        gpuarray.arange(1, 2, start=3)


# --- Vectors and records


def test_fill_with_vectors_and_records():
    point = np.zeros((), POINT)
    point["weight"], point["place"], point["tag"] = 2.5, (3, -4), 7
    for dtype, value in [
        (vec.float4, vec.make_float4(1, 2, 3, 4)),
        (vec.float4, (1, 2, 3, 4)),
        (vec.uchar3, vec.make_uchar3(1, 2, 3)),
        (vec.double2, np.array((1.5, -2), vec.double2)[()]),
        (vec.float4, 5),
        (vec.int2, np.float32(3)),
        (POINT, point),
        (POINT, point[()]),
        (POINT, (1.5, (1, 2), 3)),
    ]:
        expected = np.zeros((3, 5), dtype)
        array = gpuarray.zeros((3, 5), dtype)
        for k, stream in enumerate([None, cuda.Stream()]):
            part = slice(k, None, 2)
            expected[:, part] = value
            assert array[:, part].fill(value, stream=stream).dtype == dtype
            cuda.Context.synchronize()
            np.testing.assert_array_equal(array.get(), expected)


def test_vectors_and_records_are_assigned_and_made():
    host = np.zeros(6, vec.float4)
    array = to_gpu(host)
    one = vec.make_float4(1, 2, 3, 4)
    for index in [2, slice(3, 5), slice(None, None, -5)]:
        array[index] = host[index] = one
        np.testing.assert_array_equal(array.get(), host)
    array[1] = host[1] = (5, 6, 7, 8)
    array[0] = host[0] = 9
    array[np.array([5, 2])] = host[np.array([5, 2])] = one[()]
    np.testing.assert_array_equal(array.get(), host)
    for made, expected in [
        (gpuarray.full(3, one), np.full(3, one)),
        (gpuarray.ones(3, vec.float4), np.ones(3, vec.float4)),
        (gpuarray.zeros(3, POINT), np.zeros(3, POINT)),
        (gpuarray.ones_like(array), np.ones_like(host)),
        (np.full_like(array, one), np.full_like(host, one)),
        (gpuarray.concatenate((array, array)), np.concatenate((host, host))),
        (gpuarray.take(array, to_gpu(np.array([4, 2, 2]))), host[[4, 2, 2]]),
    ]:
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made.get(), expected)
    with pytest.raises((TypeError, ValueError)):
        array.fill("text")
    np.testing.assert_array_equal(array.get(), host)


def test_vectors_and_records_are_arguments():
    """As arrays without axes, which vec.make_… gives, as np.void, in every kind of call."""
    source = """
    struct Point { float weight; int place[2]; unsigned char tag; };
    __global__ void put(float4* to, float4 value, Point* points, Point point) {
        to[threadIdx.x] = value;
        points[threadIdx.x] = point;
    }"""
    point = np.zeros((), POINT)
    point["weight"], point["place"], point["tag"] = 2.5, (3, -4), 7
    put = SourceModule(source).get_function("put")
    prepared = SourceModule(source).get_function("put").prepare(["P", vec.float4, "P", POINT])
    value = vec.make_float4(1, 2, 3, 4)
    for number, (a, b) in enumerate(itertools.product([value, value[()]], [point, point[()]])):
        vectors, points = gpuarray.zeros(4, vec.float4), gpuarray.zeros(4, POINT)
        if number % 2:
            put(vectors, a, points, b, block=(4, 1, 1))
        else:
            prepared.prepared_call((1, 1), (4, 1, 1), vectors.gpudata, a, points.gpudata, b)
        assert (vectors.get() == value).all()
        assert (points.get() == point).all()


def test_vectors_are_scalars_of_elementwise_kernels():
    kernel = ElementwiseKernel(
        "float4 *to, float4 a, float4 *b",
        "to[i] = make_float4(a.x + b[i].x, a.y, b[i].z, a.w * b[i].w)",
        "mix",
    )
    host = np.zeros(5, vec.float4)
    host["x"], host["z"], host["w"] = np.arange(5), 3, np.arange(5)
    array, to = to_gpu(host), gpuarray.empty(5, vec.float4)
    for value in (vec.make_float4(10, 20, 30, 2), vec.make_float4(10, 20, 30, 2)[()]):
        kernel(to, value, array)
        found = to.get()
        assert found["x"].tolist() == [10, 11, 12, 13, 14]
        assert found["y"].tolist() == [20] * 5
        assert found["z"].tolist() == [3] * 5
        assert found["w"].tolist() == [0, 2, 4, 6, 8]
    get_or_register_dtype("LetterPoint", POINT)
    weights = ElementwiseKernel(
        "float *to, LetterPoint point, LetterPoint *points",
        "to[i] = point.weight + points[i].place[1]",
        "weights",
        preamble="struct LetterPoint { float weight; int place[2]; unsigned char tag; };",
    )
    points = np.zeros(3, POINT)
    points["place"][:, 1] = [5, 6, 7]
    point = np.zeros((), POINT)
    point["weight"] = 0.5
    sums = gpuarray.empty(3, np.float32)
    weights(sums, point[()], to_gpu(points))
    assert sums.get().tolist() == [5.5, 6.5, 7.5]


# --- Numbers

REAL = [0.0, -0.0, 1.0, -1.5, 3e300, 1e-300, np.inf, -np.inf, np.nan]
PARTS = [0.0, -0.0, 1.0, -2.0, 1e-200, 1e200, np.inf, -np.inf, np.nan]


def same_numbers(ours: np.ndarray, theirs: np.ndarray, rtol: float) -> None:
    """Equal parts: NaN where NumPy has NaN, infinite where NumPy is, and of the same sign."""
    assert ours.dtype == theirs.dtype
    for part in ("real", "imag"):
        a, b = getattr(ours, part), getattr(theirs, part)
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        np.testing.assert_allclose(a, b, rtol, atol=0)


@pytest.mark.parametrize("real", [np.int8, np.int16, np.int32, np.int64, np.uint64, bool])
@pytest.mark.parametrize("complex_", [np.complex64, np.complex128])
def test_integers_by_complex_numbers(real, complex_):
    """No part is NaN where NumPy's is a number or infinite, also by 0 and by infinity."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = np.array(PARTS).astype(complex_(0).real.dtype)
        b = np.array([complex(x, y) for x in parts for y in parts]).astype(complex_)
        b.real, b.imag = np.repeat(parts, len(parts)), np.tile(parts, len(parts))
        a = np.array([0, 1, 3] if real is bool else [0, 1, 3, 100], real).reshape(-1, 1)
        a = a * np.ones(b.size, real)
        wide = np.broadcast_to(b, a.shape).copy()
        rtol = 1e-6 if np.result_type(real, complex_) == np.complex64 else 1e-14
        same_numbers((to_gpu(a) / to_gpu(wide)).get(), a / wide, rtol)
        same_numbers((1 / to_gpu(b)).get(), 1 / b, rtol)
        same_numbers((to_gpu(b) / b.dtype.type(0)).get(), b / b.dtype.type(0), rtol)


def test_complex_numbers_by_complex_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = np.array(PARTS)
        b = np.empty(len(parts) ** 2, complex)
        b.real, b.imag = np.repeat(parts, len(parts)), np.tile(parts, len(parts))
        a, c = np.repeat(b, b.size), np.tile(b, b.size)
        same_numbers((to_gpu(a) / to_gpu(c)).get(), a / c, 1e-14)
        same_numbers(np.reciprocal(to_gpu(b)).get(), np.reciprocal(b), 1e-14)
        reals = np.array(REAL)
        d, e = np.repeat(reals, b.size), np.tile(b, reals.size)
        same_numbers((to_gpu(d) / to_gpu(e)).get(), d / e, 1e-14)
        same_numbers((to_gpu(e) / to_gpu(d)).get(), e / d, 1e-14)


def test_ldexp_takes_floating_exponents():
    """PyCUDA's kernels have float32 alone, so its programs give float exponents."""
    for dtype in (np.float32, np.float64):
        a = np.array([0.5, -1.25, 3, 0], dtype)
        exponents = np.array([3, -2, 0, 10], dtype)
        expected = np.ldexp(a, exponents.astype(np.int32))
        for ours in (
            cumath.ldexp(to_gpu(a), to_gpu(exponents)),
            cumath.ldexp(significand=to_gpu(a), exponent=to_gpu(exponents), stream=None),
            cumath.ldexp(to_gpu(a), to_gpu(exponents.astype(np.int32))),
        ):
            assert ours.dtype == dtype
            np.testing.assert_array_equal(ours.get(), expected)
    np.testing.assert_array_equal(cumath.ldexp(to_gpu(a), 2.0).get(), 4 * a)
    significands, exponents = cumath.frexp(to_gpu(a))
    again = cumath.ldexp(significands, exponents.astype(np.float32), cuda.Stream())
    cuda.Context.synchronize()
    np.testing.assert_array_equal(again.get(), a)


UNARY = [
    "fabs", "ceil", "floor", "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh",
]  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_stream_or_out_in_the_second_place(name):
    function = getattr(cumath, name)
    array = to_gpu(np.linspace(0.1, 0.9, 100, dtype=np.float32))
    expected = function(array).get()
    stream, out = cuda.Stream(), gpuarray.zeros(100, np.float32)
    with pytest.deprecated_call(match="keyword"):
        on_stream = function(array, stream)
    stream.synchronize()
    with pytest.deprecated_call(match="keyword"):
        assert function(array, out) is out
    with pytest.deprecated_call():
        both = function(array, stream_or_out=stream, out=gpuarray.zeros(100, np.float32))
    stream.synchronize()
    for found in (on_stream, out, both):
        np.testing.assert_array_equal(found.get(), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(array, None)
        function(array, out=out, stream=stream)
    with pytest.raises(TypeError):
        function(array, out, stream)


# --- Names of types


def test_kernels_know_the_systems_types():
    """nvcc includes <sys/types.h>: programs use uint, ushort and ulong without a declaration."""
    source = """
    __device__ ulong wide(uint a, ushort b) { return (ulong)a << 32 | b; }
    __global__ void put(ulong* to, const uint* a, const u_char* b, ushort c) {
        to[threadIdx.x] = wide(a[threadIdx.x], c + b[threadIdx.x]);
    }"""
    to = gpuarray.zeros(4, np.uint64)
    a, b = np.arange(4, dtype=np.uint32), np.arange(4, dtype=np.uint8)
    put = SourceModule(source).get_function("put")
    put(to, to_gpu(a), to_gpu(b), np.uint16(9), block=(4, 1, 1))
    assert to.get().tolist() == [(k << 32) + 9 + k for k in range(4)]
    put(to, to_gpu(a), to_gpu(b), 9, block=(4, 1, 1))  # the source says what the number becomes
    assert to.get().tolist() == [(k << 32) + 9 + k for k in range(4)]
    kernel = ElementwiseKernel("unsigned int *z, unsigned int x", "uint y = x; z[i] = y + i", "own")
    z = gpuarray.zeros(3, np.uint32)
    kernel(z, 5)
    assert z.get().tolist() == [5, 6, 7]


def test_a_programs_own_types_win():
    source = """
    typedef unsigned long long uint;  // of its own
    __global__ void put(uint* to, ushort n) { to[threadIdx.x] = ~(uint)0 - n; }"""
    to = gpuarray.zeros(2, np.uint64)
    SourceModule(source).get_function("put")(to, np.uint16(1), block=(2, 1, 1))
    assert to.get().tolist() == [2**64 - 2] * 2
