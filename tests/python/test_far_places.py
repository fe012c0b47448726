# SPDX-License-Identifier: MIT
"""Positions of float64 far from the origin: arrays of all kinds, picks, cameras as text."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lathe

FAR = np.array([1e7, -2e7, 3e7])
WIDTH, HEIGHT = 160, 120


@pytest.fixture
def app():
    app = lathe.App("far", size=(WIDTH, HEIGHT), headless=True, background=(0, 0, 0))
    app.frame_limit = 50
    return app


def picture(app, draw):
    assert app.frame()
    draw()
    return app.screenshot().astype(int)


def test_arrays_of_all_kinds_are_seen_as_at_the_origin(app):
    places = np.random.default_rng(4).normal(size=(50, 3)) * 0.004

    def seen(array, at):
        app.camera = lathe.Camera(target=tuple(at), distance=0.02)
        return picture(app, lambda: app.points(array, radius=0.0006))

    expected = seen(places.astype(np.float32), (0, 0, 0))
    assert (expected.max(axis=-1) > 100).sum() > 500
    far = places + FAR
    kinds = (far, far.tolist(), lathe.asarray(far), app.asarray(far), lathe.asarray(far.T.copy()).T)
    for array in kinds:
        others = np.abs(seen(array, FAR) - expected) > 3
        assert others.mean() < 5e-4, type(array)
    rounded = np.abs(seen(far.astype(np.float32), FAR) - expected) > 3
    assert rounded.mean() > 0.05, "float32 has no millimetres there"


def test_picks_and_bounds_have_the_digits_of_the_array(app):
    places = FAR + np.random.default_rng(5).uniform(-0.005, 0.005, size=(20, 3))
    app.camera = lathe.Camera(target=tuple(FAR), distance=0.02, yaw=0, pitch=0)
    picture(app, lambda: app.points(places, size=3, name="dots"))
    low, high = app.view.bounds("dots")
    np.testing.assert_allclose(low, places.min(axis=0), rtol=0, atol=1e-6)
    np.testing.assert_allclose(high, places.max(axis=0), rtol=0, atol=1e-6)
    local = places - FAR
    pixels = HEIGHT / 2 / math.tan(0.4) / (0.02 - local[:, 2])
    found = 0
    for x, y in zip(
        WIDTH / 2 + local[:, 0] * pixels, HEIGHT / 2 - local[:, 1] * pixels, strict=True
    ):
        picked = app.pick(x, y)
        assert picked is not None and picked.item == "dots"
        at = places[picked.index]
        np.testing.assert_allclose(picked.position, at, rtol=0, atol=1e-6)
        found += 1
    assert found == 20


def test_cameras_keep_their_digits_as_text(app):
    target = (1e7 + 0.001, -2e7 - 0.0125, 3e7 + 1 / 3)
    for camera in (
        lathe.Camera(target=target, distance=0.02),
        lathe.PlaneCamera(center=target[:2], height=0.01),
    ):
        app.view.camera = camera
        assert app.view.camera == camera
        assert eval(repr(camera), {"lathe": lathe}) == camera
    assert repr(lathe.Camera(target=(0.1, 0, 0))).startswith("lathe.Camera(target=(0.1, 0, 0)")
    path = lathe.CameraPath(
        [(0, lathe.Camera(target=target)), (1, lathe.Camera(target=(target[0] + 0.002, 0, 0)))]
    )
    assert path.at(0).target == target
    assert path.at(1).target[0] == target[0] + 0.002


def test_own_drawing_may_count_from_a_place_near_the_eye(app):
    app.camera = lathe.Camera(target=tuple(FAR), distance=0.02)
    views = []
    app.on_draw(views.append)
    assert app.frame()
    app.screenshot()
    near = lathe.Camera(distance=0.02)
    app.camera = near
    assert app.frame()
    app.screenshot()
    far, here = views[0], views[-1]
    np.testing.assert_allclose(far.view_from(tuple(FAR)), here.view, atol=1e-8)
    np.testing.assert_allclose(np.subtract(far.eye, FAR), here.eye, atol=1e-8)
