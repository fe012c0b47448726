# SPDX-License-Identifier: MIT
"""Page-locked, managed and aligned arrays of lathe.cuda.driver."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule


@pytest.fixture(scope="module")
def double():
    return SourceModule("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }").get_function(
        "twice"
    )


MAKERS = ("pagelocked", "aligned", "managed")


@pytest.mark.parametrize("kind", MAKERS)
def test_arrays_have_shape_type_and_order(kind):
    empty, zeros = getattr(cuda, f"{kind}_empty"), getattr(cuda, f"{kind}_zeros")
    a = zeros((3, 4), np.float32, order="F")
    assert a.shape == (3, 4) and a.dtype == np.float32 and a.flags.f_contiguous
    assert not a.any()
    a[1, 2] = 7
    same = getattr(cuda, f"{kind}_zeros_like")(a)
    assert same.shape == a.shape and same.flags.f_contiguous and not same.any()
    assert getattr(cuda, f"{kind}_empty_like")(a).dtype == a.dtype
    assert empty(5, "i2").shape == (5,)
    assert empty((0, 3), np.int8).size == 0
    assert isinstance(
        a.base, (cuda.HostAllocation, cuda.AlignedHostAllocation, cuda.ManagedAllocation)
    )
    with pytest.raises(ValueError, match="could not detect array order"):
        getattr(cuda, f"{kind}_empty_like")(np.zeros((4, 4))[::2, ::2])
    with pytest.raises(ValueError, match="negative"):
        empty((2, -1), np.float32)


@pytest.mark.parametrize("kind", MAKERS)
def test_arrays_keep_their_memory(kind):
    a = getattr(cuda, f"{kind}_zeros")(1000, np.float32)[10:20]
    a[:] = np.arange(10)
    gc.collect()
    others = [getattr(cuda, f"{kind}_zeros")(1000, np.float32) for _ in range(8)]
    np.testing.assert_array_equal(a, np.arange(10))
    assert len(others) == 8


def test_alignment():
    assert cuda.aligned_empty(10, np.uint8).ctypes.data % 4096 == 0
    assert cuda.aligned_empty(10, np.uint8, alignment=64).ctypes.data % 64 == 0
    with pytest.raises(ValueError, match=r"power of two.*got 48"):
        cuda.aligned_empty(10, np.uint8, alignment=48)


def test_copies_in_the_order_of_a_stream():
    a = cuda.pagelocked_empty(1 << 16, np.float32)
    a[:] = np.arange(a.size)
    back = cuda.pagelocked_zeros_like(a)
    memory, stream = cuda.mem_alloc_like(a), cuda.Stream()
    cuda.memcpy_htod_async(memory, a, stream)
    cuda.memcpy_dtoh_async(back, memory, stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, a)


def test_kernels_take_managed_arrays_and_parts_of_them(double):
    a = cuda.managed_empty((4, 8), np.float32)
    a[:] = 1
    double(a, block=(8, 1, 1))
    double(a[2], block=(8, 1, 1))
    double(a.reshape(-1)[28:], block=(4, 1, 1))
    cuda.Context.synchronize()
    expected = np.ones((4, 8), np.float32)
    expected[[0, 2]] = 2
    expected[3, 4:] = 2
    np.testing.assert_array_equal(a, expected)
    assert a.base.get_device_pointer() == int(a.base)


def test_kernels_take_mapped_arrays(double):
    a = cuda.pagelocked_zeros(16, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    a[:] = 3
    double(a[8:], block=(8, 1, 1))
    double(a.base.get_device_pointer(), block=(4, 1, 1))
    cuda.Context.synchronize()
    np.testing.assert_array_equal(a, [6] * 4 + [3] * 4 + [6] * 8)
    assert a.base.get_flags() == cuda.host_alloc_flags.DEVICEMAP


def test_mistakes_are_told(double):
    plain = cuda.pagelocked_zeros(8, np.float32)
    with pytest.raises(TypeError, match=r"InOut\(x\)"):
        double(plain, block=(8, 1, 1))
    for memory in (cuda.HostAllocation(64), cuda.AlignedHostAllocation(64)):
        memory.free()
        with pytest.raises(cuda.LogicError, match="it was freed"):
            memory.free()
    with pytest.raises(ValueError, match="mem_attach_flags"):
        cuda.managed_empty(4, np.float32, mem_flags=4)


@pytest.mark.parametrize("kind", MAKERS)
def test_too_large_arrays_are_told(kind):
    empty = getattr(cuda, f"{kind}_empty")
    with pytest.raises(
        ValueError, match=rf"too big, got \({1 << 70},\) of float32: {1 << 72} bytes"
    ):
        empty(1 << 70, np.float32)
    with pytest.raises((MemoryError, cuda.MemoryError), match=str(1 << 52)):
        empty(1 << 50, np.float32)
