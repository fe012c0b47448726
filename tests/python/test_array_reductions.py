# SPDX-License-Identifier: MIT
"""Reductions of arrays beside NumPy: types, shapes, axes, strides; their accuracy beside fsum."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from lathe.cuda import driver as drv
from lathe.cuda import gpuarray

pytestmark = pytest.mark.usefixtures("cuda_context")

REAL = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
        "float16", "float32", "float64"]  # fmt: skip
ALL = [*REAL, "complex64", "complex128"]


def random_array(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Any:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.7
    if kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    values = rng.standard_normal(shape)
    if kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def random_view(rng: np.random.Generator, host: Any, device: Any) -> tuple[Any, Any]:
    """The same view of both: steps, axes turned around, in another order."""
    index = tuple(
        [slice(None), slice(None, None, 2), slice(None, None, -1), slice(1, None)][rng.integers(4)]
        for _ in host.shape
    )
    axes = rng.permutation(host.ndim)
    return host[index].transpose(axes), device[index].transpose(tuple(int(a) for a in axes))


def tolerance(dtype: Any, count: int) -> float:
    kind = np.dtype(dtype)
    return 4 * float(np.finfo(kind).eps) if kind.kind in "fc" else 0.0


def check(got: Any, expected: Any, scale: Any = None) -> None:
    """The same shape, type and values, floats within what rounding the result may do."""
    expected = np.asarray(expected)
    result = got.get()
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(result, expected)
        return
    scale = np.abs(expected) if scale is None else np.asarray(scale, np.float64)
    near = tolerance(expected.dtype, 1) * np.maximum(scale, 1e-30)
    with np.errstate(invalid="ignore"):
        apart = np.abs(result.astype(np.complex128) - expected.astype(np.complex128))
    same = (result == expected) | (np.isnan(result) & np.isnan(expected)) | (apart <= near)
    assert same.all(), (result, expected, apart / np.maximum(near, 1e-300))


def shapes(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(rng.choice([1, 2, 3, 5, 17, 40])) for _ in range(rng.integers(1, 4)))


def axes_of(rng: np.random.Generator, ndim: int) -> Any:
    if rng.random() < 0.3:
        return None
    chosen = rng.permutation(ndim)[: rng.integers(1, ndim + 1)]
    signed = tuple(int(a) - (ndim if rng.random() < 0.3 else 0) for a in chosen)
    return signed[0] if len(signed) == 1 else signed


@pytest.mark.parametrize("dtype", ALL)
def test_sums_and_products(dtype: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        host = random_array(rng, dtype, shapes(rng))
        host, device = random_view(rng, host, gpuarray.to_gpu(host))
        axis, keep = axes_of(rng, host.ndim), bool(rng.random() < 0.5)
        wide = host.astype({"f": "f8", "c": "c16"}.get(host.dtype.kind, host.dtype))
        total = wide.sum(axis=axis, keepdims=keep)
        scale = np.abs(wide).sum(axis=axis, keepdims=keep)
        expected = host.sum(axis=axis, keepdims=keep).dtype
        check(device.sum(axis=axis, keepdims=keep), np.asarray(total).astype(expected), scale)
        small = host[tuple(slice(0, 3) for _ in host.shape)]
        part = device[tuple(slice(0, 3) for _ in host.shape)]
        wide = small.astype({"f": "f8", "c": "c16"}.get(host.dtype.kind, host.dtype))
        product = wide.prod(axis=axis, keepdims=keep)
        scale = None  # up to 27 factors, each with a rounding, in NumPy as well
        if wide.dtype.kind in "fc":
            scale = 8 * np.abs(wide).prod(axis=axis, keepdims=keep)
        expected = small.prod(axis=axis, keepdims=keep).dtype
        with np.errstate(over="ignore"):
            check(part.prod(axis=axis, keepdims=keep), np.asarray(product).astype(expected), scale)


@pytest.mark.parametrize("dtype", ALL)
def test_extremes_and_truth(dtype: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(3):
        host = random_array(rng, dtype, shapes(rng))
        if host.dtype.kind in "fc" and rng.random() < 0.5:
            host.flat[rng.integers(host.size)] = np.nan
        if rng.random() < 0.5:
            host.flat[:: int(rng.integers(1, 4))] = host.flat[0]  # equals
        host, device = random_view(rng, host, gpuarray.to_gpu(host))
        axis, keep = axes_of(rng, host.ndim), bool(rng.random() < 0.5)
        for name in ("max", "min", "any", "all"):
            expected = getattr(host, name)(axis=axis, keepdims=keep) if host.size else None
            if expected is not None:
                check(getattr(device, name)(axis=axis, keepdims=keep), expected)
        one = axis if axis is None or isinstance(axis, int) else axis[0]
        if host.size:
            check(device.argmax(one), host.argmax(one))
            check(device.argmin(one), host.argmin(one))
            if host.dtype.kind != "c":
                check(gpuarray.max(device, axis=axis), np.fmax.reduce(host, axis=axis))
                check(gpuarray.min(device, axis=axis), np.fmin.reduce(host, axis=axis))
        check(gpuarray.count_nonzero(device, axis=axis), np.count_nonzero(host, axis=axis))


@pytest.mark.parametrize("dtype", ALL)
def test_means_and_variances(dtype: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        host = random_array(rng, dtype, shapes(rng))
        host, device = random_view(rng, host, gpuarray.to_gpu(host))
        axis, keep = axes_of(rng, host.ndim), bool(rng.random() < 0.5)
        if not host.size:
            continue
        wide = host.astype("c16" if host.dtype.kind == "c" else "f8")
        scale = np.abs(wide).mean(axis=axis, keepdims=keep)
        expected = host.mean(axis=axis, keepdims=keep).dtype
        check(
            device.mean(axis=axis, keepdims=keep),
            np.asarray(wide.mean(axis=axis, keepdims=keep)).astype(expected), scale,
        )  # fmt: skip
        for name, ddof in (("var", 0), ("std", 0), ("var", 1)):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                total = getattr(wide, name)(axis=axis, keepdims=keep, ddof=ddof)
                kind = getattr(host, name)(axis=axis, keepdims=keep, ddof=ddof).dtype
                expected = np.asarray(total).astype(kind)
            scale = 2 * (np.abs(expected.astype("f8")) + 1e-9 * np.abs(wide).max() ** 2)
            check(getattr(device, name)(axis=axis, keepdims=keep, ddof=ddof), expected, scale)


@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("order", [0, 1, 2, 3, np.inf, -np.inf])
def test_norms(dtype: str, order: float) -> None:
    rng = np.random.default_rng(4)
    host = rng.integers(-50, 50, (7, 33)).astype(dtype)
    device = gpuarray.to_gpu(host)
    wide = host.astype("c16" if host.dtype.kind == "c" else "f8")
    with np.errstate(over="ignore"):  # of NumPy's in float16
        kind = np.linalg.norm(host.ravel(), order).dtype
    check(gpuarray.norm(device, order), np.linalg.norm(wide.ravel(), order).astype(kind))
    check(
        gpuarray.norm(device, order, axis=1, keepdims=True),
        np.linalg.norm(wide, order, axis=1, keepdims=True).astype(kind),
    )


def test_a_norm_does_not_overflow_where_it_need_not() -> None:
    huge = gpuarray.to_gpu(np.full(1000, 1e30, np.float32))
    assert float(gpuarray.norm(huge)) == pytest.approx(1e30 * math.sqrt(1000), rel=1e-6)


@pytest.mark.parametrize("a_type", ["bool", "int8", "int32", "uint64", "float32", "complex64"])
@pytest.mark.parametrize("b_type", ["int16", "float32", "float64", "complex128"])
def test_inner_products(a_type: str, b_type: str) -> None:
    rng = np.random.default_rng(5)
    a, b = random_array(rng, a_type, (37, 11)), random_array(rng, b_type, (37, 11))
    if a.dtype.kind in "iu":
        a //= max(1, np.iinfo(a.dtype).max // 100)
    if b.dtype.kind in "iu":
        b //= max(1, np.iinfo(b.dtype).max // 100)
    on_device = gpuarray.to_gpu(a), gpuarray.to_gpu(np.asfortranarray(b))
    with np.errstate(over="ignore"):
        scale = np.dot(np.abs(a).ravel().astype("f8"), np.abs(b).ravel().astype("f8"))
        wide = "c16" if "c" in a.dtype.kind + b.dtype.kind else "f8"
        kind = np.result_type(a, b)
        left, right = a.ravel(), b.ravel()
        if kind.kind in "fc":
            left, right = left.astype(wide), right.astype(wide)
        check(gpuarray.dot(*on_device), np.asarray(np.dot(left, right)).astype(kind), scale)
        check(gpuarray.vdot(*on_device), np.asarray(np.vdot(left, right)).astype(kind), scale)


def test_types_that_are_asked_for() -> None:
    host = np.arange(-5, 300, dtype=np.int32)
    device = gpuarray.to_gpu(host)
    for dtype in ("int8", "uint16", "int64", "float32", "float64", "complex64", "bool"):
        check(device.sum(dtype=dtype), host.sum(dtype=dtype))
        check(device.mean(dtype="float32"), host.mean(dtype="float32"))
    with pytest.raises(TypeError):
        device.mean(dtype="int32")


def test_large_shapes_of_every_kind() -> None:
    """Each way that threads share outputs."""
    rng = np.random.default_rng(6)
    for shape in [(3, 200000), (200000, 3), (1500, 700), (70, 33, 129), (2, 2, 2, 2, 30001),
                  (100000, 20), (20, 100000), (40, 5, 5000)]:  # fmt: skip
        host = rng.integers(-1000, 1000, shape, np.int32)
        device = gpuarray.to_gpu(host)
        axes: list[Any] = [None, *range(len(shape))]
        axes += [(0, len(shape) - 1), (-1, -2)] if len(shape) > 2 else []
        for axis in axes:
            np.testing.assert_array_equal(device.sum(axis=axis).get(), host.sum(axis=axis))
            if axis is None or isinstance(axis, int):
                np.testing.assert_array_equal(
                    device.argmax(axis=axis).get(), host.argmax(axis=axis)
                )


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "complex64"])
def test_places_of_equals_in_many_rounds(dtype: str) -> None:
    """The first of them, and the first NaN, whichever thread, round or block sees which."""
    size = (1 << 22) + 5
    kind = np.dtype(dtype)
    lowest: Any = -np.inf if kind.kind in "fc" else np.iinfo(kind).min
    hosts = [np.full(size, lowest, kind), np.zeros(size, kind), np.zeros(size, kind)]
    hosts[1][[5, 40, 8191, 8192, size // 2, size - 1]] = 7  # neighbours, other lanes and blocks
    hosts[2][[size - 3, size - 2, size // 3 + 100, size // 3 + 1]] = 9
    if kind.kind in "fc":
        hosts.append(hosts[1].copy())
        hosts[-1][[size // 2 + 33, size // 2 + 2, size - 1]] = np.nan
    for host in hosts:
        device = gpuarray.to_gpu(host)
        check(device.argmax(), host.argmax())
        check(device.argmin(), host.argmin())


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "mean", "var", "max", "argmin"])
def test_arrays_without_elements(name: str) -> None:
    for shape in [(0,), (0, 3), (3, 0)]:
        host = np.zeros(shape, np.float32)
        device = gpuarray.GPUArray(shape, np.float32)
        for axis in [None, *range(len(shape))]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = getattr(host, name)(axis=axis)
                except ValueError as error:
                    with pytest.raises(ValueError, match=str(error).split()[0]):
                        getattr(device, name)(axis=axis)
                    continue
            check(getattr(device, name)(axis=axis), expected)


def test_wrong_axes_and_outputs() -> None:
    device = gpuarray.to_gpu(np.ones((3, 4), np.float32))
    with pytest.raises(ValueError, match="out of bounds"):
        device.sum(axis=2)
    with pytest.raises(ValueError, match="duplicate"):
        device.sum(axis=(0, -2))
    with pytest.raises(ValueError, match="shape"):
        device.sum(axis=0, out=gpuarray.GPUArray((3,), np.float32))
    with pytest.raises(TypeError):
        device.sum(axis=0, out=gpuarray.GPUArray((4,), np.int32))
    out = gpuarray.GPUArray((4,), np.float64)
    assert device.sum(axis=0, out=out) is out
    np.testing.assert_array_equal(out.get(), np.full(4, 3.0))
    with pytest.raises(ValueError, match=r"\(3, 4\) and \(12,\)"):
        gpuarray.dot(device, device.ravel())


def test_sums_are_as_exact_as_pairwise_ones() -> None:
    rng = np.random.default_rng(7)
    count = 1 << 20
    inputs = {
        "normal": rng.standard_normal(count),
        "one sign": rng.random(count),
        "wide": rng.standard_normal(count) * 10.0 ** rng.integers(-6, 6, count),
        "cancels": np.concatenate([rng.random(count // 2) * 1e4, -rng.random(count // 2) * 1e4]),
        "grows": np.arange(count, dtype=np.float64),
    }
    for name, values in inputs.items():
        host = values.astype(np.float32)
        exact = math.fsum(host.tolist())
        size = math.fsum(np.abs(host).tolist())
        own = abs(float(gpuarray.to_gpu(host).sum()) - exact)
        # Five additions and the last rounding; NumPy's own bound has 20 of them.
        assert own <= (5 * size * 2.0**-24 / 8 + abs(exact) * 2.0**-24), name
        double = values
        exact = math.fsum(double.tolist())
        own = abs(float(gpuarray.to_gpu(double).sum()) - exact)
        size = math.fsum(np.abs(double).tolist())
        assert own <= size * 5 * 2.0**-53 / 8 + abs(exact) * 2.0**-53, name


def test_infinities_and_large_numbers() -> None:
    for values in ([np.inf, 1], [np.inf, -np.inf], [-np.inf] * 3, [np.nan, 1], [1e308, 1e308],
                   [-0.0], [-0.0, -0.0]):  # fmt: skip
        host = np.array(values * 40)
        with np.errstate(all="ignore"):
            check(gpuarray.to_gpu(host).sum(), host.sum())


@pytest.mark.parametrize("name", ["sum", "var", "argmax"])
def test_the_same_bits_twenty_times(name: str) -> None:
    host = np.random.default_rng(8).standard_normal(400001).astype(np.float32)
    device = gpuarray.to_gpu(host)
    first = getattr(device, name)().get().tobytes()
    for _ in range(20):
        assert getattr(device, name)().get().tobytes() == first
    moved = gpuarray.to_gpu(np.concatenate([host[:1], host]))[1:]  # not at a multiple of 16 bytes
    assert getattr(moved, name)().get().tobytes() == first


def test_subsets() -> None:
    rng = np.random.default_rng(9)
    a, b = (rng.standard_normal((50, 40)).astype(np.float32) for _ in range(2))
    for kind in ("int32", "uint32", "int64"):
        index = rng.integers(0, a.size, 3000).astype(kind)
        subset, x = gpuarray.to_gpu(index), gpuarray.to_gpu(a)
        y = gpuarray.to_gpu(np.asfortranarray(b))
        chosen, other = a.ravel()[index].astype("f8"), b.ravel()[index].astype("f8")
        size = np.abs(chosen).sum()
        check(gpuarray.subset_sum(subset, x), np.float32(chosen.sum()), size)
        check(gpuarray.subset_dot(subset, x, y), np.float32(chosen @ other), size)
        check(gpuarray.subset_max(subset, x), a.ravel()[index].max())
        check(gpuarray.subset_min(subset, x), a.ravel()[index].min())
    check(gpuarray.subset_sum(gpuarray.GPUArray((0,), np.int32), x), np.float32(0))
    with pytest.raises(TypeError, match="integers"):
        gpuarray.subset_sum(x, x)


def test_streams_and_allocators() -> None:
    host = np.ones(1 << 18, np.float32)
    device, stream = gpuarray.to_gpu(host), drv.Stream()
    given = []

    def allocate(size: int) -> Any:
        given.append(size)
        return drv.mem_alloc(size)

    total = gpuarray.sum(device, None, stream, allocate)
    stream.synchronize()
    assert float(total) == host.size
    assert given == [4]


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("shape, axis", [((0, 0), 0), ((2, 0, 0), 1), ((0, 3), 0), ((0, 3), 1)])
def test_extremes_of_no_elements(name: str, shape: tuple[int, ...], axis: int) -> None:
    """An error where an axis that goes has no elements, even if the result has none either."""
    host = np.zeros(shape, np.float32)
    device = gpuarray.to_gpu(host)
    if shape[axis]:
        assert getattr(device, name)(axis=axis).shape == getattr(host, name)(axis=axis).shape
        return
    for array in (host, device):
        with pytest.raises(ValueError, match=r"zero-size|empty sequence"):
            getattr(array, name)(axis=axis)
