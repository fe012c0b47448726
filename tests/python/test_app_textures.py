# SPDX-License-Identifier: MIT
"""Textures that kernels and GL share: written by surfaces, read by texture objects, drawn."""

import numpy as np
import pytest

import lathe

PAINT = """
__global__ void paint(cudaSurfaceObject_t s, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(make_uchar4(4 * x, 5 * y, x + y, 255), s, 4 * x, y);
}"""
BLUR = """
__global__ void between(cudaTextureObject_t t, float* out, int width) {
    int x = threadIdx.x;
    if (x < width) out[x] = tex2D<float>(t, x + 1.0f, 0.5f);
}"""
SWAP = """
__global__ void step(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x >= n) return;
    float v;
    surf2Dread(&v, from, 4 * ((x + 1) % n), y);
    surf2Dwrite(v + 1, to, 4 * x, y);
}"""


@pytest.fixture
def app():
    return lathe.App("textures", size=(60, 40), headless=True, ui=False)


def painted():
    y, x = np.mgrid[:40, :60]
    return np.stack([4 * x, 5 * y, x + y, np.full_like(x, 255)], -1).astype(np.uint8)


def test_a_kernel_writes_what_is_drawn(app, copied_bytes_are_right):
    paint = app.kernel(PAINT)
    texture = app.texture((40, 60, 4), np.uint8)
    for _ in range(2):
        assert app.frame()
        paint[(4, 40), (16, 1)](texture, 60, 40)
        app.image(texture)
    np.testing.assert_array_equal(app.screenshot(), painted()[:, :, :3])
    np.testing.assert_array_equal(texture.get(), painted())
    if not app.gl["is_software"]:  # a software GL keeps its textures to itself
        assert copied_bytes_are_right()


def test_bytes_are_drawn_in_their_range(app):
    texture = app.astexture(np.full((40, 60, 4), 51, np.uint8))
    assert app.frame()
    app.image(texture, range=(0, 102))
    assert (app.screenshot() == 128).all() or (app.screenshot() == 127).all()


@pytest.mark.parametrize(
    "dtype, channels",
    [(np.uint8, (1, 2, 4)), (np.float16, (1, 4)), (np.float32, (1, 2, 4)), (np.int32, (1,)),
     (np.uint32, (1,))],
)  # fmt: skip
def test_every_kind_keeps_its_elements(app, dtype, channels):
    rng = np.random.default_rng(7)
    for n in channels:
        host = rng.integers(0, 200, (5, 3, n)).astype(dtype)
        texture = app.astexture(host)
        assert (texture.shape, texture.dtype, texture.nbytes) == ((5, 3, n), dtype, host.nbytes)
        np.testing.assert_array_equal(np.asarray(texture), host)
        out = np.empty_like(host)
        assert texture.get(out) is out
        np.testing.assert_array_equal(out, host)
        texture.fill(3)
        assert (texture.get() == 3).all()


@pytest.mark.parametrize("dtype, unit", [(np.float32, 1.0), (np.uint8, 1 / 255)])
def test_smooth_textures_are_read_between_elements(app, dtype, unit):
    row = np.array([[0, 100, 40, 200]], dtype)
    texture = app.astexture(row, smooth=True)
    out = app.zeros(4)
    between = app.kernel(BLUR)
    assert app.frame()
    between[1, 32](texture, out, 4)
    np.testing.assert_allclose(out.get(), unit * np.array([50, 70, 120, 200]), atol=0.5 * unit)


def test_two_textures_take_turns_and_a_reset_brings_them_back(app):
    host = np.arange(64, dtype=np.float32).reshape(8, 8)
    a, b = app.astexture(host), app.texture((8, 8))
    step = app.kernel(SWAP)
    for _ in range(6):
        assert app.frame()
        step[8, 8](a, b, 8)
        app.image(b, range=(0, 70))
        a, b = b, a
    np.testing.assert_array_equal(a.get(), np.roll(host, -6, axis=1) + 6)
    app.run_control.reset()
    assert app.frame()
    np.testing.assert_array_equal(a.get(), host)  # an even number of turns: a is a again
    assert (b.get() == 0).all()


def test_a_kernel_of_no_app_is_launched_in_the_order_of_the_texture(app):
    a, b = app.astexture(np.ones((8, 8), np.float32)), app.texture((8, 8))
    live = app.kernel(SWAP)
    fixed = lathe.kernel(SWAP)
    assert app.frame()
    for _ in range(20):
        live[8, 8](a, b, 8)
        fixed[8, 8](b, a, 8)
    assert (a.get() == 41).all()


def test_no_slider_for_a_texture(app):
    app.kernel(PAINT)
    assert "s" not in app.parameters


def test_mistakes(app):
    with pytest.raises(ValueError, match=r"\(height, width\) or .* got \(4,\)"):
        app.texture((4,))
    with pytest.raises(ValueError, match="got \\(0, 4\\)"):
        app.texture((0, 4))
    with pytest.raises(ValueError, match="uint8 has 1, 2 or 4 channels, got 3"):
        app.texture((4, 4, 3), np.uint8)
    with pytest.raises(ValueError, match="float16 has 1 or 4 channels, got 2"):
        app.texture((4, 4, 2), np.float16)
    with pytest.raises(TypeError, match="a texture of float64"):
        app.texture((4, 4), np.float64)
    with pytest.raises(ValueError, match="between int32 nothing is interpolated"):
        app.texture((4, 4), np.int32, smooth=True)
    texture = app.texture((4, 4), name="t")
    with pytest.raises(ValueError, match="named 't' already"):
        app.zeros((4, 4), name="t")
    with pytest.raises(ValueError, match="could not be broadcast"):
        texture.set(np.zeros((3, 4)))
    with pytest.raises(ValueError, match="shape \\(4, 4\\)"):
        texture.get(np.zeros((3, 4), np.float32))
    other = lathe.App("other", size=(8, 8), headless=True, ui=False)
    with pytest.raises(ValueError, match="another App"):
        other.image(texture)
    assert app.frame()
    with pytest.raises(TypeError, match="got Texture"):
        app.points(texture)
    takes = app.kernel("__global__ void f(cudaSurfaceObject_t s, int n, float* p) {}")
    with pytest.raises(TypeError, match=r"s \(cudaSurfaceObject_t\) takes a texture, got 'x'"):
        takes[1, 1]("x", 1, None)
    with pytest.raises(TypeError, match=r"n \(int\) takes an integer: a texture goes to a cuda"):
        takes[1, 1](texture, texture, None)
    with pytest.raises(TypeError, match=r"p \(float\*\) takes an array"):
        takes[1, 1](texture, 1, texture)


def test_they_die_in_any_order():
    app = lathe.App("dies", size=(8, 8), headless=True, ui=False)
    texture = app.texture((8, 8), np.uint8)
    assert app.frame()
    app.image(texture)
    app.frame()
    del app
    assert texture.get().sum() == 0
    del texture
