# SPDX-License-Identifier: MIT
"""Registered and managed memory of lathe.cuda.driver (B5 of PyCUDA's defects)."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

MAPPED = cuda.mem_host_register_flags.DEVICEMAP


@pytest.fixture(scope="module")
def twice():
    return SourceModule("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }").get_function(
        "twice"
    )


def memory(shape=(64, 16), order="C"):
    return np.require(np.arange(np.prod(shape), dtype=np.float32).reshape(shape, order=order), None)


@pytest.mark.parametrize("order", "CF")
def test_b5_an_array_is_registered_and_kept(order):
    a = memory(order=order)
    pinned = cuda.register_host_memory(a)
    assert isinstance(pinned.base, cuda.RegisteredHostMemory)
    assert isinstance(pinned.base, cuda.HostPointer)
    assert pinned.base.base is a
    assert pinned.shape == a.shape and pinned.strides == a.strides and pinned.dtype == a.dtype
    assert np.shares_memory(a, pinned)
    device, stream = cuda.mem_alloc_like(a), cuda.Stream()
    cuda.memcpy_htod_async(device, pinned, stream)
    back = np.empty_like(a)
    cuda.memcpy_dtoh_async(back, device, stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, a)


class Array(np.ndarray):
    """Can be referred to weakly."""


def test_b5_the_array_lives_as_long_as_it_is_registered():
    a = np.arange(4096, dtype=np.int32).view(Array)
    ended = weakref.ref(a)
    pinned = cuda.register_host_memory(a)
    del a
    gc.collect()
    part = pinned[10:20]
    del pinned
    assert ended() is not None
    assert part.tolist() == list(range(10, 20))
    del part
    gc.collect()
    assert ended() is None


def test_b5_the_second_registration_and_the_second_end_are_told():
    a = memory()
    first = cuda.register_host_memory(a)
    with pytest.raises(
        cuda.LogicError, match=r"cuMemHostRegister failed: .*already.*4096 bytes at"
    ):
        cuda.register_host_memory(a)
    first.base.unregister()
    with pytest.raises(cuda.LogicError, match=r"cuMemHostUnregister failed.*unregistered before"):
        first.base.unregister()
    with pytest.raises(cuda.LogicError, match="it was unregistered"):
        first.base.get_device_pointer()
    np.testing.assert_array_equal(first, a)  # ordinary memory now
    again = cuda.register_host_memory(a)
    del again, first
    gc.collect()
    cuda.register_host_memory(a)


def test_kernels_take_mapped_registered_arrays(twice):
    a = cuda.register_host_memory(memory(), MAPPED)
    expected = a.copy()
    expected[3, 4:12] *= 2
    twice(a[3, 4:], block=(8, 1, 1))
    twice(a.base.get_device_pointer(), block=(4, 1, 1))
    expected[0, :4] *= 2
    cuda.Context.synchronize()
    np.testing.assert_array_equal(a, expected)
    plain = cuda.register_host_memory(memory())
    with pytest.raises(TypeError, match=r"InOut\(x\)"):
        twice(plain, block=(8, 1, 1))


def test_what_cannot_be_registered_is_told():
    read_only = memory()
    read_only.flags.writeable = False
    for ary, flags, error, words in (
        ([1, 2], 0, TypeError, "must be a numpy.ndarray, got list"),
        (memory()[::2, ::2], 0, ValueError, "contiguous"),
        (np.empty((0, 3)), 0, ValueError, "no elements"),
        (memory(), 64, ValueError, "mem_host_register_flags, got 64"),
    ):
        with pytest.raises(error, match=words):
            cuda.register_host_memory(ary, flags)
    pinned = cuda.register_host_memory(read_only)
    assert not pinned.flags.writeable


def test_registrations_end_on_any_thread_and_after_their_context():
    a = [memory() for _ in range(3)]
    held = [cuda.register_host_memory(x) for x in a]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    held = [cuda.register_host_memory(x) for x in a]  # so they did end
    held.clear()
    context = cuda.Device(0).make_context()
    late = cuda.register_host_memory(a[0])
    context.detach()
    del late
    cuda.register_host_memory(a[0])


def test_aligned_memory_has_no_device_pointer_unless_registered():
    a = cuda.aligned_zeros(4096, np.uint8)
    assert isinstance(a.base, cuda.HostPointer)
    with pytest.raises(cuda.LogicError, match="cuMemHostGetDevicePointer failed"):
        a.base.get_device_pointer()
    pinned = cuda.register_host_memory(a, MAPPED)
    assert pinned.base.get_device_pointer()


def test_managed_memory_is_attached_moved_and_advised(twice):
    a = cuda.managed_zeros(1024, np.float32)
    a += 1
    stream, device = cuda.Stream(), cuda.Device(0)
    a.base.advise(cuda.mem_advise.SET_PREFERRED_LOCATION, device)
    a.base.advise(cuda.mem_advise.SET_ACCESSED_BY, "host")
    a.base.advise(cuda.mem_advise.SET_READ_MOSTLY)
    a.base.advise(cuda.mem_advise.UNSET_READ_MOSTLY)
    a.base.prefetch(device, stream)
    twice(a, block=(512, 1, 1), stream=stream)
    a.base.prefetch("host", stream)
    stream.synchronize()
    np.testing.assert_array_equal(a, [2] * 512 + [1] * 512)
    a.base.attach(cuda.mem_attach_flags.SINGLE, stream)
    twice(a, block=(512, 1, 1), stream=stream)
    a.base.attach(cuda.mem_attach_flags.HOST, stream)
    stream.synchronize()
    assert a[0] == 4
    hosts = cuda.managed_zeros(16, np.float32, mem_flags=cuda.mem_attach_flags.HOST)
    hosts.base.attach(cuda.mem_attach_flags.GLOBAL)
    twice(hosts, block=(16, 1, 1))
    cuda.Context.synchronize()


def test_what_managed_memory_cannot_is_told():
    a = cuda.managed_zeros(16, np.float32).base
    stream = cuda.Stream()
    with pytest.raises(cuda.LogicError, match=r"cuStreamAttachMemAsync failed.*flags 77"):
        a.attach(77, stream)
    with pytest.raises(TypeError, match=r"prefetch: the place must be a Device or .*got 'there'"):
        a.prefetch("there")
    with pytest.raises(TypeError, match=r"advise: the place must be a Device or .*got 3"):
        a.advise(cuda.mem_advise.SET_ACCESSED_BY, 3)
    with pytest.raises(cuda.LogicError, match=r"cuMemAdvise failed.*advice 99"):
        a.advise(99)
    a.free()
    for use in (lambda: a.prefetch("host"), lambda: a.attach(1), lambda: a.advise(1)):
        with pytest.raises(cuda.LogicError, match="it was freed"):
            use()


@pytest.mark.software  # an H200's driver takes it
def test_managed_memory_is_not_attached_to_one_stream_that_is_none():
    a = cuda.managed_zeros(16, np.float32).base
    with pytest.raises(cuda.LogicError, match=r"cuStreamAttachMemAsync failed.*flags 4"):
        a.attach(cuda.mem_attach_flags.SINGLE)
