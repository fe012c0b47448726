# SPDX-License-Identifier: MIT
"""Textures of volumes, layers, cubes, levels, and gathers, as arguments of kernels."""

from __future__ import annotations

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

SOURCE = """
__global__ void volume(float* to, cudaTextureObject_t t) {
    int i = (blockIdx.x * 4 + threadIdx.z) * 20 + threadIdx.y * 5 + threadIdx.x;
    to[i] = tex3D<float>(t, threadIdx.x + .5f, threadIdx.y + .5f, threadIdx.z + .5f);
}
__global__ void layers(float* to, cudaTextureObject_t t, int w) {
    to[(blockIdx.y * gridDim.x + blockIdx.x) * w + threadIdx.x] =
        tex2DLayered<float>(t, threadIdx.x + .5f, blockIdx.x + .5f, blockIdx.y);
}
__global__ void cube(float* to, cudaTextureObject_t t, const float3* at) {
    float3 d = at[threadIdx.x];
    to[threadIdx.x] = texCubemap<float>(t, d.x, d.y, d.z);
}
__global__ void levels(float* to, cudaTextureObject_t t, const float* level) {
    to[threadIdx.x] = tex2DLod<float>(t, .3f, .3f, level[threadIdx.x]);
}
__global__ void gather(float4* to, cudaTextureObject_t t) {
    *to = tex2Dgather<float4>(t, 2.f, 1.f);
}
"""
F = cuda.array_format
FLAGS = cuda.array3d_flags
LINEAR = cuda.filter_mode.LINEAR


@pytest.fixture(scope="module")
def module():
    return SourceModule(SOURCE)


def test_volumes_and_layers(module):
    a = np.random.default_rng(4).random((3, 4, 5), np.float32)
    to = np.zeros_like(a)
    module.get_function("volume")(
        cuda.Out(to), cuda.TextureObject(cuda.np_to_array(a, "C")), block=(5, 4, 3)
    )
    np.testing.assert_array_equal(to, a)
    array = cuda.Array(cuda.ArrayDescriptor3D(5, 4, 3, F.FLOAT, 1, FLAGS.LAYERED))
    copy = cuda.Memcpy3D()
    copy.set_src_host(a)
    copy.set_dst_array(array)
    copy.width_in_bytes, copy.height, copy.depth = 20, 4, 3
    copy()
    to[:] = 0
    module.get_function("layers")(
        cuda.Out(to), cuda.TextureObject(array), np.int32(5), block=(5, 1, 1), grid=(4, 3)
    )
    np.testing.assert_array_equal(to, a)


def test_cubes(module):
    faces = np.repeat(np.arange(6, dtype=np.float32), 64)
    array = cuda.Array(cuda.ArrayDescriptor3D(8, 8, 6, F.FLOAT, 1, FLAGS.CUBEMAP))
    copy = cuda.Memcpy3D()
    copy.set_src_host(faces)
    copy.set_dst_array(array)
    copy.width_in_bytes, copy.height, copy.depth = 32, 8, 6
    copy()
    texture = cuda.TextureObject(array, normalized_coords=True)
    directions = np.array(
        [[1, 0.2, 0.3], [-1, 0.2, 0.3], [0, 1, 0.1], [0, -2, 1], [0.5, 0.5, 1], [0, 0.9, -1]],
        np.float32,
    )
    to = np.zeros(6, np.float32)
    module.get_function("cube")(cuda.Out(to), texture, cuda.In(directions), block=(6, 1, 1))
    assert to.tolist() == [0, 1, 2, 3, 4, 5]


def test_mipmaps(module):
    mipmapped = cuda.MipmappedArray(cuda.ArrayDescriptor3D(16, 8))
    assert mipmapped.num_levels == 5 and mipmapped.handle
    sizes = []
    for k in range(5):
        level = mipmapped.level(k)
        d = level.get_descriptor()
        sizes.append((d.width, d.height))
        copy = cuda.Memcpy2D()
        copy.set_src_host(np.full((d.height, d.width), 10 * k, np.float32))
        copy.set_dst_array(level)
        copy.width_in_bytes, copy.height = 4 * d.width, d.height
        copy(aligned=True)
        del level
    assert sizes == [(16, 8), (8, 4), (4, 2), (2, 1), (1, 1)]
    asked = np.array([0, 1, 1.5, 2.25, 4, 9, -1], np.float32)
    for filter_, expected in (
        (cuda.filter_mode.POINT, None),
        (LINEAR, [0, 10, 15, 22.5, 40, 40, 0]),
    ):
        texture = cuda.TextureObject(mipmapped, normalized_coords=True, mipmap_filter_mode=filter_)
        to = np.zeros(7, np.float32)
        module.get_function("levels")(cuda.Out(to), texture, cuda.In(asked), block=(7, 1, 1))
        if expected:
            np.testing.assert_allclose(to, expected, atol=10 / 256)
        else:
            assert set(to) <= {0, 10, 20, 30, 40} and to[4] == to[5] == 40 and to[0] == to[6] == 0
    clamped = cuda.TextureObject(
        mipmapped, normalized_coords=True, min_mipmap_level_clamp=1, max_mipmap_level_clamp=2
    )
    module.get_function("levels")(cuda.Out(to), clamped, cuda.In(asked), block=(7, 1, 1))
    assert to.min() == 10 and to.max() == 20
    last = mipmapped.level(4)
    with pytest.raises(cuda.LogicError, match="level 5 of an array with 5 levels"):
        mipmapped.level(5)
    with pytest.raises(cuda.LogicError, match="belongs to what it was taken from"):
        last.free()
    mipmapped.free()
    for use in (mipmapped.free, last.get_descriptor, lambda: clamped.handle):
        with pytest.raises(cuda.LogicError, match="it was freed"):
            use()


def test_gathers(module):
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    array = cuda.Array(cuda.ArrayDescriptor3D(4, 3, 0, F.FLOAT, 1, FLAGS.TEXTURE_GATHER))
    copy = cuda.Memcpy2D()
    copy.set_src_host(a)
    copy.set_dst_array(array)
    copy.width_in_bytes, copy.height = 16, 3
    copy()
    to = np.zeros(4, np.float32)
    module.get_function("gather")(cuda.Out(to), cuda.TextureObject(array), block=(1, 1, 1))
    # Of the four around (2, 1), counterclockwise from the lower left one.
    assert to.tolist() == [a[1, 1], a[1, 2], a[0, 2], a[0, 1]]
