# SPDX-License-Identifier: MIT
"""Scans by expressions against NumPy and against loops: operators, segments, outputs, mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.gpuarray import GPUArray, to_gpu
from lathe.cuda.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel
from lathe.cuda.tools import get_or_register_dtype

SIZES = [1, 2, 31, 33, 1000, 4095, 4096, 4097, 70_001, 300_000]


class Array:
    """The least that a scan asks of an array: pointer, shape, type."""

    def __init__(self, shape, dtype, allocator=cuda.mem_alloc):
        self.shape, self.dtype, self.allocator = tuple(shape), np.dtype(dtype), allocator
        self.size = int(np.prod(self.shape))
        self.gpudata = allocator(max(self.size * self.dtype.itemsize, 1))

    def get(self):
        made = np.empty(self.shape, self.dtype)
        if self.size:
            cuda.memcpy_dtoh(made, self.gpudata)
        return made


def on_device(values):
    values = np.ascontiguousarray(values)
    made = Array(values.shape, values.dtype)
    if values.size:
        cuda.memcpy_htod(made.gpudata, values)
    return made


@pytest.mark.parametrize("dtype", (np.int8, np.int32, np.uint64, np.float32, np.float64))
def test_sums_of_many_sizes(dtype):
    rng = np.random.default_rng(1)
    inclusive = InclusiveScanKernel(dtype, "a+b")
    exclusive = ExclusiveScanKernel(dtype, "a+b", 0)
    for size in SIZES:
        values = rng.integers(0, 3, size).astype(dtype)
        expected = np.cumsum(values, dtype=dtype)
        out = inclusive(on_device(values), on_device(np.zeros_like(values)))
        np.testing.assert_array_equal(out.get(), expected)
        np.testing.assert_array_equal(
            exclusive(on_device(values)).get(), np.concatenate([[0], expected[:-1]])
        )


def test_addresses_between_groups():
    values = np.arange(9001, dtype=np.int16)
    array = on_device(values)
    memory = array.gpudata  # kept
    array.gpudata, array.size, array.shape = int(memory) + 2, 9000, (9000,)
    got = on_device(values[1:])
    InclusiveScanKernel(np.int16, "a+b")(array, got)
    np.testing.assert_array_equal(got.get(), np.cumsum(values[1:], dtype=np.int16))


def test_in_place_unless_asked():
    values = np.arange(1, 6, dtype=np.int32)
    array = on_device(values)
    kernel = InclusiveScanKernel(np.int32, "a*b")
    new = kernel(array, output_ary="new")
    assert new is not array
    np.testing.assert_array_equal(array.get(), values)
    stream = cuda.Stream()
    assert kernel(array, queue=stream) is array
    stream.synchronize()
    np.testing.assert_array_equal(array.get(), np.cumprod(values))
    np.testing.assert_array_equal(new.get(), np.cumprod(values))


def test_arrays_of_gpuarray():
    values = np.arange(5000, dtype=np.float32) % 7
    array = to_gpu(values)
    got = InclusiveScanKernel(np.float32, "a+b")(array, "new")
    assert type(got) is GPUArray
    np.testing.assert_array_equal(got.get(), np.cumsum(values))
    np.testing.assert_array_equal(array.get(), values)
    exclusive = ExclusiveScanKernel(np.float32, "a+b", 0)
    assert exclusive(array[1:]).get()[-1] == values[1:-1].sum()
    with pytest.raises(RuntimeError, match="contiguous"):
        exclusive(array[::2])


def test_maximum_has_no_neutral_element():
    values = np.random.default_rng(2).normal(size=20_000).astype(np.float32) - 50
    got = InclusiveScanKernel(np.float32, "fmaxf(a, b)")(on_device(values)).get()
    np.testing.assert_array_equal(got, np.maximum.accumulate(values))
    with pytest.raises(ValueError, match="neutral"):
        ExclusiveScanKernel(np.float32, "fmaxf(a, b)")


def test_complex_numbers():
    rng = np.random.default_rng(3)
    turns = np.exp(1j * rng.normal(size=5000)).astype(np.complex64)
    got = InclusiveScanKernel(np.complex64, "a*b")(on_device(turns)).get()
    np.testing.assert_allclose(got, np.cumprod(turns.astype(complex)), atol=1e-3)


def test_structures_that_do_not_commute():
    # x -> p * x + q, modulo 2^32: one after the other.
    affine = np.dtype([("p", np.uint32), ("q", np.uint32), ("n", np.uint32)])
    get_or_register_dtype("affine", affine)
    preamble = """
    struct affine { unsigned p, q, n; };
    __device__ affine then(const affine& a, const affine& b) {
        affine made; made.p = a.p * b.p; made.q = b.p * a.q + b.q; made.n = a.n + b.n; return made;
    }
    """
    rng = np.random.default_rng(4)
    values = np.zeros(9001, affine)
    values["p"], values["n"] = rng.integers(0, 2**31, 9001) * 2 + 1, 1
    values["q"] = rng.integers(0, 2**31, 9001)
    got = InclusiveScanKernel(affine, "then(a, b)", preamble=preamble)(on_device(values)).get()
    p, q = 1, 0
    for k in range(9001):
        p, q = (
            p * int(values["p"][k]) % 2**32,
            (int(values["p"][k]) * q + int(values["q"][k])) % 2**32,
        )
        assert (got["p"][k], got["q"][k], got["n"][k]) == (p, q, k + 1)


def test_last_that_was_not_zero():
    values = np.random.default_rng(5).integers(0, 20, 50_000).astype(np.int32)
    values[values > 3] = 0
    got = InclusiveScanKernel(np.int32, "b != 0 ? b : a")(on_device(values)).get()
    places = np.maximum.accumulate(np.where(values != 0, np.arange(values.size), 0))
    np.testing.assert_array_equal(got, values[places])


@pytest.mark.parametrize("dtype", (np.int32, np.float64))
def test_segments(dtype):
    rng = np.random.default_rng(6)
    for size in SIZES:
        values = rng.integers(-4, 5, size).astype(dtype)
        starts = (rng.random(size) < rng.choice([0.5, 0.01, 0.0005])).astype(np.uint8)
        kernel = GenericScanKernel(
            dtype,
            [*_arguments(dtype)],
            input_expr="x[i]",
            scan_expr="across_seg_boundary ? b : a + b",
            neutral="0",
            is_segment_start_expr="starts[i]",
            output_statement="sums[i] = item; before[i] = prev_item;",
        )
        sums, before = on_device(np.empty_like(values)), on_device(np.empty_like(values))
        kernel(on_device(values), on_device(starts), sums, before)
        all_ = np.cumsum(values)
        begin = np.maximum.accumulate(np.where(starts, np.arange(size), 0))
        expected = all_ - (all_ - values)[begin]
        np.testing.assert_array_equal(sums.get(), expected)
        np.testing.assert_array_equal(before.get(), np.where(starts, 0, expected - values))


def _arguments(dtype):
    from lathe.cuda.tools import VectorArg

    yield VectorArg(dtype, "x")
    yield VectorArg(np.uint8, "starts")
    yield VectorArg(dtype, "sums")
    yield VectorArg(dtype, "before")


def test_compaction_with_a_number():
    kernel = GenericScanKernel(
        np.int32,
        "const float *x, float least, float *out, int *count",
        input_expr="x[i] > least ? 1 : 0",
        scan_expr="a+b",
        neutral="0",
        output_statement="""
            if (item != prev_item) out[item - 1] = x[i];
            if (i + 1 == N) *count = item;
        """,
    )
    values = np.random.default_rng(7).random(33_000, dtype=np.float32)
    out, count = on_device(np.zeros_like(values)), on_device(np.zeros(1, np.int32))
    kernel(on_device(values), 0.75, out, count)
    expected = values[values > np.float32(0.75)]
    assert count.get()[0] == expected.size
    np.testing.assert_array_equal(out.get()[: expected.size], expected)
    kernel(on_device(values), 0.75, out, count, size=100)
    assert count.get()[0] == np.count_nonzero(values[:100] > np.float32(0.75))


def test_fetches_and_the_last_item():
    # Numbers runs of equal values, from the end.
    values = np.sort(np.random.default_rng(8).integers(0, 3000, 20_000)).astype(np.int32)
    kernel = GenericScanKernel(
        np.int32,
        "const int *x, int *runs, int *left",
        input_expr="i == 0 || now != before ? 1 : 0",
        scan_expr="a+b",
        neutral="0",
        input_fetch_exprs=[("now", "x", 0), ("before", "x", -1)],
        output_statement="runs[i] = item - 1; left[i] = last_item - item + (prev_item > item)",
    )
    runs, left = on_device(np.empty_like(values)), on_device(np.empty_like(values))
    kernel(on_device(values), runs, left)
    unique, inverse = np.unique(values, return_inverse=True)
    np.testing.assert_array_equal(runs.get(), inverse)
    np.testing.assert_array_equal(left.get(), unique.size - 1 - inverse)


def test_mistakes():
    kernel = InclusiveScanKernel(np.int32, "a+b")
    with pytest.raises(ValueError, match=r"one axis, got \(2, 3\)"):
        kernel(on_device(np.zeros((2, 3), np.int32)))
    with pytest.raises(TypeError, match="int32, got an array of float32"):
        kernel(on_device(np.zeros(3, np.float32)))
    with pytest.raises(ValueError, match="two shapes"):
        kernel(on_device(np.zeros(3, np.int32)), on_device(np.zeros(4, np.int32)))
    with pytest.raises(ValueError, match="'new'"):
        kernel(on_device(np.zeros(3, np.int32)), "old")
    assert kernel(on_device(np.zeros(0, np.int32))).get().size == 0
    with pytest.raises(cuda.CompileError):
        InclusiveScanKernel(np.int32, "a+nothing")(on_device(np.zeros(3, np.int32)))
    with pytest.raises(ValueError, match="at least one array"):
        GenericScanKernel(np.int32, "int x", "x", "a+b", "0", "")
    with pytest.raises(ValueError, match="prev_item"):
        GenericScanKernel(np.int32, "int *x", "x[i]", "a+b", None, "x[i] = prev_item")
    with pytest.raises(ValueError, match="0 or -1"):
        GenericScanKernel(
            np.int32, "int *x", "y", "a+b", "0", "", input_fetch_exprs=[("y", "x", 1)]
        )
    generic = GenericScanKernel(np.int32, "int *x", "x[i]", "a+b", "0", "x[i] = item")
    with pytest.raises(TypeError, match="expected 1 arguments, got 2"):
        generic(on_device(np.zeros(3, np.int32)), 3)
    with pytest.raises(TypeError, match="is of int32, got an array of int64"):
        generic(on_device(np.zeros(3, np.int64)))


@pytest.mark.parametrize("begin", [0, 1, 4])
@pytest.mark.parametrize("dtype", (np.int8, np.int32, np.int64))
def test_neighbours_of_a_thread_wherever_arrays_begin(dtype, begin):
    ctype = {np.int8: "char", np.int32: "int", np.int64: "long long"}[dtype]
    kernel = GenericScanKernel(
        np.int64, f"{ctype} *x, long long *y, {ctype} *w, long long *ends", "2 * x[i]", "a + b",
        "0", "y[i] = prev_item + w[i]; if (i == 0 || x[i] != x[i - 1]) ends[i] = item",
    )  # fmt: skip
    rng = np.random.default_rng(6)
    for size in SIZES:
        x, w = (rng.integers(0, 3, size + 8).astype(dtype) for _ in "xw")
        y, ends = to_gpu(np.full(size + 8, -7, np.int64)), to_gpu(np.full(size + 8, -7, np.int64))
        part = slice(begin, begin + size)
        kernel(to_gpu(x)[part], y[part], to_gpu(w)[:size], ends[part])
        sums = np.cumsum(2 * x[part].astype(np.int64))
        expected = np.full(size + 8, -7, np.int64)
        expected[part] = np.concatenate([[0], sums[:-1]]) + w[:size]
        np.testing.assert_array_equal(y.get(), expected)
        begins = np.concatenate([[True], x[part][1:] != x[part][:-1]])
        expected[part] = np.where(begins, sums, -7)
        expected[:begin] = expected[begin + size :] = -7
        np.testing.assert_array_equal(ends.get(), expected)


def test_a_scan_onto_its_own_input():
    kernel = GenericScanKernel(np.int32, "int *x", "x[i]", "a + b", "0", "x[i] = item")
    for size in SIZES:
        values = np.random.default_rng(size).integers(0, 9, size).astype(np.int32)
        array = to_gpu(values)
        kernel(array)
        np.testing.assert_array_equal(array.get(), np.cumsum(values, dtype=np.int32))


def test_arrays_that_share_memory():
    """The output statement reads what it has written by another name."""
    kernel = GenericScanKernel(
        np.int32, "int *x, int *y, int *z", "x[i]", "a + b", "0", "y[i] = item; z[i] += y[i]"
    )
    for size in (1, 7, 4096, 70_001):
        values = np.random.default_rng(size).integers(0, 9, size).astype(np.int32)
        sums = np.cumsum(values, dtype=np.int32)
        y, z = to_gpu(np.zeros(size, np.int32)), to_gpu(np.ones(size, np.int32))
        kernel(to_gpu(values), y, z)
        np.testing.assert_array_equal(y.get(), sums)
        np.testing.assert_array_equal(z.get(), 1 + sums)
        kernel(to_gpu(values), z, z)
        np.testing.assert_array_equal(z.get(), 2 * sums)
        kernel(z, z, y)
        np.testing.assert_array_equal(z.get(), np.cumsum(2 * sums, dtype=np.int32))
