# SPDX-License-Identifier: MIT
"""Memory pools of lathe.cuda: counts, reuse, streams, threads, ends of programs."""

from __future__ import annotations

import gc
import io
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import Gate, script_environment

import lathe.cuda.driver as cuda
from lathe.cuda import tools
from lathe.cuda.compiler import SourceModule


@pytest.fixture(scope="module")
def fill():
    return SourceModule(
        "__global__ void fill(float* x, float v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }"
    ).get_function("fill")


def test_names_are_where_pycuda_has_them():
    for name in ("DeviceMemoryPool", "PageLockedMemoryPool", "PageLockedAllocator", "bitlog2"):
        assert getattr(tools, name) is getattr(cuda, name)
    assert tools.PooledDeviceAllocation is cuda.PooledDeviceAllocation
    assert tools.PooledHostAllocation is cuda.PooledHostAllocation


def test_blocks_are_device_memory(fill):
    pool = tools.DeviceMemoryPool()
    block = pool.allocate(64)
    assert len(block) == block.nbytes == 64 and int(block) == block.__index__() != 0
    fill(block, 2.5, block=(16, 1, 1))
    np.testing.assert_array_equal(cuda.from_device(block, 16, np.float32), np.full(16, 2.5))
    cuda.memset_d32(block, 0, 16)
    cuda.memcpy_htod(block, np.ones(16, np.float32))
    other = pool.allocate(64)
    cuda.memcpy_dtod(other, block, 64)
    np.testing.assert_array_equal(cuda.from_device(other, 16, np.float32), np.ones(16))
    with pytest.raises(cuda.LogicError, match="68 bytes in an allocation of 64"):
        cuda.memcpy_htod(block, np.ones(17, np.float32))


def test_counts_follow_each_block():
    pool = tools.DeviceMemoryPool()
    a, b = pool.allocate(1000), pool.allocate(1 << 20)
    assert (pool.active_blocks, pool.held_blocks) == (2, 0)
    assert pool.active_bytes == 1000 + (1 << 20)
    assert pool.active_bytes <= pool.managed_bytes <= pool.active_bytes * 17 / 16
    address = int(a)
    del a
    b.free()
    assert (pool.active_blocks, pool.held_blocks, pool.active_bytes) == (0, 2, 0)
    again = pool.allocate(1000)
    assert int(again) == address and pool.held_blocks == 1
    pool.free_held()
    assert pool.held_blocks == 0 and pool.managed_bytes == pool.alloc_size(pool.bin_number(1000))
    pool.stop_holding()
    del again
    assert pool.held_blocks == pool.managed_bytes == 0


def test_bins_waste_little():
    pool = tools.DeviceMemoryPool()
    numbers = random.Random(3)
    for _ in range(2000):
        size = numbers.randrange(1 << 31) >> numbers.randrange(32)
        block = pool.alloc_size(pool.bin_number(size))
        assert size <= block <= max(size * (1 + 1 / 16), 1)
        assert pool.bin_number(block) == pool.bin_number(size)


def test_cycles_are_collected_where_memory_is_short():
    """What only the garbage collector can free is freed before anything is refused."""
    gc.collect()  # what other tests left
    pool = tools.DeviceMemoryPool()
    most = cuda.mem_get_info()[0]
    size = most // 2 + most // 8

    class Cycle:
        def __init__(self):
            self.block, self.myself = pool.allocate(size), self

    gc.disable()
    try:
        Cycle()
        assert pool.active_blocks == 1
        block = pool.allocate(size)
    finally:
        gc.enable()
    assert len(block) == size and pool.active_blocks == 1


