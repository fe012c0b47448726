# SPDX-License-Identifier: MIT
"""Texture and surface references: sources that nvcc compiled until CUDA 11 run as they were."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
from lathe.cuda.compiler import compile as compile_source

A = cuda.address_mode
F = cuda.array_format
FLAGS = cuda.array3d_flags
RNG = np.random.default_rng(9)

ROTATE = """
texture<float, 2, cudaReadModeElementType> picture;

__global__ void rotate(float* to, int width, int height, float angle) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = (x + .5f) / width - .5f, v = (y + .5f) / height - .5f;
    to[y * width + x] = tex2D(picture, u * cosf(angle) - v * sinf(angle) + .5f,
                              u * sinf(angle) + v * cosf(angle) + .5f);
}
"""


def test_a_picture_is_rotated():
    module = SourceModule(ROTATE)
    picture = RNG.random((24, 24), np.float32)
    reference = module.get_texref("picture")
    assert module.get_texref("picture") is reference
    reference.set_array(cuda.matrix_to_array(picture, "C"))
    reference.set_flags(cuda.TRSF_NORMALIZED_COORDINATES)
    reference.set_filter_mode(cuda.filter_mode.POINT)
    gc.collect()  # the reference keeps its array
    to = np.zeros_like(picture)
    rotate = module.get_function("rotate")
    # fmt: off
    for quarters in range(4):
        rotate(cuda.Out(to), np.int32(24), np.int32(24), np.float32(quarters * np.pi / 2),
               block=(8, 8, 1), grid=(3, 3), texrefs=[reference])
        np.testing.assert_array_equal(to, np.rot90(picture, quarters))
    reference.set_address_mode(0, A.BORDER)
    reference.set_address_mode(1, A.BORDER)
    rotate(cuda.Out(to), np.int32(24), np.int32(24), np.float32(np.pi / 4),
           block=(8, 8, 1), grid=(3, 3), texrefs=[reference])
    # fmt: on
    assert to[0, 0] == to[-1, 0] == to[0, -1] == to[-1, -1] == 0  # outside of the picture
    assert to[12, 12] == picture[12, 12]


def test_volumes():
    module = SourceModule("""
    texture<float, 3> volume;
    __global__ void read(float* to) {
        int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
        to[(z * blockDim.y + y) * blockDim.x + x] = tex3D(volume, x, y, z);
    }""")
    a = RNG.random((3, 4, 5), np.float32)
    module.get_texref("volume").set_array(cuda.np_to_array(a, "C"))
    to = np.zeros_like(a)
    module.get_function("read")(cuda.Out(to), block=(5, 4, 3))
    np.testing.assert_array_equal(to, a)


def test_four_channels_of_memory_and_of_arrays():
    module = SourceModule("""
    texture<float4, 1, cudaReadModeElementType> line;
    texture<float4, 2, cudaReadModeElementType> plane;
    __global__ void read(float4* to) {
        float4 a = tex1Dfetch(line, threadIdx.x), b = tex2D(plane, threadIdx.x, 1);
        to[threadIdx.x] = make_float4(a.x + b.w, a.y + b.z, a.z + b.y, a.w + b.x);
    }""")
    a = RNG.random((8, 4), np.float32)
    b = RNG.random((2, 8, 4), np.float32)
    line, plane = module.get_texref("line"), module.get_texref("plane")
    assert line.get_format() == (F.FLOAT, 4)
    memory = cuda.to_device(a)
    assert line.set_address(memory, a.nbytes) == 0
    assert line.get_address() == int(memory)
    plane.set_array(cuda.make_multichannel_2d_array(b, "C"))
    read = module.get_function("read")
    assert read.prepare("P", texrefs=[line, plane]) is read
    to = cuda.mem_alloc(a.nbytes)
    read.prepared_call((1, 1), (8, 1, 1), to)
    np.testing.assert_array_equal(cuda.from_device_like(to, a), a + b[1, :, ::-1])


KINDS = """
texture<float, cudaTextureType1D> line;
texture<unsigned char, cudaTextureType1DLayered, cudaReadModeNormalizedFloat> lines;
texture<short2, cudaTextureType2DLayered, cudaReadModeElementType> planes;
static texture<uchar4, 2, cudaReadModeNormalizedFloat> colours, more;
texture<float, cudaTextureTypeCubemap> sky;
surface<void, cudaSurfaceType2D> sheet;
surface<void, 3> block;

