# SPDX-License-Identifier: MIT
"""CUDA arrays under PyCUDA's names: descriptors, parts, and arrays of NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import lathe.cuda.driver as cuda

F = cuda.array_format
FLAGS = cuda.array3d_flags
FORMATS = {
    F.UNSIGNED_INT8: np.uint8,
    F.UNSIGNED_INT16: np.uint16,
    F.UNSIGNED_INT32: np.uint32,
    F.SIGNED_INT8: np.int8,
    F.SIGNED_INT16: np.int16,
    F.SIGNED_INT32: np.int32,
    F.HALF: np.float16,
    F.FLOAT: np.float32,
}
RNG = np.random.default_rng(3)


def read(array):
    """All of an array: (slices, rows, row of bytes)."""
    d = array.get_descriptor_3d()
    row = d.width * d.num_channels * np.dtype(FORMATS[d.format]).itemsize
    out = np.zeros((max(d.depth, 1), max(d.height, 1), row), np.uint8)
    copy = cuda.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = row
    copy.height = copy.dst_height = out.shape[1]
    copy.depth = out.shape[0]
    copy()
    return out


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("channels", (1, 2, 4))
def test_every_format(format_, channels):
    array = cuda.Array(cuda.ArrayDescriptor(7, 5, format_, channels))
    got = array.get_descriptor()
    assert got == cuda.ArrayDescriptor(7, 5, format_, channels)
    assert got.format is format_ and array.handle
    assert str(format_) in repr(array) and f"{channels} channels" in repr(array)
    a = RNG.integers(0, 255, (5, 7 * channels * np.dtype(FORMATS[format_]).itemsize), np.uint8)
    copy = cuda.Memcpy2D()
    copy.set_src_host(a)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = a.shape[1]
    copy.height = 5
    copy(aligned=True)
    np.testing.assert_array_equal(read(array)[0], a)


KINDS = {
    "line": (100, 0, 0, 0),
    "plane": (10, 20, 0, FLAGS.SURFACE_LDST),
    "volume": (10, 20, 30, 0),
    "lines": (64, 0, 5, FLAGS.LAYERED),
    "planes": (16, 8, 5, FLAGS.LAYERED | FLAGS.SURFACE_LDST),
    "cube": (16, 16, 6, FLAGS.CUBEMAP),
    "cubes": (16, 16, 12, FLAGS.CUBEMAP | FLAGS.LAYERED),
    "gathered": (16, 8, 0, FLAGS.TEXTURE_GATHER),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind):
    width, height, depth, flags = KINDS[kind]
    descriptor = cuda.ArrayDescriptor3D(width, height, depth, F.FLOAT, 1, flags)
    array = cuda.Array(descriptor)
    assert array.get_descriptor_3d() == descriptor
    a = RNG.random((max(depth, 1), max(height, 1), width), np.float32)
    copy = cuda.Memcpy3D()
    copy.set_src_host(a)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = 4 * width
    copy.height = copy.src_height = a.shape[1]
    copy.depth = a.shape[0]
    copy()
    np.testing.assert_array_equal(read(array).view(np.float32), a)


def test_parts_of_lines():
    line = cuda.Array(cuda.ArrayDescriptor(16, 0, F.SIGNED_INT32, 1))
    cuda.memcpy_htoa(line, 0, np.arange(16, dtype=np.int32))
    cuda.memcpy_dtoa(line, 8, cuda.to_device(np.array([70, 80], np.int32)), 8)
    other = cuda.Array(cuda.ArrayDescriptor(4, 1, F.SIGNED_INT32, 1))
    cuda.memcpy_atoa(other, 4, line, 8, 12)
    part = np.zeros(3, np.int32)
    cuda.memcpy_atoh(part, other, 4)
    assert part.tolist() == [70, 80, 4]
    memory = cuda.mem_alloc(8)
    cuda.memcpy_atod(memory, line, 12, 8)
    assert cuda.from_device(memory, 2, np.int32).tolist() == [80, 4]


PART_MISTAKES = {
    "past the end": (lambda a, p: cuda.memcpy_htoa(a, 60, np.zeros(2, np.int32)),
                     "cuMemcpyHtoA failed: .*8 bytes from byte 60 on of an array of 64"),
    "to the host": (lambda a, p: cuda.memcpy_atoh(np.zeros(17, np.int32), a, 0),
                    "68 bytes from byte 0"),
    "overflow": (lambda a, p: cuda.memcpy_dtoa(a, (1 << 64) - 4, cuda.mem_alloc(8), 8),
                 "8 bytes from"),
    "from little memory": (lambda a, p: cuda.memcpy_dtoa(a, 0, cuda.mem_alloc(4), 8),
                           "8 bytes in an allocation of 4"),
    "to little memory": (lambda a, p: cuda.memcpy_atod(cuda.mem_alloc(4), a, 0, 8),
                         "8 bytes in an allocation of 4"),
    "between arrays": (lambda a, p: cuda.memcpy_atoa(a, 0, a, 60, 8), "8 bytes from byte 60"),
    "of a plane": (lambda a, p: cuda.memcpy_htoa(p, 0, np.zeros(1)), "more than one row"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", PART_MISTAKES)
def test_parts_stay_in_the_array(mistake):
    act, words = PART_MISTAKES[mistake]
    line = cuda.Array(cuda.ArrayDescriptor(16, 0, F.SIGNED_INT32, 1))
    plane = cuda.Array(cuda.ArrayDescriptor(4, 4, F.FLOAT, 1))
    with pytest.raises(cuda.LogicError, match=words):
        act(line, plane)


def test_descriptors_of_what_cannot_be():
    for make, error, words in (
        (lambda: cuda.Array(None), TypeError, "must be an ArrayDescriptor"),
        (lambda: cuda.Array(cuda.ArrayDescriptor("x")), TypeError, "width must be an int.*'x'"),
        (lambda: cuda.Array(cuda.ArrayDescriptor(-1, 3)), TypeError, "width must be an int.*-1"),
        (lambda: cuda.Array(cuda.ArrayDescriptor(4, 4, 99)), ValueError, "array_format, got 99"),
        (lambda: cuda.Array(cuda.ArrayDescriptor3D(4, 4, 0, flags=1 << 9)), ValueError, "0x200"),
        (lambda: cuda.Array(cuda.ArrayDescriptor(0, 4)), cuda.LogicError, "0 x 4"),
        (lambda: cuda.Array(cuda.ArrayDescriptor(4, 4, F.FLOAT, 3)), cuda.LogicError, "3 channels"),
        (lambda: cuda.Array(cuda.ArrayDescriptor(1 << 22, 1 << 22)), cuda.LogicError, "cuArray3D"),
        (lambda: cuda.Array(cuda.ArrayDescriptor3D(4, 5, 6, flags=FLAGS.CUBEMAP)),
         cuda.LogicError, "cuArray3DCreate failed: invalid argument"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            make()


def test_freed_arrays_are_told():
    array = cuda.Array(cuda.ArrayDescriptor(4, 4))
    copy = cuda.Memcpy2D()
    copy.set_src_array(array)
    array.free()
    for use in (
        array.free,
        array.get_descriptor,
        array.get_descriptor_3d,
        lambda: array.handle,
        lambda: cuda.Memcpy2D().set_src_array(array),
        copy,
        lambda: cuda.memcpy_htoa(array, 0, b"1234"),
        lambda: cuda.TextureObject(array),
    ):
        with pytest.raises(cuda.LogicError, match="it was freed"):
            use()


def test_arrays_of_other_contexts():
    context = cuda.Device(0).make_context()
    array = cuda.Array(cuda.ArrayDescriptor(4, 0))
    cuda.Context.pop()
    with pytest.raises(cuda.LogicError, match="made in another context"):
        cuda.memcpy_htoa(array, 0, b"1234")
    copy = cuda.Memcpy2D()
    copy.set_src_host(bytes(16))
    copy.set_dst_array(array)
    copy.width_in_bytes, copy.height = 16, 1
    with pytest.raises(cuda.LogicError, match="made in another context"):
        copy()
    with pytest.raises(cuda.LogicError, match="made in another context"):
        cuda.TextureObject(array)
    context.push()
    copy()
    context.detach()
    with pytest.raises(cuda.LogicError, match="its context was destroyed"):
        copy()
    del array


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", (*FORMATS.values(), np.float64))
def test_matrices(order, dtype):
    a = RNG.integers(0, 100, (5, 9)).astype(dtype)
    array = cuda.matrix_to_array(a, order, allow_double_hack=True)
    d = array.get_descriptor()
    laid = a if order == "C" else a.T
    assert (d.height, d.width) == laid.shape
    np.testing.assert_array_equal(read(array)[0].view(dtype), laid)
    if dtype is np.float64:
        assert (d.format, d.num_channels) == (F.SIGNED_INT32, 2)
        with pytest.raises(TypeError, match="float64"):
            cuda.matrix_to_array(a, order)


@pytest.mark.parametrize("surface", (False, True))
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", (np.float32, np.int16, np.float64, np.complex64, np.complex128))
@pytest.mark.parametrize("shape", ((6, 7), (3, 4, 5)))
def test_arrays_of_numpy_and_of_the_device(shape, dtype, order, surface):
    a = RNG.integers(0, 100, shape).astype(dtype)
    laid = a if order == "C" else a.T
    on_device = DeviceArray(np.asarray(a, order=order))
    for array in (
        cuda.np_to_array(a, order, allowSurfaceBind=surface),
        cuda.gpuarray_to_array(on_device, order, allowSurfaceBind=surface),
    ):
        d = array.get_descriptor_3d()
        channels = {"f8": 2, "c8": 2, "c16": 4}.get(np.dtype(dtype).str[1:], 1)
        assert d.num_channels == channels
        assert bool(d.flags & FLAGS.SURFACE_LDST) == surface
        assert bool(d.flags & FLAGS.LAYERED) == (surface and len(shape) == 2)
        np.testing.assert_array_equal(read(array).view(dtype).reshape(laid.shape), laid)


class DeviceArray:
    """An array on the device by its interface alone."""

    def __init__(self, a, strides=None):
        self.memory = cuda.to_device(np.ravel(a, order="K"))
        self.__cuda_array_interface__ = {
            "shape": a.shape, "typestr": a.dtype.str, "version": 3,
            "data": (int(self.memory), False), "strides": strides or a.strides,
        }  # fmt: skip


def test_channels():
    a = RNG.random((4, 6, 2), np.float32)
    array = cuda.make_multichannel_2d_array(a, "C")
    d = array.get_descriptor()
    assert (d.width, d.height, d.num_channels) == (6, 4, 2)
    np.testing.assert_array_equal(read(array)[0].view(np.float32).reshape(4, 6, 2), a)
    f = np.asfortranarray(RNG.integers(0, 255, (4, 5, 3)).astype(np.uint8))
    array = cuda.make_multichannel_2d_array(f, "F")
    d = array.get_descriptor()
    assert (d.num_channels, d.width, d.height) == f.shape
    np.testing.assert_array_equal(read(array)[0].reshape(3, 5, 4), f.T)


def test_arrays_that_cannot_be_taken():
    a = np.zeros((4, 4), np.float32)
    for make, error, words in (
        (lambda: cuda.matrix_to_array(a, "K"), cuda.LogicError, "order must be either F or C"),
        (lambda: cuda.matrix_to_array(a[0], "C"), ValueError, r"shape \(4,\)"),
        (lambda: cuda.matrix_to_array(a.astype(np.int64), "C"), TypeError, "int64"),
        (lambda: cuda.matrix_to_array(a.astype(">f4"), "C"), TypeError, "dtype '>f4'"),
        (lambda: cuda.np_to_array(a[0], "C"), cuda.LogicError, "two or three dimensions"),
        (lambda: cuda.np_to_array(a.astype(bool), "C"), TypeError, "bool"),
        (lambda: cuda.gpuarray_to_array(a, "C"), TypeError, "array on the device, got ndarray"),
        (lambda: cuda.gpuarray_to_array(DeviceArray(a), "F"), ValueError, "contiguous in order"),
        (lambda: cuda.gpuarray_to_array(DeviceArray(a, (32, 4)), "C"), ValueError, "contiguous"),
        (lambda: cuda.make_multichannel_2d_array(a, "C"), ValueError, "three dimensions"),
        (lambda: cuda.make_multichannel_2d_array(np.zeros((2, 2, 3), np.uint8), "C"),
         ValueError, "1, 2 or 4 channels, got 3"),
        (lambda: cuda.dtype_to_array_format(np.complex64), TypeError, "complex64"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            make()
    assert {cuda.dtype_to_array_format(t) for t in FORMATS.values()} == set(FORMATS)
