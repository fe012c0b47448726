# SPDX-License-Identifier: MIT
"""lathe.fuse beside eager evaluation, bit for bit, and beside NumPy."""

import contextlib
import gc
import operator
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from array_cases import DTYPES, assert_same, layouts, numbers
from conftest import script_environment

import lathe
from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    cumath,
    driver,
    gpuarray,
)
from lathe.cuda.compiler import SourceModule
from lathe.cuda.gpuarray import GPUArray, to_gpu
from lathe.native import native


def assert_identical(found, wanted):
    """The same type, shape, order of axes and bits."""
    assert type(found) is type(wanted)
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for pair in zip(found, wanted, strict=True):
            assert_identical(*pair)
        return
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.strides == wanted.strides
    assert found.get().tobytes() == wanted.get().tobytes()


def both(function, *operands):
    """What the function gives, fused and one kernel after the other."""
    fused = lathe.fuse(function)(*operands)
    assert_identical(fused, function(*operands))
    return fused


# --- Values


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_beside_numpy(dtype):
    a, b = numbers((5, 7), dtype), numbers((5, 7), dtype, 1)

    def function(x, y):
        return x * y + x, abs(x) < y, x * 2.5, (x + y) // 3 if dtype.kind != "c" else x

    with np.errstate(all="ignore"):
        wanted = function(a, b)
    for ours, theirs in zip(both(function, to_gpu(a), to_gpu(b)), wanted, strict=True):
        assert_same(ours, theirs)


def test_roundings_are_those_of_single_operations():
    a, b = (np.random.default_rng(k).random(10007, np.float32) for k in (1, 2))
    found = both(lambda x, y: 2.1 * x + 3.3 * y, to_gpu(a), to_gpu(b))
    np.testing.assert_array_equal(found.get(), 2.1 * a + 3.3 * b)
    z, w = a + 1j * b, b - 1j * a
    found = both(lambda x, y: x * y - y / x, to_gpu(z), to_gpu(w))
    np.testing.assert_allclose(found.get(), z * w - w / z, rtol=1e-5)


def test_float16_is_rounded_after_each_operation():
    a = np.linspace(0.1, 60, 999, dtype=np.float16)
    found = both(lambda x: x * x * x - x, to_gpu(a))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found.get(), a * a * a - a)


def test_layouts_and_broadcasting():
    host = numbers((4, 5, 3), np.float32)
    row, column = numbers(3, np.int16, 1), numbers((5, 1), np.float64, 2)
    for theirs, ours in layouts(host):
        found = both(lambda x, y, z: (x + y, x * 2, y - z), ours, to_gpu(row), to_gpu(column))
        wanted = theirs + row, theirs * 2, row - column
        for pair in zip(found, wanted, strict=True):
            assert_same(*pair, like_strides=False)


def test_functions_of_numpy_and_cumath():
    a, b = numbers((3, 4), np.float64), numbers((3, 4), np.float64, 1)

    def function(x, y):
        whole, rest = divmod(x, 7)
        chosen = np.where(x > y, np.sqrt(abs(x)), y)
        return whole, rest, chosen, np.clip(x, -3, 3), np.isfinite(x / y), np.modf(x / 4)

    with np.errstate(all="ignore"):
        wanted = function(a, b)
    found = both(function, to_gpu(a), to_gpu(b))
    for ours, theirs in zip(found[:-1], wanted[:-1], strict=True):
        assert_same(ours, theirs)
    for ours, theirs in zip(found[-1], wanted[-1], strict=True):
        assert_same(ours, theirs)


def test_casts_and_copies():
    host = np.linspace(-300, 300, 60).reshape(6, 10)
    for theirs, ours in layouts(host):
        found = both(lambda x: ((x / 2).astype(np.int16), (x * 2).astype(np.float32).copy()), ours)
        assert_same(found[0], (theirs / 2).astype(np.int16), like_strides=False)


_PARTS = [
    (2, operator.add), (2, operator.sub), (2, operator.mul), (2, operator.truediv),
    (2, operator.floordiv), (2, operator.mod), (2, operator.lt), (2, operator.eq),
    (2, operator.ge), (1, operator.neg), (1, abs), (1, np.sqrt), (1, np.sign), (2, np.maximum),
    (3, np.where), (1, np.logical_not),
]  # fmt: skip
_TYPES = "?bhiqBIefdF"


