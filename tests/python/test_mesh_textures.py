# SPDX-License-Identifier: MIT
"""Pictures on meshes: each pixel against the picture's elements, by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lathe

SIDE = 192
CORNERS = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)
HALVES = [[0, 1, 2], [0, 2, 3]]
WHOLE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


@pytest.fixture(scope="module")
def app():
    """The square fills the picture."""
    app = lathe.App("textures", size=(SIDE, SIDE), headless=True, background=(0, 0, 0))
    app.frame_limit = 1000
    slope = np.tan(app.orbit_camera.field_of_view / 2)
    app.camera = lathe.Camera(yaw=0, pitch=0, distance=1 / slope, orthographic=True)
    return app


@pytest.fixture
def random():
    return np.random.default_rng(4)


def shown(app, texture, texcoords=WHOLE, **named):
    assert app.frame()
    app.mesh(CORNERS, HALVES, texture=texture, texcoords=texcoords, name="wall", **named)
    return app.screenshot()[..., :3].astype(float)


@pytest.fixture(scope="module")
def light(app):
    """What the light leaves of white."""
    assert app.frame()
    app.mesh(CORNERS, HALVES, color=(1, 1, 1))
    return app.screenshot()[SIDE // 2, SIDE // 2, 0] / 255


def coordinates(texcoords):
    """u and v at the middle of each pixel, rows from the top."""
    part = (np.arange(SIDE) + 0.5) / SIDE
    low, high = texcoords[0], texcoords[2]
    u = low[0] + part * (high[0] - low[0])
    v = low[1] + (1 - part) * (high[1] - low[1])
    return np.meshgrid(u, v)


def sampled(picture, texcoords, filter, wrap):
    """(SIDE, SIDE, channels)"""
    height, width = picture.shape[:2]
    u, v = coordinates(np.asarray(texcoords))
    x, y = u * width, (1 - v) * height

    def at(column, row):
        if wrap == "repeat":
            return picture[row % height, column % width]
        return picture[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]

    if filter == "nearest":
        return at(np.floor(x).astype(int), np.floor(y).astype(int))
    i, j = np.floor(x - 0.5).astype(int), np.floor(y - 0.5).astype(int)
    a, b = (x - 0.5 - i)[..., None], (y - 0.5 - j)[..., None]
    above = at(i, j) * (1 - a) + at(i + 1, j) * a
    return above * (1 - b) + (at(i, j + 1) * (1 - a) + at(i + 1, j + 1) * a) * b


@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("wrap", ["repeat", "clamp"])
@pytest.mark.parametrize("around", [0.0, 1.3])
def test_each_pixel_shows_its_element(app, random, light, filter, wrap, around):
    picture = random.integers(0, 256, (6, 8, 3)).astype(np.uint8)
    texcoords = WHOLE * (1 + 2 * around) - around
    seen = shown(app, picture, texcoords, texture_filter=filter, texture_wrap=wrap)
    expected = light * sampled(picture.astype(float), texcoords, filter, wrap)
    wrong = np.abs(seen - expected).max(axis=2) > 2
    assert wrong.mean() < (0.02 if filter == "nearest" else 0.001)  # at borders of elements


@pytest.mark.parametrize("dtype", ["u1", "f4", "f2", "u2", "i4", "f8", "?"])
@pytest.mark.parametrize("channels", [3, 4, 1])
def test_elements_have_any_type_and_lie_where_they_are(app, random, light, dtype, channels):
    full = 255 if dtype == "u1" else 1
    picture = random.integers(0, 2, (5, 7, channels)) * full
    array = app.zeros(picture.shape, np.dtype(dtype))
    array.set(picture.astype(dtype))
    named = {"colormap": "gray", "range": (0, full)} if channels == 1 else {}
    seen = shown(app, array, texture_filter="nearest", **named)
    expected = (
        light * 255 / full * sampled(picture[..., :3].astype(float), WHOLE, "nearest", "clamp")
    )
    assert (np.abs(seen - expected).max(axis=2) > 2).mean() < 0.03


def test_one_channel_goes_through_the_colormap_by_its_range(app, light):
    picture = np.linspace(-3, 5, 64, dtype=np.float32).reshape(8, 8)
    seen = shown(app, picture, colormap="magma", range="auto", texture_filter="nearest")
    assert app.frame()
    app.image(picture, plane=((-1, -1, 0), (2, 0, 0), (0, 2, 0)), colormap="magma", range=(-3, 5))
    expected = light * app.screenshot()[..., :3]
    assert (np.abs(seen - expected).max(axis=2) > 2).mean() < 0.03
    picture[3, 3] = np.nan
    seen = shown(app, picture, range=(-3, 5), texture_filter="nearest")
    element = SIDE // 8
    hole = seen[3 * element + element // 2, 3 * element + element // 2]
    np.testing.assert_allclose(hole, [255 * light, 0, 255 * light], atol=1)


def test_many_elements_in_a_pixel_are_averaged(app, light):
    fine = np.indices((SIDE * 4, SIDE * 4)).sum(axis=0) % 2
    seen = shown(app, np.repeat(fine[..., None], 3, axis=2).astype(np.float32))
    assert np.abs(seen - 127.5 * light).max() < 3


def test_alpha_counts_where_the_mesh_is_blended(app, light):
    picture = np.zeros((1, 2, 4), np.float32)
    picture[..., 0] = 1
    picture[0, :, 3] = 0.25, 1
    seen = shown(app, picture, opacity=0.8, texture_filter="nearest")
    assert seen[90, 20, 0] == pytest.approx(0.25 * 0.8 * 255 * light, abs=2)
    assert seen[90, 170, 0] == pytest.approx(0.8 * 255 * light, abs=2)


def test_picks_give_the_element_there(app, random):
    picture = random.integers(0, 256, (12, 16, 3)).astype(np.uint8)
    texcoords = WHOLE * 2.2 - 0.6
    for wrap in ("repeat", "clamp"):
        shown(app, picture, texcoords, texture_wrap=wrap)
        expected = sampled(picture, texcoords, "nearest", wrap)
        off = 0
        for x, y in random.integers(0, SIDE, (1000, 2)):
            found = app.pick(x + 0.5, y + 0.5)
            assert (found.item, found.kind) == ("wall", "mesh")
            assert found.index == int(x < SIDE - 1 - y) or x == SIDE - 1 - y
            off += found.value != tuple(expected[y, x])
        assert off < 5  # at borders of elements


def test_a_colour_of_the_thing_takes_the_place_of_its_texture(app, light):
    picture = np.ones((2, 2, 3), np.float32)
    shown(app, picture)
    app.thing("wall").color = (1, 0, 0)
    try:
        np.testing.assert_allclose(shown(app, picture)[50, 50], [255 * light, 0, 0], atol=1)
    finally:
        app.thing("wall").color = None


def test_what_is_no_texture_is_named(app):
    picture = np.zeros((4, 4, 3), np.float32)
    assert app.frame()

    def mesh(**named):
        app.mesh(CORNERS, HALVES, **named)

    with pytest.raises(ValueError, match="a texture needs texcoords"):
        mesh(texture=picture)
    with pytest.raises(ValueError, match="texcoords belong to a texture"):
        mesh(texcoords=WHOLE)
    with pytest.raises(ValueError, match=r"texcoords of 4 vertices are \(4, 2\)"):
        mesh(texture=picture, texcoords=WHOLE[:3])
    with pytest.raises(ValueError, match=r"\(height, width, 1 to 4\)"):
        mesh(texture=np.zeros((4, 4, 5)), texcoords=WHOLE)
    with pytest.raises(TypeError, match="texture"):
        mesh(texture=np.zeros((4, 4), complex), texcoords=WHOLE)
    with pytest.raises(TypeError, match="texture"):
        mesh(texture="wood.png", texcoords=WHOLE)
    with pytest.raises(ValueError, match="texture, or values or colors, not both"):
        mesh(texture=picture, texcoords=WHOLE, values=np.zeros(4))
    with pytest.raises(ValueError, match="texture_filter"):
        mesh(texture=picture, texcoords=WHOLE, texture_filter="cubic")
    with pytest.raises(ValueError, match="texture_wrap"):
        mesh(texture=picture, texcoords=WHOLE, texture_wrap="mirror")
