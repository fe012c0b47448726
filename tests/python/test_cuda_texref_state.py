# SPDX-License-Identifier: MIT
"""Texture and surface references: their state, and what users get wrong."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

A = cuda.address_mode
F = cuda.array_format

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


def test_state_is_read_back():
    reference = cuda.TextureReference()
    assert reference.get_flags() == 0 and reference.get_address_mode(2) is A.CLAMP
    reference.set_format(F.SIGNED_INT16, 2)
    assert reference.get_format() == (F.SIGNED_INT16, 2)
    reference.set_address_mode(1, A.MIRROR)
    assert reference.get_address_mode(1) is A.MIRROR
    reference.set_filter_mode(cuda.filter_mode.LINEAR)
    assert reference.get_filter_mode() is cuda.filter_mode.LINEAR
    reference.set_flags(cuda.TRSF_READ_AS_INTEGER | cuda.TRSF_NORMALIZED_COORDINATES)
    assert reference.get_flags() == 3
    array = cuda.matrix_to_array(np.zeros((2, 2), np.float32), "C")
    cuda.bind_array_to_texref(array, reference)
    assert reference.get_array() is array and reference.get_format() == (F.FLOAT, 1)
    assert reference.get_filter_mode() is cuda.filter_mode.POINT
    cuda.matrix_to_texref(np.zeros((2, 3), np.float32), reference, "C")
    assert reference.get_array().get_descriptor().width == 3
    module = SourceModule(ROTATE)
    module.get_function("rotate").param_set_texref(reference)
    declared = SourceModule(
        "texture<ushort4> t; __global__ void f(ushort4* p) { *p = tex1Dfetch(t, 0); }"
    )
    assert declared.get_texref("t").get_format() == (F.UNSIGNED_INT16, 4)
    assert declared.get_texref("t").get_flags() == cuda.TRSF_READ_AS_INTEGER


MISTAKES = {
    "name": (lambda m, r: m.get_texref("other"), cuda.LogicError,
             "cuModuleGetTexRef failed: .*texture other; the source declares picture"),
    "surface": (lambda m, r: m.get_surfref("picture"), cuda.LogicError, "the source declares none"),
    "array": (lambda m, r: r.set_array(None), TypeError, "incompatible"),
    "no array": (lambda m, r: r.get_array(), cuda.LogicError, "no array is bound"),
    "no address": (lambda m, r: r.get_address(), cuda.LogicError, "no device memory is bound"),
    "axis": (lambda m, r: r.set_address_mode(3, A.CLAMP), cuda.LogicError, "0, 1 or 2, got 3"),
    "mode": (lambda m, r: r.set_address_mode(0, 4), cuda.LogicError, "address_mode 4"),
    "filter": (lambda m, r: r.set_filter_mode(3), cuda.LogicError, "filter_mode 3"),
    "flags": (lambda m, r: r.set_flags(64), cuda.LogicError, "flags are 0x40"),
    "format": (lambda m, r: r.set_format(5, 1), ValueError, "array_format, got 5"),
    "components": (lambda m, r: r.set_format(F.FLOAT, 3), cuda.LogicError, "components, got 3"),
    "host memory": (lambda m, r: r.set_address(np.zeros(4), 32), TypeError, "must be device"),
    "little memory": (lambda m, r: r.set_address(cuda.mem_alloc(16), 32), cuda.LogicError,
                      "32 bytes in an allocation of 16"),
    "short rows": (lambda m, r: r.set_address_2d(cuda.mem_alloc(9), cuda.ArrayDescriptor(8, 2), 16),
                   cuda.LogicError, "2 rows of 32 bytes with a pitch of 16"),
    "texrefs": (lambda m, r: m.get_function("rotate")(block=(1, 1, 1), texrefs=["picture"]),
                TypeError, "texrefs must be TextureReferences, got str"),
    "prepared texrefs": (lambda m, r: m.get_function("rotate").prepare("Piif", [3]), TypeError,
                         "got int"),
    "surface array": (lambda m, r: cuda.SurfaceReference().set_array(
        cuda.Array(cuda.ArrayDescriptor(4, 4))), cuda.LogicError, "without array3d_flags"),
    "surface flags": (lambda m, r: cuda.SurfaceReference().set_array(
        cuda.Array(cuda.ArrayDescriptor(4, 4)), 3), cuda.LogicError, "flags must be 0, got 3"),
    "no surface": (lambda m, r: cuda.SurfaceReference().get_array(), cuda.LogicError, "no array"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(mistake):
    act, error, words = MISTAKES[mistake]
    module = SourceModule(ROTATE)
    with pytest.raises(error, match=words):
        act(module, module.get_texref("picture"))


def test_a_freed_array_is_told_at_the_launch():
    module = SourceModule(ROTATE)
    array = cuda.matrix_to_array(np.ones((4, 4), np.float32), "C")
    module.get_texref("picture").set_array(array)
    array.free()
    to = np.zeros((4, 4), np.float32)
    arguments = (cuda.Out(to), np.int32(4), np.int32(4), np.float32(0))
    with pytest.raises(cuda.LogicError, match="array of texture picture was freed"):
        module.get_function("rotate")(*arguments, block=(4, 4, 1))
    module.get_texref("picture").set_array(cuda.matrix_to_array(np.ones((4, 4), np.float32), "C"))
    module.get_function("rotate")(*arguments, block=(4, 4, 1))
    assert to.all()


def test_every_way_to_launch_sees_what_is_bound_last():
    module = SourceModule("""
    texture<float, 2> plane;
    __global__ void read(float* to) { to[threadIdx.x] = tex2D(plane, threadIdx.x, 0); }""")
    reference, read = module.get_texref("plane"), module.get_function("read").prepare("P")
    to = cuda.mem_alloc(16)
    shape = {"block": (4, 1, 1)}

    def by_hand():
        read.param_set(to)
        read.set_block_shape(4, 1, 1)
        read.launch_grid(1, 1)

    def by_a_graph():
        graph = cuda.Graph()
        graph.add_kernel(read, to, **shape)
        graph.launch()
        cuda.Context.synchronize()

    ways = (
        lambda: read(to, **shape),
        lambda: read.prepared_call((1, 1), (4, 1, 1), to),
        lambda: read.prepared_async_call((1, 1), (4, 1, 1), None, to),
        by_hand,
        by_a_graph,
    )
    for n, launch in enumerate((*ways, *ways)):
        line = np.arange(4, dtype=np.float32)[None] + 10 * n
        reference.set_array(cuda.matrix_to_array(line, "C"))
        launch()
        np.testing.assert_array_equal(cuda.from_device(to, (4,), np.float32), line[0])


READ = """
texture<float, 2> picture;
texture<float, 1> line;
surface<void, 2> sheet;
__global__ void read(float* to) {
    to[0] = tex2D(picture, 1.5f, 1.5f) + 100 * tex1Dfetch(line, 1);
    surf2Dwrite(to[0], sheet, 0, 0);
}
"""


def filled(value, flags=0):
    descriptor = cuda.ArrayDescriptor3D()
    descriptor.width = descriptor.height = 4
    descriptor.format, descriptor.num_channels, descriptor.flags = F.FLOAT, 1, flags
    array = cuda.Array(descriptor)
    copy = cuda.Memcpy2D()
    copy.set_src_host(np.full((4, 4), value, np.float32))
    copy.set_dst_array(array)
    copy.src_pitch = copy.width_in_bytes = 16
    copy.height = 4
    copy(aligned=True)
    return array


def corner(array):
    found = np.zeros((4, 4), np.float32)
    copy = cuda.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(found)
    copy.dst_pitch = copy.width_in_bytes = 16
    copy.height = 4
    copy(aligned=True)
    return found[0, 0]


def test_a_capture_binds_what_is_bound_at_each_of_its_launches():
    """Also where the references changed meanwhile, inside of it and later, and were let go."""
    module = SourceModule(READ)
    picture, line, sheet = (
        module.get_texref("picture"),
        module.get_texref("line"),
        module.get_surfref("sheet"),
    )
    read = module.get_function("read")
    flags = cuda.array3d_flags.SURFACE_LDST
    pages = [filled(0, flags) for _ in range(3)]

    made = {
        value: (filled(value), cuda.to_device(np.full(4, value + 1, np.float32)))
        for value in (1, 2, 3)
    }

    def bind(value, page):
        array, memory = made.pop(value)
        picture.set_array(array)
        line.set_address(memory, 16)
        line.set_format(F.FLOAT, 1)
        sheet.set_array(page)
        return value + 100 * (value + 1)

    to = [cuda.mem_alloc(4) for _ in range(3)]
    first = bind(1, pages[0])
    with cuda.Graph() as graph:  # no launch before it
        read(to[0], block=(1, 1, 1), stream=graph.stream)
        second = bind(2, pages[1])
        read(to[1], block=(1, 1, 1), stream=graph.stream)
    third = bind(3, pages[2])
    gc.collect()
    kept = [filled(9) for _ in range(8)]  # where what was freed lay

    def found(k):
        return cuda.from_device(to[k], 1, np.float32)[0]

    for _ in range(2):
        read(to[2], block=(1, 1, 1))
        assert found(2) == third
        graph.launch()
        cuda.Context.synchronize()
        assert [found(0), found(1)] == [first, second]
    assert [corner(page) for page in pages] == [first, second, third]
    del kept
    read.prepare("P").prepared_call((1, 1), (1, 1, 1), to[2])
    assert found(2) == third


def test_a_mistake_in_a_capture_captures_nothing():
    module = SourceModule(READ)
    array = filled(1)
    module.get_texref("picture").set_array(array)
    array.free()
    graph = cuda.Graph()
    with graph, pytest.raises(cuda.LogicError, match="array of texture picture was freed"):
        module.get_function("read")(cuda.mem_alloc(4), block=(1, 1, 1), stream=graph.stream)
    assert graph.nodes == []
