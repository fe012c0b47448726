# SPDX-License-Identifier: MIT
"""ReductionKernel and the canned reductions, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lathe.cuda import driver as drv
from lathe.cuda import gpuarray
from lathe.cuda import reduction as red
from lathe.cuda.c_arguments import dtype_to_ctype
from lathe.cuda.reduction import ReductionKernel
from lathe.cuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("cuda_context")


@pytest.fixture(scope="module")
def products() -> ReductionKernel:
    return ReductionKernel(
        np.int64, "0", "a + b", "(long)x[i] * y[i]", "const int *x, const int *y", "products"
    )


def integers(*shape: int) -> Any:
    return np.random.default_rng(1).integers(-1000, 1000, shape, np.int32)


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 4096, 4097, 100000, 3000001])
def test_all_sizes(products: ReductionKernel, count: int) -> None:
    x, y = integers(count), integers(count)[::-1].copy()
    result = products(gpuarray.to_gpu(x), gpuarray.to_gpu(y))
    assert result.shape == ()
    assert result.dtype == np.int64
    assert int(result) == int(x.astype(np.int64) @ y.astype(np.int64))


def test_mixed_orders_and_views(products: ReductionKernel) -> None:
    """B13."""
    x, y = integers(31, 17), integers(31, 17) + 3
    expected = int((x.astype(np.int64) * y).sum())
    for right in (np.asfortranarray(y), y):
        assert int(products(gpuarray.to_gpu(x), gpuarray.to_gpu(right))) == expected
    view = gpuarray.to_gpu(np.repeat(y, 2, axis=1))[:, ::2]
    assert int(products(gpuarray.to_gpu(x), view)) == expected
    assert int(products(view, gpuarray.to_gpu(x))) == expected


def test_shapes_and_types_are_compared(products: ReductionKernel) -> None:
    """B14."""
    with pytest.raises(ValueError, match=r"\(3, 4\).*\(4, 3\)"):
        products(gpuarray.zeros((4, 3), np.int32), gpuarray.zeros((3, 4), np.int32))
    with pytest.raises(TypeError, match="float32"):
        products(gpuarray.zeros((4,), np.int32), gpuarray.zeros((4,), np.float32))
    with pytest.raises(ValueError, match="out"):
        x = gpuarray.zeros((4,), np.int32)
        products(x, x, out=gpuarray.zeros((2,), np.int64))
    with pytest.raises(RuntimeError, match="vector"):
        ReductionKernel(np.int32, "0", "a+b", "a", "int a")


def test_without_elements(products: ReductionKernel) -> None:
    """B15."""
    none = gpuarray.GPUArray((0,), np.int32)
    assert int(products(none, none)) == 0
    most = ReductionKernel(np.float32, "-1", "max(a, b)", arguments="float *x")
    assert float(most(gpuarray.GPUArray((0,), np.float32))) == -1


def test_out_stream_and_allocator(products: ReductionKernel) -> None:
    x = gpuarray.to_gpu(integers(100000))
    expected = int((x.get().astype(np.int64) ** 2).sum())
    out, stream, given = gpuarray.zeros((), np.int64), drv.Stream(), []
    assert products(x, x, out=out) is out
    assert int(out) == expected

    def allocate(size: int) -> Any:
        given.append(size)
        return drv.mem_alloc(size)

    result = products(x, x, stream=stream, allocator=allocate)
    stream.synchronize()
    assert int(result) == expected
    assert given == [8]
    part = gpuarray.zeros((10,), np.int64)
    products(x, x, out=part[3])
    assert part.get().tolist() == [0, 0, 0, expected, 0, 0, 0, 0, 0, 0]


def test_parts_of_arrays(products: ReductionKernel) -> None:
    x = integers(1000)
    device = gpuarray.to_gpu(x)
    for given in (slice(10, 500), slice(-20, None), slice(5, 5)):
        assert int(products(device, device, slice=given)) == int((x[given].astype("i8") ** 2).sum())
    assert int(products(device, device, range=slice(10, 500))) == int(
        (x[10:500].astype("i8") ** 2).sum()
    )


def test_structures() -> None:
    """The least and the greatest with their places, in one pass."""
    kind = np.dtype([("least", np.float32), ("at", np.int32), ("most", np.float32)])
    get_or_register_dtype("reduction_test_ends", kind)
    preamble = """
    struct reduction_test_ends {
        float least; int at; float most;
        __device__ reduction_test_ends() {}
        __device__ reduction_test_ends(float l, int a, float m) : least(l), at(a), most(m) {}
    };
    __device__ reduction_test_ends merged(reduction_test_ends a, reduction_test_ends b) {
        const bool first = a.least < b.least || (a.least == b.least && a.at < b.at);
        return reduction_test_ends(first ? a.least : b.least, first ? a.at : b.at,
                                   a.most > b.most ? a.most : b.most);
    }"""
    ends = ReductionKernel(
        kind, "reduction_test_ends(1e30f, 1 << 30, -1e30f)", "merged(a, b)",
        "reduction_test_ends(x[i], i, x[i])", "const float *x", "ends", preamble=preamble,
    )  # fmt: skip
    for count in (1, 1000, 300000):
        x = np.random.default_rng(count).standard_normal(count).astype(np.float32)
        x[count // 2] = x.min() - 1
        x[-1] = x[count // 2]
        result = ends(gpuarray.to_gpu(x)).get()[()]
        assert result["least"] == x.min()
        assert result["at"] == x.argmin()
        assert result["most"] == x.max()


def test_the_same_bits_twenty_times() -> None:
    total = ReductionKernel(np.float32, "0", "a + b", "x[i] * s", "const float *x, float s")
    x = gpuarray.to_gpu(np.random.default_rng(3).standard_normal(500001).astype(np.float32))
    bits = {total(x, 1.5).get().tobytes() for _ in range(20)}
    assert len(bits) == 1
    exact = float((x.get().astype("f8") * 1.5).sum())
    assert float(total(x, 1.5)) == pytest.approx(exact, abs=0.05)


def test_canned_reductions() -> None:
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-50, 50, 5000).astype(np.float32) for _ in range(2))
    index = rng.integers(0, 5000, 700).astype(np.int32)
    dx, dy, di = (gpuarray.to_gpu(each) for each in (x, y, index))
    assert float(red.get_sum_kernel(None, np.float32)(dx)) == x.sum()
    assert float(red.get_sum_kernel(np.float64, np.float32)(dx)) == x.sum()
    assert bool(red.get_any_kernel(np.bool_, np.float32)(dx))
    assert not bool(red.get_all_kernel(np.bool_, np.float32)(dx))
    assert float(red.get_dot_kernel(np.float32)(dx, dy)) == x @ y
    assert float(red.get_dot_kernel(None, np.float32, np.float32)(dx, dy)) == x @ y
    assert float(red.get_subset_sum_kernel(None, np.int32, np.float32)(di, dx)) == x[index].sum()
    subset = red.get_subset_dot_kernel(np.float32, np.int32)
    assert float(subset(di, dx, dy)) == x[index] @ y[index]
    for what in ("min", "max"):
        assert float(red.get_minmax_kernel(what, np.float32)(dx)) == getattr(x, what)()
        found = red.get_subset_minmax_kernel(what, np.float32, np.int32)(di, dx)
        assert float(found) == getattr(x[index], what)()
        for dtype in ("int8", "uint16", "int64", "uint64", "float64"):
            limits = np.iinfo(dtype) if dtype[0] in "iu" else np.finfo(dtype)
            host = np.array([limits.min, 0, limits.max], dtype)
            assert (
                red.get_minmax_kernel(what, dtype)(gpuarray.to_gpu(host)).get()
                == getattr(host, what)()
            )
            none = red.get_minmax_kernel(what, dtype)(gpuarray.GPUArray((0,), dtype)).get()
            loses = {"min": np.maximum, "max": np.minimum}[what]
            assert loses(none, host).tolist() == [none] * 3
    assert red.get_sum_kernel(None, np.float32) is red.get_sum_kernel(None, np.float32)
    with pytest.raises(TypeError):
        red.get_minmax_neutral("min", np.complex64)


def test_stages() -> None:
    x = np.arange(10000, dtype=np.float32)
    device = gpuarray.to_gpu(x)
    first, types = red.get_reduction_kernel_and_types(
        1, "float", 128, "0", "a + b", "in[i]", "float *in"
    )
    assert [each.name for each in types] == ["in"]
    parts = gpuarray.GPUArray((20,), np.float32)
    first.prepared_call((20, 1), (128, 1, 1), parts.gpudata, device.gpudata, 4, x.size)
    second, _ = red.get_reduction_kernel_and_types(2, "float", 128, "0", "a + b")
    out = gpuarray.GPUArray((), np.float32)
    second.prepared_call((1, 1), (128, 1, 1), out.gpudata, parts.gpudata, 1, 20)
    assert float(out) == x.sum()


@pytest.mark.parametrize("count", [1, 4095, 4096, 4097, 8192 + 15, 70001])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "uint8", "complex64"])
def test_groups_of_elements_and_what_is_left(count: int, dtype: str) -> None:
    ctype = dtype_to_ctype(np.dtype(dtype))
    kernel = ReductionKernel(
        np.int64, "0", "a + b", f"x[i] == ({ctype})2 ? (long long)i : 0", f"const {ctype} *x"
    )
    host = np.random.default_rng(count).integers(0, 4, count).astype(dtype)
    expected = np.flatnonzero(host == 2).sum()
    assert kernel(gpuarray.to_gpu(host)).get() == expected


def test_an_array_that_begins_elsewhere_gives_the_same_bits() -> None:
    host = np.random.default_rng(3).standard_normal(50_003).astype(np.float32)
    kernel = ReductionKernel(np.float32, "0", "a + b", "x[i] * y[i]", "float *x, float *y")
    there = gpuarray.to_gpu(np.concatenate([np.zeros(3, np.float32), host]))
    aligned, elsewhere = gpuarray.to_gpu(host), there[3:]
    results = [
        kernel(x, y).get() for x in (aligned, elsewhere) for y in (aligned, elsewhere)
    ]  # fmt: skip
    assert len(set(map(float, results))) == 1
    np.testing.assert_allclose(results[0], host.astype(np.float64) @ host, rtol=1e-5)
    parts = [
        kernel(aligned, aligned, range=slice(start, 49_999)).get() for start in (0, 1, 3, 4, 8, 17)
    ]
    for start, part in zip((0, 1, 3, 4, 8, 17), parts, strict=True):
        rest = host[start:49_999].astype(np.float64)
        np.testing.assert_allclose(part, rest @ rest, rtol=1e-5)


def test_a_table_beside_an_array_that_is_indexed() -> None:
    keys = np.random.default_rng(4).integers(0, 10, 10_001).astype(np.int32)
    table = np.arange(11, dtype=np.float64)[1:]
    kernel = ReductionKernel(np.float64, "0", "a + b", "t[k[i]]", "double *t, int *k")
    there = gpuarray.to_gpu(np.arange(11, dtype=np.float64))[1:]
    assert kernel(there, gpuarray.to_gpu(keys)).get() == table[keys].sum()


def test_expressions_with_loops() -> None:
    host = np.random.default_rng(5).integers(0, 9, 20_001).astype(np.int32)
    kernel = ReductionKernel(
        np.int64, "0", "a + b", "power(x[i])", "int *x",
        preamble="__device__ long long power(int v) "
        "{ long long p = 1; for (int k = 0; k < 5; ++k) p *= v; return p; }",
    )  # fmt: skip
    assert kernel(gpuarray.to_gpu(host)).get() == (host.astype(np.int64) ** 5).sum()


@pytest.mark.parametrize(
    ("map_expr", "preamble"),
    [
        ("x[i] * y[i]", ""),
        ("x[ i ] * value(y[i])", "__device__ int value(const int& v) { return v; }"),
        (
            "product(x, y, i)",
            "__device__ int product(int* x, int* y, int i) { return x[i] * y[i]; }",
        ),
        ("product(x[i], y[i])", "__device__ int product(int& x, int y) { return x * y; }"),
        ("X * Y", "#define X x[i]\n#define Y y[i + 0]"),
        ("x[i] * y[i + 0]", ""),
        ("*(x + i) * *(&y[i])", ""),
    ],
)
def test_arrays_read_in_every_way(map_expr: str, preamble: str) -> None:
    x, y = np.random.default_rng(6).integers(-9, 9, (2, 20_003)).astype(np.int32)
    kernel = ReductionKernel(
        np.int32, "0", "a + b", map_expr, "int *x, int *y", preamble=preamble
    )  # fmt: skip
    assert kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(y)).get() == x @ y
