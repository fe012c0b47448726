# SPDX-License-Identifier: MIT
"""Every kind of device pointer is an argument of every kind of call."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Gate

import lathe.cuda.driver as cuda
from lathe.cuda import gpuarray, tools
from lathe.cuda.compiler import SourceModule

ADD = "__global__ void add(int* a, int b) { a[threadIdx.x] += b; }"
COUNT = 8


class Holder(cuda.PointerHolderBase):
    def __init__(self, memory):
        super().__init__()
        self.memory, self.asked = memory, 0

    def get_pointer(self):
        self.asked += 1
        return int(self.memory)


class Derived(Holder):
    pass


def zeros() -> cuda.DeviceAllocation:
    return cuda.to_device(np.zeros(COUNT, np.int32))


def pooled() -> tools.PooledDeviceAllocation:
    block = tools.DeviceMemoryPool().allocate(4 * COUNT)
    cuda.memset_d32(block, 0, COUNT)
    return block


def managed() -> np.ndarray:
    return cuda.managed_zeros(COUNT, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)


# What makes one, and what of it is the argument.
KINDS = {
    "DeviceAllocation": (zeros, lambda m: m),
    "int": (zeros, int),
    "numpy.intp": (zeros, lambda m: np.intp(int(m))),
    "numpy.uint64": (zeros, lambda m: np.uint64(int(m))),
    "PooledDeviceAllocation": (pooled, lambda m: m),
    "GPUArray": (lambda: gpuarray.zeros(COUNT, np.int32), lambda a: a),
    "gpudata": (lambda: gpuarray.zeros(COUNT, np.int32), lambda a: a.gpudata),
    "gpudata of an allocator": (
        lambda: gpuarray.zeros(COUNT, np.int32, allocator=cuda.mem_alloc),
        lambda a: a.gpudata,
    ),
    "managed array": (managed, lambda a: a),
    "view of a managed array": (managed, lambda a: a.reshape(2, 4)[:, :]),
    "ManagedAllocation": (managed, lambda a: a.base),
    "PointerHolderBase": (zeros, Holder),
    "derived twice": (zeros, Derived),
}


def values_of(made: object) -> list[int]:
    cuda.Context.synchronize()
    if isinstance(made, np.ndarray):
        return made.tolist()
    if isinstance(made, gpuarray.GPUArray):
        return made.get().tolist()
    return cuda.from_device(made, COUNT, np.int32).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_every_call_takes_every_pointer(kind):
    make, argument = KINDS[kind]
    made = make()
    given = argument(made)
    function = SourceModule(ADD).get_function("add").prepare("Pi")
    block, stream = (COUNT, 1, 1), cuda.Stream()
    beside = cuda.Stream(cuda.stream_flags.NON_BLOCKING)
    cuda.Context.synchronize()
    calls = [
        lambda: function(given, np.int32(1), block=block),
        lambda: function(given, np.int32(1), block=block, stream=stream),
        lambda: function.prepared_call((1, 1), block, given, 1),
        lambda: function.prepared_async_call((1, 1), block, None, given, 1),
        lambda: function.prepared_async_call((1, 1), block, stream, given, 1),
        lambda: function.prepared_async_call((1, 1), block, beside, given, 1),
        lambda: function.prepared_timed_call((1, 1), block, given, 1)(),
    ]
    for number, call in enumerate(calls * 2, 1):  # the second time the type is known
        call()
        assert values_of(made) == [number] * COUNT


def test_one_call_takes_different_kinds():
    function = SourceModule(ADD).get_function("add").prepare("Pi")
    for _ in range(2):
        for make, argument in KINDS.values():
            made = make()
            function.prepared_call((1, 1), (COUNT, 1, 1), argument(made), 7)
            assert values_of(made) == [7] * COUNT


def test_types_that_ended_are_not_taken_for_others():
    """A class may get the address of one that is gone."""
    function = SourceModule(ADD).get_function("add").prepare("Pi")
    memory = zeros()
    for number in range(1, 50):
        kind = type("Passing", (Holder,), {})
        function.prepared_call((1, 1), (COUNT, 1, 1), kind(memory), 1)
        del kind
        other = type("Passing", (), {})()
        with pytest.raises(TypeError, match="parameter 0"):
            function.prepared_call((1, 1), (COUNT, 1, 1), other, 1)
        assert values_of(memory) == [number] * COUNT


def test_pointers_that_cannot_be():
    function = SourceModule(ADD).get_function("add").prepare("Pi")

    class Broken(Holder):
        def get_pointer(self):
            raise KeyError("no pointer today")

    freed, block = zeros(), pooled()
    freed.free()
    block.free()
    for wrong, error, text in [
        (Broken(zeros()), KeyError, "no pointer today"),
        (freed, cuda.LogicError, "freed"),
        (block, cuda.LogicError, "freed"),
        (np.zeros(COUNT, np.int32), TypeError, r"In\(x\)|on the device"),
        (np.int64(-8), ValueError, "address"),
        (np.float64(8), TypeError, "parameter 0"),
    ]:
        for call in (
            lambda wrong=wrong: function.prepared_call((1, 1), (COUNT, 1, 1), wrong, 1),
            lambda wrong=wrong: function.prepared_async_call(
                (1, 1), (COUNT, 1, 1), cuda.Stream(), wrong, 1
            ),
        ):
            with pytest.raises(error, match=text):
                call()
    assert values_of(zeros()) == [0] * COUNT


def test_a_pointer_may_prepare_the_function_anew():
    """What get_pointer() does is Python's: the launch must survive it."""
    function = SourceModule(ADD).get_function("add").prepare("Pi")
    memory = zeros()

    class Preparing(Holder):
        def get_pointer(self):
            function.prepare("Pi")
            return super().get_pointer()

    for number in range(1, 4):
        function.prepared_call((1, 1), (COUNT, 1, 1), Preparing(memory), 1)
        assert values_of(memory) == [number] * COUNT


def test_blocks_of_pools_wait_for_streams():
    """A block that a launch on a stream uses has no next owner before that is done."""
    function = SourceModule(ADD).get_function("add").prepare("Pi")
    pool = tools.DeviceMemoryPool()
    stream = cuda.Stream(cuda.stream_flags.NON_BLOCKING)
    block = pool.allocate(64)
    address = int(block)
    with Gate(stream):
        function.prepared_async_call((1, 1), (1, 1, 1), stream, block, 5)
        block.free()
        other = pool.allocate(64)
        assert int(other) != address
    stream.synchronize()
    other.free()


def test_prepare_names_shared_memory():
    """Of calls that name none."""
    source = """__global__ void put(int* to) {
        extern __shared__ int own[];
        unsigned bytes;
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
        own[0] = bytes;
        *to = own[0];
    }"""
    to = zeros()
    function = SourceModule(source).get_function("put").prepare("P", shared=256)
    function.prepared_call((1, 1), (1, 1, 1), to)
    assert values_of(to)[0] == 256
    function.prepared_call((1, 1), (1, 1, 1), to, shared_size=64)
    assert values_of(to)[0] == 64
