# SPDX-License-Identifier: MIT
"""Calls of kernels by the quick way: values, errors and lifetimes are those of the checked one."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

KINDS = {
    "float": np.float32,
    "double": np.float64,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}
SOURCE = "".join(
    f"__global__ void take_{np.dtype(kind).name}({name}* to, char c, {name} value)"
    " { to[threadIdx.x] = value; }\n"
    for name, kind in KINDS.items()
) + (
    "__global__ void add(int* to, int value) { atomicAdd(to, value); }\n"
    "__global__ void where(unsigned* to) {"
    " if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {"
    " to[0] = gridDim.x; to[1] = gridDim.y; to[2] = gridDim.z;"
    " to[3] = blockDim.x; to[4] = blockDim.y; to[5] = blockDim.z; } }\n"
    "__global__ void last_shared(int* to) {"
    " extern __shared__ int x[]; x[999] = 7; *to = x[999]; }\n"
)


@pytest.fixture(scope="module")
def module():
    return SourceModule(SOURCE)


@pytest.mark.parametrize("kind", KINDS.values())
def test_scalars_and_numbers_arrive_as_they_are(module, kind):
    function = module.get_function(f"take_{np.dtype(kind).name}")
    to = cuda.mem_alloc(4 * np.dtype(kind).itemsize)
    limits = np.finfo(kind) if np.issubdtype(kind, np.floating) else np.iinfo(kind)
    for value in (limits.min, limits.max, 0, 1, 100):
        for given in (kind(value), float(value) if isinstance(limits, np.finfo) else int(value)):
            got = np.zeros(4, kind)
            for _ in range(2):  # the second one goes the quick way in any case
                function(to, np.int8(3), given, block=(4, 1, 1))
            cuda.memcpy_dtoh(got, to)
            np.testing.assert_array_equal(got, np.full(4, value, kind))


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_an_integer_too_large_is_refused_as_ever(module, kind):
    function = module.get_function(f"take_{np.dtype(kind).name}")
    to = cuda.mem_alloc(8)
    limits = np.iinfo(kind)
    function(to, 3, 1, block=(1, 1, 1))
    for value in (int(limits.max) + 1, int(limits.min) - 1, 1 << 70):
        with pytest.raises(ValueError, match="does not fit"):
            function(to, 3, value, block=(1, 1, 1))


def test_a_number_too_large_for_a_float(module):
    function = module.get_function("take_float32")
    to = cuda.mem_alloc(4)
    function(to, 0, 1e38, block=(1, 1, 1))
    with pytest.raises(ValueError, match="too large"):
        function(to, 0, 1e39, block=(1, 1, 1))
    function(to, 0, float("inf"), block=(1, 1, 1))
    got = np.zeros(1, np.float32)
    cuda.memcpy_dtoh(got, to)
    assert got[0] == np.inf


def test_a_parameter_takes_values_of_other_types_in_turn(module):
    function = module.get_function("take_int32")
    to = cuda.mem_alloc(4)
    got = np.zeros(1, np.int32)
    for value in (1, np.int32(2), True, np.int64(3), 4, np.uint8(5)):
        if isinstance(value, (np.int64, np.uint8)):
            with pytest.raises(TypeError, match="4 bytes"):
                function(to, 0 * np.int8(1), value, block=(1, 1, 1))
            continue
        function(to, np.int8(0), value, block=(1, 1, 1))
        cuda.memcpy_dtoh(got, to)
        assert got[0] == value


@pytest.mark.parametrize(
    "grid, block",
    [((3,), (4, 2, 1)), ((3, 2), (5, 1, 1)), ((2, 3, 4), (2, 3, 4)), ((1, 1), (1, 1, 7))],
)
def test_grid_and_block(module, grid, block):
    function = module.get_function("where")
    to = cuda.mem_alloc(24)
    function(to, block=block, grid=grid)
    got = np.zeros(6, np.uint32)
    cuda.memcpy_dtoh(got, to)
    assert got.tolist() == list(grid) + [1] * (3 - len(grid)) + list(block)
    function.prepare("P").prepared_call(grid[::-1], block, to)
    cuda.memcpy_dtoh(got, to)
    assert got.tolist() == list(grid[::-1]) + [1] * (3 - len(grid)) + list(block)


def test_shared_memory_of_both_ways_to_call(module):
    function = module.get_function("last_shared").prepare("P")
    to = cuda.mem_alloc(4)
    got = np.zeros(1, np.int32)
    stream = cuda.Stream()
    for call in (
        lambda: function(to, block=(1, 1, 1), shared=4000),
        lambda: function.prepared_call((1, 1), (1, 1, 1), to, shared_size=4000),
        lambda: function.prepared_async_call((1, 1), (1, 1, 1), stream, to, shared_size=4000),
    ):
        cuda.memset_d8(to, 0, 4)
        call()
        stream.synchronize()
        cuda.memcpy_dtoh(got, to)
        assert got[0] == 7


def test_streams(module):
    function = module.get_function("add").prepare("Pi")
    to = cuda.to_device(np.zeros(1, np.int32))
    stream = cuda.Stream()
    for _ in range(10):
        function(to, 1, block=(1, 1, 1), stream=stream)
        function.prepared_async_call((1, 1), (1, 1, 1), stream, to, 2)
        function.prepared_async_call((1, 1), (1, 1, 1), None, to, 3)
    stream.synchronize()
    cuda.Context.synchronize()
    assert cuda.from_device(to, (1,), np.int32)[0] == 60
    with pytest.raises(TypeError):
        function(to, 1, block=(1, 1, 1), stream=5)


def test_mistakes_are_told_by_the_quick_way_too(module):
    function = module.get_function("add")
    to = cuda.mem_alloc(4)
    good = {"block": (1, 1, 1)}
    function(to, 1, **good)
    with pytest.raises(ValueError, match="block"):
        function(to, 1)
    with pytest.raises(TypeError):
        function(to, 1, block=(1, 1, 1), colour=3)
    with pytest.raises(TypeError, match="2 arguments, got 3"):
        function(to, 1, 2, **good)
    with pytest.raises(TypeError, match="missing"):
        function(to, **good)
    with pytest.raises((TypeError, ValueError), match="block"):
        function(to, 1, block=(0, 1, 1))
    with pytest.raises(cuda.LogicError, match="1024 threads"):
        function(to, 1, block=(1025, 1, 1))
    with pytest.raises(cuda.LogicError, match="cuLaunchKernel failed"):
        function(to, 1, block=(1, 1, 1), grid=(1, 70000))
    with pytest.raises(cuda.LogicError, match="cuLaunchKernel failed"):
        function(to, 1, block=(1, 1, 1), shared=1 << 30)
    with pytest.raises(ValueError, match="not prepared"):
        function.prepared_call((1, 1), (1, 1, 1), to, 1)
    with pytest.raises(TypeError):
        function.prepared_call((1, 1))
    function(to, 1, **good)  # and it goes on


def test_freed_memory_is_refused(module):
    function = module.get_function("add").prepare("Pi")
    to = cuda.mem_alloc(4)
    function(to, 1, block=(1, 1, 1))
    to.free()
    with pytest.raises(cuda.LogicError, match="freed"):
        function(to, 1, block=(1, 1, 1))
    with pytest.raises(cuda.LogicError, match="freed"):
        function.prepared_call((1, 1), (1, 1, 1), to, 1)


def test_calls_keep_no_references(module):
    function = module.get_function("add").prepare("Pi")
    to = cuda.mem_alloc(4)
    value, block, grid = np.int32(5), (2, 1, 1), (3, 1)
    watched = (function, to, value, block, grid, None)
    function(to, value, block=block, grid=grid)  # which remembers block and grid
    gc.collect()
    before = [sys.getrefcount(x) for x in watched[:-1]]
    for _ in range(100):
        function(to, value, block=block, grid=grid)
        function.prepared_call(grid, block, to, value)
        with pytest.raises(TypeError):
            function(to, value, value, block=block, grid=grid)
    gc.collect()
    after = [sys.getrefcount(x) for x in watched[:-1]]
    assert [b - a for a, b in zip(before, after, strict=True)] == [0] * len(before)


def test_a_function_is_called_by_its_class_and_by_name(module):
    function = module.get_function("add").prepare("Pi")
    to = cuda.to_device(np.zeros(1, np.int32))
    type(function).__call__(function, to, 1, block=(1, 1, 1))
    cuda.Function.prepared_call(function, (1, 1), (1, 1, 1), to, 1)
    function.__call__(to, 1, block=(1, 1, 1))
    function(*(to, 1), **{"block": (1, 1, 1), "grid": (1, 1)})
    assert cuda.from_device(to, (1,), np.int32)[0] == 4
    assert callable(function)
    assert "seconds" in function.prepared_timed_call.__doc__


def test_an_object_that_was_never_made_is_no_kernel():
    with pytest.raises(TypeError, match="get_function"):
        cuda.Function.__new__(cuda.Function)(block=(1, 1, 1))


def test_threads_launch_at_the_same_time(module):
    function = module.get_function("add").prepare("Pi")
    to = cuda.to_device(np.zeros(1, np.int32))
    failures = []

    def work():
        try:
            for _ in range(500):
                function(to, 1, block=(1, 1, 1))
                function.prepared_call((1, 1), (1, 1, 1), to, 1)
            cuda.Context.synchronize()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert cuda.from_device(to, (1,), np.int32)[0] == 8000
