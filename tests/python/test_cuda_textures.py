# SPDX-License-Identifier: MIT
"""Texture and surface objects as arguments of kernels, against NumPy and the formulas of the CUDA
programming guide."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

SOURCE = """
__global__ void sample(float* to, cudaTextureObject_t t, const float2* at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = tex2D<float>(t, at[i].x, at[i].y);
}
__global__ void sample4(float4* to, cudaTextureObject_t t, const float2* at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = tex2D<float4>(t, at[i].x, at[i].y);
}
__global__ void sample_ints(int4* to, cudaTextureObject_t t, const float2* at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = tex2D<int4>(t, at[i].x, at[i].y);
}
__global__ void fetch(float* to, cudaTextureObject_t t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = tex1Dfetch<float>(t, n - 1 - i);
}
__global__ void paint(cudaSurfaceObject_t s, int width) {
    if ((int)threadIdx.x < width)
        surf2Dwrite(float(threadIdx.x + 100 * blockIdx.x), s, threadIdx.x * 4, blockIdx.x);
}
__global__ void twice(cudaSurfaceObject_t s) {
    float v = surf2Dread<float>(s, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(2 * v, s, threadIdx.x * 4, blockIdx.x);
}
"""
W, H = 19, 11
A = cuda.address_mode
F = cuda.array_format
FLAGS = cuda.array3d_flags
LINEAR = cuda.filter_mode.LINEAR


@pytest.fixture(scope="module")
def module():
    return SourceModule(SOURCE)


@pytest.fixture(scope="module")
def image():
    return np.random.default_rng(5).random((H, W), np.float32)


def sampled(module, texture, at, kernel="sample", shape=(), dtype=np.float32):
    at = np.ascontiguousarray(at, np.float32)
    to = np.zeros((len(at), *shape), dtype)
    module.get_function(kernel)(
        cuda.Out(to), texture, cuda.In(at), np.int32(len(at)), block=(64, 1, 1),
        grid=(len(at) // 64 + 1, 1),
    )  # fmt: skip
    return to


def index_of(i, size, mode):
    """Which element an integer coordinate reads, -1 outside."""
    if mode == A.CLAMP:
        return np.clip(i, 0, size - 1)
    if mode == A.WRAP:
        return i % size
    if mode == A.MIRROR:
        return np.where(i // size % 2 == 0, i % size, size - 1 - i % size)
    return np.where((i >= 0) & (i < size), i, -1)


def element(image, y, x, modes, border):
    y, x = index_of(y, image.shape[0], modes[1]), index_of(x, image.shape[1], modes[0])
    return np.where((x < 0) | (y < 0), border, image[y, x])


def point(image, at, modes, border=0.0):
    i = np.floor(at).astype(int)
    return element(image, i[:, 1], i[:, 0], modes, border)


def linear(image, at, modes, border=0.0):
    """J.3.2 of the programming guide: weights with 8 bits after the point."""
    at = at.astype(np.float64) - 0.5
    i = np.floor(at).astype(int)
    a, b = (np.round((at - i) * 256) / 256).T
    x, y = i.T
    e = [element(image, y + k // 2, x + k % 2, modes, border) for k in range(4)]
    return (1 - a) * (1 - b) * e[0] + a * (1 - b) * e[1] + (1 - a) * b * e[2] + a * b * e[3]


def places(normalized):
    at = np.random.default_rng(11).uniform(-1.4, 2.4, (500, 2)).astype(np.float32)
    return at if normalized else at * np.float32([W, H])


ADDRESSES = [
    (A.CLAMP, False), (A.BORDER, False), (A.CLAMP, True), (A.BORDER, True), (A.WRAP, True),
    (A.MIRROR, True), ((A.WRAP, A.MIRROR), True), ((A.BORDER, A.CLAMP, A.CLAMP), False),
]  # fmt: skip


@pytest.mark.parametrize("filter_", (cuda.filter_mode.POINT, LINEAR))
@pytest.mark.parametrize("address, normalized", ADDRESSES)
def test_addresses_and_filters(module, image, address, normalized, filter_):
    texture = cuda.TextureObject(
        cuda.matrix_to_array(image, "C"), address_mode=address, filter_mode=filter_,
        normalized_coords=normalized, border_color=(3, 0, 0, 0),
    )  # fmt: skip
    at = places(normalized)
    inside = at.astype(np.float64) * ([W, H] if normalized else 1)
    # Where a coordinate lies within rounding of an edge, both neighbours are right.
    off = inside - (0 if filter_ == cuda.filter_mode.POINT else 0.5)
    clear = (np.abs(off - np.round(off)) > 1e-4).all(axis=1)
    modes = address if isinstance(address, tuple) else (address, address)
    got = sampled(module, texture, at)[clear]
    formula = linear if filter_ == LINEAR else point
    expected = formula(image, inside[clear], modes, border=3.0)
    # A weight may be rounded the other way: by 1/256 on each axis of differences of up to 3.
    np.testing.assert_allclose(got, expected, atol=3 * 2 / 256 if filter_ == LINEAR else 0)


@pytest.mark.parametrize("dtype", (np.uint8, np.int8, np.uint16, np.int16))
def test_read_modes(module, dtype):
    a = np.random.default_rng(1).integers(0, 1 << 16, (H, W, 4)).astype(dtype)
    array = cuda.make_multichannel_2d_array(a, "C")
    at = np.array([[3.5, 2.5], [18.5, 10.5], [0.5, 0.5]])
    picked = a[[2, 10, 0], [3, 18, 0]]
    elements = cuda.TextureObject(array)
    np.testing.assert_array_equal(
        sampled(module, elements, at, "sample_ints", (4,), np.int32), picked
    )
    fractions = cuda.TextureObject(array, read_mode=cuda.read_mode.NORMALIZED_FLOAT)
    got = sampled(module, fractions, at, "sample4", (4,))
    expected = np.maximum(picked / np.iinfo(dtype).max, -1)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


def test_colours_of_srgb(module):
    a = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(4, 2)
    texture = cuda.TextureObject(
        cuda.make_multichannel_2d_array(a, "C"), srgb=True,
        read_mode=cuda.read_mode.NORMALIZED_FLOAT,
    )  # fmt: skip
    y, x = np.mgrid[:16, :16].reshape(2, -1)
    got = sampled(module, texture, np.stack([x, y], 1) + 0.5, "sample4", (4,))
    c = np.arange(256) / 255
    expected = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)  # IEC 61966-2-1
    # A GPU gives nine bits or so: an H200 misses by 3.7e-3 near white.
    np.testing.assert_allclose(got[:, 0], expected, atol=1 / 256)
    np.testing.assert_allclose(got[:, 3], c, atol=1e-6)  # alpha stays


def test_linear_memory(module):
    a = np.random.default_rng(2).random(300, np.float32)
    texture = cuda.TextureObject.linear(cuda.to_device(a), F.FLOAT)
    gc.collect()  # the texture keeps the memory
    others = [cuda.to_device(np.zeros(300, np.float32)) for _ in range(8)]
    to = np.zeros_like(a)
    module.get_function("fetch")(
        cuda.Out(to), texture, np.int32(300), block=(128, 1, 1), grid=(3, 1)
    )
    np.testing.assert_array_equal(to, a[::-1])
    assert len(others) == 8


def test_pitched_memory(module, image):
    memory, pitch = cuda.mem_alloc_pitch(4 * W, H, 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(image)
    copy.set_dst_device(memory)
    copy.width_in_bytes = copy.src_pitch = 4 * W
    copy.dst_pitch, copy.height = pitch, H
    copy(aligned=True)
    texture = cuda.TextureObject.pitch2d(
        memory, cuda.ArrayDescriptor(W, H), pitch, filter_mode=LINEAR
    )
    at = places(False)
    got = sampled(module, texture, at)
    np.testing.assert_allclose(got, linear(image, at, (A.CLAMP, A.CLAMP)), atol=2 / 256)


def test_surfaces(module):
    array = cuda.Array(cuda.ArrayDescriptor3D(W, H, 0, F.FLOAT, 1, FLAGS.SURFACE_LDST))
    surface = cuda.SurfaceObject(array)
    assert surface.resource is array
    module.get_function("paint")(surface, np.int32(W), block=(32, 1, 1), grid=(H, 1))
    module.get_function("twice")(surface, block=(W, 1, 1), grid=(H, 1))
    y, x = np.mgrid[:H, :W]
    texture = cuda.TextureObject(array)
    got = sampled(module, texture, np.stack([x.ravel(), y.ravel()], 1) + 0.5)
    np.testing.assert_array_equal(got.reshape(H, W), 2 * (x + 100 * y))


def test_arguments(module, image):
    """Prepared calls, typed numbers and ints take the handle; the memory stays while it does."""
    texture = cuda.TextureObject(cuda.matrix_to_array(image, "C"))
    gc.collect()
    at = cuda.to_device(np.float32([[2.5, 3.5]]))
    to = cuda.mem_alloc(4)
    kernel = module.get_function("sample")
    for handle in (texture, int(texture), np.uint64(texture.handle)):
        cuda.memset_d32(to, 0, 1)
        kernel(to, handle, at, 1, block=(1, 1, 1))  # 1 asks for the types of the source
        assert cuda.from_device(to, 1, np.float32) == image[3, 2]
    for types in ("PQPi", "PPPi"):
        kernel.prepare(types)
        cuda.memset_d32(to, 0, 1)
        kernel.prepared_call((1, 1), (1, 1, 1), to, texture, at, 1)
        assert cuda.from_device(to, 1, np.float32) == image[3, 2]


def test_a_texture_may_go_while_the_kernel_runs(module, image):
    at = cuda.to_device(np.float32([[2.5, 3.5]]))
    to = cuda.mem_alloc(4)
    stream = cuda.Stream()
    for _ in range(20):
        kernel = module.get_function("sample")
        texture = cuda.TextureObject(cuda.matrix_to_array(image, "C"))
        kernel(to, texture, at, np.int32(1), block=(1, 1, 1), stream=stream)
        del texture
    stream.synchronize()
    assert cuda.from_device(to, 1, np.float32) == image[3, 2]
