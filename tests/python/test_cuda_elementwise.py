# SPDX-License-Identifier: MIT
"""ElementwiseKernel and the canned kernels, beside NumPy."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest

from lathe.cuda import compiler, elementwise_forms, gpuarray
from lathe.cuda import elementwise as ew
from lathe.cuda.elementwise import ElementwiseKernel, ScalarArg, VectorArg

pytestmark = pytest.mark.usefixtures("cuda_context")


@pytest.fixture(scope="module")
def scale() -> ElementwiseKernel:
    return ElementwiseKernel("float *z, const float *x, float a", "z[i] = a * x[i]", "scale")


def data(*shape: int, dtype: str = "float32") -> Any:
    return np.random.default_rng(1).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 1000, 70001])
def test_it_runs_over_every_element(scale: ElementwiseKernel, count: int) -> None:
    x = data(count)
    z = gpuarray.GPUArray((count,), np.float32)
    scale(z, gpuarray.to_gpu(x), 2.5)
    np.testing.assert_array_equal(z.get(), np.float32(2.5) * x)


def test_ranges_and_slices() -> None:
    mark = ElementwiseKernel("int *z", "z[i] = z[i] + i + 1")
    for given in [slice(3, 20), slice(0, 50, 7), slice(49, 2, -3), slice(20, 3), slice(5, 6)]:
        z = gpuarray.to_gpu(np.zeros(50, np.int32))
        mark(z, range=given)
        expected = np.zeros(50, np.int32)
        where = np.arange(given.start, given.stop, given.step or 1)
        expected[where] = where + 1
        np.testing.assert_array_equal(z.get(), expected)
    for given in [slice(None), slice(-5, None), slice(None, None, -4), slice(2, 1000, 3)]:
        z = gpuarray.to_gpu(np.zeros(50, np.int32))
        mark(z, slice=given)
        expected = np.zeros(50, np.int32)
        expected[given] = np.arange(50)[given] + 1
        np.testing.assert_array_equal(z.get(), expected)
    with pytest.raises(TypeError, match="both"):
        mark(z, range=slice(1, 2), slice=slice(1, 2))
    with pytest.raises(ValueError, match="step"):
        mark(z, range=slice(1, 2, 0))


def test_code_around_the_loop() -> None:
    kernel = ElementwiseKernel(
        "int *z, int *threads",
        "z[i] = twice(i) + offset; if (i == 0) threads[0] = total_threads; last = n",
        preamble="__device__ int twice(int x) { return 2 * x; }",
        loop_prep="int offset = 5; size_t last = 0",
        after_loop="if (last == n && tid == 0 && cta_start == 0) threads[1] = last",
    )
    z = gpuarray.GPUArray((300,), np.int32)
    threads = gpuarray.to_gpu(np.zeros(2, np.int32))
    kernel(z, threads)
    np.testing.assert_array_equal(z.get(), 2 * np.arange(300) + 5)
    assert threads.get()[0] >= 300 or threads.get()[0] % 32 == 0
    assert threads.get()[1] == 300


@pytest.mark.parametrize("x_order", ["C", "F", "steps", "turned"])
@pytest.mark.parametrize("z_order", ["C", "F", "steps", "turned"])
def test_orders_may_be_mixed(scale: ElementwiseKernel, x_order: str, z_order: str) -> None:
    """B13."""

    def laid(values: Any, order: str) -> Any:
        if order in "CF":
            return gpuarray.to_gpu(np.asarray(values, order=order))
        if order == "turned":
            return gpuarray.to_gpu(np.ascontiguousarray(values[::-1]))[::-1]
        wide = np.zeros((values.shape[0] * 2, values.shape[1] * 3), values.dtype)
        wide[::2, ::3] = values
        return gpuarray.to_gpu(wide)[::2, ::3]

    x = data(13, 29)
    z = laid(np.zeros_like(x), z_order)
    scale(z, laid(x, x_order), -2.0)
    np.testing.assert_array_equal(z.get(), np.float32(-2) * x)


def test_what_lies_between_the_steps_stays(scale: ElementwiseKernel) -> None:
    whole = gpuarray.to_gpu(np.full((20, 3), 7, np.float32))
    scale(whole[::2], gpuarray.to_gpu(np.ones((10, 3), np.float32)), 1.0)
    np.testing.assert_array_equal(whole.get()[1::2], 7)
    np.testing.assert_array_equal(whole.get()[::2], 1)


def test_in_place_through_a_view() -> None:
    kernel = ElementwiseKernel("float *x", "x[i] *= 3")
    whole = gpuarray.to_gpu(np.ones((6, 6), np.float32))
    kernel(whole.T[1:3])
    expected = np.ones((6, 6), np.float32)
    expected.T[1:3] *= 3
    np.testing.assert_array_equal(whole.get(), expected)


def test_shapes_are_compared(scale: ElementwiseKernel) -> None:
    """B14: with both shapes."""
    with pytest.raises(ValueError, match=r"\(3, 4\).*\(4, 3\)"):
        scale(gpuarray.zeros((4, 3), np.float32), gpuarray.zeros((3, 4), np.float32), 1.0)
    table = ElementwiseKernel("int *z, const int *t", "z[i] = t[i % 3]")
    z = gpuarray.GPUArray((10,), np.int32)
    table(z, gpuarray.to_gpu(np.array([5, 6, 7], np.int32)))  # not indexed by i alone
    np.testing.assert_array_equal(z.get(), np.array([5, 6, 7])[np.arange(10) % 3])


def test_broadcasting_where_it_is_asked_for() -> None:
    add = ElementwiseKernel("float *z, const float *x, const float *y", "z[i] = x[i] + y[i]")
    x, y = data(5, 1), data(7)
    z = gpuarray.GPUArray((5, 7), np.float32)
    add(z, gpuarray.to_gpu(x), gpuarray.to_gpu(y), broadcast=True)
    np.testing.assert_array_equal(z.get(), x + y)
    with pytest.raises(ValueError, match="shape"):
        add(gpuarray.GPUArray((1, 7), np.float32), gpuarray.to_gpu(x), gpuarray.to_gpu(y),
            broadcast=True)  # fmt: skip


def test_arrays_without_elements(scale: ElementwiseKernel) -> None:
    """B15."""
    scale(gpuarray.GPUArray((0,), np.float32), gpuarray.GPUArray((0,), np.float32), 1.0)


def test_types_and_numbers_of_arguments(scale: ElementwiseKernel) -> None:
    z = gpuarray.zeros((3,), np.float32)
    with pytest.raises(TypeError, match="float64"):
        scale(z, gpuarray.zeros((3,), np.float64), 1.0)
    with pytest.raises(TypeError, match="GPUArray"):
        scale(z, np.zeros(3, np.float32), 1.0)
    with pytest.raises(TypeError, match="3 arguments"):
        scale(z, z)
    with pytest.raises(RuntimeError, match="vector"):
        ElementwiseKernel("float a", "a += 1")
    with pytest.raises(TypeError, match="colour"):
        ElementwiseKernel("float *a", "a[i] += 1", colour="red")


def test_complex_half_and_structures() -> None:
    z = data(100) + 1j * data(100)
    square = ElementwiseKernel("pycuda::complex<double> *z", "z[i] = z[i] * z[i]")
    device = gpuarray.to_gpu(z.astype(np.complex128))
    square(device)
    np.testing.assert_allclose(device.get(), z.astype(np.complex128) ** 2, rtol=1e-14)
    half = ElementwiseKernel("half *x", "x[i] = __hadd(x[i], x[i])")
    device = gpuarray.to_gpu(np.arange(50, dtype=np.float16))
    half(device)
    np.testing.assert_array_equal(device.get(), 2 * np.arange(50, dtype=np.float16))


def test_arguments_as_a_list() -> None:
    kernel = ElementwiseKernel(
        [VectorArg(np.int64, "z"), ScalarArg(np.int64, "a")], "z[i] = a + i", name="count_up"
    )
    z = gpuarray.GPUArray((9,), np.int64)
    kernel(z, 100)
    np.testing.assert_array_equal(z.get(), 100 + np.arange(9))
    function, types = kernel.generate_stride_kernel_and_types(False)
    assert [each.name for each in types] == ["z", "a", "n"]
    assert [e.name for e in kernel.generate_stride_kernel_and_types(True)[1]][2:] == [
        "start", "stop", "step",
    ]  # fmt: skip
    assert function is kernel.generate_stride_kernel_and_types(False)[0]


def test_nothing_is_compiled_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*args: Any, **kwargs: Any) -> Any:
        made.append(args)
        return compiler.SourceModule(*args, **kwargs)

    monkeypatch.setattr(elementwise_forms, "SourceModule", counted)
    z = gpuarray.zeros((3,), np.float32)
    for _ in range(3):
        ElementwiseKernel("float *z", "z[i] += 41")(z)
    assert len(made) == 1
    np.testing.assert_array_equal(z.get(), 3 * 41)


def test_modules_and_prepared_kernels() -> None:
    x, z = gpuarray.to_gpu(np.arange(10, dtype=np.float32)), gpuarray.zeros((10,), np.float32)
    kernel = ew.get_elwise_kernel("float *x, float *z", "z[i] = x[i] + 1", "plus_one")
    kernel.prepared_call((1, 1), (32, 1, 1), x.gpudata, z.gpudata, 10)
    np.testing.assert_array_equal(z.get(), np.arange(10) + 1)
    module = ew.get_elwise_range_module("float *z", "z[i] = i", "by_range")
    function = module.get_function("by_range")
    function(z, np.intp(8), np.intp(1), np.intp(-2), block=(32, 1, 1))
    np.testing.assert_array_equal(z.get()[[8, 6, 4, 2]], [8, 6, 4, 2])
    plain = ew.get_elwise_module("float *z", "z[i] = 7", "sevens").get_function("sevens")
    plain(z, np.uintp(10), block=(32, 1, 1))
    np.testing.assert_array_equal(z.get(), 7)


def _run(kernel: Any, *args: Any, count: int = 40) -> None:
    kernel = kernel[0] if isinstance(kernel, tuple) else kernel
    given = [a.gpudata if isinstance(a, gpuarray.GPUArray) else a for a in args]
    kernel.prepared_async_call((2, 1), (32, 1, 1), None, *given, count)


def test_canned_kernels() -> None:
    f = np.float32
    hx, hy = np.abs(data(40)) + f(1), data(40)[::-1].copy()
    x, y = gpuarray.to_gpu(hx), gpuarray.to_gpu(hy)
    z, w = gpuarray.zeros((40,), f), gpuarray.zeros((40,), f)
    index = np.random.default_rng(2).permutation(40).astype(np.int32)
    at = gpuarray.to_gpu(index)

    def check(expected: Any, kernel: Any, *args: Any, rtol: float = 0) -> None:
        _run(kernel, *args)
        np.testing.assert_allclose(z.get(), expected, rtol=rtol)

    take, sources = ew.get_take_kernel(f, np.int32)
    x.bind_to_texref_ext(sources[0])
    check(hx[index], take, at, z)
    put = np.zeros(40, f)
    put[index] = hx
    check(put, ew.get_put_kernel(f, np.int32), at, z, x)
    put[index] = hx[index]
    take_put, sources = ew.get_take_put_kernel(f, np.int32, False)
    x.bind_to_texref_ext(sources[0])
    check(put, take_put, at, at, z)
    check(hx, ew.get_copy_kernel(f, f), z, x)
    both, none = ew.get_linear_combination_kernel(((False, f, f), (False, f, f)), f)
    assert none == []
    check(2 * hx + 3 * hy, both, 2, x, 3, y, z, rtol=1e-5)
    check(2 * hx + 3 * hy, ew.get_axpbyz_kernel(f, f, f), 2, x, 3, y, z, rtol=1e-5)
    check(2 * hx + 3, ew.get_axpbz_kernel(f, f), 2, x, 3, z, rtol=1e-6)
    check(hx / hy, ew.get_binary_op_kernel(f, f, f, "/"), x, y, z, rtol=1e-6)
    check(3 / hx, ew.get_rdivide_elwise_kernel(f, f), x, 3, z, rtol=1e-6)
    check(np.hypot(hx, hy), ew.get_binary_func_kernel("hypotf", f, f, f), x, y, z, rtol=1e-6)
    check(hx**2, ew.get_binary_func_scalar_kernel("powf", f, f, f), x, 2, z, rtol=1e-6)
    check(np.maximum(hx, hy), ew.get_binary_minmax_kernel("max", f, f, f, False), x, y, z)
    check(np.minimum(hx, f(1.5)), ew.get_binary_minmax_kernel("min", f, f, f, True), x, 1.5, z)
    check(4, ew.get_fill_kernel(f), 4, z)
    check(hx[::-1], ew.get_reverse_kernel(f), x, z)
    check(3 + 2 * np.arange(40), ew.get_arange_kernel(f), z, 3, 2)
    check(hx**hy, ew.get_pow_array_kernel(f, f, f, True, True), x, y, z, rtol=1e-5)
    check(2**hy, ew.get_pow_array_kernel(f, f, f, False, True), 2, y, z, rtol=1e-5)
    check(np.fmod(hx, hy), ew.get_fmod_kernel(), x, y, z)
    check(np.modf(hx)[1], ew.get_modf_kernel(), x, z, w)
    np.testing.assert_array_equal(w.get(), np.modf(hx)[0])
    check(np.frexp(hx)[0], ew.get_frexp_kernel(), x, z, w)
    np.testing.assert_array_equal(w.get(), np.frexp(hx)[1])
    check(np.ldexp(hx, np.frexp(hx)[1]), ew.get_ldexp_kernel(), x, w, z)
    check(np.sqrt(hx), ew.get_unary_func_kernel("sqrtf", f), x, z)
    check(np.where(hy > 0, hx, hy), ew.get_if_positive_kernel(f, f), y, x, y, z)
    check(np.where(hy != 0, hx, hy), ew.get_where_kernel(f, f), y, x, y, z)
    check(hx * 5, ew.get_scalar_op_kernel(f, f, f, "*"), x, 5, z, rtol=1e-6)
    check(np.zeros(40), ew.get_logical_not_kernel(f, f), x, z)
    pair = (hx + 1j * hy).astype(np.complex64)
    c, conj = gpuarray.to_gpu(pair), gpuarray.to_gpu(pair)
    check(pair.real, ew.get_real_kernel(np.complex64, f), c, z)
    check(pair.imag, ew.get_imag_kernel(np.complex64, f), c, z)
    _run(ew.get_conj_kernel(np.complex64, np.complex64), c, conj)
    np.testing.assert_array_equal(conj.get(), pair.conj())
    assert ew.get_fill_kernel(f) is ew.get_fill_kernel(f)


def test_it_says_nothing(scale: ElementwiseKernel, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ElementwiseKernel("float *z", "z[i] += 43", keep=True)(gpuarray.zeros((3,), np.float32))
    sys.stdout.flush()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float64, np.complex64, np.complex128])
def test_lookups_read_texture_references(dtype: Any) -> None:
    """As PyCUDA's protocol has it: sources and factors in device memory are no arguments."""
    hosts = [data(40).astype(dtype) + dtype(k) for k in range(2)]
    arrays = [gpuarray.to_gpu(host) for host in hosts]
    outs = [gpuarray.zeros((40,), dtype) for _ in range(2)]
    index = np.random.default_rng(2).permutation(40).astype(np.int32)
    at = gpuarray.to_gpu(index)

    def bind(sources: Any, references: Any) -> None:
        assert len(sources) == len(references)
        for source, reference in zip(sources, references, strict=True):
            source.bind_to_texref_ext(reference, allow_double_hack=True, allow_complex_hack=True)

    take, references = ew.get_take_kernel(dtype, np.int32, 2)
    bind(arrays, references)
    _run(take, at, *outs)
    for out, host in zip(outs, hosts, strict=True):
        np.testing.assert_array_equal(out.get(), host[index])
    take_put, references = ew.get_take_put_kernel(dtype, np.dtype(np.int32), True, 1)
    bind(arrays[:1], references)
    half = gpuarray.to_gpu((index % 20).astype(np.int32))
    _run(take_put, at, half, outs[0], 20)
    np.testing.assert_array_equal(outs[0].get()[index], hosts[0][index % 20 + 20])
    factor = gpuarray.to_gpu(np.array(3, dtype))
    descriptors = ((True, dtype, dtype), (False, dtype, dtype))
    combine, references = ew.get_linear_combination_kernel(descriptors, dtype)
    bind([factor], references)
    _run(combine, arrays[0], dtype(2), arrays[1], outs[1])
    np.testing.assert_allclose(outs[1].get(), 3 * hosts[0] + 2 * hosts[1], rtol=1e-6)