def _random_function(random):
    """Steps (function, places of its operands), and which values are wanted."""
    steps, values = [], 3
    for _ in range(int(random.integers(2, 9))):
        count, part = _PARTS[int(random.integers(len(_PARTS)))]
        places = [int(random.integers(values)) for _ in range(count)]
        steps.append((part, places, [float(random.integers(-3, 4)), 2][int(random.integers(2))]))
        values += 1
    wanted = {int(random.integers(3, values)) for _ in range(2)} | {values - 1}

    def function(*operands):
        made = list(operands)
        for part, places, number in steps:
            given = [made[k] for k in places]
            if len(given) == 2 and places[1] == 2:
                given[1] = number  # instead of the third operand
            try:
                made.append(part(*given))
            except (TypeError, OverflowError) as error:
                made.append(operands[0])
                errors.append((len(made), str(error)))
        return tuple(made[k] for k in sorted(wanted))

    errors = []
    function.errors = errors
    return function


@pytest.mark.parametrize("part", range(8))
def test_random_expressions(part):
    shapes = [(3, 4), (4,), (3, 1), (1,), (1, 1), (2, 3, 4)]
    compared = []
    for seed in range(25 * part, 25 * part + 25):
        random = np.random.default_rng(seed)
        hosts = [
            numbers(shapes[int(random.integers(6))], random.choice(list(_TYPES)), seed + k)
            for k in range(3)
        ]
        ours = [list(layouts(host))[int(random.integers(2))][1] for host in hosts]
        function = _random_function(random)
        eager = function(*ours)
        errors = list(function.errors)
        function.errors.clear()
        fused = lathe.fuse(function)(*ours)
        assert function.errors == errors, seed
        for k, pair in enumerate(zip(fused, eager, strict=True)):
            try:
                assert_identical(*pair)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, result {k}") from error
        function.errors.clear()
        with np.errstate(all="ignore"), contextlib.suppress(ValueError):
            theirs = function(*hosts)
            if [k for k, _ in function.errors] == [k for k, _ in errors]:
                compare_with_numpy(fused, theirs, seed)
                compared.append(seed)
    assert len(compared) > 15


def compare_with_numpy(ours, theirs, seed):
    for found, wanted in zip(ours, theirs, strict=True):
        wanted = np.asarray(wanted)
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), seed
        tolerance = {"e": 1e-2, "f": 1e-5, "F": 1e-4}.get(wanted.dtype.char, 1e-12)
        np.testing.assert_allclose(found.get(), wanted, rtol=tolerance, err_msg=str(seed))


# --- In place


def test_in_place_statements_come_in_order():
    host, other = numbers(1000), numbers(1000, seed=1)
    a, b = to_gpu(host), to_gpu(other)
    view = a[:]
    with lathe.fuse:
        before = a * 2
        a += b
        after = a * 2
        a *= after
        b -= 1
    np.testing.assert_array_equal(before.get(), host * 2)
    np.testing.assert_array_equal(after.get(), (host + other) * 2)
    np.testing.assert_array_equal(view.get(), (host + other) * ((host + other) * 2))
    np.testing.assert_array_equal(b.get(), other - 1)
    assert view.ptr == a.ptr


@pytest.mark.parametrize(
    "change",
    [
        lambda a: operator.iadd(a[1:], a[:-1]),
        lambda a: operator.iadd(a, a[::-1]),
        lambda a: operator.imul(a[::2], a[1::2]),
        lambda a: operator.isub(a[:-1], a[1:] * 2),
        lambda a: (operator.iadd(a[2:], 1), operator.iadd(a[:-2], a[2:]), operator.imul(a, 3)),
        lambda a: (a + 1, operator.iadd(a[3:], a[:-3]), a * 2),
        lambda a: operator.iadd(a.reshape(2, 50), a[:50]),
    ],
)
def test_overlapping_operands(change):
    host = numbers(100, np.int64)
    eager, fused = to_gpu(host), to_gpu(host)
    with lathe.fuse:
        change(fused)
    change(eager)
    assert_identical(fused, eager)
    change(host)
    np.testing.assert_array_equal(fused.get(), host)


def test_in_place_into_values_without_memory():
    a = to_gpu(numbers(10))
    with lathe.fuse:
        c = a + 1
        same = c
        c += a
        c *= c
    assert same is c
    np.testing.assert_array_equal(c.get(), (2 * a.get() + 1) ** 2)


