# SPDX-License-Identifier: MIT
"""When fused expressions are evaluated: blocks, threads, errors, and how many kernels they are."""

import contextlib
import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from array_cases import numbers
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
