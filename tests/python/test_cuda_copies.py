# SPDX-License-Identifier: MIT
"""Pitched memory, fills of rows, and copies of boxes under PyCUDA's names."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import lathe.cuda.driver as cuda

RNG = np.random.default_rng(7)


def read(memory, count, dtype=np.uint8):
    return cuda.from_device(memory, count, dtype)


@pytest.mark.parametrize("access_size", (4, 8, 16))
def test_pitched_memory(access_size):
    memory, pitch = cuda.mem_alloc_pitch(100, 7, access_size)
    assert pitch >= 100 and pitch % cuda.Device(0).texture_pitch_alignment == 0
    assert memory.nbytes == 7 * pitch


@pytest.mark.parametrize("stream", (False, True))
@pytest.mark.parametrize("bits", (8, 16, 32))
def test_rows_are_filled(bits, stream):
    dtype = np.dtype(f"u{bits // 8}")
    memory, pitch = cuda.mem_alloc_pitch(40 * dtype.itemsize, 5, 4)
    cuda.memset_d8(memory, 0, memory.nbytes)
    value = 0x89ABCDEF & (1 << bits) - 1
    if stream:
        order = cuda.Stream()
        getattr(cuda, f"memset_d2d{bits}_async")(memory, pitch, value, 33, 5, order)
        order.synchronize()
    else:
        getattr(cuda, f"memset_d2d{bits}")(memory, pitch, value, 33, 5)
    rows = read(memory, memory.nbytes).reshape(5, pitch).view(dtype)
    assert (rows[:, :33] == value).all() and not rows[:, 33:].any()
    getattr(cuda, f"memset_d2d{bits}")(memory, pitch, 0, 0, 5)  # nothing


ROWS_MISTAKES = {
    "too many rows": ((5, 2, 8), "in an allocation of"),
    "rows longer than their pitch": ((2, 2, 40), "do not fit a pitch of 64"),
    "more than any memory": ((1 << 62, 2, 8), "do not fit a pitch|in an allocation"),
}


@pytest.mark.parametrize("mistake", ROWS_MISTAKES)
def test_fills_of_rows_stay_in_the_allocation(mistake):
    (height, data, width), words = ROWS_MISTAKES[mistake]
    memory = cuda.mem_alloc(256)
    for fill in (cuda.memset_d2d16, cuda.memset_d2d16_async):
        with pytest.raises(cuda.LogicError, match=rf"cuMemsetD2D16.*{words}"):
            fill(memory, 64, data, width, height)
    with pytest.raises(TypeError, match="dest must be device"):
        cuda.memset_d2d8(np.zeros(4), 1, 0, 1, 1)
    with pytest.raises(cuda.LogicError, match=r"cuMemAllocPitch failed: .*3 rows of 5 bytes"):
        cuda.mem_alloc_pitch(5, 3, 7)
    with pytest.raises(cuda.LogicError, match="cuMemAllocPitch"):
        cuda.mem_alloc_pitch(0, 3, 4)
    with pytest.raises(cuda.Error, match=r"cuMemAllocPitch failed: .*1048576 rows"):
        cuda.mem_alloc_pitch(1 << 38, 1 << 20, 4)  # too long a row, or too much memory


@pytest.mark.parametrize("how", ("aligned", "unaligned", "stream"))
def test_rows_to_pitched_memory_and_back(how):
    a = RNG.integers(0, 255, (9, 13), dtype=np.uint8)
    memory, pitch = cuda.mem_alloc_pitch(13, 9, 4)
    stream = cuda.Stream()
    call = {"aligned": (True,), "unaligned": (False,), "stream": (stream,)}[how]
    there = cuda.Memcpy2D()
    there.set_src_host(a)
    there.set_dst_device(memory)
    there.src_pitch, there.dst_pitch = 13, pitch
    there.width_in_bytes, there.height = 13, 9
    there(*call)
    part = np.zeros((4, 6), np.uint8)  # rows 3 to 6, columns 2 to 7
    back = cuda.Memcpy2D()
    back.set_src_device(memory)
    back.set_dst_host(part)
    back.src_x_in_bytes, back.src_y, back.src_pitch = 2, 3, pitch
    back.dst_pitch, back.width_in_bytes, back.height = 6, 6, 4
    back(*call)
    stream.synchronize()
    np.testing.assert_array_equal(part, a[3:7, 2:8])


def a_copy(kind, source, target, width, height, depth=1):
    copy = kind()
    for side, memory in (("src", source), ("dst", target)):
        what = "array" if isinstance(memory, cuda.Array) else "device"
        if isinstance(memory, np.ndarray):
            what = "host"
        getattr(copy, f"set_{side}_{what}")(memory)
    copy.width_in_bytes, copy.height = width, height
    if kind is not cuda.Memcpy2D:
        copy.depth = depth
    return copy


@pytest.mark.parametrize("kind", (cuda.Memcpy3D, cuda.Memcpy3DPeer))
def test_a_box_goes_through_an_array(kind):
    a = RNG.integers(0, 1 << 30, (4, 5, 6), dtype=np.int32)
    array = cuda.Array(cuda.ArrayDescriptor3D(6, 5, 4, cuda.array_format.SIGNED_INT32, 1))
    a_copy(kind, a, array, 24, 5, 4)()
    linear = cuda.mem_alloc(a.nbytes)
    to_linear = a_copy(kind, array, linear, 24, 5, 4)
    to_linear.dst_pitch, to_linear.dst_height = 24, 5
    stream = cuda.Stream()
    to_linear(stream)
    stream.synchronize()
    np.testing.assert_array_equal(cuda.from_device_like(linear, a), a)
    # The box [1:3, 2:5, 3:6] to the far end of another one.
    other = np.zeros((5, 6, 7), np.int32)
    copy = a_copy(kind, array, other, 12, 3, 2)
    copy.src_x_in_bytes, copy.src_y, copy.src_z = 12, 2, 1
    copy.dst_x_in_bytes, copy.dst_y, copy.dst_z = 16, 3, 3
    copy.dst_pitch, copy.dst_height = 28, 6
    copy()
    expected = np.zeros_like(other)
    expected[3:5, 3:6, 4:7] = a[1:3, 2:5, 3:6]
    np.testing.assert_array_equal(other, expected)


def test_attributes_read_back_what_was_set():
    copy = cuda.Memcpy3D()
    memory = cuda.mem_alloc(64)
    for k, name in enumerate(
        ("src_x_in_bytes", "src_y", "src_z", "src_pitch", "src_height", "src_lod", "dst_x_in_bytes",
         "dst_y", "dst_z", "dst_pitch", "dst_height", "dst_lod", "width_in_bytes", "height",
         "depth")
    ):  # fmt: skip
        assert getattr(copy, name) == 0
        setattr(copy, name, k)
        assert getattr(copy, name) == k
    copy.set_src_device(memory)
    assert copy.src_device == int(memory)
    assert copy.src_memory_type is cuda.memory_type.DEVICE
    copy.set_dst_host(bytearray(8))
    assert copy.dst_memory_type is cuda.memory_type.HOST
    copy.dst_device = memory
    copy.dst_memory_type = cuda.memory_type.DEVICE
    assert copy.dst_device == int(memory)
    assert not hasattr(cuda.Memcpy2D(), "depth")


def test_copies_keep_their_memory():
    """A buffer that is only a temporary is the one that is copied."""
    expected = np.arange(1 << 16, dtype=np.uint8)
    target = cuda.mem_alloc(expected.nbytes)
    copy = cuda.Memcpy2D()
    copy.set_src_host(np.arange(1 << 16, dtype=np.uint8))
    copy.set_dst_device(target)
    copy.width_in_bytes, copy.height = expected.nbytes, 1
    gc.collect()
    others = [np.full(1 << 16, 255, np.uint8) for _ in range(16)]
    copy(aligned=True)
    np.testing.assert_array_equal(read(target, expected.nbytes), expected)
    copy.set_src_device(cuda.to_device(others[0]))
    gc.collect()
    again = cuda.to_device(expected)
    copy()
    assert (read(target, expected.nbytes) == 255).all() and again


def test_unified_memory():
    a = cuda.managed_zeros((4, 8), np.uint8)
    a[:] = RNG.integers(0, 255, a.shape)
    b = cuda.managed_zeros((4, 8), np.uint8)
    copy = cuda.Memcpy2D()
    copy.set_src_unified(a)
    copy.set_dst_unified(b)
    assert copy.src_memory_type is copy.dst_memory_type is cuda.memory_type.UNIFIED
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 8
    copy.height = 4
    copy()
    cuda.Context.synchronize()
    np.testing.assert_array_equal(a, b)


def mistaken(**settings):
    """A copy of 4 rows of 8 bytes from host memory of 32 bytes to an allocation of 32."""
    copy = cuda.Memcpy3D()
    copy.set_src_host(np.zeros((4, 8), np.uint8))
    copy.set_dst_device(cuda.mem_alloc(32))
    copy.width_in_bytes, copy.height, copy.depth = 8, 4, 1
    copy.src_pitch = copy.dst_pitch = 8
    for name, value in settings.items():
        setattr(copy, name, value)
    return copy


MISTAKES = {
    "source too short": ({"height": 5}, "source ends at byte 40, its memory has 32"),
    "target too short": ({"dst_y": 1}, "destination ends at byte 40, its memory has 32"),
    "x": ({"src_x_in_bytes": 1, "src_pitch": 9}, "source ends at byte 36"),
    "slices": ({"depth": 2}, "source ends at byte 64"),
    "pitch": ({"dst_pitch": 7}, "destination's pitch is 7, its rows end at byte 8"),
    "height of slices": ({"depth": 2, "src_height": 3}, "slices have 3 rows, .*ends at row 4"),
    "level": ({"src_lod": 1}, "LOD is 1"),
    "numbers beyond any memory": ({"src_z": (1 << 64) - 1}, "source ends at byte"),
    "no array": ({"src_memory_type": cuda.memory_type.ARRAY}, "CUDA array, and none was given"),
    "no device memory": ({"src_memory_type": 2}, "device memory, and none was given"),
    "no such memory": ({"src_memory_type": 9}, "memory type 9"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_copy_stays_in_its_memory(mistake):
    settings, words = MISTAKES[mistake]
    copy = mistaken(**settings)
    with pytest.raises(cuda.LogicError, match=f"cuMemcpy3D failed: invalid argument - .*{words}"):
        copy()
    with pytest.raises(cuda.LogicError, match=f"cuMemcpy3DAsync failed: .*{words}"):
        copy(cuda.Stream())
    mistaken()()


def test_a_copy_stays_in_its_array():
    array = cuda.Array(cuda.ArrayDescriptor(8, 4, cuda.array_format.UNSIGNED_INT8, 1))
    host = np.zeros((8, 16), np.uint8)
    for settings, words in (
        ({"dst_x_in_bytes": 1}, "destination ends at byte x = 9, the CUDA array has 8"),
        ({"height": 5}, "destination ends at row 5, the CUDA array has 4"),
    ):
        copy = a_copy(cuda.Memcpy2D, host, array, 8, 4)
        for name, value in settings.items():
            setattr(copy, name, value)
        with pytest.raises(cuda.LogicError, match=words):
            copy(aligned=True)
    with pytest.raises(cuda.LogicError, match="slice 2, the CUDA array has 1"):
        a_copy(cuda.Memcpy3D, host, array, 8, 4, 2)()


def test_sides_of_the_wrong_kind():
    copy = cuda.Memcpy2D()
    with pytest.raises(TypeError):
        copy.set_src_array(None)
    with pytest.raises(TypeError):
        copy.set_src_host(3)
    with pytest.raises(ValueError, match="contiguous"):
        copy.set_src_host(np.zeros((4, 4))[:, ::2])
    with pytest.raises((BufferError, ValueError)):
        copy.set_dst_host(b"read-only")
    with pytest.raises(TypeError, match="must be device memory"):
        copy.set_dst_device("there")
    with pytest.raises(TypeError):
        copy.height = -1
    memory = cuda.mem_alloc(16)
    copy.set_src_device(memory)
    memory.free()
    with pytest.raises(cuda.LogicError, match="it was freed"):
        copy()
    cuda.Memcpy2D()()  # nothing to copy


def test_peers():
    a, b = cuda.to_device(np.arange(64, dtype=np.uint8)), cuda.mem_alloc(64)
    cuda.memcpy_peer(b, a, 64)
    np.testing.assert_array_equal(read(b, 64), np.arange(64))
    stream = cuda.Stream()
    first = cuda.Device(0).retain_primary_context()
    second = cuda.Device(0).make_context()
    try:
        there = cuda.mem_alloc(64)
        cuda.memset_d8(there, 9, 64)
        cuda.Context.synchronize()
    finally:
        cuda.Context.pop()
    cuda.memcpy_peer_async(b, there, 32, first, second, stream)
    stream.synchronize()
    np.testing.assert_array_equal(read(b, 64), [9] * 32 + list(range(32, 64)))
    copy = a_copy(cuda.Memcpy3DPeer, a, b, 64, 1)
    copy.set_src_context(first)
    copy.set_dst_context(first)
    copy()
    np.testing.assert_array_equal(read(b, 64), np.arange(64))
    with pytest.raises(cuda.LogicError, match="65 bytes in an allocation of 64"):
        cuda.memcpy_peer(b, a, 65)
    second.push()
    second.detach()
    with pytest.raises(cuda.LogicError, match="src_context was destroyed"):
        cuda.memcpy_peer(b, a, 64, first, second)