def test_a_row_that_changes_beneath_a_table():
    table, row = numbers((3, 4)), numbers(4, seed=1)
    t, r = to_gpu(table), to_gpu(row)
    with lathe.fuse:
        first = t + r
        r += 1
        second = t + r
    np.testing.assert_array_equal(first.get(), table + row)
    np.testing.assert_array_equal(second.get(), table + row + 1)


def test_out_arguments():
    a, out = to_gpu(numbers(9)), gpuarray.zeros(9, np.float64)
    with lathe.fuse:
        c = a * 3
        assert cumath.fabs(c, out=out) is out
        d = out + c
    np.testing.assert_array_equal(out.get(), abs(a.get() * 3))
    np.testing.assert_array_equal(d.get(), abs(a.get() * 3) + a.get() * 3)


# --- Reductions


_REDUCTIONS = [
    *(("sum", dtype) for dtype in "fdebq?F"), *(("prod", dtype) for dtype in "fqF"),
    ("min", "f"), ("min", "b"), ("max", "d"), ("max", "e"), ("mean", "f"), ("mean", "b"),
    ("any", "F"), ("all", "?"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), _REDUCTIONS)
def test_reductions_of_expressions(name, dtype):
    host = numbers((37, 41), dtype)
    a = to_gpu(host)
    for axis in (None, 0, 1):
        both(lambda x, axis=axis: (getattr(x * x + x, name)(axis=axis), x + x), a)
    both(lambda x: getattr(x * x + x, name)(axis=(0, -1), keepdims=True), a[::-1, ::2])
    both(lambda x: getattr(x * x + x, name)(axis=1), a.T)
    np.testing.assert_allclose(
        both(lambda x: (x + x).sum(), a).get(), (host + host).sum(), rtol=2e-3
    )


def test_long_reductions_over_broadcast_operands():
    table, row = np.random.default_rng(0).random((400, 700)), np.arange(700, dtype=np.float32)

    def function(x, y):
        z = x * y
        return z.sum(), z.sum(axis=0), z.mean(axis=1), (z > 3).any(axis=0), z.astype(np.int8).sum()

    found = both(function, to_gpu(table), to_gpu(row))
    both(function, to_gpu(table)[:, ::-1], to_gpu(row))
    both(function, to_gpu(table.astype(np.float32)), to_gpu(row))
    np.testing.assert_allclose(found[0].get(), (table * row).sum(), rtol=1e-13)
    np.testing.assert_allclose(found[1].get(), (table * row).sum(axis=0), rtol=1e-13)


def test_a_reduction_writes_what_else_there_is():
    table, row = numbers((300, 400), np.float64), numbers(400, np.float32, 1)

    def function(x, y):
        z = x * y
        w = z + 1
        return z, w < x, w.sum(axis=0), (w * w).mean(axis=1), z.T + 1, (x - w).max()

    def in_place(x, y):
        x += y
        total = (x * 2).sum()
        x *= 3
        return x * x, total, (x + 1).min(axis=0)

    for change in (lambda x: x, lambda x: x[::-1], lambda x: x[:, 1:], np.transpose):
        x, y = change(to_gpu(table)), to_gpu(row)
        y = y[: x.shape[1]] if x.shape[1] != 300 else y[:300]
        both(function, x, y)
        eager, fused = change(to_gpu(table)), change(to_gpu(table))
        assert_identical(lathe.fuse(in_place)(fused, y), in_place(eager, y))
        assert_identical(fused, eager)
    found = both(function, to_gpu(table), to_gpu(row))
    np.testing.assert_array_equal(found[0].get(), table * row)
    np.testing.assert_allclose(found[2].get(), (table * row + 1).sum(axis=0), rtol=1e-13)


def test_what_follows_a_reduction():
    x = to_gpu(numbers((6, 8), np.float64))
    found = both(lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(), x)
    wanted = np.exp(x.get() - x.get().max())
    np.testing.assert_allclose(found.get(), wanted / wanted.sum(), rtol=1e-13)
    both(lambda x: ((x * 2).var(), (x * 2).argmax(), (x + 1).std(axis=0), (x * x).sum() + 1), x)


# --- What is evaluated, and when