def test_held_blocks_are_freed_where_memory_is_short():
    gc.collect()  # what other tests left
    pool = tools.DeviceMemoryPool()
    most = cuda.mem_get_info()[0]
    pool.allocate(most // 2 + most // 8).free()
    assert pool.held_blocks == 1
    smaller = pool.allocate(most // 2)  # of another bin: both together are too much
    assert pool.held_blocks == 0 and len(smaller) == most // 2
    del smaller
    pool.free_held()
    with pytest.raises(cuda.MemoryError, match="out of memory"):
        pool.allocate(1 << 60)


def test_a_block_of_a_busy_stream_has_no_next_owner():
    """Kernels say which stream they use a block on; nobody else has to."""
    module = SourceModule("__global__ void fill(float* x, float v) { x[threadIdx.x] = v; }")
    pool, stream = tools.DeviceMemoryPool(), cuda.Stream(1)
    first, second = pool.allocate(64), pool.allocate(64)
    address, other = int(first), int(second)
    fill = module.get_function("fill")
    fill(second, np.float32(1), block=(16, 1, 1))  # loaded before anything waits
    cuda.Context.synchronize()
    with Gate(stream):
        fill(first, np.float32(1), block=(16, 1, 1), stream=stream)
        second.free()
        first.free()
        third = pool.allocate(64)
        assert int(third) == other
    stream.synchronize()
    assert int(pool.allocate(64)) == address


def test_kernels_of_an_app_take_blocks(app):
    """They run on the App's stream, which holds the block back, too."""
    fill = app.kernel("__global__ void fill(float* x, float v) { x[threadIdx.x] = v; }")
    pool = tools.DeviceMemoryPool()
    pool.allocate(64).free()
    block = pool.allocate(64)
    app.frame_limit = 2
    while app.frame():
        fill[1, 16](block, v=3.0)
        fill[1, 8](x=block, v=4.0)
    cuda.Context.synchronize()
    np.testing.assert_array_equal(cuda.from_device(block, 16, np.float32), [4] * 8 + [3] * 8)


def test_streams_of_others_are_recorded():
    pool, stream = tools.DeviceMemoryPool(), cuda.Stream(1)
    block = pool.allocate(256)
    address = int(block)
    block.record_stream(stream)
    block.record_stream(None)
    stream.synchronize()
    block.free()
    assert int(pool.allocate(256)) == address


def test_threads_share_a_pool():
    pool = tools.DeviceMemoryPool()
    left: list[tools.PooledDeviceAllocation] = []
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(20):
            block = pool.allocate(256 << (number + turn) % 3)
            sent = np.full(4, number * 100 + turn, np.int32)
            cuda.memcpy_htod(block, sent)
            if not np.array_equal(cuda.from_device(block, 4, np.int32), sent):
                wrong.append(sent)
            left.append(block)
            if turn % 2:
                left.pop()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and pool.active_blocks == len(left)
    left.clear()
    assert pool.active_blocks == 0


def test_a_pool_outlives_its_context():
    context = cuda.Device(0).make_context()
    pool = tools.DeviceMemoryPool()
    block = pool.allocate(100)
    pool.allocate(1000).free()
    context.detach()
    with pytest.raises(cuda.LogicError, match="the pool's context was destroyed"):
        pool.allocate(100)
    del block
    pool.free_held()
    assert pool.held_blocks == 0


ENDINGS = {
    "pool and block": "",
    "own context": "cuda.Device(0).make_context()",
    "autoinit": "import lathe.cuda.autoinit",
    "a thread": """
import threading
made = []
t = threading.Thread(target=lambda: made.append(tools.DeviceMemoryPool().allocate(64)))
t.start(); t.join()
""",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_b28_programs_end_well_with_live_pools(ending):
    """PyCUDA aborted: status 134."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import lathe.cuda.driver as cuda; from lathe.cuda import tools; cuda.init()\n"
            + ENDINGS[ending]
            + "\npool = tools.DeviceMemoryPool()\n"
            "blocks = [pool.allocate(n) for n in (1, 1 << 20)]\n"
            "pool.allocate(512).free()\n"
            "host = tools.PageLockedMemoryPool(); array = host.allocate((4, 4), 'f4')\n"
            "class Cycle: pass\n"
            "c = Cycle(); c.c = c; c.block = pool.allocate(64)\n",
        ],
        env=script_environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_page_locked_arrays_come_from_the_pool():
    pool = tools.PageLockedMemoryPool()
    a = pool.allocate((3, 5), np.float64, order="F")
    assert (
        a.shape == (3, 5)
        and a.flags.f_contiguous
        and isinstance(a.base, tools.PooledHostAllocation)
    )
    assert len(a.base) == a.nbytes and pool.active_blocks == 1
    a[:] = 3
    view, address = a[1:], a.ctypes.data
    del a
    gc.collect()
    assert pool.active_blocks == 1, "the view has it"
    np.testing.assert_array_equal(view, np.full((2, 5), 3.0))
    del view
    gc.collect()
    assert (pool.active_blocks, pool.held_blocks) == (0, 1)
    b = pool.allocate(15, np.float64)
    assert b.ctypes.data == address
    memory, stream = cuda.mem_alloc(b.nbytes), cuda.Stream()
    b[:] = np.arange(15)
    cuda.memcpy_htod_async(memory, b, stream)
    cuda.memcpy_dtoh_async(b, memory, stream)
    stream.synchronize()
    np.testing.assert_array_equal(b, np.arange(15))
    pool.stop_holding()


def test_kernels_take_mapped_arrays_of_a_pool(fill):
    pool = tools.PageLockedMemoryPool(tools.PageLockedAllocator(cuda.host_alloc_flags.DEVICEMAP))
    a = pool.allocate(32, np.float32)
    a[:] = 0
    fill(a[16:], 4.0, block=(16, 1, 1))
    cuda.Context.synchronize()
    np.testing.assert_array_equal(a, [0] * 16 + [4] * 16)
    assert a.base.get_device_pointer()


def test_the_debug_pool_says_who_allocates():
    log = io.StringIO()
    pool = tools.DebugMemoryPool(interactive=False, logfile=log)
    blocks = [pool.allocate(100 + n) for n in range(2)]
    lines = log.getvalue().splitlines()
    assert len(lines) == 2 and all("test_cuda_pools.py:" in line for line in lines)
    assert "100 bytes" in lines[0] and "201 so far" in lines[1] and "in 2 blocks" in lines[1]
    assert pool.active_blocks == len(blocks)
    assert tools.DebugMemoryPool().interactive  # nobody is asked where there is no terminal


MISTAKES = {
    "freed twice": (lambda pool, block: block.free(), cuda.LogicError, "it was freed"),
    "freed address": (lambda pool, block: int(block), cuda.LogicError, "it was freed"),
    "freed argument": (
        lambda pool, block: cuda.memset_d8(block, 0, 1),
        cuda.LogicError,
        "it was freed",
    ),
    "negative": (lambda pool, block: pool.allocate(-1), TypeError, "-1"),
    "text": (lambda pool, block: pool.allocate("many"), TypeError, "many"),
    "bin": (lambda pool, block: pool.alloc_size(1 << 20), ValueError, "bin must be at most"),
    "shape": (
        lambda pool, block: tools.PageLockedMemoryPool().allocate((2, -1), "f4"),
        ValueError,
        "negative",
    ),
    "allocator": (
        lambda pool, block: tools.PageLockedMemoryPool(3),
        TypeError,
        "PageLockedAllocator",
    ),
    "flags": (
        lambda pool, block: tools.PageLockedAllocator(99),
        ValueError,
        "host_alloc_flags, got 99",
    ),
    "log": (lambda pool, block: tools.bitlog2(-4), ValueError, "got -4"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(mistake):
    act, error, words = MISTAKES[mistake]
    pool = tools.DeviceMemoryPool()
    block = pool.allocate(16)
    block.free()
    assert len(block) == 0 and not block and "freed" in repr(block)
    with pytest.raises(error, match=words):
        act(pool, block)
    assert len(pool.allocate(16)) == 16


def test_bitlog2():
    assert [tools.bitlog2(n) for n in (0, 1, 2, 3, 4, 1023, 1024, 1 << 40)] == [
        0,
        0,
        1,
        1,
        2,
        9,
        10,
        40,
    ]