__global__ void read(float* to) {
    to[0] = tex1D(line, 3.5f);
    to[1] = tex1DLayered(lines, 1.5f, 2);
    short2 s = tex2DLayered(planes, 1.5f, 2.5f, 1);
    to[2] = s.x;
    to[3] = s.y;
    float4 c = tex2D(colours, 2.5f, 0.5f);
    to[4] = c.x + 2 * c.y + 4 * c.z + 8 * c.w;
    to[5] = texCubemap(sky, 0.f, 0.f, -1.f);
    to[6] = tex2D<float4>(colours, 2.5f, 0.5f).y;
}
__global__ void write() {
    float v;
    surf2Dread(&v, sheet, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(v + 1, sheet, threadIdx.x * 4, blockIdx.x, cudaBoundaryModeTrap);
    surf3Dwrite((int)threadIdx.x, block, threadIdx.x * 4, blockIdx.x, 1);
}
"""


def array_3d(a, width, height, depth, format_, channels, flags):
    array = cuda.Array(cuda.ArrayDescriptor3D(width, height, depth, format_, channels, flags))
    copy = cuda.Memcpy3D()
    copy.set_src_host(a)
    copy.set_dst_array(array)
    copy.width_in_bytes = width * channels * a.itemsize
    copy.height, copy.depth = max(1, height), max(1, depth)
    copy()
    return array


def test_every_kind():
    module = SourceModule(KINDS)
    line = RNG.random(8, np.float32)
    lines = RNG.integers(0, 255, (3, 4)).astype(np.uint8)
    planes = RNG.integers(-999, 999, (2, 4, 4, 2)).astype(np.int16)
    colours = RNG.integers(0, 255, (2, 4, 4)).astype(np.uint8)
    sky = np.repeat(np.arange(6, dtype=np.float32), 16)
    for name, array in (
        ("line", array_3d(line, 8, 0, 0, F.FLOAT, 1, 0)),
        ("lines", array_3d(lines, 4, 0, 3, F.UNSIGNED_INT8, 1, FLAGS.LAYERED)),
        ("planes", array_3d(planes, 4, 4, 2, F.SIGNED_INT16, 2, FLAGS.LAYERED)),
        ("colours", cuda.make_multichannel_2d_array(colours, "C")),
        ("sky", array_3d(sky, 4, 4, 6, F.FLOAT, 1, FLAGS.CUBEMAP)),
    ):
        module.get_texref(name).set_array(array)
    module.get_texref("sky").set_flags(cuda.TRSF_NORMALIZED_COORDINATES)
    to = np.zeros(7, np.float32)
    module.get_function("read")(cuda.Out(to), block=(1, 1, 1))
    expected = [line[3], lines[2, 1] / 255, *planes[1, 2, 1], colours[0, 2] @ [1, 2, 4, 8] / 255, 5]
    np.testing.assert_allclose(to, [*expected, colours[0, 2, 1] / 255], rtol=1e-5)

    sheet = array_3d(np.arange(12, dtype=np.float32), 4, 3, 0, F.FLOAT, 1, FLAGS.SURFACE_LDST)
    block = array_3d(np.zeros(24, np.int32), 4, 3, 2, F.SIGNED_INT32, 1, FLAGS.SURFACE_LDST)
    module.get_surfref("sheet").set_array(sheet)
    module.get_surfref("block").set_array(block)
    assert module.get_surfref("sheet").get_array() is sheet
    write = module.get_function("write")
    for _ in range(3):
        write(block=(4, 1, 1), grid=(3, 1))
    back = np.zeros((3, 4), np.float32)
    copy = cuda.Memcpy2D()
    copy.set_src_array(sheet)
    copy.set_dst_host(back)
    copy.width_in_bytes, copy.height = 16, 3
    copy()
    np.testing.assert_array_equal(back.ravel(), np.arange(12) + 3)


def test_a_change_counts_from_the_next_launch_on():
    module = SourceModule("""
    texture<int, 1> numbers;
    __global__ void add(int* to) { *to += tex1Dfetch(numbers, 0); }
    """)
    reference = module.get_texref("numbers")
    add = module.get_function("add")
    to = cuda.to_device(np.zeros(1, np.int32))
    streams = [None, cuda.Stream(), cuda.Stream(), None]
    total = 0
    for k in range(40):  # each launch reads its own memory, some of which goes at once
        reference.set_address(cuda.to_device(np.array([k], np.int32)), 4)
        add(to, block=(1, 1, 1), stream=streams[k // 7 % 4])
        total += k
        if k % 3 == 0:
            add(to, block=(1, 1, 1), stream=streams[k // 3 % 4])
            total += k
    cuda.Context.synchronize()
    assert cuda.from_device(to, 1, np.int32) == total


def test_instances_of_templates_see_them_too():
    module = SourceModule(
        """
        texture<float, 1> values;
        template <class T> __global__ void read(T* to) {
            to[threadIdx.x] = tex1Dfetch(values, threadIdx.x);
        }
        """,
        no_extern_c=True,
    )
    values = cuda.to_device(np.arange(4, dtype=np.float32))
    doubles = module.get_function("read<double>")
    module.get_texref("values").set_address(values, 16)
    ints = module.get_function("read<int>")
    for kernel, dtype in ((doubles, np.float64), (ints, np.int32)):
        to = np.zeros(4, dtype)
        kernel(cuda.Out(to), block=(4, 1, 1))
        np.testing.assert_array_equal(to, np.arange(4))


def test_declarations_of_included_files_and_macros(tmp_path):
    (tmp_path / "images.h").write_text("texture<unsigned char, 1> bytes;\n")
    module = SourceModule(
        """
        #include "images.h"
        #define IMAGE(name) texture<float, 2> name;
        IMAGE(plane)
        texture<float, 1> line;
        __global__ void read(float* to) {
            *to = tex1Dfetch(bytes, 2) + tex2D(plane, 1, 1) + tex1Dfetch(line, 3);
        }""",
        include_dirs=[tmp_path],
    )
    memory = cuda.to_device(np.array([1, 2, 200, 4], np.uint8))
    bytes_ = module.get_texref("bytes")
    bytes_.set_address(memory, 4)
    bytes_.set_format(F.UNSIGNED_INT8, 1)
    bytes_.set_flags(cuda.TRSF_READ_AS_INTEGER)
    module.get_texref("plane").set_array(
        cuda.matrix_to_array(np.full((2, 2), 0.5, np.float32), "C")
    )
    module.get_texref("line").set_address(cuda.to_device(np.full(4, 1000, np.float32)), 16)
    to = np.zeros(1, np.float32)
    module.get_function("read")(cuda.Out(to), block=(1, 1, 1))
    assert to == 1200.5
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule("#define IMAGE texture<float> t;\nIMAGE\nint x = oops;")
    assert [d[:13] for d in caught.value.diagnostics] == ["kernel.cu:3:9"]


def test_offsets_of_memory():
    module = SourceModule("""
    texture<float, 1> values;
    __global__ void read(float* to, int first) {
        to[threadIdx.x] = tex1Dfetch(values, first + threadIdx.x);
    }
    """)
    memory = cuda.to_device(np.arange(64, dtype=np.float32))
    reference = module.get_texref("values")
    with pytest.raises(cuda.LogicError, match="allow_offset is False"):
        reference.set_address(int(memory) + 16, 64)
    offset = reference.set_address(int(memory) + 16, 64, allow_offset=True)
    assert offset == 16
    to = np.zeros(8, np.float32)
    module.get_function("read")(cuda.Out(to), np.int32(offset // 4), block=(8, 1, 1))
    np.testing.assert_array_equal(to, np.arange(4, 12))


def test_rows_of_memory_filtered():
    module = SourceModule("""
    texture<float, 2> plane;
    __global__ void read(float* to) { to[threadIdx.x] = tex2D(plane, threadIdx.x * .5f + 1, 2.f); }
    """)
    a = RNG.random((4, 8), np.float32)
    memory, pitch = cuda.mem_alloc_pitch(32, 4, 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(a)
    copy.set_dst_device(memory)
    copy.width_in_bytes, copy.dst_pitch, copy.height = 32, pitch, 4
    copy()
    reference = module.get_texref("plane")
    reference.set_address_2d(memory, cuda.ArrayDescriptor(8, 4), pitch)
    reference.set_filter_mode(cuda.filter_mode.LINEAR)
    to = np.zeros(8, np.float32)
    module.get_function("read")(cuda.Out(to), block=(8, 1, 1))
    mean = (a[1] + a[2]) / 2
    x = np.arange(8) * 0.5 + 0.5
    expected = np.interp(x, np.arange(8), mean)
    np.testing.assert_allclose(to, expected, atol=2 / 256)


def test_images_have_them_by_name():
    ptx = compile_source(
        "texture<float, 1> values; __global__ void read(float* p) { *p = tex1Dfetch(values, 2); }",
        target="ptx",
    )
    module = cuda.module_from_buffer(ptx)
    module.get_texref("values").set_address(cuda.to_device(np.arange(4, dtype=np.float32)), 16)
    to = np.zeros(1, np.float32)
    module.get_function("read")(cuda.Out(to), block=(1, 1, 1))
    assert to == 2