def test_arrays_are_arrays():
    a = to_gpu(numbers((2, 3)))
    with lathe.fuse:
        c = 2 * a
        assert isinstance(c, GPUArray)
        assert c.shape == (2, 3) and c.dtype == np.float32 and c.ndim == 2 and c.size == 6
        assert c.strides == a.strides and c.nbytes == 24 and c.flags.c_contiguous
    assert c.ptr != 0
    assert type(c) is GPUArray


_FORCING = {
    "get": lambda c: c.get(),
    "print": lambda c: np.array(eval(str(c).replace(" ", ","))),
    "interface": lambda c: gpuarray.asarray(_Interface(c.__cuda_array_interface__)).get(),
    "dlpack": lambda c: gpuarray.from_dlpack(c).get(),
    "view": lambda c: c[::-1].get()[::-1],
    "reshaped": lambda c: c.reshape(-1, 1).get()[:, 0],
    "address": lambda c: driver.from_device(c.ptr, c.shape, c.dtype),
    "gpudata": lambda c: driver.from_device(c.gpudata, c.shape, c.dtype),
    "items": lambda c: np.array([each.get() for each in c]),
    "float": lambda c: np.array([float(c[0]), *c.get()[1:]]),
    "sorted": lambda c: np.sort(c).get(),
    "scan": lambda c: np.diff(np.cumsum(c).get(), prepend=0),
    "fancy": lambda c: c[to_gpu(np.arange(4))].get(),
    "assigned": lambda c: [c.__setitem__(slice(0, 1), c[0]), c.get()][1],
    "pickled": lambda c: c.__reduce__()[1][0],
    "concatenated": lambda c: gpuarray.concatenate([c, c]).get()[:4],
}


class _Interface:
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


@pytest.mark.parametrize("name", _FORCING)
def test_what_needs_the_value_has_it(name):
    a = to_gpu(np.array([1, 2, 3, 4], np.float32))
    with lathe.fuse:
        found = _FORCING[name](a * 2)
    np.testing.assert_array_equal(found, [2, 4, 6, 8])


def test_truth_in_the_block():
    a = to_gpu(np.array([3.0]))
    with lathe.fuse:
        assert a + 1 > 3.5
        assert not (a - 1 > 3.5)
        assert int((a * 2).sum().get()) == 6


def test_kernels_see_what_was_said_before():
    twice = SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").get_function(
        "twice"
    )
    a = to_gpu(np.arange(4, dtype=np.float32))
    memory = a.gpudata
    with lathe.fuse:
        c = a + 1
        twice(c, block=(4, 1, 1))
        before = a + 0
        a += 10
        twice(memory, block=(4, 1, 1))  # not known as the array's
        after = a + 0
    np.testing.assert_array_equal(c.get(), [2, 4, 6, 8])
    np.testing.assert_array_equal(before.get(), [0, 1, 2, 3])
    np.testing.assert_array_equal(after.get(), [20, 22, 24, 26])


def test_eager_writes_come_after_recorded_reads():
    a = to_gpu(np.arange(4, dtype=np.float32))
    with lathe.fuse:
        before = a + 0
        a.fill(7)
        filled = a + 0
        a.set(np.ones(4, np.float32))
        ones = a + 0
        a[1:3] = 5
    np.testing.assert_array_equal(before.get(), [0, 1, 2, 3])
    np.testing.assert_array_equal(filled.get(), [7] * 4)
    np.testing.assert_array_equal(ones.get(), [1] * 4)
    np.testing.assert_array_equal(a.get(), [1, 5, 5, 1])


def test_many_values_and_long_chains():
    a = to_gpu(np.arange(5, dtype=np.int64))
    with lathe.fuse:
        kept = [a + k for k in range(100)]
        chain = a
        for _ in range(1000):
            chain = chain + a
    for k, each in enumerate(kept):
        np.testing.assert_array_equal(each.get(), np.arange(5) + k)
    np.testing.assert_array_equal(chain.get(), np.arange(5) * 1001)


def test_empty_arrays_and_structures():
    empty = gpuarray.zeros((0, 3), np.float32)
    with lathe.fuse:
        c = empty * 2 + 1
        empty += 1
        total = (empty * 2).sum()
    assert c.shape == (0, 3) and c.dtype == np.float32
    assert total.get() == 0
    pairs = to_gpu(np.zeros(3, [("x", "f4"), ("y", "i4")]))
    with lathe.fuse:
        copied = pairs.copy()
        with pytest.raises(TypeError, match="structures"):
            pairs + 1
    assert copied.get().tobytes() == pairs.get().tobytes()


