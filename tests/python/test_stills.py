# SPDX-License-Identifier: MIT
"""Stills: what is drawn, once more at any size."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import lathe


@pytest.fixture
def app():
    app = lathe.App("stills", size=(160, 120), headless=True, background=(0.2, 0.4, 0.6))
    app.frame_limit = 100
    return app


def test_a_still_of_the_windows_size_is_the_screenshot(app):
    assert app.frame()
    app.image(np.random.default_rng(1).random((30, 40)), name="u")
    app.colorbar("u")
    app.text("words", (0, 0))
    app.points([[0.3, 0.2]], size=11)
    np.testing.assert_array_equal(app.still(size=(160, 120), samples=1), app.screenshot())


def test_what_has_pixels_grows_with_the_picture(app):
    assert app.frame()
    app.points([[0, 0]], size=40, round=False, color=(1, 1, 1))
    app.lines([[-2, 0.8], [2, 0.8]], width=6, color=(1, 0, 0))
    for factor in (1, 2, 5):
        picture = app.still(size=(160 * factor, 120 * factor), samples=2)
        assert picture.shape == (120 * factor, 160 * factor, 3)
        white = (picture == 255).all(axis=2)
        assert white.sum() == pytest.approx(1600 * factor**2, rel=0.02)
        red = (picture[..., 0] > 128) & (picture[..., 1] < 128)
        assert red[:, 80 * factor].sum() == pytest.approx(6 * factor, abs=1)
    before = app.screenshot()
    assert app.pick(80, 60).item == "points", "the frame's own size counts"
    np.testing.assert_array_equal(before, app.screenshot())


def test_samples_are_averaged(app):
    assert app.frame()
    stripes = np.zeros((120, 160))
    stripes[:, ::2] = 1
    app.image(stripes, colormap="gray")
    np.testing.assert_array_equal(app.still(size=(80, 60), samples=2)[..., 0], 128)
    edge = app.still(size=(40, 30), samples=4)
    np.testing.assert_array_equal(edge[..., 0], 128)


def test_a_transparent_background(app):
    assert app.frame()
    app.points([[0, 0]], size=60, color=(1, 0.5, 0))
    app.points([[0, 0]], size=20, color=(0, 0, 1), opacity=0.5)
    picture = app.still(size=(160, 120), samples=1, transparent=True)
    assert picture.shape == (120, 160, 4)
    assert tuple(picture[0, 0]) == (0, 0, 0, 0)
    np.testing.assert_allclose(picture[60, 55], (255, 127.5, 0, 255), atol=0.6)
    np.testing.assert_allclose(picture[60, 80], (128, 64, 128, 255), atol=1)
    alpha = picture[60, :, 3]
    assert ((alpha > 0) & (alpha < 255)).sum() >= 2, "soft edges"
    soft = picture[60, (alpha > 20) & (alpha < 255)]
    np.testing.assert_allclose(soft[:, 0], 255, atol=8)  # the colour itself, not premultiplied


def test_views_keep_their_places(app):
    left, right = app.views(1, 2)
    assert app.frame()
    left.image(np.ones((4, 4)), colormap="gray")
    right.image(np.zeros((4, 4)), colormap="gray")
    picture = app.still(size=(640, 480), samples=1)
    assert tuple(picture[240, 100]) == (255, 255, 255)
    assert tuple(picture[240, 540]) == (0, 0, 0)
    assert (picture[:, 317:323] == picture[0, 320]).all(), "a gap of two pixels, four times as wide"


def test_a_file_and_mistakes(app, tmp_path):
    assert app.frame()
    app.image(np.ones((4, 4)))
    file = tmp_path / "deep" / "still.png"
    picture = app.still(file, size=(64, 48), transparent=True)
    np.testing.assert_array_equal(np.asarray(Image.open(file)), picture)
    for mistake in ({"size": (0, 10)}, {"samples": 0}, {"samples": 9}):
        with pytest.raises(ValueError, match="a still has a width and height of 1 or more"):
            app.still(**mistake)
    with pytest.raises(lathe.Error):
        app.still(size=(10**6, 10), samples=1)
    assert app.frame()


def test_a_still_of_another_shape_leaves_the_frames_alone(app):
    x = np.random.default_rng(2).normal(size=(200, 3))
    rho = np.random.default_rng(3).random((8, 8, 8))
    assert app.frame()
    app.points(x, radius=0.2, name="cells")
    app.volume(rho)
    app.axes()
    before = app.screenshot()
    camera = app.orbit_camera
    place = (list(camera.target), camera.distance)
    picked = [app.pick(x, 60) for x in range(40, 120, 8)]
    assert {"volume", "cells"} & {found.item for found in picked if found}
    app.still(size=(500, 900), samples=1)
    assert (list(camera.target), camera.distance) == place
    assert [app.pick(x, 60) for x in range(40, 120, 8)] == picked
    np.testing.assert_array_equal(app.screenshot(), before)


def test_a_still_that_fails_leaves_the_picture(app):
    assert app.frame()
    app.image(np.ones((4, 4)), colormap="gray")
    before = app.screenshot()
    with pytest.raises(lathe.Error):
        app.still(size=(16, 100_000), samples=8)
    np.testing.assert_array_equal(app.screenshot(), before)
    np.testing.assert_array_equal(app.still(size=(160, 120), samples=1), before)


def test_between_views_nothing_is_opaque(app):
    for view in app.views(1, 2):
        view.text("word", (0, 0))
    assert app.frame()
    assert app.still(size=(160, 120), transparent=True)[..., 3].max() == 0


def everything(app):
    app.mesh([[-1, -1, 0], [1, -0.8, 0], [0, 1, 0.3]], [[0, 1, 2]], color=(0.9, 0.5, 0.2))
    app.points([[0.4, 0.5, 0.4], [-0.6, 0.2, 0.3]], radius=0.3, name="balls")
    app.lines([[-1, 0.9, 0.5], [1, -0.5, 0.5]], width=3)
    app.text("words", (0.0, -0.6, 0.5))
    app.axes()


def test_samples_of_frames_are_those_of_stills():
    apps = [
        lathe.App("samples", size=(160, 120), headless=True, samples=samples) for samples in (1, 2)
    ]
    pictures = []
    for app in apps:
        app.frame_limit = 10
        for _ in range(2):
            assert app.frame()
            everything(app)
        pictures.append(app.screenshot().astype(int))
    still = apps[0].still(size=(160, 120), samples=2).astype(int)
    assert np.abs(pictures[1] - still).max() <= 1
    assert np.abs(pictures[0] - still).max() > 60  # edges
    for x, y in ((97, 42), (50, 60), (60, 80), (5, 5)):
        first, second = (app.pick(x, y) for app in apps)
        assert (first and (first.item, first.index)) == (second and (second.item, second.index))
        if first:
            np.testing.assert_allclose(first.position, second.position, atol=0.02)


def test_volumes_have_one_ray_a_pixel_whatever_the_samples():
    z, y, x = np.mgrid[-1:1:24j, -1:1:24j, -1:1:24j]
    ball = (x * x + y * y + z * z < 0.6).astype(np.float32)
    seen = []
    for samples in (1, 2):
        app = lathe.App("rays", size=(161, 121), headless=True, samples=samples)
        app.frame_limit = 5
        for _ in range(2):
            assert app.frame()
            app.volume(ball, mode="surface", name="ball")
        seen.append((app.screenshot().astype(int), app.pick(80, 60)))
    assert np.abs(seen[0][0] - seen[1][0]).mean() < 1.5
    assert seen[0][1].index == seen[1][1].index
    np.testing.assert_allclose(seen[0][1].position, seen[1][1].position, atol=0.01)


def test_other_numbers_of_samples_are_refused():
    with pytest.raises(ValueError, match="samples of a pixel in each direction are 1 or 2, got 3"):
        lathe.App("samples", headless=True, samples=3)
