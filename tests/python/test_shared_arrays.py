# SPDX-License-Identifier: MIT
"""Arrays that OpenGL draws from compute as all others do: the tests of GPUArray once more, with
memory of an App that has no address when a call begins; and what such memory alone has."""

import gc
import os
import threading

import numpy as np
import pytest
from test_array_indices import *  # noqa: F403
from test_array_operators import *  # noqa: F403
from test_array_reductions import *  # noqa: F403
from test_array_sorting import *  # noqa: F403

import lathe
from lathe.array import creation
from lathe.cuda import gpuarray
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.reduction import ReductionKernel
from lathe.cuda.scan import InclusiveScanKernel


@pytest.fixture(scope="module")
def studio():
    app = lathe.App("shared", size=(64, 48), headless=True)
    yield app._studio
    app.close()


def shared(studio, host):
    """A shared array with the contents of `host`, in its order; OpenGL has it."""
    host = np.asarray(host)
    if host.flags.f_contiguous and not host.flags.c_contiguous:
        made = studio.array(host.shape[::-1], host.dtype).T
    else:
        made = studio.array(host.shape, host.dtype)
    made.set(np.asarray(host))
    studio.unmap()
    return made


@pytest.fixture(autouse=True)
def arrays_are_shared(studio, monkeypatch):
    of_the_pool = creation.to_device

    def to_device(ary, allocator=None, stream=None, async_=False):
        host = np.asarray(ary)
        if allocator is not None or stream is not None or async_:
            return of_the_pool(ary, allocator, stream, async_)
        return shared(studio, host if host.flags.forc else np.ascontiguousarray(host))

    monkeypatch.setattr(creation, "to_device", to_device)
    yield
    studio.unmap()


def test_the_arrays_here_are_shared(studio):
    array = gpuarray.to_gpu(np.arange(3))
    assert studio.owns(array)
    assert studio.mapped == 0
    assert (array + 1).get().tolist() == [1, 2, 3]
    assert studio.mapped == 1
    assert lathe.Array is gpuarray.GPUArray is type(array)


def test_one_map_brings_all_arrays_of_the_frame_before(studio):
    arrays = [gpuarray.to_gpu(np.full(10, k, np.float32)) for k in range(5)]
    for _ in range(2):
        total = sum(arrays)
        studio.unmap()
    before = studio.stats["maps"]
    total = sum(arrays)
    assert studio.stats["maps"] == before + 1
    assert total.get().tolist() == [10] * 10


def test_kernels_from_snippets(studio):
    x, y = (gpuarray.to_gpu(np.arange(1000, dtype=np.float32) + k) for k in range(2))
    hosts = [np.arange(1000, dtype=np.float32) + k for k in range(2)]
    twice = ElementwiseKernel("float *y, const float *x", "y[i] = 2 * x[i]")
    twice(y, x)
    studio.unmap()
    np.testing.assert_array_equal(y.get(), 2 * hosts[0])
    studio.unmap()
    largest = ReductionKernel(np.float32, "0", "max(a, b)", "x[i]", "const float *x")
    assert largest(y).get() == 1998
    studio.unmap()
    InclusiveScanKernel(np.float32, "a + b")(x)
    studio.unmap()
    np.testing.assert_array_equal(x.get(), np.cumsum(hosts[0]))


def test_fused_expressions_and_views_that_wait(studio):
    x = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))

    @lathe.fuse
    def step(a):
        b = a * 2
        a[1:] += b[:-1]
        return a.sum()

    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    host[1:] += (host * 2)[:-1]
    assert float(step(x).get()) == host.sum()
    studio.unmap()
    np.testing.assert_array_equal(x.get(), host)


def test_the_memory_by_its_other_names(studio):
    x = gpuarray.to_gpu(np.arange(8, dtype=np.float32))
    memory = x.gpudata
    studio.unmap()
    other = gpuarray.GPUArray(8, np.float32, gpudata=memory)  # has an address when it is asked for
    studio.unmap()
    other += 1
    studio.unmap()
    assert x.get().tolist() == list(range(1, 9))
    assert int(memory) == x.ptr
    assert x._may_share_memory(other)
    assert x[2:]._may_share_memory(other[:3])
    assert not x[2:]._may_share_memory(other[:2])
    assert not x._may_share_memory(gpuarray.to_gpu(np.arange(8)))
    assert x.__cuda_array_interface__["stream"] == 1
    assert gpuarray.zeros(3, np.float32).__cuda_array_interface__["stream"] is None
    taken = gpuarray.from_dlpack(x)
    taken[:] = 5
    assert x.get().tolist() == [5] * 8


def test_streams_of_ones_own_come_after_the_map_and_before_the_next_one(studio):
    from lathe.cuda import driver

    stream = driver.Stream(driver.stream_flags.NON_BLOCKING)
    x = gpuarray.to_gpu(np.zeros(1 << 16, np.float32))
    for k in range(10):
        x.fill(k, stream)
        studio.unmap()
        assert (x.get() == k).all()
        studio.unmap()


def test_an_array_that_ends_while_it_is_mapped_and_one_on_another_thread(studio, capfd):
    x = gpuarray.to_gpu(np.arange(3))
    x += 1
    assert studio.mapped
    del x
    gc.collect()
    studio.unmap()
    assert studio.mapped == 0
    kept = [gpuarray.to_gpu(np.arange(3))]
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()
    studio.unmap()
    assert not capfd.readouterr().err


def test_other_threads_are_told_where_the_memory_is_mapped(studio):
    x = gpuarray.to_gpu(np.arange(3))
    found = []

    def read():
        try:
            found.append(x.get().tolist())
        except lathe.Error as error:
            found.append(str(error))

    for _ in range(2):
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        x += 0  # mapped
    assert "on the thread of its frames" in found[0]
    assert found[1] == [0, 1, 2]


def test_apps_end_with_their_last_array():
    def threads():
        return len(os.listdir("/proc/self/task"))

    gc.collect()
    before = threads()
    app = lathe.App("short", size=(32, 32), headless=True)
    add = app.kernel("__global__ void add(float* x) { x[threadIdx.x] += 1; }")
    x = app.zeros(4)
    add[1, 4](x)
    app.close()
    del app, add
    gc.collect()
    assert x.get().tolist() == [1] * 4  # mapped, and not handed back
    assert threads() > before  # those that compile
    del x
    gc.collect()
    assert threads() == before