def test_allocators_are_asked():
    asked = []

    def allocate(count):
        asked.append(count)
        return driver.mem_alloc(count)

    a = GPUArray(10, np.float32, allocate)
    a.fill(1)
    asked.clear()
    with lathe.fuse:
        c = a + a * 2
        d = c > 1
        assert not asked
    assert sorted(asked) == [10, 40]
    assert c.allocator is allocate and d.get().all()


def test_errors_come_from_their_statement():
    a, b = to_gpu(np.ones(3)), to_gpu(np.ones(4))
    fixed = np.broadcast_to(a, (2, 3))
    small = to_gpu(np.ones(3, np.uint8))
    with lathe.fuse:
        c = a + 1
        with pytest.raises(ValueError, match=r"\(3,\) \(4,\)"):
            c + b
        with pytest.raises(TypeError, match="bitwise_and"):
            c & c
        with pytest.raises(OverflowError):
            small + 300
        with pytest.raises(TypeError, match="same_kind"):
            small += c
        with pytest.raises(ValueError, match="read-only"):
            fixed += 1
        with pytest.raises(ValueError, match="doesn't match"):
            small += np.broadcast_to(small, (2, 3))
        with pytest.raises(ValueError, match="axis 4"):
            c.sum(axis=4)
        with pytest.raises(ValueError, match="no identity"):
            (gpuarray.zeros(0, np.float32) + 1).max()
        d = c * 2
    assert d.get().tolist() == [4] * 3
    assert small.get().tolist() == [1] * 3


def test_an_exception_ends_the_block():
    a = to_gpu(np.ones(3))
    c = None
    with pytest.raises(KeyError), lathe.fuse:
        c = a + 1
        a += 5
        raise KeyError
    assert c.get().tolist() == [2] * 3  # what was said before has happened, as without the block
    assert a.get().tolist() == [6] * 3
    assert (a + 1).ptr != 0  # evaluated at once again


def test_blocks_nest():
    a = to_gpu(np.arange(3))

    @lathe.fuse
    def twice(x):
        return x * 2

    with lathe.fuse:
        with lathe.fuse:
            b = a + 1
        c = twice(b)
        with contextlib.suppress(KeyError), lathe.fuse:
            d = c + b
            raise KeyError
        e = d + 1
    assert e.get().tolist() == [4, 7, 10]


def test_decorated_functions():
    @lathe.fuse
    def norm(x, y, *, scale=1):
        """The hypotenuse."""
        return scale * cumath.sqrt(x * x + y * y)

    assert norm.__name__ == "norm" and norm.__doc__ == "The hypotenuse."
    assert norm(to_gpu(np.array([3.0])), y=to_gpu(np.array([4.0])), scale=2).get() == 10
    with pytest.raises(ZeroDivisionError):
        lathe.fuse(lambda x: (x + 1, 1 / 0))(to_gpu(np.ones(1)))
    with pytest.raises(TypeError, match="generators"):
        lathe.fuse(_counting)


def _counting(array):
    with lathe.fuse:
        for _ in range(3):
            array = array + 1
            yield array


def test_generators_leave_and_come_back():
    found = []
    for array in _counting(to_gpu(np.zeros(2))):
        other = array * 2  # recorded as well: the generator's block is this thread's
        found.append(other.get().tolist())
    assert found == [[2, 2], [4, 4], [6, 6]]
    half_done = _counting(to_gpu(np.zeros(2)))
    first = next(half_done)
    half_done.close()
    assert first.get().tolist() == [1, 1]


def test_a_block_that_ends_on_another_thread():
    suspended = _counting(to_gpu(np.zeros(2)))
    outcome = []

    def begin():
        outcome.append(next(suspended))

    def go_on():
        outcome.extend(suspended)

    for step in (begin, go_on):
        thread = threading.Thread(target=step)
        thread.start()
        thread.join()
    assert [each.get().tolist() for each in outcome] == [[1, 1], [2, 2], [3, 3]]
    assert (outcome[0] + 1).get().tolist() == [2, 2]
    native.fuse_end()  # without a begin: nothing


