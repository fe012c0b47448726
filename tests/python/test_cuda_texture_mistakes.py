# SPDX-License-Identifier: MIT
"""Texture and surface objects: what users get wrong is told, and breaks nothing."""

from __future__ import annotations

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

F = cuda.array_format
LINEAR = cuda.filter_mode.LINEAR


@pytest.fixture(scope="module")
def kernel():
    return SourceModule("""
    __global__ void sample(float* to, cudaTextureObject_t t) { *to = tex2D<float>(t, 2.5f, 1.5f); }
    """).get_function("sample")


@pytest.fixture(scope="module")
def image():
    return np.random.default_rng(5).random((4, 5), np.float32)


MISTAKES = {
    "no array": (lambda a: cuda.TextureObject(np.zeros(4)), TypeError, "got numpy.ndarray"),
    "memory": (lambda a: cuda.TextureObject(cuda.mem_alloc(64)), TypeError, "TextureObject.linear"),
    "address mode": (lambda a: cuda.TextureObject(a, address_mode=7), ValueError, "_mode.*7"),
    "no address modes": (lambda a: cuda.TextureObject(a, address_mode=()), ValueError,
                         "address_mode"),
    "four address modes": (lambda a: cuda.TextureObject(a, address_mode=(1,) * 4), ValueError,
                           "up to three"),
    "text": (lambda a: cuda.TextureObject(a, address_mode="wrap"), ValueError, "'wrap'"),
    "filter": (lambda a: cuda.TextureObject(a, filter_mode=2), ValueError, "filter_mode, got 2"),
    "mipmap filter": (lambda a: cuda.TextureObject(a, mipmap_filter_mode=5), ValueError, "map.*5"),
    "read mode": (lambda a: cuda.TextureObject(a, read_mode=2), ValueError, "read_mode, got 2"),
    "colour": (lambda a: cuda.TextureObject(a, border_color=(1, 2)), TypeError, "incompatible"),
    "keyword": (lambda a: cuda.TextureObject(a, wrap=True), TypeError, "incompatible"),
    "too little memory": (lambda a: cuda.TextureObject.linear(cuda.mem_alloc(64), F.FLOAT, 1, 65),
                          cuda.LogicError, "65 bytes in an allocation of 64"),
    "no size": (lambda a: cuda.TextureObject.linear(int(cuda.mem_alloc(64)), F.FLOAT), ValueError,
                "size_in_bytes must be given"),
    "no element": (lambda a: cuda.TextureObject.linear(cuda.mem_alloc(8), F.FLOAT, 4), ValueError,
                   "8 bytes hold no element"),
    "format": (lambda a: cuda.TextureObject.linear(cuda.mem_alloc(64), 77), ValueError, "got 77"),
    "host memory": (lambda a: cuda.TextureObject.linear(np.zeros(4), F.FLOAT), TypeError,
                    "devptr must be device memory"),
    "unaligned": (lambda a: cuda.TextureObject.linear(int(cuda.mem_alloc(64)) + 4, F.FLOAT, 1, 16),
                  cuda.LogicError, "multiple of"),
    "pitch": (lambda a: cuda.TextureObject.pitch2d(cuda.mem_alloc(9),
              cuda.ArrayDescriptor(8, 2), 8),
              ValueError, "2 rows of 32 bytes with a pitch of 8"),
    "unaligned pitch": (
        lambda a: cuda.TextureObject.pitch2d(cuda.mem_alloc(256), cuda.ArrayDescriptor(8, 2), 36),
        cuda.LogicError, "multiple of"),
    "short rows": (
        lambda a: cuda.TextureObject.pitch2d(cuda.mem_alloc(64), cuda.ArrayDescriptor(8, 2), 64),
        cuda.LogicError, "96 bytes in an allocation of 64"),
    "surface": (lambda a: cuda.SurfaceObject(a), cuda.LogicError, "without array3d_flags"),
    "surface of nothing": (lambda a: cuda.SurfaceObject(None), TypeError, "an Array, got None"),
    "texture as memory": (lambda a: cuda.memset_d8(cuda.TextureObject(a), 0, 1), TypeError,
                          "dest must be device memory"),
    "levels by elements": (
        lambda a: cuda.TextureObject(cuda.MipmappedArray(cuda.ArrayDescriptor(8, 8))),
        cuda.LogicError, "normali"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(kernel, image, mistake):
    act, error, words = MISTAKES[mistake]
    array = cuda.matrix_to_array(image, "C")
    with pytest.raises(error, match=words):
        act(array)
    to = np.zeros(1, np.float32)
    kernel(cuda.Out(to), cuda.TextureObject(array), block=(1, 1, 1))  # and nothing is broken
    assert to == image[1, 2]


@pytest.mark.software  # an H200's driver takes it, and gives what the CUDA guide leaves undefined
def test_integers_are_not_filtered():
    whole = cuda.matrix_to_array(np.zeros((4, 4), np.int32), "C")
    with pytest.raises(cuda.LogicError, match="cuTexObjectCreate failed: invalid argument"):
        cuda.TextureObject(whole, filter_mode=LINEAR)


def test_freed_ones_are_told(kernel, image):
    array = cuda.matrix_to_array(image, "C")
    texture = cuda.TextureObject(array)
    texture.free()
    assert texture.resource is None
    other = cuda.TextureObject(array)
    array.free()
    memory = cuda.mem_alloc(16)
    for dead in (texture, other):
        with pytest.raises(cuda.LogicError, match="it was freed"):
            kernel(memory, dead, block=(1, 1, 1))
    with pytest.raises(cuda.LogicError, match="it was freed before"):
        texture.free()