def test_threads_record_for_themselves():
    host = numbers(1000, np.float64)
    failures = []
    barrier = threading.Barrier(4)

    def work(seed):
        try:
            a = to_gpu(host + seed)
            barrier.wait()
            for k in range(30):
                with lathe.fuse:
                    c = a * 2 + k
                    d = (c * c).sum()
                np.testing.assert_array_equal(c.get(), (host + seed) * 2 + k)
                np.testing.assert_allclose(
                    d.get(), (((host + seed) * 2 + k) ** 2).sum(), rtol=1e-14
                )
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures


def test_a_value_that_another_thread_wants():
    a = to_gpu(np.arange(4))
    found = []
    with lathe.fuse:
        c = a * 2
        thread = threading.Thread(target=lambda: found.append((c + 1).get().tolist()))
        thread.start()
        thread.join()
        d = c + 2
    assert found == [[1, 3, 5, 7]]
    assert d.get().tolist() == [2, 4, 6, 8]


def test_what_cannot_be_evaluated_says_so():
    def refuse(count):
        raise driver.MemoryError("nothing left")

    a = to_gpu(np.ones(4))
    poor = GPUArray(4, np.float64, refuse, gpudata=a.gpudata)
    with pytest.raises(driver.MemoryError), lathe.fuse:
        c = poor + 1
        d = a + 1
    for each in (c, d):
        with pytest.raises(lathe.Error, match="could not be evaluated"):
            each.get()
        with pytest.raises(lathe.Error, match="could not be evaluated"):
            each + 1
    del c, d, each
    gc.collect()
    with lathe.fuse:
        e = a + 2
    assert e.get().tolist() == [3] * 4


def test_streams_are_not_fused_with_the_default_one():
    a = to_gpu(np.arange(4, dtype=np.float32))
    stream = driver.Stream()
    with lathe.fuse:
        c = a + 1
        d = cumath.sqrt(c * c, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(d.get(), np.arange(4) + 1)


# --- How many kernels

NOOP = Path(__file__).parents[2] / "build/tests/benchmarks/libnoop_cuda.so"

COUNTING = """
import ctypes, sys
import numpy as np
import lathe
import lathe.cuda.autoprimaryctx
from lathe.cuda import cumath, gpuarray

library = ctypes.CDLL(sys.argv[1])
library.noop_launches.restype = ctypes.c_ulonglong
a, b = (gpuarray.GPUArray(1000, np.float32) for _ in "ab")
row, table = gpuarray.GPUArray(4, np.float32), gpuarray.GPUArray((3, 4), np.float32)

def count(function, *given):
    before = library.noop_launches()
    kept = lathe.fuse(function)(*given)
    fused = library.noop_launches() - before
    before = library.noop_launches()
    kept = function(*given)
    return fused, library.noop_launches() - before

def in_place(a, b):
    a += b
    a *= 2
    return a + 1

def stopped(a, b):
    c = a + b
    c.get()
    return c * 2 + 1

print(count(lambda a, b: 2 * a + 3 * b, a, b))
print(count(lambda a, b: cumath.sqrt(a * a + b * b) > 3, a, b))
print(count(lambda a, b: [2 * a + 3 * b, a - b, (a * b).astype(np.int8)], a, b))
print(count(lambda a, b: (2 * a + 3 * b).sum(), a, b))
print(count(lambda a, b: [c := 2 * a + 3 * b, (c * c).sum()], a, b))
print(count(lambda a, b: [a > b, a.__iadd__(b), (a * b).mean(), (a - b).max()], a, b))
print(count(lambda row, table: table * (row + 1), row, table))
print(count(in_place, a, b))
print(count(stopped, a, b))
print(count(lambda a, b: a + b and None, a[:1], b[:1]))
"""


@pytest.mark.skipif(not NOOP.exists(), reason="the driver that does nothing is not built")
def test_one_kernel_for_an_expression():
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, str(NOOP)],
        env=script_environment(LATHE_DRIVER_LIBRARY=str(NOOP)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counts = [eval(line) for line in done.stdout.splitlines()]
    assert counts == [
        (1, 3), (1, 5), (1, 6), (1, 4), (1, 5), (2, 6), (1, 2), (1, 3), (2, 3), (1, 1)
    ]  # fmt: skip
